package dev.calve.spark.write;

import dev.calve.metadata.TableMetadata;
import dev.calve.partition.PartitionField;
import dev.calve.partition.PartitionSpec;
import dev.calve.partition.PartitionTuple;
import dev.calve.partition.Transform;
import dev.calve.partition.Transforms;
import dev.calve.schema.Field;
import dev.calve.schema.Schema;
import dev.calve.schema.Type;
import dev.calve.spark.convert.SparkTypes;
import dev.calve.spark.convert.SparkValues;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;
import org.jspecify.annotations.Nullable;

/**
 * Computes the partition of each row. The last row's source values are remembered, because rows of a partition mostly come
 * together and often repeat them. For one thread.
 */
public final class PartitionKeys {

    /** How one partition field is computed from a row: which ordinals lead to its source, and what is done with the value. */
    private static final class Part {
        private final int[] path;
        private final int[] sizes;
        private final DataType sparkType;
        private final Type source;
        private final Transform transform;

        Part(int[] path, int[] sizes, DataType sparkType, Type source, Transform transform) {
            this.path = path;
            this.sizes = sizes;
            this.sparkType = sparkType;
            this.source = source;
            this.transform = transform;
        }
    }

    private final List<Part> parts = new ArrayList<>();
    private final @Nullable Object[] lastSources;
    private PartitionTuple last = PartitionTuple.EMPTY;
    private boolean hasLast;

    /** @param rows the type of the rows, whose columns are the schema's in order */
    PartitionKeys(TableMetadata table, StructType rows) {
        this(table.schema(), table.spec(), table.schema().fields());
        if (rows.size() != table.schema().fields().size()) {
            throw new IllegalArgumentException(
                    "Rows must have the columns of " + table.schema() + ", not " + rows.simpleString());
        }
    }

    private PartitionKeys(Schema schema, PartitionSpec spec, List<Field> columns) {
        for (PartitionField field : spec.fields()) {
            parts.add(part(schema, field, columns));
        }
        lastSources = new @Nullable Object[parts.size()];
    }

    /** The top-level columns that partitions of the spec are made of, with their field ids. */
    public static StructType sources(Schema schema, PartitionSpec spec) {
        return SparkTypes.toSpark(new Schema(schema.id(), sourceFields(schema, spec)));
    }

    private static List<Field> sourceFields(Schema schema, PartitionSpec spec) {
        return schema.fields().stream()
                .filter(column -> spec.fields().stream()
                        .anyMatch(field -> ancestors(schema, field).get(0).equals(column)))
                .toList();
    }

    /** The partitions of one spec, for rows that have just the columns it is made of: {@link #sources}, in order. */
    public static PartitionKeys ofSources(Schema schema, PartitionSpec spec) {
        return new PartitionKeys(schema, spec, sourceFields(schema, spec));
    }

    /** The source and what it is nested in, outermost first. */
    private static List<Field> ancestors(Schema schema, PartitionField field) {
        Field source = schema.field(field.sourceId())
                .orElseThrow(() -> new UnsupportedOperationException("Partition field '" + field.name()
                        + "' must have a source column, but the table has no column with id " + field.sourceId()
                        + " any more. Drop the partition field first."));
        var ancestors = new ArrayList<Field>();
        ancestors.add(source);
        for (var at = schema.parent(source.id());
                at.isPresent();
                at = schema.parent(at.get().id())) {
            ancestors.add(0, at.get());
        }
        return ancestors;
    }

    private static Part part(Schema schema, PartitionField field, List<Field> columns) {
        List<Field> ancestors = ancestors(schema, field);
        Field source = ancestors.get(ancestors.size() - 1);
        var path = new int[ancestors.size()];
        var sizes = new int[ancestors.size()];
        List<Field> siblings = columns;
        for (int i = 0; i < path.length; i++) {
            path[i] = siblings.indexOf(ancestors.get(i));
            if (ancestors.get(i).type() instanceof Type.Struct struct) {
                siblings = struct.fields();
                sizes[i] = siblings.size();
            }
        }
        return new Part(
                path, sizes, SparkTypes.toSpark(source.type(), source.name()), source.type(), field.transform());
    }

    /**
     * The partition of a row, which may be reused afterwards. The tuple of consecutive rows of a partition is mostly the same
     * object.
     */
    public PartitionTuple of(InternalRow row) {
        boolean same = hasLast;
        for (int i = 0; i < lastSources.length; i++) {
            Object value = value(row, parts.get(i));
            if (!same || !Objects.deepEquals(value, lastSources[i])) {
                same = false;
                lastSources[i] = value instanceof UTF8String text ? text.copy() : value;
            }
        }
        if (!same) {
            last = tuple();
            hasLast = true;
        }
        return last;
    }

    private PartitionTuple tuple() {
        var values = new @Nullable Object[lastSources.length];
        for (int i = 0; i < values.length; i++) {
            Part part = parts.get(i);
            Object source = lastSources[i];
            values[i] = source == null
                    ? null
                    : Transforms.apply(
                            part.transform,
                            part.source,
                            SparkValues.fromSpark(part.source, source)
                                    .orElseThrow(() -> new IllegalArgumentException("Value '" + source + "' must be a "
                                            + part.source + " to choose a partition.")));
        }
        return PartitionTuple.copyOf(Arrays.asList(values));
    }

    private static @Nullable Object value(InternalRow row, Part part) {
        InternalRow at = row;
        int deepest = part.path.length - 1;
        for (int i = 0; i < deepest; i++) {
            if (at.isNullAt(part.path[i])) {
                return null;
            }
            at = at.getStruct(part.path[i], part.sizes[i]);
        }
        return at.isNullAt(part.path[deepest]) ? null : at.get(part.path[deepest], part.sparkType);
    }
}
