package dev.calve.it;

import dev.calve.it.ModelTable.Branch;
import dev.calve.it.ModelTable.Column;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/** Random MERGE statements on a {@link ModelTable}, and what they do. */
final class ModelMerge {

    /** A column of the source with fresh keys, for rows that are inserted where the key may be taken. */
    private static final String FRESH = "fresh";

    private enum Kind {
        MATCHED,
        NOT_MATCHED,
        NOT_MATCHED_BY_SOURCE
    }

    /**
     * A clause.
     *
     * @param condition {@code true} if it has none
     * @param set new values by column; empty for a clause that deletes
     * @param star whether it sets or inserts {@code *}
     */
    private record Clause(Kind kind, String condition, Map<Column, String> set, boolean star) {

        String text() {
            String when = " WHEN " + kind.name().replace('_', ' ')
                    + (condition.equals("true") ? "" : " AND " + condition) + " THEN ";
            if (kind == Kind.NOT_MATCHED) {
                return star
                        ? when + "INSERT *"
                        : when + "INSERT ("
                                + set.keySet().stream().map(Column::name).collect(Collectors.joining(", "))
                                + ") VALUES ("
                                + String.join(", ", set.values()) + ")";
            }
            return when + (star ? "UPDATE SET *" : set.isEmpty() ? "DELETE" : "UPDATE SET " + ModelMerge.text(set));
        }
    }

    /**
     * A statement.
     *
     * @param key the column whose equality is asked for
     * @param further what must be true of a pair besides
     */
    record Statement(Dataset<Row> source, Column key, String further, List<Clause> clauses) {

        /** What comes after the name of the target. */
        String text() {
            return " t USING src s ON t." + key.name() + " = s." + key.name()
                    + (further.equals("true") ? "" : " AND " + further)
                    + clauses.stream().map(Clause::text).collect(Collectors.joining());
        }
    }

    /** What goes, by key, new values by key and id of the column, and rows that come. */
    record Effect(Set<Long> gone, Map<Long, Map<Integer, Object>> changed, List<Map<Integer, Object>> added) {}

    private final SparkSession spark;
    private final Randomly random;
    private final ModelValues values;
    private final ModelTable model;

    ModelMerge(SparkSession spark, Randomly random, ModelValues values, ModelTable model) {
        this.spark = spark;
        this.random = random;
        this.values = values;
        this.model = model;
    }

    static String text(Map<Column, String> set) {
        return set.entrySet().stream()
                .map(entry -> entry.getKey().name() + " = " + entry.getValue())
                .collect(Collectors.joining(", "));
    }

    /**
     * One to three columns but the key, with new values.
     *
     * @param prefix before names of the target's columns
     * @param sources further prefixes that new values may be taken from
     */
    Map<Column, String> assignments(String prefix, Set<String> sources) {
        var set = new LinkedHashMap<Column, String>();
        for (int i = random.intBetween(1, 3); i > 0; i--) {
            Column column = random.oneOf(model.columns);
            if (column.id() != 0) {
                set.put(column, expression(column, prefix, sources));
            }
        }
        return set.isEmpty() ? assignments(prefix, sources) : set;
    }

    private String expression(Column column, String prefix, Set<String> sources) {
        var names = new ArrayList<String>();
        for (Column other : model.columns) {
            if (other.type().equals(column.type())) {
                names.add(prefix + other.name());
                sources.forEach(source -> names.add(source + other.name()));
            }
        }
        return values.expression(column.type(), names);
    }

    /** @param rows of the source; equal keys are made null */
    Statement statement(List<Map<Integer, Object>> rows) {
        List<Column> keys = model.columns.stream()
                .filter(column -> column.type().equals(DataTypes.LongType)
                        || column.type().equals(DataTypes.IntegerType)
                        || column.type().equals(DataTypes.StringType))
                .toList();
        Column key = random.percent(70) ? model.column(0) : random.oneOf(keys);
        if (key.id() != 0) {
            var seen = new HashSet<>();
            rows.forEach(row -> row.computeIfPresent(key.id(), (id, value) -> seen.add(value) ? value : null));
        }
        String further = random.percent(60) ? "true" : "(" + condition(true, true) + ")";
        boolean exact = key.id() == 0 && further.equals("true");
        var clauses = new ArrayList<Clause>();
        while (clauses.isEmpty()) {
            clauses.addAll(clauses(Kind.MATCHED, random.intBelow(3), exact));
            clauses.addAll(clauses(Kind.NOT_MATCHED, random.intBelow(3), exact));
            clauses.addAll(
                    clauses(Kind.NOT_MATCHED_BY_SOURCE, random.percent(40) ? random.intBetween(1, 2) : 0, exact));
        }
        StructType schema = model.schema().add(FRESH, DataTypes.LongType);
        long fresh = Long.MAX_VALUE / 2;
        var sourceRows = new ArrayList<Row>();
        for (Map<Integer, Object> row : rows) {
            var all = new ArrayList<>();
            model.columns.forEach(column -> all.add(row.get(column.id())));
            row.put(-1, fresh + random.longBelow(1L << 40));
            all.add(row.get(-1));
            sourceRows.add(RowFactory.create(all.toArray()));
        }
        return new Statement(spark.createDataFrame(sourceRows, schema), key, further, clauses);
    }

    private String condition(boolean target, boolean source) {
        boolean ofTarget = target && (!source || random.yes());
        return values.condition(model.columns, ofTarget ? "t." : "s.", false);
    }

