package dev.calve.spark.write;

import dev.calve.catalog.LoadedTable;
import dev.calve.commit.TableCommit;
import dev.calve.commit.TableState;
import dev.calve.metadata.MetadataUpdate;
import dev.calve.metadata.MetadataUpdates;
import dev.calve.metadata.TableMetadata;
import dev.calve.metadata.TableProperties;
import dev.calve.partition.PartitionField;
import dev.calve.partition.Transform;
import dev.calve.spark.convert.Placeholders;
import dev.calve.spark.convert.SparkTypes;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.connector.write.LogicalWriteInfo;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.StructType;

/**
 * A table that rows can be written to, with the options of the write in place of its properties.
 *
 * @param table with the columns that the rows written have: those it has by now, and new ones the rows bring
 * @param summary entries the statement adds to the snapshot's summary
 * @param arriving what comes of a table that accepts any schema, whose rows are of any shape
 */
public record WriteTarget(LoadedTable table, Map<String, String> summary, Optional<Arriving> arriving) {

    /**
     * Rows as Spark hands them over.
     *
     * @param merges whether columns the table lacks are added to it
     * @param lastColumnId of the table without them
     */
    record Arriving(StructType rows, boolean caseSensitive, boolean merges, int lastColumnId) {

        MergedColumns columns() {
            return new MergedColumns(rows, caseSensitive);
        }
    }

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
        return table.properties().get(TableProperties.ACCEPT_ANY_SCHEMA) ? target.taking(info) : target;
    }

    private WriteTarget taking(LogicalWriteInfo info) {
        boolean merges = WriteOptions.of(info.options(), table.name()).evolves();
        TableMetadata metadata = table.metadata();
        var rows = new Arriving(info.schema(), SQLConf.get().caseSensitiveAnalysis(), merges, metadata.lastColumnId());
        List<MetadataUpdate> missing = rows.columns().apply(metadata);
        if (!missing.isEmpty() && !merges) {
            throw new IllegalArgumentException("Cannot write rows of type "
                    + info.schema().simpleString() + " to " + table.name() + ", which has the columns "
                    + SparkTypes.toSpark(metadata.schema()).simpleString()
                    + ": it lacks some of theirs. Name the columns as the table does, or set the write option"
                    + " 'mergeSchema' to add them.");
        }
        LoadedTable merged = missing.isEmpty()
                ? table
                : table.at(new TableState(
                        MetadataUpdates.apply(metadata, missing, metadata.lastUpdatedMillis()),
                        table.state().metadataLocation()));
        RowShape.of(merged.metadata().schema().fields(), rows.rows(), rows.caseSensitive());
        return new WriteTarget(merged, summary, Optional.of(rows));
    }

    /** Type of the rows once they have the shape of the table's. */
    StructType rows(LogicalWriteInfo info) {
        return arriving.isEmpty()
                ? info.schema()
                : SparkTypes.toSpark(table.metadata().schema());
    }

    /** The commit of the rows, made to add the columns they bring. */
    public TableCommit merging(TableCommit commit) {
        return arriving.filter(Arriving::merges)
                .map(rows -> commit.changing(rows.columns(), rows.lastColumnId()))
                .orElse(commit);
    }

    /** A table that rows are only removed from. */
    public static WriteTarget ofDeletes(LoadedTable table, LogicalWriteInfo info) {
        WriteOptions options = WriteOptions.of(info.options(), table.name());
        return new WriteTarget(options.applyTo(table), options.summary(), Optional.empty());
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
