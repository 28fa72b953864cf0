package dev.calve.spark;

import dev.calve.catalog.LoadedTable;
import dev.calve.commit.AlteredColumns;
import dev.calve.commit.MetadataCommit;
import dev.calve.commit.TableState;
import dev.calve.metadata.MetadataUpdate;
import dev.calve.metadata.MetadataUpdates;
import dev.calve.metadata.TableMetadata;
import dev.calve.schema.SchemaChange;
import dev.calve.schema.SchemaChanges;
import java.io.IOException;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.apache.spark.sql.connector.catalog.TableChange;
import org.apache.spark.sql.internal.SQLConf;

/**
 * {@code ALTER TABLE}: changes of columns and properties, all of one statement committed together. A change that changes
 * nothing commits nothing.
 */
final class TableAlteration {

    private final LoadedTable table;
    private final PropertyChanges properties;
    private final SchemaChanges columns;

    private TableAlteration(LoadedTable table, PropertyChanges properties, SchemaChanges columns) {
        this.table = table;
        this.properties = properties;
        this.columns = columns;
    }

    /**
     * Reads Spark's list of changes.
     *
     * @throws UnsupportedOperationException naming what is not implemented or not known to the table format
     * @throws IllegalArgumentException if a property or column cannot become what is asked for
     */
    static TableAlteration of(LoadedTable table, TableChange... changes) {
        var properties = new ArrayList<TableChange>();
        var columns = new ArrayList<SchemaChange>();
        var ofColumns = new ColumnAlteration(table.metadata().schema());
        for (TableChange change : changes) {
            if (change instanceof TableChange.SetProperty || change instanceof TableChange.RemoveProperty) {
                properties.add(change);
            } else if (change instanceof TableChange.ColumnChange column) {
                ofColumns.of(column).ifPresent(columns::add);
            } else {
                throw unsupported(table.name(), change);
            }
        }
        return new TableAlteration(
                table,
                PropertyChanges.of(table.name(), properties),
                new SchemaChanges(columns, SQLConf.get().caseSensitiveAnalysis()));
    }

    /** By the name of the class, since changes of later versions of Spark are not known here. */
    private static UnsupportedOperationException unsupported(String table, TableChange change) {
        String kind = change.getClass().getSimpleName();
        String why = switch (kind) {
            case "ClusterBy" -> "the table format has no clustering keys. Partition the table or set a write order";
            case "AddConstraint", "DropConstraint" ->
                "the table format has no constraints other than NOT NULL. Check rows before they are written";
            default -> kind + " is not supported; changes of columns and of properties are";
        };
        return new UnsupportedOperationException("Cannot alter table " + table + ": " + why + ".");
    }

    /**
     * Commits the changes.
     *
     * @return the table's state afterwards
     * @throws IllegalArgumentException if a change is not allowed; nothing was changed
     */
    TableState commit() throws IOException {
        TableMetadata read = withProperties(table.metadata(), properties.updates(table.metadata()));
        Optional<AlteredColumns> altered =
                columns.isEmpty() ? Optional.empty() : Optional.of(new AlteredColumns(table.name(), read, columns));
        return new MetadataCommit(
                        UUID.randomUUID(), table.name(), table.metadata().uuid(), table.committer(), Clock.systemUTC())
                .commit(found -> updates(altered, found));
    }

    private List<MetadataUpdate> updates(Optional<AlteredColumns> altered, TableMetadata found) {
        var updates = new ArrayList<>(properties.updates(found));
        if (altered.isPresent()) {
            updates.addAll(altered.get().apply(withProperties(found, updates)));
        }
        return updates;
    }

    /** Columns are altered in the table the properties lead to: they may raise its version. */
    private static TableMetadata withProperties(TableMetadata table, List<MetadataUpdate> updates) {
        return MetadataUpdates.apply(table, updates, table.lastUpdatedMillis());
    }
}
