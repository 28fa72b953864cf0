package dev.calve.spark.rowlevel;

import dev.calve.expression.Expression.Column;
import dev.calve.spark.read.KeysOfRows;
import dev.calve.spark.read.SoughtRows;
import dev.calve.spark.read.SourceFiles;
import dev.calve.spark.wire.KeysFound;
import java.io.IOException;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.And;
import org.apache.spark.sql.catalyst.expressions.AttributeReference;
import org.apache.spark.sql.catalyst.expressions.Cast;
import org.apache.spark.sql.catalyst.expressions.EqualTo;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.plans.logical.LocalRelation;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.classic.Dataset;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.execution.SQLExecution;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StringType;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.Option;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/**
 * The source of a MERGE that runs, as far as its target's scan can use it: the values that the source has where the target's
 * columns must equal them. A row of the target without such values matches nothing, and if it needs no row of the source to be
 * touched it is not asked for. Spark would shuffle it to find that out.
 *
 * <p>The source is read twice for that, so it must give the same rows twice: see {@link Repeatable}.
 */
final class MergeSource {

    private static final Logger LOG = LoggerFactory.getLogger(MergeSource.class);

    /** Bytes of all keys on the driver: four million integers. */
    private static final int MOST_BYTES = 32 << 20;

    /** Bytes of what all tasks together hand to the driver, at most. */
    private static final long MOST_COLLECTED_BYTES = 256L << 20;

    private final SparkSession session;
    private final RowLevelScan target;
    private final MergeSourceUse use;

    /** What was found, and the files that must not change until the statement ends. */
    record Found(SoughtRows rows, List<SourceFiles> files) {}

    /** A part of the join's condition: a column of the target equals an expression over the source. */
    private record Equality(Column column, Expression value) {}

    MergeSource(SparkSession session, RowLevelScan target) {
        this.session = session;
        this.target = target;
        this.use = MergeSourceUse.ofSession();
    }

    /**
     * Reads the source's keys, in a job of its own.
     *
     * @param running the statement
     * @return empty if they are of no use, too many, or not to be had twice
     */
    Optional<Found> find(QueryExecution running) {
        if (use == MergeSourceUse.OFF) {
            return Optional.empty();
        }
        Optional<MatchingJoin> join = target.join(running.optimizedPlan());
        if (join.isEmpty()) {
            return Optional.empty();
        }
        List<Equality> equalities = equalities(join.get());
        if (equalities.isEmpty()) {
            return Optional.empty();
        }
        QueryExecution keys = keys(join.get().source(), equalities);
        Optional<Repeatable> repeatable = Repeatable.of(keys.optimizedPlan());
        List<SourceFiles> files = repeatable.map(Repeatable::files).orElse(List.of());
        if ((repeatable.isEmpty() && use != MergeSourceUse.TWICE) || isHuge(keys) || isChanged(files)) {
            LOG.debug("All of {} is read: its MERGE's source is large, or may not be the same twice", target);
            return Optional.empty();
        }
        List<Column> columns = equalities.stream().map(Equality::column).toList();
        List<KeysFound> found = keys.optimizedPlan() instanceof LocalRelation local
                ? List.of(keysOf(columns, keys, MOST_BYTES)
                        .collect(CollectionConverters.asJava(local.data()).iterator()))
                : SQLExecution.withNewExecutionId(keys, Option.empty(), () -> collected(keys, columns));
        return SoughtRows.of(JavaSparkContext.fromSparkContext(session.sparkContext()), columns, found, MOST_BYTES)
                .map(rows -> new Found(rows, files));
    }

    private static List<KeysFound> collected(QueryExecution keys, List<Column> columns) {
        JavaRDD<InternalRow> rows = keys.toRdd().toJavaRDD();
        long each = MOST_COLLECTED_BYTES / Math.max(1, rows.getNumPartitions());
        return rows.mapPartitions(keysOf(columns, keys, Math.min(MOST_BYTES, each)))
                .collect();
    }

    private static KeysOfRows keysOf(List<Column> columns, QueryExecution keys, long mostBytes) {
        return new KeysOfRows(columns, keys.analyzed().schema(), mostBytes);
    }

    private QueryExecution keys(LogicalPlan source, List<Equality> equalities) {
        var parts = new ArrayList<NamedExpression>();
        for (Equality equality : equalities) {
            parts.add(new Alias(
                    equality.value(),
                    "key" + parts.size(),
                    NamedExpression.newExprId(),
                    seq(List.of()),
                    Option.empty(),
                    seq(List.of())));
        }
        return Dataset.ofRows((org.apache.spark.sql.classic.SparkSession) session, new Project(seq(parts), source))
                .queryExecution();
    }

    /** Reading it must cost less than what it may save. */
    private boolean isHuge(QueryExecution keys) {
        BigInteger bytes = keys.optimizedPlan().stats().sizeInBytes().bigInteger();
        long most =
                Math.max(MOST_BYTES, target.estimateStatistics().sizeInBytes().orElse(0));
        return bytes.compareTo(BigInteger.valueOf(most)) > 0;
    }

    private static boolean isChanged(List<SourceFiles> files) {
        try {
            for (SourceFiles some : files) {
                if (some.changed().isPresent()) {
                    return true;
                }
            }
            return false;
        } catch (IOException e) {
            LOG.debug("Files of a MERGE's source cannot be asked about", e);
            return true;
        }
    }

    private List<Equality> equalities(MatchingJoin join) {
        var equalities = new ArrayList<Equality>();
        for (Expression part : conjuncts(join.condition())) {
            if (part instanceof EqualTo equal) {
                equality(equal.left(), equal.right(), join)
                        .or(() -> equality(equal.right(), equal.left(), join))
                        .ifPresent(equalities::add);
            }
        }
        return equalities;
    }

    private static List<Expression> conjuncts(Expression condition) {
        var parts = new ArrayList<Expression>();
        if (condition instanceof And and) {
            parts.addAll(conjuncts(and.left()));
            parts.addAll(conjuncts(and.right()));
        } else {
            parts.add(condition);
        }
        return parts;
    }

    private Optional<Equality> equality(Expression ofTarget, Expression ofSource, MatchingJoin join) {
        if (!ofSource.references().subsetOf(join.source().outputSet())
                || !ofSource.deterministic()
                || !isBinary(ofSource.dataType())) {
            return Optional.empty();
        }
        return attribute(ofTarget)
                .flatMap(attribute -> name(attribute, join.target()))
                .flatMap(target.reads()::keyColumn)
                .map(column -> new Equality(column, ofSource));
    }

    /** Text in an order of its own has equal values of different bytes. */
    private static boolean isBinary(DataType type) {
        return !(type instanceof StringType) || type.equals(DataTypes.StringType);
    }

    /** An integer may be compared as a wider one. */
    private static Optional<AttributeReference> attribute(Expression expression) {
        if (expression instanceof Cast cast
                && cast.dataType().equals(DataTypes.LongType)
                && cast.child().dataType().equals(DataTypes.IntegerType)) {
            return attribute(cast.child());
        }
        return expression instanceof AttributeReference attribute ? Optional.of(attribute) : Optional.empty();
    }

    private static Optional<String> name(AttributeReference attribute, DataSourceV2ScanRelation scan) {
        return CollectionConverters.asJava(scan.output()).stream()
                .filter(column -> column.exprId().equals(attribute.exprId()))
                .map(AttributeReference::name)
                .findFirst();
    }

    private static <T> Seq<T> seq(List<T> parts) {
        return CollectionConverters.asScala(parts).toSeq();
    }
}
