package dev.calve.spark.write;

import dev.calve.catalog.LoadedTable;
import dev.calve.partition.PartitionField;
import dev.calve.partition.Transform;
import dev.calve.spark.convert.Placeholders;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.connector.write.LogicalWriteInfo;

/**
 * A table that rows can be written to, with the options of the write in place of its properties.
 *
 * @param summary entries the statement adds to the snapshot's summary
 */
public record WriteTarget(LoadedTable table, Map<String, String> summary) {

    public WriteTarget {
        summary = Map.copyOf(summary);
    }

    /**
     * Refuses, before a row is computed, everything that makes a table unfit for new rows.
     *
     * @throws UnsupportedOperationException if the table or an option asks for something that is not implemented
     * @throws IllegalArgumentException if a property has a value it cannot have
     */
    public static WriteTarget of(LoadedTable table, LogicalWriteInfo info) {
        WriteTarget target = ofDeletes(table, info);
        refuseUnknownTransforms(table);
        target.table().properties().checkWritable();
        Placeholders.refuseWriting(target.table().metadata().schema(), table.name());
        return target;
    }

    /** A table that rows are only removed from. */
    public static WriteTarget ofDeletes(LoadedTable table, LogicalWriteInfo info) {
        WriteOptions options = WriteOptions.of(info.options(), table.name());
        return new WriteTarget(options.applyTo(table), options.summary());
    }

    /** All entries of the snapshot's summary that are not counted. */
    public Map<String, String> summaryOf(SparkSession session) {
        Map<String, String> entries = new LinkedHashMap<>(SnapshotSummaries.of(session));
        entries.putAll(summary);
        return entries;
    }

    private static void refuseUnknownTransforms(LoadedTable table) {
        for (PartitionField field : table.metadata().spec().fields()) {
            if (field.transform() instanceof Transform.Unknown) {
                throw new UnsupportedOperationException("Cannot write to " + table.name() + ": its partition field '"
                        + field.name() + "' uses the transform '" + field.transform()
                        + "', which is not known here. Write with the engine that made the table.");
            }
        }
    }
}
