package dev.calve.spark.rowlevel;

import dev.calve.spark.read.SnapshotScanBuilder;
import java.util.function.Consumer;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.connector.read.ScanBuilder;
import org.apache.spark.sql.connector.read.SupportsPushDownRequiredColumns;
import org.apache.spark.sql.connector.read.SupportsPushDownV2Filters;
import org.apache.spark.sql.types.StructType;

/** Builds the scan of a row-level statement: filters and columns only, because a limit or an aggregate would lose rows. */
public final class RowLevelScanBuilder
        implements ScanBuilder, SupportsPushDownV2Filters, SupportsPushDownRequiredColumns {

    private final SnapshotScanBuilder builder;
    private final boolean merges;
    private final Consumer<RowLevelScan> built;
    private final SparkSession session;

    /**
     * @param merges whether rows that match nothing in the other table of a MERGE may be left out
     * @param built is told of every scan that was built
     */
    RowLevelScanBuilder(
            SnapshotScanBuilder builder, boolean merges, Consumer<RowLevelScan> built, SparkSession session) {
        this.builder = builder;
        this.merges = merges;
        this.built = built;
        this.session = session;
    }

    /**
     * The scan of a MERGE that only inserts, which Spark takes from the table itself.
     *
     * @param builder of the newest state
     */
    public static ScanBuilder ofInserts(SnapshotScanBuilder builder, SparkSession session) {
        // Its append finds the scan in the statement's plan.
        return new RowLevelScanBuilder(builder, true, scan -> {}, session);
    }

    @Override
    public Predicate[] pushPredicates(Predicate[] predicates) {
        return builder.pushPredicates(predicates);
    }

    @Override
    public Predicate[] pushedPredicates() {
        return builder.pushedPredicates();
    }

    @Override
    public void pruneColumns(StructType requiredSchema) {
        builder.pruneColumns(requiredSchema);
    }

    @Override
    public Scan build() {
        var scan = new RowLevelScan(builder.buildScan(), merges, session);
        built.accept(scan);
        return scan;
    }
}
