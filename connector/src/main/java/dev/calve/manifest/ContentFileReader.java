package dev.calve.manifest;

import dev.calve.expression.Metrics;
import dev.calve.expression.StatisticsMap;
import dev.calve.io.InvalidTableException;
import dev.calve.manifest.RecordPlan.Step;
import dev.calve.partition.PartitionTuple;
import dev.calve.schema.Bytes;
import dev.calve.schema.Field;
import dev.calve.schema.MetadataFields;
import dev.calve.schema.Type;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import org.apache.avro.Schema;
import org.jspecify.annotations.Nullable;

/** Reads {@code data_file} records as they were written by anybody, for one partition type. Spec: Manifests. */
final class ContentFileReader {

    private final RecordPlan<Draft> plan;
    private final Type.Struct partitionType;
    private final Predicate<PartitionTuple> partitions;
    private final Optional<Set<Integer>> statisticsOf;
    private final boolean asWritten;
    private final boolean prefixedFixed;

    /**
     * @param written the record's schema in the file
     * @param partitionType what the values of the tuple become, in this order
     * @param partitions tells which files are wanted; of others only what inheritance needs is decoded
     * @param statisticsOf as in {@link Selection}
     * @param asWritten as in {@link Selection}
     * @param prefixedFixed as in {@link AvroValues#partitionReader}
     */
    ContentFileReader(
            Schema written,
            Type.Struct partitionType,
            Predicate<PartitionTuple> partitions,
            Optional<Set<Integer>> statisticsOf,
            boolean asWritten,
            boolean prefixedFixed) {
        this.partitionType = partitionType;
        this.partitions = partitions;
        this.statisticsOf = statisticsOf;
        this.asWritten = asWritten;
        this.prefixedFixed = prefixedFixed;
        RecordPlan.require(
                written,
                ManifestSchemas.FILE_PATH,
                ManifestSchemas.FILE_FORMAT,
                ManifestSchemas.PARTITION,
                ManifestSchemas.RECORD_COUNT,
                ManifestSchemas.FILE_SIZE);
        plan = RecordPlan.of(written, this::step);
    }

    /** Reads one record. */
    Draft read(BlockDecoder in) throws IOException {
        var draft = new Draft(asWritten);
        plan.read(draft, in);
        return draft;
    }

    private @Nullable Step<Draft> step(Schema.Field field) {
        Schema written = field.schema();
        return switch (RecordPlan.fieldId(field)) {
            case ManifestSchemas.CONTENT -> value(written, Type.Simple.INT, Draft::setContent);
            case ManifestSchemas.FILE_PATH ->
                value(written, Type.Simple.STRING, (draft, value) -> draft.path = (String) value);
            case ManifestSchemas.FILE_FORMAT ->
                value(written, Type.Simple.STRING, (draft, value) -> draft.format = FileFormat.parse((String) value));
            case ManifestSchemas.PARTITION -> partition(written);
            case ManifestSchemas.RECORD_COUNT ->
                value(written, Type.Simple.LONG, (draft, value) -> draft.recordCount = (Long) value);
            case ManifestSchemas.FILE_SIZE ->
                value(written, Type.Simple.LONG, (draft, value) -> draft.fileSizeBytes = (Long) value);
            case ManifestSchemas.COLUMN_SIZES ->
                statisticsOf.isPresent() ? null : counts(written, (draft, value) -> draft.columnSizes = value);
            case ManifestSchemas.VALUE_COUNTS -> counts(written, (draft, value) -> draft.valueCounts = value);
            case ManifestSchemas.NULL_VALUE_COUNTS -> counts(written, (draft, value) -> draft.nullValueCounts = value);
            case ManifestSchemas.NAN_VALUE_COUNTS -> counts(written, (draft, value) -> draft.nanValueCounts = value);
            case ManifestSchemas.LOWER_BOUNDS -> bounds(written, (draft, value) -> draft.lowerBounds = value);
            case ManifestSchemas.UPPER_BOUNDS -> bounds(written, (draft, value) -> draft.upperBounds = value);
            case ManifestSchemas.KEY_METADATA ->
                value(written, Type.Simple.BINARY, (draft, value) -> draft.keyMetadata = (Bytes) value);
            case ManifestSchemas.SPLIT_OFFSETS -> list(written, Type.Simple.LONG, ContentFileReader::setSplitOffsets);
            case ManifestSchemas.EQUALITY_IDS -> list(written, Type.Simple.INT, ContentFileReader::setEqualityIds);
            case ManifestSchemas.SORT_ORDER_ID ->
                value(written, Type.Simple.INT, (draft, value) -> draft.sortOrderId = OptionalInt.of((Integer) value));
            case ManifestSchemas.FIRST_ROW_ID ->
                value(written, Type.Simple.LONG, (draft, value) -> draft.firstRowId = OptionalLong.of((Long) value));
            case ManifestSchemas.REFERENCED_DATA_FILE ->
                value(
                        written,
                        Type.Simple.STRING,
                        (draft, value) -> draft.referencedDataFile = Optional.of((String) value));
            case ManifestSchemas.CONTENT_OFFSET ->
                value(written, Type.Simple.LONG, (draft, value) -> draft.contentOffset = OptionalLong.of((Long) value));
            case ManifestSchemas.CONTENT_SIZE ->
                value(
                        written,
                        Type.Simple.LONG,
                        (draft, value) -> draft.contentSizeBytes = OptionalLong.of((Long) value));
            default -> null;
        };
    }

