package dev.calve.manifest;

import dev.calve.io.PositionOutput;
import dev.calve.partition.PartitionJson;
import dev.calve.schema.Json;
import dev.calve.schema.SchemaJson;
import java.io.IOException;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.avro.file.DataFileWriter;
import org.jspecify.annotations.Nullable;

/**
 * Writes one manifest. Spec: Manifests.
 *
 * <p>ADDED entries leave to the reader what a retry would change: their snapshot's sequence number and row ids. EXISTING
 * and DELETED ones carry every number, because nothing of theirs is inherited.
 *
 * <p>Used by one thread. Closed without {@link #finish()}, the file stays behind incomplete; whoever chose the location
 * deletes it.
 */
public final class ManifestWriter implements AutoCloseable {

    private final ManifestTarget target;
    private final EntryTotals totals;
    private final PositionOutput out;
    private final DataFileWriter<ManifestSchemas.Entry> file;
    private OptionalLong minSequenceNumber = OptionalLong.empty();
    private boolean open = true;

    /**
     * Creates the file and writes its header.
     *
     * @throws java.nio.file.FileAlreadyExistsException if something exists at the location
     */
    public ManifestWriter(ManifestTarget target) throws IOException {
        this.target = target;
        totals = new EntryTotals(target.partitionType());
        var record = ManifestSchemas.manifestEntry(target.formatVersion(), target.partitionType());
        file = new DataFileWriter<>(record);
        file.setCodec(target.codec());
        file.setMeta(ManifestHeader.SCHEMA, Json.write(SchemaJson.toJson(target.schema())));
        file.setMeta(ManifestHeader.SCHEMA_ID, Integer.toString(target.schema().id()));
        file.setMeta(ManifestHeader.PARTITION_SPEC, Json.write(PartitionJson.fieldsToJson(target.spec())));
        file.setMeta(
                ManifestHeader.PARTITION_SPEC_ID, Integer.toString(target.spec().id()));
        file.setMeta(ManifestHeader.FORMAT_VERSION, Integer.toString(target.formatVersion()));
        if (target.formatVersion() > 1) {
            file.setMeta(ManifestHeader.CONTENT, target.content().name().toLowerCase(Locale.ROOT));
        }
        out = target.storage().create(target.location());
        try {
            file.create(record.schema(), out);
        } catch (IOException | RuntimeException e) {
            try {
                out.abandon();
            } catch (IOException suppressed) {
                e.addSuppressed(suppressed);
            }
            throw e;
        }
    }

    /** Adds a file whose sequence numbers are those of the snapshot that will hold the manifest. */
    public void added(ContentFile added) throws IOException {
        write(ManifestEntry.Status.ADDED, target.snapshotId(), null, null, added);
    }

    /**
     * Adds a file that holds older rows: it keeps their data sequence number, so that later deletes apply to it and
     * earlier ones do not. The file sequence number is that of the snapshot that will hold the manifest.
     */
    public void added(ContentFile added, long dataSequenceNumber) throws IOException {
        requireKnown(dataSequenceNumber, "sequence_number", added);
        write(ManifestEntry.Status.ADDED, target.snapshotId(), dataSequenceNumber, null, added);
        noteLive(dataSequenceNumber);
    }

    /** Keeps a live entry of another manifest, with all its numbers as they were read. */
    public void existing(ManifestEntry<?> entry) throws IOException {
        ContentFile kept = entry.file();
        if (!entry.isLive()) {
            throw new IllegalArgumentException("A DELETED entry must not come to life again: '" + kept.path() + "'.");
        }
        requireKnown(entry.sequenceNumber(), "sequence_number", kept);
        requireKnown(entry.fileSequenceNumber(), "file_sequence_number", kept);
        write(
                ManifestEntry.Status.EXISTING,
                entry.snapshotId(),
                entry.sequenceNumber(),
                entry.fileSequenceNumber(),
                kept);
        noteLive(entry.sequenceNumber());
    }

    /** Records that this manifest's snapshot removes the file of an entry. */
    public void deleted(ManifestEntry<?> entry) throws IOException {
        deleted(entry, target.snapshotId());
    }

