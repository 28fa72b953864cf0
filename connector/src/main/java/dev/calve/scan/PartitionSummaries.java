package dev.calve.scan;

import dev.calve.manifest.ManifestFile;
import dev.calve.metadata.TableMetadata;
import dev.calve.partition.FieldSummary;
import dev.calve.partition.PartitionTuple;
import dev.calve.schema.Bytes;
import dev.calve.schema.Field;
import dev.calve.schema.Type;
import dev.calve.schema.ValueCodec;
import dev.calve.schema.Values;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Whether a manifest may list a file of one partition, by its summaries alone; partitions as the table types them now. */
public final class PartitionSummaries {

    private PartitionSummaries() {}

    /**
     * A tuple that may have been read before a source column was promoted, as the table types it now: equal partitions must be
     * equal whenever they were read.
     */
    public static PartitionTuple promoted(TableMetadata metadata, int specId, PartitionTuple tuple) {
        List<Field> fields = metadata.partitionType(specId).fields();
        var values = new ArrayList<@Nullable Object>(tuple.values());
        for (int i = 0; i < Math.min(fields.size(), values.size()); i++) {
            Object value = values.get(i);
            if (value instanceof Integer number && fields.get(i).type() == Type.Simple.LONG) {
                values.set(i, number.longValue());
            } else if (value instanceof Float number && fields.get(i).type() == Type.Simple.DOUBLE) {
                values.set(i, number.doubleValue());
            }
        }
        return PartitionTuple.copyOf(values);
    }

    /**
     * Whether a file of the partition may be listed.
     *
     * @param partitionType of the manifest's spec
     */
    public static boolean mayContain(ManifestFile manifest, Type.Struct partitionType, PartitionTuple tuple) {
        if (manifest.partitions().isEmpty()) {
            return true;
        }
        List<FieldSummary> summaries = manifest.partitions().get();
        int known = Math.min(Math.min(summaries.size(), partitionType.fields().size()), tuple.size());
        for (int i = 0; i < known; i++) {
            if (!mayContain(summaries.get(i), partitionType.fields().get(i), tuple.value(i))) {
                return false;
            }
        }
        return true;
    }

    private static boolean mayContain(FieldSummary summary, Field field, Optional<Object> value) {
        if (value.isEmpty()) {
            return summary.containsNull();
        }
        if (isNaN(value.get())) {
            return summary.containsNan().orElse(true);
        }
        if (!(field.type() instanceof Type.Primitive) || field.type() == Type.Simple.UNKNOWN) {
            return true;
        }
        return !isBeyond(field.type(), value.get(), summary.lowerBound(), 1)
                && !isBeyond(field.type(), value.get(), summary.upperBound(), -1);
    }

    /** Whether the bound lies on the given side of the value: 1 above, -1 below. A missing bound lies nowhere. */
    private static boolean isBeyond(Type type, Object value, Optional<Bytes> bound, int side) {
        if (bound.isEmpty()) {
            return false;
        }
        Object limit = withoutNegativeZero(ValueCodec.decode(type, bound.get()));
        return Values.comparator(type).compare(limit, withoutNegativeZero(value)) * side > 0;
    }

    private static boolean isNaN(Object value) {
        return (value instanceof Double number && number.isNaN()) || (value instanceof Float single && single.isNaN());
    }

    /** Writers do not agree on the order of the two zeros. */
    private static Object withoutNegativeZero(Object value) {
        if (value instanceof Double number) {
            return number + 0.0d;
        }
        return value instanceof Float single ? (Object) (single + 0.0f) : value;
    }
}
