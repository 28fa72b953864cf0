package dev.calve.spark.inspect;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;

/**
 * The columns of rows that are made of one kind of source, in order.
 *
 * @param <S> what one row is made of
 */
record Columns<S>(List<Column<S>> columns) {

    Columns {
        columns = List.copyOf(columns);
    }

    @SafeVarargs
    @SuppressWarnings("varargs")
    static <S> Columns<S> of(Column<S>... columns) {
        return new Columns<>(Arrays.asList(columns));
    }

    /** These columns and more. */
    Columns<S> and(List<Column<S>> more) {
        var all = new ArrayList<>(columns);
        all.addAll(more);
        return new Columns<>(all);
    }

    StructType type() {
        return new StructType(columns.stream().map(Column::field).toArray(StructField[]::new));
    }

    /**
     * The columns a query wants, in its order; of structs the wanted fields.
     *
     * @throws IllegalArgumentException if there is no such column
     */
    Columns<S> select(StructType wanted) {
        var selected = new ArrayList<Column<S>>();
        for (StructField field : wanted.fields()) {
            Column<S> column = columns.stream()
                    .filter(each -> each.name().equals(field.name()))
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException("Column '" + field.name() + "' must be one of "
                            + Arrays.toString(type().fieldNames()) + "."));
            selected.add(selected(column, field));
        }
        return new Columns<>(selected);
    }

    private static <S> Column<S> selected(Column<S> column, StructField wanted) {
        if (column instanceof Column.Part<S, ?> part && wanted.dataType() instanceof StructType fields) {
            return selected(part, fields);
        }
        return column;
    }

    private static <S, P> Column<S> selected(Column.Part<S, P> part, StructType fields) {
        return part.with(part.columns().select(fields));
    }

    /** Whether a column of one of these names is among them, in the parts of structs too. */
    boolean hasAny(List<String> names) {
        return columns.stream()
                .anyMatch(column -> names.contains(column.name())
                        || (column instanceof Column.Part<S, ?> part
                                && part.columns().hasAny(names)));
    }

    InternalRow row(S source) {
        var values = new @Nullable Object[columns.size()];
        for (int i = 0; i < values.length; i++) {
            values[i] = columns.get(i).value(source);
        }
        return new GenericInternalRow(values);
    }
}
