package dev.calve.spark;

import dev.calve.spark.compat.SessionCatalogs;
import dev.calve.spark.read.StateOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.AliasIdentifier;
import org.apache.spark.sql.catalyst.analysis.AnalysisContext;
import org.apache.spark.sql.catalyst.analysis.UnresolvedRelation;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.SubqueryAlias;
import org.apache.spark.sql.catalyst.rules.Rule;
import org.apache.spark.sql.catalyst.trees.TreePattern;
import org.apache.spark.sql.internal.SQLConf;
import scala.Function1;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;
import scala.runtime.AbstractPartialFunction;

/**
 * Turns read options that ask for a state of a table into the name of that state: {@code t WITH (`snapshot-id` = 5)} is read as
 * {@code t.snapshot_id_5 AS t}.
 *
 * <p>Spark takes a table's columns before it hands over the options, and it looks a name up once per statement: without this rule
 * a state with other columns is refused, and of two references to one table with different options both get those of the first.
 *
 * <p>Whatever is not surely a table of one of our catalogs, or is asked for in a way that is refused later, is left alone.
 */
final class StateByName extends Rule<LogicalPlan> {

    private final SparkSession session;

    StateByName(SparkSession session) {
        this.session = session;
    }

    @Override
    public LogicalPlan apply(LogicalPlan plan) {
        return plan.containsPattern(TreePattern.UNRESOLVED_RELATION()) ? plan.resolveOperatorsUp(new Named()) : plan;
    }

    /** The rule for one node. */
    private final class Named extends AbstractPartialFunction<LogicalPlan, LogicalPlan> {
        @Override
        public boolean isDefinedAt(LogicalPlan node) {
            return node instanceof UnresolvedRelation;
        }

        @Override
        public <A extends LogicalPlan, B> B applyOrElse(A node, Function1<A, B> otherwise) {
            if (node instanceof UnresolvedRelation relation) {
                Optional<LogicalPlan> named = named(relation);
                if (named.isPresent()) {
                    @SuppressWarnings("unchecked") // B is wider than LogicalPlan: Scala says so where Java cannot.
                    B found = (B) named.get();
                    return found;
                }
            }
            return otherwise.apply(node);
        }
    }

    private Optional<LogicalPlan> named(UnresolvedRelation relation) {
        if (relation.isStreaming()
                || relation.options().containsKey(UnresolvedRelation.REQUIRED_WRITE_PRIVILEGES())
                || isTimeTravel(relation)) {
            return Optional.empty();
        }
        List<String> written = CollectionConverters.asJava(relation.multipartIdentifier());
        if (Selector.of(written.get(written.size() - 1)).isPresent()) {
            return Optional.empty();
        }
        return selector(relation)
                .flatMap(selector -> full(relation.multipartIdentifier(), written)
                        .map(full -> new SubqueryAlias(
                                alias(full),
                                new UnresolvedRelation(seq(with(full, selector)), relation.options(), false))));
    }

    /** Whether Spark itself knows what these options ask for. */
    private static boolean isTimeTravel(UnresolvedRelation relation) {
        SQLConf conf = SQLConf.get();
        return relation.options().containsKey(conf.getConf(SQLConf.TIME_TRAVEL_VERSION_KEY()))
                || relation.options().containsKey(conf.getConf(SQLConf.TIME_TRAVEL_TIMESTAMP_KEY()));
    }

    /** The last part of the name; empty if the options ask for no state, or for what no name can say. */
    private static Optional<String> selector(UnresolvedRelation relation) {
        try {
            return StateOptions.of(relation.options()).point().flatMap(Selector::name);
        } catch (IllegalArgumentException e) {
            // The scan refuses them, with the name of the table.
            return Optional.empty();
        }
    }

    /** Catalog, namespace and name; empty if it is no table of ours. */
    private Optional<List<String>> full(Seq<String> name, List<String> written) {
        if (session.sessionState().catalog().isTempView(name)) {
            return Optional.empty();
        }
        var catalogs = new SessionCatalogs(session);
        var full = new ArrayList<String>();
        if (written.size() == 1 || !catalogs.isRegistered(written.get(0))) {
            List<String> current = current(catalogs);
            full.addAll(written.size() == 1 ? current : current.subList(0, 1));
        }
        full.addAll(written);
        return catalogs.catalog(full.get(0)) instanceof CalveCatalog ? Optional.of(full) : Optional.empty();
    }

    /** Catalog and namespace of names without: those of the view in whose text they stand, else the session's. */
    private static List<String> current(SessionCatalogs catalogs) {
        List<String> ofView = CollectionConverters.asJava(AnalysisContext.get().catalogAndNamespace());
        return ofView.isEmpty() ? catalogs.current() : ofView;
    }

    private static AliasIdentifier alias(List<String> full) {
        int last = full.size() - 1;
        return new AliasIdentifier(full.get(last), seq(full.subList(0, last)));
    }

    private static List<String> with(List<String> first, String... more) {
        var all = new ArrayList<>(first);
        all.addAll(List.of(more));
        return all;
    }

    private static Seq<String> seq(List<String> parts) {
        return CollectionConverters.asScala(parts).toSeq();
    }
}
