package dev.calve.manifest;

import dev.calve.io.InvalidTableException;
import dev.calve.io.PositionOutput;
import dev.calve.io.Storage;
import dev.calve.manifest.RecordPlan.Step;
import dev.calve.partition.FieldSummary;
import dev.calve.schema.Bytes;
import dev.calve.schema.Type;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.BiConsumer;
import org.apache.avro.Schema;
import org.apache.avro.file.CodecFactory;
import org.apache.avro.file.DataFileWriter;
import org.jspecify.annotations.Nullable;

/** Reads and writes the list of a snapshot's manifests. Spec: Manifest Lists. */
public final class ManifestList {

    private ManifestList() {}

    /**
     * What was written.
     *
     * @param manifests with every number assigned, in the order of the list
     * @param nextRowId the first row id that no manifest uses
     */
    public record WrittenList(List<ManifestFile> manifests, long nextRowId) {
        public WrittenList {
            manifests = List.copyOf(manifests);
        }
    }

    /**
     * Reads a list of any format version. One ranged read.
     *
     * @throws java.io.FileNotFoundException if the list does not exist
     * @throws InvalidTableException if it is damaged
     */
    public static List<ManifestFile> read(Storage storage, String location) throws IOException {
        var manifests = new ArrayList<ManifestFile>();
        try (AvroInput<ManifestFile> file =
                AvroInput.open("Manifest list", storage.input(location), ManifestList::compile)) {
            while (file.hasNext()) {
                manifests.add(file.next());
            }
        }
        return List.copyOf(manifests);
    }

    private static AvroInput.Records<ManifestFile> compile(AvroInput<ManifestFile> file) {
        RecordPlan.require(
                file.schema(),
                ManifestSchemas.MANIFEST_PATH,
                ManifestSchemas.MANIFEST_LENGTH,
                ManifestSchemas.PARTITION_SPEC_ID,
                ManifestSchemas.ADDED_SNAPSHOT_ID);
        RecordPlan<Draft> plan = RecordPlan.of(file.schema(), ManifestList::step);
        return in -> {
            var draft = new Draft();
            plan.read(draft, in);
            return draft.build();
        };
    }

    private static @Nullable Step<Draft> step(Schema.Field field) {
        Schema written = field.schema();
        return switch (RecordPlan.fieldId(field)) {
            case ManifestSchemas.MANIFEST_PATH ->
                value(written, Type.Simple.STRING, (draft, value) -> draft.path = (String) value);
            case ManifestSchemas.MANIFEST_LENGTH -> number(written, (draft, value) -> draft.length = value);
            case ManifestSchemas.PARTITION_SPEC_ID ->
                number(written, (draft, value) -> draft.specId = Math.toIntExact(value));
            case ManifestSchemas.LIST_CONTENT -> number(written, (draft, value) -> draft.content = value);
            case ManifestSchemas.LIST_SEQUENCE_NUMBER ->
                number(written, (draft, value) -> draft.sequenceNumber = value);
            case ManifestSchemas.MIN_SEQUENCE_NUMBER ->
                number(written, (draft, value) -> draft.minSequenceNumber = value);
            case ManifestSchemas.ADDED_SNAPSHOT_ID ->
                number(written, (draft, value) -> draft.addedSnapshotId = OptionalLong.of(value));
            case ManifestSchemas.ADDED_FILES_COUNT ->
                number(written, (draft, value) -> draft.addedFiles = OptionalLong.of(value));
            case ManifestSchemas.EXISTING_FILES_COUNT ->
                number(written, (draft, value) -> draft.existingFiles = OptionalLong.of(value));
            case ManifestSchemas.DELETED_FILES_COUNT ->
                number(written, (draft, value) -> draft.deletedFiles = OptionalLong.of(value));
            case ManifestSchemas.ADDED_ROWS_COUNT ->
                number(written, (draft, value) -> draft.addedRows = OptionalLong.of(value));
            case ManifestSchemas.EXISTING_ROWS_COUNT ->
                number(written, (draft, value) -> draft.existingRows = OptionalLong.of(value));
            case ManifestSchemas.DELETED_ROWS_COUNT ->
                number(written, (draft, value) -> draft.deletedRows = OptionalLong.of(value));
            case ManifestSchemas.PARTITIONS -> partitions(written);
            case ManifestSchemas.LIST_KEY_METADATA ->
                value(written, Type.Simple.BINARY, (draft, value) -> draft.keyMetadata = Optional.of((Bytes) value));
            case ManifestSchemas.LIST_FIRST_ROW_ID ->
                number(written, (draft, value) -> draft.firstRowId = OptionalLong.of(value));
            default -> null;
        };
    }

