package dev.calve.spark.rowlevel;

import dev.calve.catalog.LoadedTable;
import dev.calve.spark.write.WriteTarget;
import java.util.List;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.connector.write.DeltaWrite;
import org.apache.spark.sql.connector.write.DeltaWriteBuilder;
import org.apache.spark.sql.connector.write.LogicalWriteInfo;
import org.apache.spark.sql.connector.write.RowLevelOperation;

/** Builds the write of a row-level statement. What makes a table unfit for it is refused here, before a row is computed. */
record PositionDeltaWriteBuilder(
        LoadedTable table,
        RowLevelOperation.Command command,
        LogicalWriteInfo info,
        List<RowLevelScan> scans,
        SparkSession session)
        implements DeltaWriteBuilder {

    /**
     * @throws UnsupportedOperationException if the table or an option asks for something that is not implemented
     * @throws IllegalArgumentException if a property has a value it cannot have
     */
    @Override
    public DeltaWrite build() {
        RowLevelSettings settings = RowLevelSettings.of(table, command);
        WriteTarget target = command == RowLevelOperation.Command.DELETE
                ? WriteTarget.ofDeletes(table, info)
                : WriteTarget.of(table, info);
        return new PositionDeltaWrite(target.table(), settings, target.summary(), info.schema(), scans, session);
    }
}
