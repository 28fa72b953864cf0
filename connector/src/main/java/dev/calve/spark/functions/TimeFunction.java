package dev.calve.spark.functions;

import dev.calve.partition.Transform;
import org.apache.spark.sql.connector.catalog.functions.BoundFunction;
import org.apache.spark.sql.connector.catalog.functions.UnboundFunction;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DateType;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.types.TimestampNTZType;
import org.apache.spark.sql.types.TimestampType;

/** {@code years(value)}, {@code months(value)}, {@code days(value)} or {@code hours(value)}. */
final class TimeFunction implements UnboundFunction {

    private static final long serialVersionUID = 1L;

    private final String name;
    private final Transform.Time transform;

    TimeFunction(String name, Transform.Time transform) {
        this.name = name;
        this.transform = transform;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String description() {
        return name + "(value): whole " + name + " since 1970 in UTC, as tables partition by it";
    }

    @Override
    public BoundFunction bind(StructType inputs) {
        if (inputs.size() != 1) {
            throw new UnsupportedOperationException(name + " takes one argument, not " + inputs.size() + ".");
        }
        DataType value = inputs.fields()[0].dataType();
        boolean hours = transform == Transform.Time.HOUR;
        boolean known = value instanceof TimestampType
                || value instanceof TimestampNTZType
                || (value instanceof DateType && !hours);
        if (!known) {
            throw Arguments.wrongType(this, value, hours ? "a timestamp" : "a date or timestamp");
        }
        return switch (transform) {
            case YEAR -> new Years(value);
            case MONTH -> new Months(value);
            case DAY -> new Days(value);
            case HOUR -> new Hours(value);
        };
    }
}
