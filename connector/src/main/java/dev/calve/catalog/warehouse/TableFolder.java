package dev.calve.catalog.warehouse;

import dev.calve.commit.Committer;
import dev.calve.commit.SwapOutcome;
import dev.calve.commit.SwapRequest;
import dev.calve.commit.TableState;
import dev.calve.io.InvalidTableException;
import dev.calve.metadata.MetadataLog;
import dev.calve.metadata.TableMetadata;
import dev.calve.metadata.TableMetadataJson;
import dev.calve.metadata.TableProperties;
import dev.calve.metadata.TableProperties.MetadataCompression;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One table's folder: finds its newest metadata and swaps it. Safe for use by several threads and processes.
 *
 * <p>Loading costs the hint, three look-ups for each version from the hint up to the first that is missing, and the file.
 */
final class TableFolder implements Committer {

    static final String HINT = "version-hint.text";

    private static final Logger LOG = LoggerFactory.getLogger(TableFolder.class);

    /** How often a load starts again because a file it had found was deleted under its hands. */
    private static final int LOAD_ATTEMPTS = 5;

    /** Of all catalogs of the JVM, because each session has its own. */
    private static final ParsedMetadata PARSED = new ParsedMetadata();

    private final String name;
    private final String location;
    private final Directory directory;

    /**
     * @param name what messages call the table
     * @param location the folder, without a slash at the end
     */
    TableFolder(String name, String location, Directory directory) {
        this.name = name;
        this.location = location;
        this.directory = directory;
    }

    String metadataFolder() {
        return location + "/metadata";
    }

    private String file(String fileName) {
        return metadataFolder() + "/" + fileName;
    }

    /** Whether it holds versioned metadata. One listing. */
    boolean isTable() throws IOException {
        return highestVersion().isPresent();
    }

    /** Whether it holds metadata of any catalog. One listing. */
    boolean hasMetadata() throws IOException {
        return directory.list(metadataFolder()).stream().anyMatch(entry -> MetadataFileName.isMetadata(entry.name()));
    }

    /** The newest state; empty if there is no table. */
    Optional<TableState> find() throws IOException {
        for (int attempt = 0; attempt < LOAD_ATTEMPTS; attempt++) {
            Optional<String> newest = newest();
            if (newest.isEmpty()) {
                return Optional.empty();
            }
            Optional<byte[]> content = directory.read(newest.get());
            if (content.isPresent()) {
                TableMetadata metadata = PARSED.of(content.get(), newest.get());
                return Optional.of(new TableState(metadata, newest.get()));
            }
        }
        throw new IOException("Cannot load table " + name + ": its metadata files at " + metadataFolder()
                + " are deleted as fast as they are found. Try again.");
    }

    @Override
    public TableState load() throws IOException {
        return find().orElseThrow(() -> new InvalidTableException(
                "Table " + name + " must exist, but there is no metadata of it at " + metadataFolder() + "."));
    }

    /** The file of the newest version. */
    private Optional<String> newest() throws IOException {
        OptionalInt start = MetadataFileName.parseHint(directory.read(file(HINT)));
        Optional<String> newest = start.isPresent() ? locationOf(start.getAsInt()) : Optional.empty();
        if (newest.isEmpty()) {
            start = highestVersion();
            newest = start.isPresent() ? locationOf(start.getAsInt()) : Optional.empty();
        }
        if (newest.isEmpty()) {
            return newest;
        }
        int version = start.orElseThrow();
        while (true) {
            Optional<String> next = locationOf(++version);
            if (next.isEmpty()) {
                return newest;
            }
            newest = next;
        }
    }

    private OptionalInt highestVersion() throws IOException {
        return directory.list(metadataFolder()).stream()
                .map(entry -> MetadataFileName.version(entry.name()))
                .flatMapToInt(OptionalInt::stream)
                .max();
    }

    /** The file of a version under any spelling. Three look-ups. */
    private Optional<String> locationOf(int version) throws IOException {
        var found = new ArrayList<String>();
        for (String spelling : MetadataFileName.spellings(version)) {
            if (directory.exists(file(spelling))) {
                found.add(file(spelling));
            }
        }
        if (found.size() > 1) {
            throw new InvalidTableException("Table " + name + " must have one metadata file of version " + version
                    + ", but has " + found + ": two engines committed at once and one commit is lost. Remove the file "
                    + "whose commit is to be given up.");
        }
        return found.stream().findFirst();
    }

