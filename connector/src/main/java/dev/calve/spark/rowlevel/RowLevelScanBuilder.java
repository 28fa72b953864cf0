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
    private final RowLevelScan.Finds finds;
    private final Consumer<RowLevelScan> built;
    private final SparkSession session;

    /**
     * @param finds what the rows are for
     * @param built is told of every scan that was built
     */
    RowLevelScanBuilder(
            SnapshotScanBuilder builder, RowLevelScan.Finds finds, Consumer<RowLevelScan> built, SparkSession session) {
        this.builder = builder;
        this.finds = finds;
        this.built = built;
        this.session = session;
    }

    /**
     * The scan of a statement's target that Spark takes from the table itself: that of a MERGE that only inserts, or whichever
     * else its query has.
     *
     * @param builder of the newest state
     */
    public static ScanBuilder ofTarget(SnapshotScanBuilder builder, SparkSession session) {
        // What is written finds the scan in the statement's plan.
        return new RowLevelScanBuilder(builder, RowLevelScan.Finds.READ, scan -> {}, session);
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
        var scan = new RowLevelScan(builder.buildScan(), finds, session);
        built.accept(scan);
        return scan;
    }
}