    private static <D> Step<D> number(Schema written, BiConsumer<D, Long> set) {
        return value(written, Type.Simple.LONG, (draft, value) -> set.accept(draft, (Long) value));
    }

    private static <D> Step<D> value(Schema written, Type type, BiConsumer<D, Object> set) {
        return assign(AvroValues.reader(written, type), set);
    }

    private static <D> Step<D> assign(AvroValues.Reader reader, BiConsumer<D, Object> set) {
        return (draft, in) -> {
            Object value = reader.read(in);
            if (value != null) {
                set.accept(draft, value);
            }
        };
    }

    private static Step<Draft> partitions(Schema written) {
        AvroValues.Reader list = RecordPlan.list(
                written,
                element -> AvroValues.throughUnion(element, record -> {
                    RecordPlan.require(record, ManifestSchemas.CONTAINS_NULL);
                    RecordPlan<SummaryDraft> plan = RecordPlan.of(record, ManifestList::summaryStep);
                    return in -> readSummary(plan, in);
                }));
        return assign(list, Draft::setPartitions);
    }

    private static FieldSummary readSummary(RecordPlan<SummaryDraft> plan, BlockDecoder in) throws IOException {
        var draft = new SummaryDraft();
        plan.read(draft, in);
        return new FieldSummary(draft.containsNull, draft.containsNan, draft.lowerBound, draft.upperBound);
    }

    private static @Nullable Step<SummaryDraft> summaryStep(Schema.Field field) {
        Schema written = field.schema();
        return switch (RecordPlan.fieldId(field)) {
            case ManifestSchemas.CONTAINS_NULL ->
                value(written, Type.Simple.BOOLEAN, (draft, value) -> draft.containsNull = (Boolean) value);
            case ManifestSchemas.CONTAINS_NAN ->
                value(written, Type.Simple.BOOLEAN, (draft, value) -> draft.containsNan = Optional.of((Boolean) value));
            case ManifestSchemas.LOWER_BOUND ->
                value(written, Type.Simple.BINARY, (draft, value) -> draft.lowerBound = Optional.of((Bytes) value));
            case ManifestSchemas.UPPER_BOUND ->
                value(written, Type.Simple.BINARY, (draft, value) -> draft.upperBound = Optional.of((Bytes) value));
            default -> null;
        };
    }

    /** A summary on its way; a null for {@code contains_null} means that there may be nulls. */
    private static final class SummaryDraft {
        private boolean containsNull = true;
        private Optional<Boolean> containsNan = Optional.empty();
        private Optional<Bytes> lowerBound = Optional.empty();
        private Optional<Bytes> upperBound = Optional.empty();
    }

    /** An entry on its way, with what version 1 leaves out. */
    private static final class Draft {
        private @Nullable String path;
        private long length = -1;
        private int specId;
        private long content;
        private long sequenceNumber;
        private long minSequenceNumber;
        private OptionalLong addedSnapshotId = OptionalLong.empty();
        private OptionalLong addedFiles = OptionalLong.empty();
        private OptionalLong existingFiles = OptionalLong.empty();
        private OptionalLong deletedFiles = OptionalLong.empty();
        private OptionalLong addedRows = OptionalLong.empty();
        private OptionalLong existingRows = OptionalLong.empty();
        private OptionalLong deletedRows = OptionalLong.empty();
        private Optional<List<FieldSummary>> partitions = Optional.empty();
        private Optional<Bytes> keyMetadata = Optional.empty();
        private OptionalLong firstRowId = OptionalLong.empty();

        @SuppressWarnings("unchecked")
        private void setPartitions(Object value) {
            partitions = Optional.of((List<FieldSummary>) value);
        }

