package dev.calve.spark;

import dev.calve.catalog.LoadedTable;
import dev.calve.metadata.ReadState;
import dev.calve.metadata.TableMetadata;
import dev.calve.spark.rowlevel.PositionDelta;
import java.util.Set;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.connector.catalog.SupportsRowLevelOperations;
import org.apache.spark.sql.connector.write.RowLevelOperationBuilder;
import org.apache.spark.sql.connector.write.RowLevelOperationInfo;

/** A table rows of which Spark can find by the place they are stored at, and so update and merge. */
final class RowLevelTable extends CalveTable implements SupportsRowLevelOperations {

    private static final Set<String> PLACES = Set.of("_file", "_pos", "_row_id");

    RowLevelTable(LoadedTable table, ReadState state, boolean target) {
        super(table, state, target);
    }

    /** Whether the names of the places mean places: a column of that name would hide them, in any letter case. */
    static boolean canBe(TableMetadata metadata) {
        return metadata.schema().fields().stream()
                .noneMatch(field -> PLACES.stream().anyMatch(field.name()::equalsIgnoreCase));
    }

    /** @throws UnsupportedOperationException if the table was loaded at a state of the past */
    @Override
    public RowLevelOperationBuilder newRowLevelOperationBuilder(RowLevelOperationInfo info) {
        LoadedTable table = writable();
        return () -> new PositionDelta(table, info.command(), SparkSession.active());
    }
}
