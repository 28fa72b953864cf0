package dev.calve.spark.read;

import dev.calve.expression.Expression.Column;
import dev.calve.spark.wire.KeysFound;
import java.io.Serializable;
import java.math.RoundingMode;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;

/**
 * Collects the distinct keys of rows, those without a null: of each partition the bytes of its keys, or nothing if they are too
 * many.
 */
public final class KeysOfRows implements FlatMapFunction<Iterator<InternalRow>, KeysFound>, Serializable {

    private static final long serialVersionUID = 1L;

    private final String[] kinds;
    private final String rowsJson;
    private final long mostBytes;

    /**
     * For rows that are keys.
     *
     * @param columns whose values the parts are compared with, in order
     * @param rows type of the rows
     * @param mostBytes of the keys of one partition
     */
    public KeysOfRows(List<Column> columns, StructType rows, long mostBytes) {
        this.kinds = columns.stream()
                .map(column -> KeyKind.of(column.type()).orElseThrow().name())
                .toArray(String[]::new);
        this.rowsJson = rows.json();
        this.mostBytes = mostBytes;
    }

    @Override
    public Iterator<KeysFound> call(Iterator<InternalRow> partition) {
        return List.of(collect(partition)).iterator();
    }

    /** The keys of some rows. */
    public KeysFound collect(Iterator<InternalRow> rows) {
        DataType[] types = types();
        var keys = new KeyList(List.of(kinds).stream().map(KeyKind::valueOf).toList(), mostBytes);
        var values = new @Nullable Object[types.length];
        while (rows.hasNext()) {
            InternalRow row = rows.next();
            for (int i = 0; i < types.length; i++) {
                values[i] = row.isNullAt(i) ? null : value(row, i, types[i]);
            }
            if (!keys.add(values)) {
                return new KeysFound(Optional.empty());
            }
        }
        return new KeysFound(Optional.of(keys.toBytes()));
    }

    private DataType[] types() {
        StructType rows = (StructType) StructType.fromJson(rowsJson);
        return Arrays.stream(rows.fields()).map(field -> field.dataType()).toArray(DataType[]::new);
    }

    private static Object value(InternalRow row, int ordinal, DataType type) {
        Object value = row.get(ordinal, type);
        if (type instanceof DecimalType decimal && ((Decimal) value).scale() != decimal.scale()) {
            return Decimal.apply(
                    ((Decimal) value).toJavaBigDecimal().setScale(decimal.scale(), RoundingMode.UNNECESSARY));
        }
        return value;
    }
}
