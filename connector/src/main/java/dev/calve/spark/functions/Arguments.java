package dev.calve.spark.functions;

import org.apache.spark.sql.connector.catalog.functions.UnboundFunction;
import org.apache.spark.sql.types.ByteType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.IntegerType;
import org.apache.spark.sql.types.ShortType;
import org.apache.spark.sql.types.StructType;

/** Checks what functions are called with. Spark shows the messages of the exceptions to the user. */
final class Arguments {

    private Arguments() {}

    /** The type of the second of two arguments, whose first is a whole number. */
    static DataType numberAndValue(UnboundFunction function, StructType inputs) {
        if (inputs.size() != 2) {
            throw new UnsupportedOperationException(
                    function.name() + " takes two arguments, a number and a value, not " + inputs.size() + ".");
        }
        DataType number = inputs.fields()[0].dataType();
        if (!(number instanceof ByteType || number instanceof ShortType || number instanceof IntegerType)) {
            throw new UnsupportedOperationException(
                    function.name() + " takes an int as its first argument, not " + number.catalogString() + ".");
        }
        return inputs.fields()[1].dataType();
    }

    static UnsupportedOperationException wrongType(UnboundFunction function, DataType value, String expected) {
        return new UnsupportedOperationException(
                function.name() + " takes " + expected + ", not " + value.catalogString() + ".");
    }
}
