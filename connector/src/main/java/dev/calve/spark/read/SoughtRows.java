package dev.calve.spark.read;

import dev.calve.deletes.PositionBitmap;
import dev.calve.expression.Expression;
import dev.calve.expression.Expression.Column;
import dev.calve.pruning.ResidualFilter;
import dev.calve.rowdelete.RowMatcher;
import dev.calve.schema.Schema;
import dev.calve.spark.wire.KeysFound;
import dev.calve.spark.wire.WantedKeys;
import java.util.List;
import java.util.Optional;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.broadcast.Broadcast;

/**
 * The rows of a table that have one of some keys. Memory: the keys' bytes on the driver, and their table of 12 to 40 bytes more a
 * key on each executor, until they are released.
 *
 * @param condition TRUE for each of them, and perhaps for more
 */
public record SoughtRows(Expression condition, Broadcast<WantedKeys> keys) {

    /**
     * Joins what tasks collected.
     *
     * @param columns the parts of a key
     * @param collected as {@link KeysOfRows} returns them
     * @param mostBytes all keys together may have
     * @return empty if they have more, or some task found too many
     */
    public static Optional<SoughtRows> of(
            JavaSparkContext context, List<Column> columns, List<KeysFound> collected, int mostBytes) {
        List<KeyKind> kinds = columns.stream()
                .map(column -> KeyKind.of(column.type()).orElseThrow())
                .toList();
        var keys = new KeyList(kinds, mostBytes);
        for (KeysFound some : collected) {
            if (some.keys().isEmpty() || !keys.addAll(some.keys().get())) {
                return Optional.empty();
            }
        }
        byte[] all = keys.toBytes();
        var wanted = new WantedKeys(columns.stream().map(Column::fieldId).toList(), KeyList.isOneInteger(kinds), all);
        return Optional.of(new SoughtRows(KeyCondition.of(columns, all), context.broadcast(wanted)));
    }

    /**
     * Finds them in a file, on the driver. Reads their key columns.
     *
     * @param schema the table is read with
     */
    public RowMatcher matcher(TaskReads reads, Schema schema) {
        WantedRows wanted = WantedRows.of(keys.value(), schema);
        return (task, deleted) -> {
            var found = new PositionBitmap();
            FileRead read = reads.read(task, wanted.columns())
                    .rowGroups(ResidualFilter.of(task.residual()))
                    .deleted(deleted)
                    .filter(wanted)
                    .build();
            try (var reader = ColumnarFileReader.open(read)) {
                while (reader.next()) {
                    for (int i = 0; i < reader.batch().numRows(); i++) {
                        found.add(reader.positionOf(i));
                    }
                }
            }
            return found;
        };
    }

    /** Frees what executors hold of the keys. No task may need them any more. */
    public void release() {
        keys.destroy();
    }
}