    private List<Clause> clauses(Kind kind, int count, boolean exact) {
        var clauses = new ArrayList<Clause>();
        for (int i = 0; i < count; i++) {
            boolean last = i == count - 1;
            String condition = last && random.yes()
                    ? "true"
                    : condition(kind != Kind.NOT_MATCHED, kind != Kind.NOT_MATCHED_BY_SOURCE);
            boolean star = exact && kind != Kind.NOT_MATCHED_BY_SOURCE && random.percent(30);
            clauses.add(new Clause(kind, condition, star ? Map.of() : set(kind), star));
        }
        return clauses;
    }

    private Map<Column, String> set(Kind kind) {
        if (kind == Kind.NOT_MATCHED) {
            var set = new LinkedHashMap<Column, String>();
            for (Column column : model.columns) {
                if (column.id() == 0) {
                    set.put(column, "s." + FRESH);
                } else if (random.percent(70)) {
                    set.put(column, random.yes() ? "s." + column.name() : expression(column, "s.", Set.of()));
                }
            }
            return set;
        }
        if (random.percent(40)) {
            return Map.of();
        }
        return assignments("t.", kind == Kind.MATCHED ? Set.of("s.") : Set.of());
    }

    /** A row of the target, or none, and one of the source, or none. */
    private record Pair(Optional<Long> key, Row target, Row source) {}

    /** What a statement does to the rows of a branch, by the meaning of its clauses. */
    Effect effect(Branch branch, List<Map<Integer, Object>> source, Statement statement) {
        List<Row> sourceRows = statement.source().collectAsList();
        var candidates = new ArrayList<Pair>();
        branch.rows.forEach((key, row) -> {
            Row target = model.row(row.values());
            for (int i = 0; i < source.size(); i++) {
                Object wanted = source.get(i).get(statement.key().id());
                if (wanted != null
                        && wanted.equals(row.values().get(statement.key().id()))) {
                    candidates.add(new Pair(Optional.of(key), target, sourceRows.get(i)));
                }
            }
        });
        var pairs = new ArrayList<Pair>();
        List<Row> further = evaluate(candidates, List.of(statement.further()), statement);
        for (int i = 0; i < candidates.size(); i++) {
            if (Boolean.TRUE.equals(further.get(i).get(0))) {
                pairs.add(candidates.get(i));
            }
        }
        var matchedTargets = new TreeSet<Long>();
        var matchedSources = new HashSet<Long>();
        for (Pair pair : pairs) {
            if (!matchedTargets.add(pair.key().orElseThrow())) {
                throw new IllegalStateException("Two rows of the source match " + pair.key());
            }
            matchedSources.add(pair.source().getLong(model.columns.size()));
        }
        var unmatched = sourceRows.stream()
                .filter(row -> !matchedSources.contains(row.getLong(model.columns.size())))
                .map(row -> new Pair(Optional.empty(), null, row))
                .toList();
        var bySource = new ArrayList<Pair>();
        branch.rows.forEach((key, row) -> {
            if (!matchedTargets.contains(key)) {
                bySource.add(new Pair(Optional.of(key), model.row(row.values()), null));
            }
        });
        var effect = new Effect(new TreeSet<>(), new TreeMap<>(), new ArrayList<>());
        apply(Kind.MATCHED, pairs, statement, effect);
        apply(Kind.NOT_MATCHED, unmatched, statement, effect);
        apply(Kind.NOT_MATCHED_BY_SOURCE, bySource, statement, effect);
        return effect;
    }

    private void apply(Kind kind, List<Pair> pairs, Statement statement, Effect effect) {
        var left = new ArrayList<>(pairs);
        for (Clause clause : statement.clauses()) {
            if (clause.kind() != kind || left.isEmpty()) {
                continue;
            }
            List<Column> set = List.copyOf(clause.set().keySet());
            var expressions = new ArrayList<String>();
            expressions.add(clause.condition());
            set.forEach(column -> expressions.add(clause.set().get(column)));
            List<Row> found = evaluate(left, expressions, statement);
            var rest = new ArrayList<Pair>();
            for (int i = 0; i < left.size(); i++) {
                if (!Boolean.TRUE.equals(found.get(i).get(0))) {
                    rest.add(left.get(i));
                    continue;
                }
                Pair pair = left.get(i);
                Map<Integer, Object> news = new HashMap<>();
                if (clause.star()) {
                    news.putAll(model.values(Objects.requireNonNull(pair.source())));
                } else {
                    for (int j = 0; j < set.size(); j++) {
                        news.put(set.get(j).id(), found.get(i).get(1 + j));
                    }
                }
                if (kind == Kind.NOT_MATCHED) {
                    if (!clause.star()) {
                        model.columns.forEach(column ->
                                news.putIfAbsent(column.id(), set.contains(column) ? null : column.fallback()));
                    }
                    effect.added().add(news);
                } else if (news.isEmpty()) {
                    effect.gone().add(pair.key().orElseThrow());
                } else {
                    effect.changed().put(pair.key().orElseThrow(), news);
                }
            }
            left = rest;
        }
    }

    private List<Row> evaluate(List<Pair> pairs, List<String> expressions, Statement statement) {
        var schema = new StructType()
                .add("t", model.schema())
                .add("s", statement.source().schema());
        var rows = pairs.stream()
                .map(pair -> RowFactory.create(pair.target(), pair.source()))
                .toList();
        return spark.createDataFrame(rows, schema)
                .selectExpr(expressions.toArray(String[]::new))
                .collectAsList();
    }
}
