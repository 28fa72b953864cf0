package dev.calve.spark.functions;

import dev.calve.partition.Transform;
import dev.calve.partition.Transforms;
import dev.calve.schema.Type;
import java.util.Objects;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;

/** {@link Transform.Time#HOUR} of Spark's values. Public because generated code calls it. */
public final class Hours extends BoundTransform<Integer> {

    private static final long serialVersionUID = 1L;

    Hours(DataType value) {
        super("hours", DataTypes.IntegerType, value.catalogString(), value);
    }

    /** Of a timestamp in microseconds. */
    public static int invoke(long micros) {
        return (Integer) Objects.requireNonNull(Transforms.apply(Transform.Time.HOUR, Type.Simple.TIMESTAMP, micros));
    }
}
