package dev.calve.commit;

import dev.calve.commit.ConflictRule.NotPicked;
import dev.calve.commit.SnapshotChange.AddedData;
import dev.calve.commit.SnapshotChange.Operation;
import dev.calve.expression.PartitionFilter;
import dev.calve.io.Storage;
import dev.calve.manifest.ManifestEntry;
import dev.calve.manifest.ManifestFile;
import dev.calve.manifest.ManifestFile.Content;
import dev.calve.manifest.ManifestReader;
import dev.calve.manifest.Selection;
import dev.calve.metadata.Ancestry;
import dev.calve.metadata.MetadataUpdate;
import dev.calve.metadata.Snapshot;
import dev.calve.metadata.SnapshotRef;
import dev.calve.metadata.TableMetadata;
import dev.calve.partition.PartitionTuple;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Does to {@code main} what a snapshot did that {@code main} does not have, such as one that was staged. {@code main} moves to
 * the snapshot itself if that goes on from where {@code main} is. Else its files are added to a new snapshot, which is possible
 * for an append, and for an overwrite of whole partitions nobody added rows to since; anything else depends on rows that may
 * have changed.
 *
 * <p>Nothing is picked twice: neither the snapshot nor what has its id.
 */
public final class CherryPick {

    /** Entry of the summary of a staged snapshot: its id. */
    static final String WAP_ID = "wap.id";

    private static final String PUBLISHED_WAP_ID = "published-wap-id";
    private static final String SOURCE_SNAPSHOT_ID = "source-snapshot-id";

    private final String table;
    private final Snapshot picked;

    private CherryPick(String table, Snapshot picked) {
        this.table = table;
        this.picked = picked;
    }

    /**
     * Picks any snapshot of a table.
     *
     * @param table name for messages
     * @throws IllegalArgumentException if there is none of that id
     */
    public static CherryPick of(TableMetadata metadata, String table, long snapshotId) {
        return new CherryPick(
                table,
                metadata.snapshot(snapshotId)
                        .orElseThrow(() -> new IllegalArgumentException("Cannot pick snapshot " + snapshotId + " for "
                                + table + ": the table has no snapshot of that id (any more).")));
    }

    /**
     * Picks the snapshot that was staged under an id.
     *
     * @throws IllegalArgumentException if there is none, or several
     */
    public static CherryPick staged(TableMetadata metadata, String table, String wapId) {
        List<Snapshot> staged = metadata.snapshots().stream()
                .filter(snapshot -> wapId.equals(snapshot.summary().get(WAP_ID)))
                .toList();
        if (staged.size() == 1) {
            return new CherryPick(table, staged.get(0));
        }
        List<String> known = metadata.snapshots().stream()
                .flatMap(snapshot -> Optional.ofNullable(snapshot.summary().get(WAP_ID)).stream())
                .distinct()
                .toList();
        throw new IllegalArgumentException("Cannot publish '" + wapId + "' of " + table + ": "
                + (staged.isEmpty()
                        ? "no snapshot was staged under that id, but under " + known + "."
                        : "several snapshots were staged under that id: "
                                + staged.stream().map(Snapshot::id).toList()
                                + ". Pick them one after the other by CALL system.cherrypick_snapshot."));
    }

    /** Id of the snapshot that is picked. */
    public long snapshotId() {
        return picked.id();
    }

    /**
     * Moves {@code main} to the snapshot.
     *
     * @return nothing if that does not go on from where {@code main} is
     * @throws IllegalArgumentException if it was picked before
     */
    public List<MetadataUpdate> fastForward(TableMetadata found) {
        requireNotPicked(found);
        Optional<Snapshot> head = found.currentSnapshot();
        OptionalLong id = head.isPresent() ? OptionalLong.of(head.get().id()) : OptionalLong.empty();
        if (!id.equals(picked.parentId()) || found.snapshot(picked.id()).isEmpty()) {
            return List.of();
        }
        SnapshotRef main = Optional.ofNullable(found.refs().get(SnapshotRef.MAIN))
                .map(ref -> ref.at(picked.id()))
                .orElseGet(() -> SnapshotRef.branch(picked.id()));
        return List.of(new MetadataUpdate.SetSnapshotRef(SnapshotRef.MAIN, main));
    }

