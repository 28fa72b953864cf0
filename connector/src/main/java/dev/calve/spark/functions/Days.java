package dev.calve.spark.functions;

import dev.calve.partition.Transform;
import dev.calve.partition.Transforms;
import dev.calve.schema.Type;
import java.util.Objects;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;

/** {@link Transform.Time#DAY} of Spark's values. Public because generated code calls it. */
public final class Days extends BoundTransform<Integer> {

    private static final long serialVersionUID = 1L;

    Days(DataType value) {
        super("days", DataTypes.DateType, value.catalogString(), value);
    }

    /** Of a date in days. */
    public static int invoke(int days) {
        return (Integer) Objects.requireNonNull(Transforms.apply(Transform.Time.DAY, Type.Simple.DATE, days));
    }

    /** Of a timestamp in microseconds. */
    public static int invoke(long micros) {
        return (Integer) Objects.requireNonNull(Transforms.apply(Transform.Time.DAY, Type.Simple.TIMESTAMP, micros));
    }
}
