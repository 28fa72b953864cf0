package dev.calve.spark.functions;

import dev.calve.partition.Transform;
import dev.calve.partition.Transforms;
import dev.calve.schema.Type;
import java.util.Objects;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;

/** {@link Transform.Time#MONTH} of Spark's values. Public because generated code calls it. */
public final class Months extends BoundTransform<Integer> {

    private static final long serialVersionUID = 1L;

    Months(DataType value) {
        super("months", DataTypes.IntegerType, value.catalogString(), value);
    }

    /** Of a date in days. */
    public static int invoke(int days) {
        return (Integer) Objects.requireNonNull(Transforms.apply(Transform.Time.MONTH, Type.Simple.DATE, days));
    }

    /** Of a timestamp in microseconds. */
    public static int invoke(long micros) {
        return (Integer) Objects.requireNonNull(Transforms.apply(Transform.Time.MONTH, Type.Simple.TIMESTAMP, micros));
    }
}