    /** Records that a snapshot removes, or removed, the file of an entry. */
    public void deleted(ManifestEntry<?> entry, long deletingSnapshotId) throws IOException {
        write(
                ManifestEntry.Status.DELETED,
                deletingSnapshotId,
                known(entry.sequenceNumber()),
                known(entry.fileSequenceNumber()),
                entry.file());
    }

    private static @Nullable Long known(long sequenceNumber) {
        return sequenceNumber == ManifestEntry.UNKNOWN_SEQUENCE_NUMBER ? null : sequenceNumber;
    }

    private static void requireKnown(long sequenceNumber, String field, ContentFile of) {
        if (sequenceNumber < 0) {
            throw new IllegalArgumentException(
                    field + " of '" + of.path() + "' must be 0 or more here, not " + sequenceNumber + ".");
        }
    }

    private void noteLive(long sequenceNumber) {
        minSequenceNumber = OptionalLong.of(Math.min(minSequenceNumber.orElse(Long.MAX_VALUE), sequenceNumber));
    }

    private void write(
            ManifestEntry.Status status,
            long snapshotId,
            @Nullable Long sequenceNumber,
            @Nullable Long fileSequenceNumber,
            ContentFile of)
            throws IOException {
        requireBelongs(of);
        ContentFile written = status == ManifestEntry.Status.ADDED && of instanceof DataFile data
                ? data.withFirstRowId(OptionalLong.empty())
                : of;
        file.append(new ManifestSchemas.Entry(status, snapshotId, sequenceNumber, fileSequenceNumber, written));
        totals.add(status, of);
    }

    private void requireBelongs(ContentFile of) {
        if (of.specId() != target.spec().id()) {
            throw new IllegalArgumentException("File '" + of.path() + "' must be of partition spec "
                    + target.spec().id() + ", as its manifest is, not of " + of.specId() + ".");
        }
        if (of.partition().size() != target.partitionType().fields().size()) {
            throw new IllegalArgumentException("Partition of '" + of.path() + "' must have the fields of "
                    + target.partitionType() + ", not be " + of.partition() + ".");
        }
        if (of instanceof DataFile != (target.content() == ManifestFile.Content.DATA)) {
            throw new IllegalArgumentException("A manifest of " + target.content() + " must not hold '" + of.path()
                    + "', a " + of.getClass().getSimpleName() + ".");
        }
        if (of instanceof DeleteFile.DeletionVector && target.formatVersion() < 3) {
            throw new IllegalArgumentException("A deletion vector must be of a table of format version 3, not "
                    + target.formatVersion() + ": '" + of.path() + "'.");
        }
    }

    /** Entries so far. */
    public long entries() {
        return totals.files();
    }

    /** Bytes in the file so far, to know when to go on in another one; lags behind by up to one block of about 64 KB. */
    public long position() {
        return out.position();
    }

    /**
     * Completes the file. Its sequence numbers are left to the writer of the list, except a lowest one that an explicit
     * entry decides: a new snapshot's is higher than all.
     */
    public ManifestFile finish() throws IOException {
        requireOpen();
        file.flush();
        long length = out.position();
        open = false;
        file.close();
        return new ManifestFile(
                target.location(),
                length,
                target.spec().id(),
                target.content(),
                ManifestFile.UNASSIGNED,
                minSequenceNumber.orElse(ManifestFile.UNASSIGNED),
                target.snapshotId(),
                totals.counts(),
                Optional.of(totals.partitions()),
                Optional.empty(),
                OptionalLong.empty());
    }

    private void requireOpen() {
        if (!open) {
            throw new IllegalStateException("Manifest '" + target.location() + "' is already finished or abandoned.");
        }
    }

    /** Gives the file up, complete or not. It is not deleted. Nothing happens after {@link #finish()}. */
    public void abandon() throws IOException {
        if (open) {
            open = false;
            out.abandon();
        }
    }

    /** Abandons the file unless it was finished. */
    @Override
    public void close() throws IOException {
        abandon();
    }
}
