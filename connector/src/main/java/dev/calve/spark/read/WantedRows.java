package dev.calve.spark.read;

import dev.calve.deletes.KeyTable;
import dev.calve.schema.Schema;
import dev.calve.spark.wire.WantedKeys;
import java.util.List;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.vectorized.ColumnVector;

/** Rules out rows that have none of the wanted keys. */
final class WantedRows implements RowFilter {

    private final KeyFields fields;
    private final KeyTable keys;

    private WantedRows(KeyFields fields, KeyTable keys) {
        this.fields = fields;
        this.keys = keys;
    }

    /** @param schema the table is read with */
    static WantedRows of(WantedKeys keys, Schema schema) {
        return new WantedRows(
                new KeyFields(keys.fieldIds().stream()
                        .map(id ->
                                new KeyFields.KeyField(List.of(schema.field(id).orElseThrow())))
                        .toList()),
                keys.table());
    }

    @Override
    public StructType columns() {
        return fields.columns();
    }

    @Override
    public Rows over(List<ColumnVector> columns, int batchRows) {
        KeyRows rows = KeyRows.over(fields, columns(), columns);
        return (ordinals, count) -> rows.retainKnown(keys, ordinals, count);
    }
}
