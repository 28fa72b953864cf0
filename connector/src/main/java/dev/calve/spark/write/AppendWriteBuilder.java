package dev.calve.spark.write;

import dev.calve.catalog.LoadedTable;
import dev.calve.partition.PartitionField;
import dev.calve.partition.Transform;
import dev.calve.spark.convert.Placeholders;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.connector.write.LogicalWriteInfo;
import org.apache.spark.sql.connector.write.Write;
import org.apache.spark.sql.connector.write.WriteBuilder;

/** Builds an append. Everything that makes a table unfit for writing is refused here, before a row is computed. */
public final class AppendWriteBuilder implements WriteBuilder {

    private final LoadedTable table;
    private final LogicalWriteInfo info;
    private final SparkSession session;

    public AppendWriteBuilder(LoadedTable table, LogicalWriteInfo info, SparkSession session) {
        this.table = table;
        this.info = info;
        this.session = session;
    }

    /**
     * @throws UnsupportedOperationException if the table or an option asks for something that is not implemented
     * @throws IllegalArgumentException if a property has a value it cannot have
     */
    @Override
    public Write build() {
        WriteOptions options = WriteOptions.of(info.options(), table.name());
        LoadedTable target = options.applyTo(table);
        refuseUnknownTransforms();
        target.properties().checkWritable();
        Placeholders.refuseWriting(target.metadata().schema(), table.name());
        return new AppendWrite(target, info.schema(), options.summary(), session);
    }

    private void refuseUnknownTransforms() {
        for (PartitionField field : table.metadata().spec().fields()) {
            if (field.transform() instanceof Transform.Unknown) {
                throw new UnsupportedOperationException("Cannot write to " + table.name() + ": its partition field '"
                        + field.name() + "' uses the transform '" + field.transform()
                        + "', which is not known here. Write with the engine that made the table.");
            }
        }
    }
}
