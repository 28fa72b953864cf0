package dev.calve.manifest;

import dev.calve.expression.Metrics;
import dev.calve.manifest.RecordWriter.Column;
import dev.calve.partition.FieldSummary;
import dev.calve.partition.PartitionTuple;
import dev.calve.schema.Field;
import dev.calve.schema.Type;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.function.Function;
import org.apache.avro.Schema;
import org.apache.avro.io.Encoder;
import org.jspecify.annotations.Nullable;

/**
 * The fields of manifests and manifest lists, a row per field: id, name, presence in versions 1, 2 and 3, type, and where
 * the value comes from. Spec: Manifests; Manifest Lists. A new field of the format is one more row here.
 */
final class ManifestSchemas {

    static final int STATUS = 0;
    static final int SNAPSHOT_ID = 1;
    static final int DATA_FILE = 2;
    static final int SEQUENCE_NUMBER = 3;
    static final int FILE_SEQUENCE_NUMBER = 4;

    static final int FILE_PATH = 100;
    static final int FILE_FORMAT = 101;
    static final int PARTITION = 102;
    static final int RECORD_COUNT = 103;
    static final int FILE_SIZE = 104;
    static final int BLOCK_SIZE = 105;
    static final int COLUMN_SIZES = 108;
    static final int VALUE_COUNTS = 109;
    static final int NULL_VALUE_COUNTS = 110;
    static final int LOWER_BOUNDS = 125;
    static final int UPPER_BOUNDS = 128;
    static final int KEY_METADATA = 131;
    static final int SPLIT_OFFSETS = 132;
    static final int CONTENT = 134;
    static final int EQUALITY_IDS = 135;
    static final int NAN_VALUE_COUNTS = 137;
    static final int SORT_ORDER_ID = 140;
    static final int FIRST_ROW_ID = 142;
    static final int REFERENCED_DATA_FILE = 143;
    static final int CONTENT_OFFSET = 144;
    static final int CONTENT_SIZE = 145;

    static final int MANIFEST_PATH = 500;
    static final int MANIFEST_LENGTH = 501;
    static final int PARTITION_SPEC_ID = 502;
    static final int ADDED_SNAPSHOT_ID = 503;
    static final int ADDED_FILES_COUNT = 504;
    static final int EXISTING_FILES_COUNT = 505;
    static final int DELETED_FILES_COUNT = 506;
    static final int PARTITIONS = 507;
    static final int LOWER_BOUND = 510;
    static final int UPPER_BOUND = 511;
    static final int CONTAINS_NULL = 509;
    static final int ADDED_ROWS_COUNT = 512;
    static final int EXISTING_ROWS_COUNT = 513;
    static final int DELETED_ROWS_COUNT = 514;
    static final int LIST_SEQUENCE_NUMBER = 515;
    static final int MIN_SEQUENCE_NUMBER = 516;
    static final int LIST_CONTENT = 517;
    static final int CONTAINS_NAN = 518;
    static final int LIST_KEY_METADATA = 519;
    static final int LIST_FIRST_ROW_ID = 520;

    /** What version 1 demands for {@code block_size_in_bytes}, which no reader uses. */
    private static final long BLOCK_SIZE_BYTES = 64L * 1024 * 1024;

    private static final AvroValues.Writer INT = AvroValues.writer(Type.Simple.INT);
    private static final AvroValues.Writer LONG = AvroValues.writer(Type.Simple.LONG);
    private static final AvroValues.Writer STRING = AvroValues.writer(Type.Simple.STRING);
    private static final AvroValues.Writer BINARY = AvroValues.writer(Type.Simple.BINARY);
    private static final AvroValues.Writer BOOLEAN = AvroValues.writer(Type.Simple.BOOLEAN);

    private ManifestSchemas() {}

    /** Whether a version has a field, and whether it must have a value. */
    private enum Presence {
        ABSENT,
        OPTIONAL,
        REQUIRED
    }