    /**
     * Publishes the first version of a new table.
     *
     * @return empty if somebody else published one
     * @throws IOException also if it cannot be found out whether the table was created
     */
    Optional<TableState> create(TableMetadata metadata, UUID statement) throws IOException {
        refuseUnpublishable("create table");
        refuseMetadataPath(metadata);
        if (isTable()) {
            return Optional.empty();
        }
        directory.makeDirectories(metadataFolder());
        // Without a base the name is always the plain one, so that all who create the table compete for it.
        String target = file(MetadataFileName.of(1, MetadataCompression.NONE));
        SwapOutcome outcome = publish(target, metadata, statement);
        if (outcome instanceof SwapOutcome.Swapped swapped) {
            writeHint(1, statement);
            return Optional.of(swapped.state());
        }
        if (outcome instanceof SwapOutcome.Failed failed) {
            throw failed.failure();
        }
        if (outcome instanceof SwapOutcome.Unknown unknown) {
            throw new IOException(
                    "Cannot tell whether table " + name + " was created at " + target + ". Look before you try again.",
                    unknown.cause());
        }
        return Optional.empty();
    }

    /** What a commit publishes, and whether it then deletes what fell out of the log. */
    private record Next(int version, String location, MetadataLog log, boolean deletesEvicted) {}

    @Override
    public SwapOutcome swap(SwapRequest request) {
        TableState base = request.base();
        Next next;
        try {
            next = next(base, request.result());
            Optional<String> lost = whyLost(base, next.version());
            if (lost.isPresent()) {
                return new SwapOutcome.Rejected(lost.get());
            }
        } catch (IOException e) {
            return new SwapOutcome.Failed(
                    new UncheckedIOException("Cannot commit to " + name + ": nothing was changed.", e));
        } catch (RuntimeException e) {
            // Nothing was sent yet, so whatever it was is certain.
            return new SwapOutcome.Failed(e);
        }
        SwapOutcome outcome = publish(next.location(), next.log().metadata(), request.statement());
        if (!(outcome instanceof SwapOutcome.Swapped)) {
            return outcome;
        }
        Optional<Throwable> doubt = whyNotNewest(base);
        if (doubt.isPresent()) {
            return new SwapOutcome.Unknown(doubt.get());
        }
        if (writeHint(next.version(), request.statement()) && next.deletesEvicted()) {
            deleteEvicted(next.log());
        }
        return outcome;
    }

    /**
     * Why a file that was published may not be the newest version: others may have committed since the look before, so often
     * that they had no need of their own file of this version any more and deleted it, which left the name free for ours.
     * They delete the base before it, so as long as that is there nothing of the kind happened.
     */
    private Optional<Throwable> whyNotNewest(TableState base) {
        try {
            return directory.exists(base.metadataLocation())
                    ? Optional.empty()
                    : Optional.of(new IOException("the version before, at " + base.metadataLocation()
                            + ", was deleted meanwhile, and whether after or instead of this commit is not known"));
        } catch (IOException | RuntimeException e) {
            return Optional.of(e);
        }
    }

    /** Reads every property the commit needs, so that a bad value is found before anything is published. */
    private Next next(TableState base, TableMetadata result) throws IOException {
        if (!result.location().equals(base.metadata().location())) {
            throw new UnsupportedOperationException("Cannot move table " + name + " from "
                    + base.metadata().location() + " to " + result.location()
                    + ": a table of a directory catalog stays in its folder.");
        }
        refuseMetadataPath(result);
        refuseUnpublishable("commit to");
        int version = Math.incrementExact(versionOf(base));
        MetadataCompression compression =
                TableProperties.of(base.metadata(), name).get(TableProperties.METADATA_COMPRESSION);
        return new Next(
                version,
                file(MetadataFileName.of(version, compression)),
                MetadataLog.supersede(base.metadata(), base.metadataLocation(), result),
                TableProperties.of(result, name).get(TableProperties.METADATA_DELETE_AFTER_COMMIT));
    }

    /** Why somebody else was certainly faster; empty if that is not known yet. */
    private Optional<String> whyLost(TableState base, int next) throws IOException {
        Optional<String> taken = locationOf(next);
        if (taken.isPresent()) {
            return Optional.of("version " + next + " of table " + name + " already exists at " + taken.get());
        }
        if (!directory.exists(base.metadataLocation())) {
            return Optional.of("version " + (next - 1) + " of table " + name
                    + ", which the commit starts from, is gone from " + base.metadataLocation());
        }
        return Optional.empty();
    }