    private static Step<Draft> value(Schema written, Type type, BiConsumer<Draft, Object> set) {
        return assign(AvroValues.reader(written, type), set);
    }

    private static Step<Draft> assign(AvroValues.Reader reader, BiConsumer<Draft, Object> set) {
        return (draft, in) -> {
            Object value = reader.read(in);
            if (value != null) {
                set.accept(draft, value);
            }
        };
    }

    private static Step<Draft> list(Schema written, Type element, BiConsumer<Draft, Object> set) {
        AvroValues.Reader reader = RecordPlan.list(written, schema -> AvroValues.reader(schema, element));
        return RecordPlan.unless(draft -> draft.unwanted, written, assign(reader, set));
    }

    @SuppressWarnings("unchecked")
    private static void setSplitOffsets(Draft draft, Object value) {
        draft.splitOffsets = (List<Long>) value;
    }

    @SuppressWarnings("unchecked")
    private static void setEqualityIds(Draft draft, Object value) {
        draft.equalityIds = (List<Integer>) value;
    }

    @SuppressWarnings("unchecked")
    private Step<Draft> counts(Schema written, BiConsumer<Draft, Map<Integer, Long>> set) {
        return map(written, Type.Simple.LONG, (draft, value) -> set.accept(draft, (Map<Integer, Long>) value));
    }

    @SuppressWarnings("unchecked")
    private Step<Draft> bounds(Schema written, BiConsumer<Draft, Map<Integer, Bytes>> set) {
        return map(written, Type.Simple.BINARY, (draft, value) -> set.accept(draft, (Map<Integer, Bytes>) value));
    }

    private Step<Draft> map(Schema written, Type type, BiConsumer<Draft, Object> set) {
        if (statisticsOf.isPresent() && statisticsOf.get().isEmpty()) {
            return RecordPlan.skip(written);
        }
        AvroValues.Reader reader = RecordPlan.map(written, statisticsOf, schema -> AvroValues.reader(schema, type));
        BiConsumer<Draft, Object> kept = asWritten
                ? (draft, value) -> set.accept(draft, ((Map<?, ?>) value).isEmpty() ? StatisticsMap.empty() : value)
                : set;
        return RecordPlan.unless(draft -> draft.unwanted, written, assign(reader, kept));
    }

    private Step<Draft> partition(Schema written) {
        Map<Integer, Integer> positions = new HashMap<>();
        for (int i = 0; i < partitionType.fields().size(); i++) {
            positions.put(partitionType.fields().get(i).id(), i);
        }
        RecordPlan<@Nullable Object[]> tuple = RecordPlan.of(RecordPlan.notNull(written), field -> {
            Integer position = positions.get(RecordPlan.fieldId(field));
            if (position == null) {
                return null;
            }
            int index = position;
            Field wanted = partitionType.fields().get(index);
            AvroValues.Reader reader = AvroValues.partitionReader(field.schema(), wanted.type(), prefixedFixed);
            return (values, in) -> values[index] = reader.read(in);
        });
        AvroValues.Reader reader = AvroValues.throughUnion(written, record -> in -> {
            var values = new @Nullable Object[partitionType.fields().size()];
            tuple.read(values, in);
            return PartitionTuple.of(values);
        });
        return assign(reader, (draft, value) -> {
            draft.partition = (PartitionTuple) value;
            draft.unwanted |= !partitions.test(draft.partition);
        });
    }

    /** A record on its way to becoming a {@link ContentFile}. */
    static final class Draft {