    private static final Presence NO = Presence.ABSENT;
    private static final Presence OPT = Presence.OPTIONAL;
    private static final Presence REQ = Presence.REQUIRED;

    /**
     * An entry as it is written: null where the reader inherits.
     *
     * @param file without a {@code first_row_id} if that is inherited
     */
    record Entry(
            ManifestEntry.Status status,
            @Nullable Long snapshotId,
            @Nullable Long sequenceNumber,
            @Nullable Long fileSequenceNumber,
            ContentFile file) {}

    /** Collects the columns that one version has. */
    private static final class Columns<T> {

        private final int formatVersion;
        private final List<Column<T>> columns = new ArrayList<>();

        Columns(int formatVersion) {
            if (formatVersion < 1 || formatVersion > 3) {
                throw new UnsupportedOperationException(
                        "Manifests can be written for format versions 1 to 3, not " + formatVersion + ".");
            }
            this.formatVersion = formatVersion;
        }

        Columns<T> add(
                int id,
                String name,
                Presence v1,
                Presence v2,
                Presence v3,
                Schema type,
                AvroValues.Writer writer,
                Function<T, @Nullable Object> value) {
            Presence presence = formatVersion == 1 ? v1 : formatVersion == 2 ? v2 : v3;
            if (presence != Presence.ABSENT) {
                columns.add(new Column<>(id, name, presence == Presence.REQUIRED, type, value, writer));
            }
            return this;
        }

        RecordWriter<T> record(String name) {
            return new RecordWriter<>(name, columns);
        }
    }

    /** The record of a manifest. */
    static RecordWriter<Entry> manifestEntry(int formatVersion, Type.Struct partitionType) {
        var file = dataFile(formatVersion, partitionType);
        return new Columns<Entry>(formatVersion)
                .add(STATUS, "status", REQ, REQ, REQ, intType(), INT, entry -> entry.status.code())
                .add(SNAPSHOT_ID, "snapshot_id", REQ, OPT, OPT, longType(), LONG, Entry::snapshotId)
                .add(SEQUENCE_NUMBER, "sequence_number", NO, OPT, OPT, longType(), LONG, Entry::sequenceNumber)
                .add(
                        FILE_SEQUENCE_NUMBER,
                        "file_sequence_number",
                        NO,
                        OPT,
                        OPT,
                        longType(),
                        LONG,
                        Entry::fileSequenceNumber)
                .add(DATA_FILE, "data_file", REQ, REQ, REQ, file.schema(), nested(file), Entry::file)
                .record("manifest_entry");
    }

