package dev.calve.spark.read;

import dev.calve.catalog.LoadedTable;
import dev.calve.expression.Expression;
import dev.calve.expression.Expressions;
import dev.calve.metadata.ReadPoint;
import dev.calve.scan.ScanRange;
import dev.calve.schema.Schema;
import dev.calve.spark.convert.SparkPredicates;
import dev.calve.spark.convert.SparkTypes;
import java.util.ArrayList;
import java.util.Optional;
import java.util.OptionalInt;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.connector.expressions.aggregate.Aggregation;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.connector.read.ScanBuilder;
import org.apache.spark.sql.connector.read.SupportsPushDownAggregates;
import org.apache.spark.sql.connector.read.SupportsPushDownLimit;
import org.apache.spark.sql.connector.read.SupportsPushDownRequiredColumns;
import org.apache.spark.sql.connector.read.SupportsPushDownV2Filters;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.StructType;

/**
 * Collects what a query wants of a table. A predicate that the partition of every file decides is not given back to Spark, so
 * that limits and aggregates can follow; what else is pushed only saves reading, and Spark checks rows itself.
 *
 * <p>Nothing is planned until Spark asks for an aggregate, the statistics of a filtered scan or the tasks. Predicates are judged
 * by the manifest list alone.
 */
public final class SnapshotScanBuilder
        implements ScanBuilder,
                SupportsPushDownV2Filters,
                SupportsPushDownRequiredColumns,
                SupportsPushDownLimit,
                SupportsPushDownAggregates {

    private final LoadedTable table;
    private final ScanRange range;
    private final Schema schema;
    private final ReadPoint point;
    private final ReadSettings settings;
    private final SparkSession session;
    private final WantedColumns wanted;
    private final SparkPredicates names;
    private ScanFiles files;
    private PushedQuery pushed = PushedQuery.NOTHING;
    private Optional<StructType> columns = Optional.empty();
    private Optional<MetadataAnswer> answer = Optional.empty();

    /**
     * @param range of the table's history
     * @param schema the table is read with
     * @param point what was asked for
     */
    public SnapshotScanBuilder(
            LoadedTable table,
            ScanRange range,
            Schema schema,
            ReadPoint point,
            ReadSettings settings,
            SparkSession session) {
        this.table = table;
        this.range = range;
        this.schema = schema;
        this.point = point;
        this.settings = settings;
        this.session = session;
        this.wanted = new WantedColumns(table, schema);
        this.names = new SparkPredicates(schema, SQLConf.get().caseSensitiveAnalysis());
        this.files = new ScanFiles(table, range, pushed.filter());
    }

    @Override
    public Predicate[] pushPredicates(Predicate[] predicates) {
        var useful = new ArrayList<Predicate>();
        var remaining = new ArrayList<Predicate>();
        var parts = new ArrayList<Expression>();
        for (Predicate predicate : predicates) {
            SparkPredicates.Converted converted = names.convert(predicate);
            parts.add(converted.expression());
            if (converted.exact() || converted.expression() != Expression.Constant.TRUE) {
                useful.add(predicate);
            }
            if (!converted.exact() || !files.areDecidedByPartition(converted.expression())) {
                remaining.add(predicate);
            }
        }
        pushed = new PushedQuery(Expressions.and(parts), useful, remaining, OptionalInt.empty());
        files = files.filtered(pushed.filter());
        return remaining.toArray(Predicate[]::new);
    }

    @Override
    public Predicate[] pushedPredicates() {
        return pushed.predicates().toArray(Predicate[]::new);
    }

    @Override
    public boolean pushLimit(int limit) {
        if (answer.isPresent() || !pushed.remaining().isEmpty()) {
            return false;
        }
        pushed = pushed.withLimit(limit);
        return true;
    }

    /** Spark still stops at the limit: tasks do not know of each other. */
    @Override
    public boolean isPartiallyPushed() {
        return true;
    }

    @Override
    public boolean supportCompletePushDown(Aggregation aggregation) {
        return answer(aggregation).isPresent();
    }

    @Override
    public boolean pushAggregation(Aggregation aggregation) {
        answer = answer(aggregation);
        return answer.isPresent();
    }

    private Optional<MetadataAnswer> answer(Aggregation aggregation) {
        if (!pushed.remaining().isEmpty()) {
            return Optional.empty();
        }
        return MetadataAnswer.columns(aggregation, schema, names)
                .flatMap(ids -> MetadataAnswer.of(
                        aggregation,
                        files.plan(ids).tasks(),
                        schema,
                        names,
                        ScannedState.of(table, range),
                        "Calve answer from metadata of " + table.name() + " [" + range + point.besidesId() + "]"));
    }

    @Override
    public void pruneColumns(StructType requiredSchema) {
        columns = Optional.of(requiredSchema);
    }

    @Override
    public Scan build() {
        if (answer.isPresent()) {
            return answer.get();
        }
        return buildScan();
    }

    /** The scan of the files, of whom no answer from metadata was asked. */
    public SnapshotScan buildScan() {
        StructType all = SparkTypes.toSpark(schema);
        return new SnapshotScan(
                new SnapshotScan.Query(
                        table, range, schema, point, wanted.withIds(columns.orElse(all)), pushed, settings),
                files,
                session);
    }
}