        private final boolean asWritten;
        private int content;
        private @Nullable String path;
        private @Nullable FileFormat format;
        private @Nullable PartitionTuple partition;
        private long recordCount = -1;
        private long fileSizeBytes = -1;
        private Map<Integer, Long> columnSizes = Map.of();
        private Map<Integer, Long> valueCounts = Map.of();
        private Map<Integer, Long> nullValueCounts = Map.of();
        private Map<Integer, Long> nanValueCounts = Map.of();
        private Map<Integer, Bytes> lowerBounds = Map.of();
        private Map<Integer, Bytes> upperBounds = Map.of();
        private @Nullable Bytes keyMetadata;
        private List<Long> splitOffsets = List.of();
        private @Nullable List<Integer> equalityIds;
        private OptionalInt sortOrderId = OptionalInt.empty();
        private OptionalLong firstRowId = OptionalLong.empty();
        private Optional<String> referencedDataFile = Optional.empty();
        private OptionalLong contentOffset = OptionalLong.empty();
        private OptionalLong contentSizeBytes = OptionalLong.empty();
        private boolean unwanted;

        private Draft(boolean asWritten) {
            this.asWritten = asWritten;
        }

        private void setContent(Object value) {
            content = (Integer) value;
        }

        boolean unwanted() {
            return unwanted;
        }

        long recordCount() {
            return recordCount;
        }

        OptionalLong firstRowId() {
            return firstRowId;
        }

        boolean isEncrypted() {
            return keyMetadata != null && keyMetadata.length() > 0;
        }

        @Nullable String path() {
            return path;
        }

        /** @param specId of the spec whose partition type was used */
        ContentFile build(int specId, OptionalLong rowId) {
            if (path == null || format == null || partition == null || recordCount < 0 || fileSizeBytes < 0) {
                throw new InvalidTableException(
                        "A file must have a path, format, partition, record count and size, but '" + path + "' has "
                                + format + ", " + partition + ", " + recordCount + ", " + fileSizeBytes + ".");
            }
            var metrics = new Metrics(
                    recordCount, columnSizes, valueCounts, nullValueCounts, nanValueCounts, lowerBounds, upperBounds);
            var common = new ContentFile.Common(
                    path,
                    format,
                    specId,
                    partition,
                    metrics,
                    fileSizeBytes,
                    splitOffsets,
                    sortOrderId,
                    Optional.ofNullable(keyMetadata));
            return switch (content) {
                case 0 -> new DataFile(common, rowId);
                case 1 -> format == FileFormat.PUFFIN ? vector(common) : positionDeletes(common);
                case 2 -> equalityDeletes(common);
                default ->
                    throw new InvalidTableException(
                            "content must be 0, 1 or 2, but is " + content + " for '" + path + "'.");
            };
        }

        private DeleteFile vector(ContentFile.Common common) {
            if (referencedDataFile.isEmpty() || contentOffset.isEmpty() || contentSizeBytes.isEmpty()) {
                throw new InvalidTableException("A deletion vector must have referenced_data_file, content_offset and "
                        + "content_size_in_bytes, but the one in '" + path + "' has " + referencedDataFile + ", "
                        + contentOffset + ", " + contentSizeBytes + ".");
            }
            return new DeleteFile.DeletionVector(
                    common, referencedDataFile.get(), contentOffset.getAsLong(), contentSizeBytes.getAsLong());
        }

        private DeleteFile positionDeletes(ContentFile.Common common) {
            int pathId = MetadataFields.DELETE_FILE_PATH.id();
            Bytes lower = lowerBounds.get(pathId);
            Bytes upper = upperBounds.get(pathId);
            if (!asWritten && referencedDataFile.isEmpty() && lower != null && upper != null && lower.equals(upper)) {
                // Writers shorten an upper bound only by making it greater, so equal bounds are whole paths.
                return new DeleteFile.PositionDeletes(
                        common, Optional.of(new String(lower.toArray(), StandardCharsets.UTF_8)));
            }
            return new DeleteFile.PositionDeletes(common, referencedDataFile);
        }

        private DeleteFile equalityDeletes(ContentFile.Common common) {
            if (equalityIds == null || equalityIds.isEmpty()) {
                throw new InvalidTableException(
                        "An equality delete file must have equality_ids, but '" + path + "' has none.");
            }
            return new DeleteFile.EqualityDeletes(
                    common,
                    asWritten ? equalityIds : equalityIds.stream().sorted().toList());
        }
    }
}