    /** The record of a data or delete file. */
    static RecordWriter<ContentFile> dataFile(int formatVersion, Type.Struct partitionType) {
        var partition = partition(partitionType);
        return new Columns<ContentFile>(formatVersion)
                .add(CONTENT, "content", NO, REQ, REQ, intType(), INT, ManifestSchemas::content)
                .add(FILE_PATH, "file_path", REQ, REQ, REQ, stringType(), STRING, ContentFile::path)
                .add(
                        FILE_FORMAT,
                        "file_format",
                        REQ,
                        REQ,
                        REQ,
                        stringType(),
                        STRING,
                        file -> file.format().name())
                .add(
                        PARTITION,
                        "partition",
                        REQ,
                        REQ,
                        REQ,
                        partition.schema(),
                        nested(partition),
                        ContentFile::partition)
                .add(RECORD_COUNT, "record_count", REQ, REQ, REQ, longType(), LONG, ContentFile::recordCount)
                .add(FILE_SIZE, "file_size_in_bytes", REQ, REQ, REQ, longType(), LONG, ContentFile::fileSizeBytes)
                .add(BLOCK_SIZE, "block_size_in_bytes", REQ, NO, NO, longType(), LONG, file -> BLOCK_SIZE_BYTES)
                .add(
                        COLUMN_SIZES,
                        "column_sizes",
                        OPT,
                        OPT,
                        OPT,
                        mapType(117, 118, longType()),
                        map(LONG),
                        metric(Metrics::columnSizes))
                .add(
                        VALUE_COUNTS,
                        "value_counts",
                        OPT,
                        OPT,
                        OPT,
                        mapType(119, 120, longType()),
                        map(LONG),
                        metric(Metrics::valueCounts))
                .add(
                        NULL_VALUE_COUNTS,
                        "null_value_counts",
                        OPT,
                        OPT,
                        OPT,
                        mapType(121, 122, longType()),
                        map(LONG),
                        metric(Metrics::nullValueCounts))
                .add(
                        NAN_VALUE_COUNTS,
                        "nan_value_counts",
                        OPT,
                        OPT,
                        OPT,
                        mapType(138, 139, longType()),
                        map(LONG),
                        metric(Metrics::nanValueCounts))
                .add(
                        LOWER_BOUNDS,
                        "lower_bounds",
                        OPT,
                        OPT,
                        OPT,
                        mapType(126, 127, bytesType()),
                        map(BINARY),
                        metric(Metrics::lowerBounds))
                .add(
                        UPPER_BOUNDS,
                        "upper_bounds",
                        OPT,
                        OPT,
                        OPT,
                        mapType(129, 130, bytesType()),
                        map(BINARY),
                        metric(Metrics::upperBounds))
                .add(
                        KEY_METADATA,
                        "key_metadata",
                        OPT,
                        OPT,
                        OPT,
                        bytesType(),
                        BINARY,
                        file -> orNull(file.common().keyMetadata()))
                .add(
                        SPLIT_OFFSETS,
                        "split_offsets",
                        OPT,
                        OPT,
                        OPT,
                        listType(133, longType()),
                        list(LONG),
                        file -> unlessEmpty(file.common().splitOffsets()))
                .add(
                        EQUALITY_IDS,
                        "equality_ids",
                        NO,
                        OPT,
                        OPT,
                        listType(136, intType()),
                        list(INT),
                        file -> file instanceof DeleteFile.EqualityDeletes deletes ? deletes.equalityIds() : null)
                .add(
                        SORT_ORDER_ID,
                        "sort_order_id",
                        OPT,
                        OPT,
                        OPT,
                        intType(),
                        INT,
                        file -> file.common().sortOrderId().isPresent()
                                ? (Integer) file.common().sortOrderId().getAsInt()
                                : null)
                .add(
                        FIRST_ROW_ID,
                        "first_row_id",
                        NO,
                        NO,
                        OPT,
                        longType(),
                        LONG,
                        file -> file instanceof DataFile data ? orNull(data.firstRowId()) : null)
                .add(
                        REFERENCED_DATA_FILE,
                        "referenced_data_file",
                        NO,
                        OPT,
                        OPT,
                        stringType(),
                        STRING,
                        file -> file instanceof DeleteFile delete ? orNull(delete.scopedTo()) : null)
                .add(
                        CONTENT_OFFSET,
                        "content_offset",
                        NO,
                        NO,
                        OPT,
                        longType(),
                        LONG,
                        file -> file instanceof DeleteFile.DeletionVector vector ? (Long) vector.contentOffset() : null)
                .add(
                        CONTENT_SIZE,
                        "content_size_in_bytes",
                        NO,
                        NO,
                        OPT,
                        longType(),
                        LONG,
                        file -> file instanceof DeleteFile.DeletionVector vector
                                ? (Long) vector.contentSizeBytes()
                                : null)
                .record("r2");
    }

    private static int content(ContentFile file) {
        if (file instanceof DataFile) {
            return 0;
        }
        return file instanceof DeleteFile.EqualityDeletes ? 2 : 1;
    }

    private static RecordWriter<PartitionTuple> partition(Type.Struct type) {
        var columns = new Columns<PartitionTuple>(3);
        for (int i = 0; i < type.fields().size(); i++) {
            Field field = type.fields().get(i);
            int index = i;
            columns.add(
                    field.id(),
                    field.name(),
                    OPT,
                    OPT,
                    OPT,
                    AvroValues.schema(field.type()),
                    AvroValues.writer(field.type()),
                    tuple -> orNull(tuple.value(index)));
        }
        return columns.record("r102");
    }