        ManifestFile build() {
            if (path == null || length < 0 || addedSnapshotId.isEmpty()) {
                throw new InvalidTableException(
                        "A manifest must have a path, a length and the snapshot that added it, but '" + path + "' has "
                                + length + ", " + addedSnapshotId + ".");
            }
            return new ManifestFile(
                    path,
                    length,
                    specId,
                    ManifestFile.Content.of(content),
                    sequenceNumber,
                    minSequenceNumber,
                    addedSnapshotId.getAsLong(),
                    new ManifestFile.Counts(
                            addedFiles, existingFiles, deletedFiles, addedRows, existingRows, deletedRows),
                    partitions,
                    keyMetadata,
                    firstRowId);
        }
    }

    /**
     * Writes a list and assigns what its manifests leave open: the snapshot's sequence number where it is
     * {@link ManifestFile#UNASSIGNED} (0 in version 1), and in version 3 a first row id to each data manifest without
     * one, in list order from {@code nextRowId}, advancing by its added and existing rows. Counts that a writer of
     * version 1 left out are counted first, by reading that manifest.
     *
     * @param parentId the parent snapshot, empty for the first
     * @throws java.nio.file.FileAlreadyExistsException if something exists at the location
     */
    public static WrittenList write(
            Storage storage,
            String location,
            int formatVersion,
            long snapshotId,
            OptionalLong parentId,
            long sequenceNumber,
            long nextRowId,
            List<ManifestFile> manifests)
            throws IOException {
        var assigned = new ArrayList<ManifestFile>(manifests.size());
        long rowId = nextRowId;
        for (ManifestFile manifest : manifests) {
            ManifestFile complete = formatVersion > 1 ? ManifestReader.withCounts(storage, manifest) : manifest;
            complete = withSequenceNumbers(complete, formatVersion > 1 ? sequenceNumber : 0);
            if (formatVersion >= 3
                    && complete.content() == ManifestFile.Content.DATA
                    && complete.firstRowId().isEmpty()) {
                complete = complete.withFirstRowId(rowId);
                rowId = Math.addExact(rowId, rows(complete));
            }
            assigned.add(complete);
        }
        writeFile(storage, location, formatVersion, snapshotId, parentId, sequenceNumber, nextRowId, assigned);
        return new WrittenList(assigned, rowId);
    }

    private static ManifestFile withSequenceNumbers(ManifestFile manifest, long sequenceNumber) {
        boolean open = manifest.sequenceNumber() == ManifestFile.UNASSIGNED;
        boolean minOpen = manifest.minSequenceNumber() == ManifestFile.UNASSIGNED;
        if (!open && !minOpen) {
            return manifest;
        }
        return manifest.withSequenceNumbers(
                open ? sequenceNumber : manifest.sequenceNumber(),
                minOpen ? sequenceNumber : manifest.minSequenceNumber());
    }

    private static long rows(ManifestFile manifest) {
        return Math.addExact(
                manifest.counts().addedRows().orElseThrow(),
                manifest.counts().existingRows().orElseThrow());
    }

    private static void writeFile(
            Storage storage,
            String location,
            int formatVersion,
            long snapshotId,
            OptionalLong parentId,
            long sequenceNumber,
            long nextRowId,
            List<ManifestFile> manifests)
            throws IOException {
        var record = ManifestSchemas.manifestFile(formatVersion);
        var file = new DataFileWriter<>(record);
        file.setCodec(CodecFactory.deflateCodec(CodecFactory.DEFAULT_DEFLATE_LEVEL));
        file.setMeta("snapshot-id", Long.toString(snapshotId));
        file.setMeta("parent-snapshot-id", parentId.isPresent() ? Long.toString(parentId.getAsLong()) : "null");
        file.setMeta("format-version", Integer.toString(formatVersion));
        if (formatVersion > 1) {
            file.setMeta("sequence-number", Long.toString(sequenceNumber));
        }
        if (formatVersion > 2) {
            file.setMeta("first-row-id", Long.toString(nextRowId));
        }
        PositionOutput out = storage.create(location);
        try {
            file.create(record.schema(), out);
            for (ManifestFile manifest : manifests) {
                file.append(manifest);
            }
            file.flush();
        } catch (IOException | RuntimeException e) {
            try {
                out.abandon();
            } catch (IOException suppressed) {
                e.addSuppressed(suppressed);
            }
            throw e;
        }
        file.close();
    }
}