    /**
     * A new snapshot of {@code main} that does the same. Its files are the picked one's: they are never the statement's to
     * delete. Cost: the manifests the picked snapshot wrote.
     *
     * @param summary further entries
     * @throws IllegalArgumentException if it was picked before, or cannot be done anywhere but where it was
     */
    public SnapshotChange change(Storage storage, TableMetadata found, Map<String, String> summary) throws IOException {
        requireNotPicked(found);
        if (found.snapshot(picked.id()).isEmpty()) {
            throw cannot("it has expired meanwhile");
        }
        boolean appends = picked.operation().equals(Optional.of(Operation.APPEND.toString()));
        boolean replacesPartitions = picked.operation().equals(Optional.of(Operation.OVERWRITE.toString()))
                && "true".equals(picked.summary().get("replace-partitions"));
        if (!appends && !replacesPartitions) {
            throw cannot("it is no append and no overwrite of whole partitions, so it can only go on from "
                    + parent(picked.parentId()) + ", but main is at " + parent(id(found.currentSnapshot())));
        }
        Files files = files(storage, found);
        if (appends && !files.removed.isEmpty()) {
            throw cannot("it is called an append, but removes files");
        }
        var rules = new ArrayList<ConflictRule>();
        rules.add(new NotPicked(picked.id(), wapId()));
        files.tuples.forEach((specId, tuples) -> {
            if (replacesPartitions) {
                rules.add(new ConflictRule.NoNewDataIn(
                        specId,
                        tuples,
                        PartitionFilter.of(found.schema(), found.spec(specId), tuples)
                                .expression()));
            }
        });
        Map<String, String> entries = new LinkedHashMap<>(summary);
        wapId().ifPresent(id -> entries.put(PUBLISHED_WAP_ID, id));
        entries.put(SOURCE_SNAPSHOT_ID, Long.toString(picked.id()));
        return new SnapshotChange(
                appends ? Operation.APPEND : Operation.OVERWRITE,
                SnapshotRef.MAIN,
                appends ? id(found.currentSnapshot()) : picked.parentId(),
                found.formatVersion(),
                files.added,
                List.of(),
                files.removed.isEmpty() ? List.of() : List.of(new Removal.Files(files.removed)),
                rules,
                entries);
    }

    /** What the picked snapshot did. */
    private static final class Files {
        private final List<AddedData> added = new ArrayList<>();
        private final List<Removal.Known> removed = new ArrayList<>();
        private final Map<Integer, Set<PartitionTuple>> tuples = new HashMap<>();
    }

    private Files files(Storage storage, TableMetadata found) throws IOException {
        OtherSnapshot other = OtherSnapshot.read(storage, picked, OptionalLong.empty());
        var files = new Files();
        for (ManifestFile manifest : other.written()) {
            Selection all = Selection.all().typedAs(found.partitionType(manifest.specId()));
            if (manifest.content() == Content.DELETES) {
                ManifestReader.forEachDelete(storage, manifest, all, entry -> {
                    if (other.did(entry) && entry.status() == ManifestEntry.Status.ADDED) {
                        throw cannot("it deletes rows of files that may have changed since ("
                                + entry.file().path() + "), so it can only go on from " + parent(picked.parentId()));
                    }
                    return true;
                });
                continue;
            }
            ManifestReader.forEachData(storage, manifest, all, entry -> {
                if (other.did(entry)) {
                    if (entry.status() == ManifestEntry.Status.DELETED) {
                        files.removed.add(Removal.Known.of(entry.file(), manifest.path()));
                    } else {
                        requireNewRows(entry.sequenceNumber(), entry.file().path());
                        files.added.add(AddedData.ofNewRows(entry.file()));
                    }
                    files.tuples
                            .computeIfAbsent(entry.file().specId(), none -> new HashSet<>())
                            .add(entry.file().partition());
                }
                return true;
            });
        }
        return files;
    }

    /** Older rows that were written again stay older than deletes by key, so that it matters where they are. */
    private void requireNewRows(long dataSequenceNumber, String path) {
        if (dataSequenceNumber != picked.sequenceNumber()) {
            throw cannot("it writes rows again that were there before (" + path + "), so it can only go on from "
                    + parent(picked.parentId()));
        }
    }

    private Optional<String> wapId() {
        return Optional.ofNullable(picked.summary().get(WAP_ID));
    }

    private void requireNotPicked(TableMetadata found) {
        var notPicked = new NotPicked(picked.id(), wapId());
        for (Snapshot ancestor : Ancestry.known(found, found.currentSnapshot())) {
            if (ancestor.id() == picked.id()) {
                throw cannot("main has it already");
            }
            if (isBroken(notPicked, ancestor)) {
                throw cannot("main has what it did already: "
                        + new Conflict.AlreadyPicked(notPicked, ancestor.id()).message());
            }
        }
    }

    /** Whether a snapshot is, or repeats, what must not be picked twice. */
    static boolean isBroken(NotPicked rule, Snapshot snapshot) {
        Map<String, String> summary = snapshot.summary();
        return snapshot.id() == rule.snapshotId()
                || Long.toString(rule.snapshotId()).equals(summary.get(SOURCE_SNAPSHOT_ID))
                || (rule.wapId().isPresent()
                        && (rule.wapId().get().equals(summary.get(PUBLISHED_WAP_ID))
                                || rule.wapId().get().equals(summary.get(WAP_ID))));
    }

    private static OptionalLong id(Optional<Snapshot> snapshot) {
        return snapshot.isPresent() ? OptionalLong.of(snapshot.get().id()) : OptionalLong.empty();
    }

    private static String parent(OptionalLong id) {
        return id.isPresent() ? "snapshot " + id.getAsLong() : "an empty table";
    }

    private IllegalArgumentException cannot(String why) {
        return new IllegalArgumentException("Cannot pick snapshot " + picked.id()
                + wapId().map(id -> " (staged as '" + id + "')").orElse("") + " for main of " + table + ": " + why
                + ".");
    }
}
