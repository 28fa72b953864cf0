package dev.calve.spark.read;

import dev.calve.deletes.KeyTable;
import java.util.List;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.vectorized.ColumnVector;

/** Rules out the rows of one data file that equality deletes name by key. */
record DeletedKeys(List<Keys> sets) implements RowFilter {

    /**
     * Keys made of the same fields.
     *
     * @param leastRank of deletes that apply to the file; those with a lower one are not newer than it
     */
    record Keys(KeyFields fields, KeyTable table, int leastRank) {}

    DeletedKeys {
        sets = List.copyOf(sets);
    }

    @Override
    public StructType columns() {
        var columns = new StructType();
        for (Keys set : sets) {
            columns = MergedColumns.merge(columns, set.fields().columns());
        }
        return columns;
    }

    @Override
    public Rows over(List<ColumnVector> vectors, int batchRows) {
        StructType columns = columns();
        List<Rows> each = sets.stream()
                .map(set -> {
                    KeyRows keys = KeyRows.over(set.fields(), columns, vectors);
                    return (Rows) (rows, count) -> keys.retain(set.table(), set.leastRank(), rows, count);
                })
                .toList();
        if (each.size() == 1) {
            return each.get(0);
        }
        return (rows, count) -> {
            int left = count;
            for (Rows set : each) {
                left = set.retain(rows, left);
            }
            return left;
        };
    }
}