    /** The record of a manifest list. Version 1 orders its fields as its writers always did. */
    static RecordWriter<ManifestFile> manifestFile(int formatVersion) {
        var summary = fieldSummary();
        Schema partitions = listType(508, summary.schema());
        var columns = new Columns<ManifestFile>(formatVersion)
                .add(MANIFEST_PATH, "manifest_path", REQ, REQ, REQ, stringType(), STRING, ManifestFile::path)
                .add(MANIFEST_LENGTH, "manifest_length", REQ, REQ, REQ, longType(), LONG, ManifestFile::length)
                .add(PARTITION_SPEC_ID, "partition_spec_id", REQ, REQ, REQ, intType(), INT, ManifestFile::specId)
                .add(
                        LIST_CONTENT,
                        "content",
                        NO,
                        REQ,
                        REQ,
                        intType(),
                        INT,
                        file -> file.content().code())
                .add(
                        LIST_SEQUENCE_NUMBER,
                        "sequence_number",
                        NO,
                        REQ,
                        REQ,
                        longType(),
                        LONG,
                        ManifestFile::sequenceNumber)
                .add(
                        MIN_SEQUENCE_NUMBER,
                        "min_sequence_number",
                        NO,
                        REQ,
                        REQ,
                        longType(),
                        LONG,
                        ManifestFile::minSequenceNumber)
                .add(
                        ADDED_SNAPSHOT_ID,
                        "added_snapshot_id",
                        REQ,
                        REQ,
                        REQ,
                        longType(),
                        LONG,
                        ManifestFile::addedSnapshotId);
        addCount(columns, ADDED_FILES_COUNT, "added_files_count", true, ManifestFile.Counts::addedFiles);
        addCount(columns, EXISTING_FILES_COUNT, "existing_files_count", true, ManifestFile.Counts::existingFiles);
        addCount(columns, DELETED_FILES_COUNT, "deleted_files_count", true, ManifestFile.Counts::deletedFiles);
        columns.add(
                PARTITIONS, "partitions", OPT, NO, NO, partitions, list(nested(summary)), ManifestSchemas::partitions);
        addCount(columns, ADDED_ROWS_COUNT, "added_rows_count", false, ManifestFile.Counts::addedRows);
        addCount(columns, EXISTING_ROWS_COUNT, "existing_rows_count", false, ManifestFile.Counts::existingRows);
        addCount(columns, DELETED_ROWS_COUNT, "deleted_rows_count", false, ManifestFile.Counts::deletedRows);
        return columns.add(
                        PARTITIONS,
                        "partitions",
                        NO,
                        OPT,
                        OPT,
                        partitions,
                        list(nested(summary)),
                        ManifestSchemas::partitions)
                .add(
                        LIST_KEY_METADATA,
                        "key_metadata",
                        OPT,
                        OPT,
                        OPT,
                        bytesType(),
                        BINARY,
                        file -> orNull(file.keyMetadata()))
                .add(
                        LIST_FIRST_ROW_ID,
                        "first_row_id",
                        NO,
                        NO,
                        OPT,
                        longType(),
                        LONG,
                        file -> orNull(file.firstRowId()))
                .record("manifest_file");
    }

    private static @Nullable Object partitions(ManifestFile file) {
        return orNull(file.partitions());
    }

    private static void addCount(
            Columns<ManifestFile> columns,
            int id,
            String name,
            boolean ofFiles,
            Function<ManifestFile.Counts, OptionalLong> count) {
        columns.add(id, name, OPT, REQ, REQ, ofFiles ? intType() : longType(), ofFiles ? INT : LONG, file -> {
            Long value = orNull(count.apply(file.counts()));
            return value == null || !ofFiles ? value : (Object) Math.toIntExact(value);
        });
    }

