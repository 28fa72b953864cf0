package dev.calve.spark.inspect;

import java.util.function.Function;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.MetadataBuilder;
import org.apache.spark.sql.types.StructField;
import org.jspecify.annotations.Nullable;

/**
 * A column of a metadata table: what Spark is told of it, and where its value comes from.
 *
 * @param <S> what one row is made of
 */
sealed interface Column<S> {

    String name();

    StructField field();

    /** The value as Spark's internal rows hold it. */
    @Nullable Object value(S source);

    /** A column that is taken as a whole. */
    record Value<S>(String name, StructField field, Function<S, @Nullable Object> of) implements Column<S> {
        @Override
        public @Nullable Object value(S source) {
            return of.apply(source);
        }
    }

    /**
     * A struct of which only the wanted fields are made. Never null.
     *
     * @param of the part of the source that the fields are made of
     */
    record Part<S, P>(String name, boolean nullable, Function<S, P> of, Columns<P> columns) implements Column<S> {
        @Override
        public StructField field() {
            return column(name, columns.type(), nullable, "");
        }

        @Override
        public Object value(S source) {
            return columns.row(of.apply(source));
        }

        Part<S, P> with(Columns<P> others) {
            return new Part<>(name, nullable, of, others);
        }
    }

    /** A column without nulls. */
    static <S> Column<S> required(String name, DataType type, Function<S, @Nullable Object> of) {
        return new Value<>(name, column(name, type, false, ""), of);
    }

    /** A column that can be null. */
    static <S> Column<S> optional(String name, DataType type, Function<S, @Nullable Object> of) {
        return new Value<>(name, column(name, type, true, ""), of);
    }

    /** A column that can be null and that no other engine shows, so that it says what it is. */
    static <S> Column<S> explained(String name, DataType type, String comment, Function<S, @Nullable Object> of) {
        return new Value<>(name, column(name, type, true, comment), of);
    }

    private static StructField column(String name, DataType type, boolean nullable, String comment) {
        var metadata = new MetadataBuilder();
        if (!comment.isEmpty()) {
            metadata.putString("comment", comment);
        }
        return new StructField(name, type, nullable, metadata.build());
    }
}