    private int versionOf(TableState base) {
        return MetadataFileName.version(base.metadataLocation())
                .orElseThrow(() -> new IllegalArgumentException("Cannot commit to " + name + ": its base must be a "
                        + "versioned metadata file of the folder, not " + base.metadataLocation() + "."));
    }

    private void refuseUnpublishable(String action) throws IOException {
        Optional<String> why = directory.whyNotPublishable(metadataFolder());
        if (why.isPresent()) {
            throw new UnsupportedOperationException(
                    "Cannot " + action + " " + name + " at " + location + ": " + why.get());
        }
    }

    private void refuseMetadataPath(TableMetadata metadata) {
        metadata.property(TableProperties.METADATA_PATH.name()).ifPresent(path -> {
            throw new IllegalArgumentException("write.metadata.path must not be set in a directory catalog, but is '"
                    + path + "' (table " + name + "): metadata is found by its place in the table's folder.");
        });
    }

    private SwapOutcome publish(String target, TableMetadata metadata, UUID statement) {
        byte[] content = TableMetadataJson.print(metadata, target);
        Directory.Publication publication = tryPublish(target, content, statement);
        if (publication instanceof Directory.Publication.Failed failed) {
            return new SwapOutcome.Failed(new UncheckedIOException(
                    "Cannot commit to " + name + ": " + target + " was not written, nothing was changed.",
                    failed.cause()));
        }
        if (publication instanceof Directory.Publication.Published) {
            return new SwapOutcome.Swapped(new TableState(metadata, target));
        }
        // A lost answer and a repeated request look like somebody else's file: only its content tells.
        Optional<byte[]> found;
        try {
            found = directory.read(target);
        } catch (IOException | RuntimeException e) {
            return unknown(publication, e);
        }
        if (found.isPresent() && Arrays.equals(found.get(), content)) {
            return new SwapOutcome.Swapped(new TableState(metadata, target));
        }
        // A torn file can be the beginning of ours on a file system that shows files while they are written.
        boolean beginning = found.isPresent()
                && found.get().length < content.length
                && Arrays.equals(found.get(), Arrays.copyOf(content, found.get().length));
        if (publication instanceof Directory.Publication.Taken || (found.isPresent() && !beginning)) {
            return new SwapOutcome.Rejected("somebody else published " + target + " first");
        }
        return unknown(publication, null);
    }

    private static SwapOutcome unknown(
            Directory.Publication publication, @org.jspecify.annotations.Nullable Exception whileLooking) {
        Throwable cause = publication instanceof Directory.Publication.Unknown unknown
                ? unknown.cause()
                : new IOException("the name was taken, and whether by this commit could not be found out");
        if (whileLooking != null) {
            cause.addSuppressed(whileLooking);
        }
        return new SwapOutcome.Unknown(cause);
    }

    @SuppressWarnings("CatchAndPrintStackTrace")
    private Directory.Publication tryPublish(String target, byte[] content, UUID statement) {
        try {
            return directory.publish(target, content, statement);
        } catch (RuntimeException | Error e) {
            return new Directory.Publication.Unknown(e);
        }
    }

    /**
     * The commit has happened: whatever fails here is made good by the next reader or writer.
     *
     * @return whether the hint is as new as the commit
     */
    private boolean writeHint(int version, UUID statement) {
        try {
            directory.replace(file(HINT), String.valueOf(version).getBytes(StandardCharsets.US_ASCII), statement);
            return true;
        } catch (IOException | RuntimeException e) {
            LOG.debug(
                    "Could not write {} of table {}; loading it costs a listing until the next commit", HINT, name, e);
            return false;
        }
    }

    /**
     * Oldest first, and none after one that stays: whoever begins at an old hint takes the last version before a gap for the
     * newest. For the same reason nothing is deleted while the hint is old.
     */
    private void deleteEvicted(MetadataLog log) {
        for (TableMetadata.MetadataLogEntry entry : log.evicted()) {
            try {
                directory.deleteFile(entry.file());
            } catch (IOException | RuntimeException e) {
                LOG.warn("Could not delete {}, which table {} does not need any more", entry.file(), name, e);
                return;
            }
        }
    }
}
