package dev.calve.spark.rowlevel;

import dev.calve.spark.read.SnapshotScan;
import dev.calve.spark.read.SnapshotScanBuilder;
import java.util.function.Consumer;
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
    private final Consumer<SnapshotScan> built;

    /** @param built is told of every scan that was built */
    RowLevelScanBuilder(SnapshotScanBuilder builder, Consumer<SnapshotScan> built) {
        this.builder = builder;
        this.built = built;
    }

    /**
     * The scan of a MERGE that only inserts, which Spark takes from the table itself.
     *
     * @param builder of the newest state
     */
    public static ScanBuilder ofInserts(SnapshotScanBuilder builder) {
        // Its append finds the scan in the statement's plan.
        return new RowLevelScanBuilder(builder, scan -> {});
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
        SnapshotScan scan = builder.buildScan();
        built.accept(scan);
        return new RowLevelScan(scan);
    }
}
