package dev.calve.spark.read;

import dev.calve.manifest.DataFile;
import dev.calve.manifest.ManifestFile;
import dev.calve.metadata.TableMetadata;
import dev.calve.partition.FieldSummary;
import dev.calve.partition.PartitionField;
import dev.calve.partition.PartitionSpec;
import dev.calve.partition.Transform;
import dev.calve.partition.Transforms;
import dev.calve.scan.FileTask;
import dev.calve.schema.Bytes;
import dev.calve.schema.Field;
import dev.calve.schema.Schema;
import dev.calve.schema.Type;
import dev.calve.schema.ValueCodec;
import dev.calve.spark.convert.SparkTransforms;
import dev.calve.spark.convert.SparkValues;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.connector.expressions.Expression;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;

/**
 * The partition fields by which a scan keeps files apart, so that Spark joins partition with partition and shuffles nothing. They
 * are the fields all scanned specs have, as far as a field's value in a tuple is what its function gives for every row of the
 * file, and as far as the query reads the column.
 */
final class PartitionGrouping {

    private record Key(PartitionField field, Type type, Expression expression) {}

    private final TableMetadata metadata;
    private final List<Key> keys;

    private PartitionGrouping(TableMetadata metadata, List<Key> keys) {
        this.metadata = metadata;
        this.keys = keys;
    }

    /**
     * Finds the fields.
     *
     * @param manifests all data manifests of the scan
     * @param schema the table is read with
     * @param columns the query reads
     * @return empty if there is none
     */
    static Optional<PartitionGrouping> of(
            TableMetadata metadata, List<ManifestFile> manifests, Schema schema, StructType columns) {
        List<PartitionSpec> specs = manifests.stream()
                .map(ManifestFile::specId)
                .distinct()
                .map(metadata::spec)
                .toList();
        if (specs.isEmpty()) {
            return Optional.empty();
        }
        Set<String> read =
                Arrays.stream(columns.fields()).map(StructField::name).collect(Collectors.toSet());
        var keys = new ArrayList<Key>();
        for (PartitionField field : specs.get(specs.size() - 1).fields()) {
            boolean common = specs.stream().allMatch(spec -> position(spec, field) >= 0);
            if (!common || field.sourceIds().size() != 1) {
                continue;
            }
            Optional<Field> source = schema.fields().stream()
                    .filter(column -> column.id() == field.sourceId() && read.contains(column.name()))
                    .findFirst();
            if (source.isPresent()
                    && metadata.newestType(field.sourceId()).equals(source.map(Field::type))
                    && isFunctionOf(field.transform(), source.get().type())
                    && manifests.stream().allMatch(manifest -> isAsComputed(metadata, manifest, field))) {
                SparkTransforms.toSpark(schema, field)
                        .ifPresent(expression -> keys.add(new Key(
                                field,
                                Transforms.resultType(
                                        field.transform(), source.get().type()),
                                expression)));
            }
        }
        return keys.isEmpty() ? Optional.empty() : Optional.of(new PartitionGrouping(metadata, keys));
    }

    /** Where a spec has the same field, whatever it is called there; -1 if it has none. */
    private static int position(PartitionSpec spec, PartitionField field) {
        for (int i = 0; i < spec.fields().size(); i++) {
            PartitionField other = spec.fields().get(i);
            if (other.fieldId() == field.fieldId()
                    && other.sourceIds().equals(field.sourceIds())
                    && other.transform().equals(field.transform())) {
                return i;
            }
        }
        return -1;
    }

    /**
     * Whether values that Spark takes for equal are in one partition, and its function gives the partition's value. Floating point
     * numbers have two zeros; a UUID is a string to Spark and a time a number, whose buckets are others; bytes make no key that is compared by value.
     */
    private static boolean isFunctionOf(Transform transform, Type source) {
        if (transform instanceof Transform.Void
                || transform instanceof Transform.Unknown
                || !Transforms.canApply(transform, source)) {
            return false;
        }
        boolean isBytes =
                Transforms.resultType(transform, source) == Type.Simple.BINARY || source instanceof Type.Fixed;
        boolean isOther = source == Type.Simple.UUID
                || source == Type.Simple.TIME
                || source == Type.Simple.TIMESTAMP_NS
                || source == Type.Simple.TIMESTAMPTZ_NS;
        return !source.isFloating() && !isBytes && (!isOther || transform instanceof Transform.Identity);
    }

    /**
     * Early writers of the format rounded times before 1970 towards zero: two partitions may hold one day. A manifest that may list
     * such a time makes the field no key.
     */
    private static boolean isAsComputed(TableMetadata metadata, ManifestFile manifest, PartitionField field) {
        Type.Struct type = metadata.partitionType(manifest.specId());
        int position = position(metadata.spec(manifest.specId()), field);
        boolean exact = !(field.transform() instanceof Transform.Time)
                || (field.transform() == Transform.Time.DAY
                        && metadata.newestType(field.sourceId()).equals(Optional.of(Type.Simple.DATE)));
        if (exact) {
            return true;
        }
        Optional<FieldSummary> summary =
                manifest.partitions().filter(all -> position < all.size()).map(all -> all.get(position));
        if (summary.isEmpty()) {
            return false;
        }
        Optional<Bytes> least = summary.get().lowerBound();
        if (least.isEmpty()) {
            return summary.get().containsNull();
        }
        Object value = ValueCodec.decode(type.fields().get(position).type(), least.get());
        return value instanceof Integer unit && unit > 0;
    }

    /** The fields as Spark names them. */
    Expression[] expressions() {
        return keys.stream().map(Key::expression).toArray(Expression[]::new);
    }

    /** The files by their values of the fields, in the order of their first files. */
    Map<InternalRow, List<FileTask>> group(List<FileTask> files) {
        var groups = new LinkedHashMap<InternalRow, List<FileTask>>();
        for (FileTask file : files) {
            groups.computeIfAbsent(key(file.file()), key -> new ArrayList<>()).add(file);
        }
        return groups;
    }

    private InternalRow key(DataFile file) {
        PartitionSpec spec = metadata.spec(file.specId());
        var values = new @Nullable Object[keys.size()];
        for (int i = 0; i < values.length; i++) {
            Key key = keys.get(i);
            values[i] = file.partition()
                    .value(position(spec, key.field()))
                    .map(value -> SparkValues.toSpark(key.type(), value))
                    .orElse(null);
        }
        return new GenericInternalRow(values);
    }

    @Override
    public String toString() {
        return keys.stream().map(key -> key.expression().describe()).collect(Collectors.joining(", "));
    }
}
