package dev.calve.spark.functions;

import org.apache.spark.sql.connector.catalog.functions.ScalarFunction;
import org.apache.spark.sql.types.DataType;

/**
 * A transform of values of one Spark type. What it computes is a static method {@code invoke} of the class, which takes
 * {@link #inputTypes} as Spark's internal values.
 */
abstract class BoundTransform<R> implements ScalarFunction<R> {

    private static final long serialVersionUID = 1L;

    private final String name;
    private final DataType resultType;
    private final String typeName;
    private final DataType[] inputTypes;

    /** @param typeName what {@link #canonicalName} calls the type of the values */
    BoundTransform(String name, DataType resultType, String typeName, DataType... inputTypes) {
        this.name = name;
        this.resultType = resultType;
        this.typeName = typeName;
        this.inputTypes = inputTypes.clone();
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public DataType[] inputTypes() {
        return inputTypes.clone();
    }

    @Override
    public DataType resultType() {
        return resultType;
    }

    @Override
    public String canonicalName() {
        return "iceberg." + name + "(" + typeName + ")";
    }
}
