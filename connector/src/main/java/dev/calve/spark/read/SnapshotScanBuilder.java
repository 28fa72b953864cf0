package dev.calve.spark.read;

import dev.calve.catalog.LoadedTable;
import dev.calve.scan.ScanRange;
import dev.calve.schema.Schema;
import dev.calve.spark.convert.SparkPredicates;
import dev.calve.spark.convert.SparkTypes;
import java.util.ArrayList;
import java.util.Optional;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.connector.read.ScanBuilder;
import org.apache.spark.sql.connector.read.SupportsPushDownRequiredColumns;
import org.apache.spark.sql.connector.read.SupportsPushDownV2Filters;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.StructType;

/**
 * Collects what a query wants of one snapshot. Every predicate is given back to Spark, which checks rows itself; what is
 * pushed only saves reading.
 */
public final class SnapshotScanBuilder
        implements ScanBuilder, SupportsPushDownV2Filters, SupportsPushDownRequiredColumns {

    private final LoadedTable table;
    private final ScanRange range;
    private final Schema schema;
    private final ReadSettings settings;
    private final SparkSession session;
    private final WantedColumns wanted;
    private Optional<StructType> columns = Optional.empty();
    private SparkPredicates.Converted filter;
    private Predicate[] pushed = {};

    /**
     * @param schema the table is read with
     */
    public SnapshotScanBuilder(
            LoadedTable table, ScanRange range, Schema schema, ReadSettings settings, SparkSession session) {
        this.table = table;
        this.range = range;
        this.schema = schema;
        this.settings = settings;
        this.session = session;
        this.wanted = new WantedColumns(table, schema);
        this.filter = predicates().convert(pushed);
    }

    private SparkPredicates predicates() {
        return new SparkPredicates(schema, SQLConf.get().caseSensitiveAnalysis());
    }

    @Override
    public Predicate[] pushPredicates(Predicate[] predicates) {
        SparkPredicates translation = predicates();
        filter = translation.convert(predicates);
        var useful = new ArrayList<Predicate>();
        for (Predicate predicate : predicates) {
            if (translation.convert(new Predicate[] {predicate}).exact()) {
                useful.add(predicate);
            }
        }
        pushed = useful.toArray(Predicate[]::new);
        return predicates;
    }

    @Override
    public Predicate[] pushedPredicates() {
        return pushed.clone();
    }

    @Override
    public void pruneColumns(StructType requiredSchema) {
        columns = Optional.of(requiredSchema);
    }

    @Override
    public Scan build() {
        StructType all = SparkTypes.toSpark(schema);
        return new SnapshotScan(
                table, range, schema, wanted.withIds(columns.orElse(all)), filter.expression(), settings, session);
    }
}