    private static RecordWriter<FieldSummary> fieldSummary() {
        return new Columns<FieldSummary>(3)
                .add(
                        CONTAINS_NULL,
                        "contains_null",
                        REQ,
                        REQ,
                        REQ,
                        Schema.create(Schema.Type.BOOLEAN),
                        BOOLEAN,
                        FieldSummary::containsNull)
                .add(
                        CONTAINS_NAN,
                        "contains_nan",
                        OPT,
                        OPT,
                        OPT,
                        Schema.create(Schema.Type.BOOLEAN),
                        BOOLEAN,
                        summary -> orNull(summary.containsNan()))
                .add(
                        LOWER_BOUND,
                        "lower_bound",
                        OPT,
                        OPT,
                        OPT,
                        bytesType(),
                        BINARY,
                        summary -> orNull(summary.lowerBound()))
                .add(
                        UPPER_BOUND,
                        "upper_bound",
                        OPT,
                        OPT,
                        OPT,
                        bytesType(),
                        BINARY,
                        summary -> orNull(summary.upperBound()))
                .record("r508");
    }

    private static Schema intType() {
        return Schema.create(Schema.Type.INT);
    }

    private static Schema longType() {
        return Schema.create(Schema.Type.LONG);
    }

    private static Schema stringType() {
        return Schema.create(Schema.Type.STRING);
    }

    private static Schema bytesType() {
        return Schema.create(Schema.Type.BYTES);
    }

    private static Schema listType(int elementId, Schema element) {
        Schema schema = Schema.createArray(element);
        schema.addProp("element-id", (Object) elementId);
        return schema;
    }

    /** Avro's own maps have string keys only, so one with int keys is an array of pairs. */
    private static Schema mapType(int keyId, int valueId, Schema value) {
        var keyField = new Schema.Field("key", intType());
        keyField.addProp("field-id", (Object) keyId);
        var valueField = new Schema.Field("value", value);
        valueField.addProp("field-id", (Object) valueId);
        Schema pair =
                Schema.createRecord("k" + keyId + "_v" + valueId, null, null, false, List.of(keyField, valueField));
        Schema schema = Schema.createArray(pair);
        schema.addProp("logicalType", "map");
        return schema;
    }

    @SuppressWarnings("unchecked")
    private static <T> AvroValues.Writer nested(RecordWriter<T> writer) {
        return (value, out) -> writer.write((T) value, out);
    }

    private static AvroValues.Writer list(AvroValues.Writer element) {
        return (value, out) -> {
            var values = (Collection<?>) value;
            start(values.size(), out);
            for (Object each : values) {
                out.startItem();
                element.write(each, out);
            }
            out.writeArrayEnd();
        };
    }

    /** Ascending keys, so that equal files give equal bytes; what was read from a manifest stays as it was there. */
    private static AvroValues.Writer map(AvroValues.Writer writer) {
        return (value, out) -> {
            if (value instanceof EncodedMap<?> encoded) {
                encoded.writeTo(out);
                return;
            }
            @SuppressWarnings("unchecked")
            var values = new TreeMap<Integer, Object>((Map<Integer, Object>) value);
            start(values.size(), out);
            for (Map.Entry<Integer, Object> each : values.entrySet()) {
                out.startItem();
                out.writeInt(each.getKey());
                writer.write(each.getValue(), out);
            }
            out.writeArrayEnd();
        };
    }

    private static void start(int size, Encoder out) throws IOException {
        out.writeArrayStart();
        out.setItemCount(size);
    }

    /** An empty map says as little as none. */
    private static Function<ContentFile, @Nullable Object> metric(Function<Metrics, Map<Integer, ?>> metric) {
        return file -> {
            Map<Integer, ?> values = metric.apply(file.metrics());
            return values.isEmpty() ? null : values;
        };
    }

    private static @Nullable Object unlessEmpty(List<?> values) {
        return values.isEmpty() ? null : values;
    }

    private static <V> @Nullable V orNull(Optional<V> value) {
        return value.isPresent() ? value.get() : null;
    }

    private static @Nullable Long orNull(OptionalLong value) {
        return value.isPresent() ? (Long) value.getAsLong() : null;
    }
}
