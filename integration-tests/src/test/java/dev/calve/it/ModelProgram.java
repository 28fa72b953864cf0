package dev.calve.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.calve.it.ModelTable.Branch;
import dev.calve.it.ModelTable.Column;
import dev.calve.it.ModelTable.PartitionField;
import dev.calve.it.PeerTables.Engine;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.util.SnapshotUtil;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.StructType;

/**
 * A random program of statements on one table, each of which is done to a {@link ModelTable} as well and compared with it: rows,
 * row ids, totals, vectors. Says what it did.
 */
final class ModelProgram {

    private static final String LINEAGE = ", _row_id, _last_updated_sequence_number";

    /** A state of the past, with the columns of its time. */
    private record Past(long snapshotId, List<String> rows) {}

    private final PeerTables tables;
    private final SparkSession spark;
    private final Randomly random;
    private final ModelValues values;
    private final String name;
    private final ModelTable model;
    private final List<String> log = new ArrayList<>();
    private final List<Past> past = new ArrayList<>();
    private final ModelMerge merge;
    private long nextKey = 1;
    private int nextColumn = 1;
    private int snapshots;
    private String branch = ModelTable.MAIN;
    private Engine engine = Engine.CALVE;

    ModelProgram(PeerTables tables, Randomly random) {
        this.tables = tables;
        this.spark = tables.spark;
        this.random = random;
        this.values = new ModelValues(random);
        this.name = Sql.unique("model");
        this.model = new ModelTable(spark, random.oneOf(1, 2, 2, 3, 3));
        this.merge = new ModelMerge(spark, random, values, model);
    }

    /** Creates the table and runs as many statements. */
    void run(int statements) {
        create();
        check(0);
        for (int i = 1; i < statements; i++) {
            step(i);
        }
        everything();
    }

    /** What was done, a line each. */
    List<String> log() {
        return log;
    }

    private void create() {
        model.columns.add(new Column(0, ModelTable.KEY, DataTypes.LongType, null));
        model.columns.add(new Column(nextColumn++, "p", DataTypes.IntegerType, null));
        for (int i = random.intBetween(2, 6); i > 0; i--) {
            model.columns.add(new Column(nextColumn, "c" + nextColumn++, values.type(), null));
        }
        for (int i = random.intBelow(3); i > 0; i--) {
            newPartitionField().ifPresent(model.spec::add);
        }
        var partitions = model.spec.stream()
                .map(field -> field.term("", model.column(field.column()).name()))
                .collect(Collectors.joining(", "));
        // Tables of version 1 are none of those we create.
        Engine creator = model.version == 1 ? Engine.PEER : Engine.CALVE;
        String create = "CREATE TABLE %s (%s) USING %s %s TBLPROPERTIES ('format-version'='%d')"
                .formatted(
                        tables.in(creator, name),
                        model.schema().toDDL(),
                        creator.provider,
                        partitions.isEmpty() ? "" : "PARTITIONED BY (" + partitions + ")",
                        model.version);
        run(create);
        if (random.percent(60) && model.version > 1) {
            for (String command : List.of("delete", "update", "merge")) {
                set("write." + command + ".mode", "merge-on-read");
            }
        }
        insert();
    }

    private Branch target() {
        return model.branches.get(branch);
    }

    private String target(String catalog) {
        return catalog + "." + "model." + name + (branch.equals(ModelTable.MAIN) ? "" : ".branch_" + branch);
    }

    private void run(String sql) {
        log.add(sql);
        spark.sql(sql).collectAsList();
    }

    private void call(String procedure, String arguments) {
        run("CALL " + SparkTestSession.LAKE + ".system." + procedure + "(table => 'model." + name + "', " + arguments
                + ")");
    }

    private void set(String property, String value) {
        run("ALTER TABLE " + tables.in(Engine.CALVE, name) + " SET TBLPROPERTIES ('" + property + "'='" + value + "')");
    }

    /** One random statement and the comparison after it. */
    private void step(int number) {
        branch = random.percent(75) ? ModelTable.MAIN : random.oneOf(List.copyOf(model.branches.keySet()));
        engine = random.percent(8) ? Engine.PEER : Engine.CALVE;
        int kind = random.intBelow(100);
        if (kind < 14) {
            insert();
        } else if (kind < 29) {
            delete();
        } else if (kind < 44) {
            update();
        } else if (kind < 58) {
            merge();
        } else if (kind < 68) {
            overwrite();
        } else if (kind < 74) {
            compact();
        } else if (kind < 84) {
            alter();
        } else if (kind < 89) {
            repartition();
        } else if (kind < 93) {
            branches();
        } else if (kind < 98) {
            tune();
        } else {
            upgrade();
        }
        check(number);
    }

    // Rows

    private List<Map<Integer, Object>> newRows() {
        return newRows(random.percent(5) ? random.intBetween(100, 250) : random.intBelow(12));
    }

    private List<Map<Integer, Object>> newRows(int count) {
        var rows = new ArrayList<Map<Integer, Object>>();
        for (int i = count; i > 0; i--) {
            var row = new HashMap<Integer, Object>();
            for (Column column : model.columns) {
                row.put(column.id(), column.id() == 0 ? (Object) nextKey++ : values.value(column.type()));
            }
            rows.add(row);
        }
        return rows;
    }

    private Dataset<Row> frame(List<Map<Integer, Object>> rows) {
        Dataset<Row> frame = spark.createDataFrame(rows.stream().map(model::row).toList(), model.schema());
        return random.yes() ? frame.coalesce(1) : frame;
    }

    private void source(List<Map<Integer, Object>> rows) {
        frame(rows).createOrReplaceTempView("src");
        log.add("-- src is " + rows.stream().map(model::row).toList());
    }

    private String names(List<Column> columns) {
        return columns.stream().map(Column::name).collect(Collectors.joining(", "));
    }

    private void insert() {
        var rows = newRows();
        source(rows);
        String table = target(engine.catalog);
        switch (random.intBelow(4)) {
            case 0 -> run("INSERT INTO " + table + " SELECT * FROM src");
            case 1 -> {
                var some = new ArrayList<>(model.columns);
                some.removeIf(column -> column.id() != 0 && random.percent(30));
                Collections.shuffle(some, new java.util.Random(random.intBelow(1_000)));
                run("INSERT INTO " + table + " (" + names(some) + ") SELECT " + names(some) + " FROM src");
                for (var row : rows) {
                    model.columns.stream()
                            .filter(column -> !some.contains(column))
                            .forEach(column -> row.put(column.id(), column.fallback()));
                }
            }
            case 2 -> {
                var all = new ArrayList<>(model.columns);
                Collections.reverse(all);
                run("INSERT INTO " + table + " BY NAME SELECT " + names(all) + " FROM src");
            }
            default -> write("append", () -> spark.table("src").writeTo(table).append());
        }
        target().insert(rows);
    }

    private interface Write {
        void run() throws Exception;
    }

    private void write(String what, Write write) {
        log.add("src.writeTo(" + target(engine.catalog) + ")." + what);
        try {
            write.run();
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private void delete() {
        if (random.percent(3)) {
            run("DELETE FROM " + target(engine.catalog));
            target().rows.clear();
            return;
        }
        String condition = values.condition(model.columns, "", false);
        if (random.percent(20)) {
            List<Long> keys = some(5);
            spark.createDataset(keys, org.apache.spark.sql.Encoders.LONG())
                    .toDF("key")
                    .createOrReplaceTempView("keys");
            run("DELETE FROM " + target(engine.catalog) + " WHERE k IN (SELECT key FROM keys) OR " + condition
                    + " -- keys " + keys);
            target().rows.keySet().removeAll(model.where(target(), condition));
            target().rows.keySet().removeAll(keys);
            return;
        }
        List<Long> gone = model.where(target(), condition);
        long before = head(branch);
        run("DELETE FROM " + target(engine.catalog) + " WHERE " + condition);
        assertSnapshot(before, !gone.isEmpty());
        target().rows.keySet().removeAll(gone);
    }

    /** Keys of some rows. */
    private List<Long> some(int most) {
        var keys = new ArrayList<>(target().rows.keySet());
        Collections.shuffle(keys, new java.util.Random(random.intBelow(1_000)));
        return keys.subList(0, Math.min(keys.size(), random.intBelow(most + 1)));
    }

    private void update() {
        Map<Column, String> set = merge.assignments("", Set.of());
        String condition = random.percent(5) ? "true" : values.condition(model.columns, "", false);
        var changed = new TreeMap<Long, Map<Integer, Object>>();
        List<Column> assigned = List.copyOf(set.keySet());
        var expressions = new ArrayList<String>();
        expressions.add(condition);
        assigned.forEach(column -> expressions.add(set.get(column)));
        model.of(target(), expressions).forEach((key, row) -> {
            if (Boolean.TRUE.equals(row.get(1))) {
                var news = new HashMap<Integer, Object>();
                for (int i = 0; i < assigned.size(); i++) {
                    news.put(assigned.get(i).id(), row.get(2 + i));
                }
                changed.put(key, news);
            }
        });
        long before = head(branch);
        run("UPDATE " + target(engine.catalog) + " SET " + ModelMerge.text(set) + " WHERE " + condition);
        assertSnapshot(before, !changed.isEmpty());
        target().update(changed);
    }

    private void merge() {
        var source = newRows(random.intBelow(8));
        List<Long> matching = some(6);
        for (Long key : matching) {
            var row = newRows(1).get(0);
            row.put(0, key);
            source.add(row);
        }
        ModelMerge.Statement statement = merge.statement(source);
        statement.source().createOrReplaceTempView("src");
        log.add("-- src is " + statement.source().collectAsList());
        ModelMerge.Effect effect = merge.effect(target(), source, statement);
        long before = head(branch);
        run("MERGE INTO " + target(engine.catalog) + statement.text());
        assertSnapshot(
                before,
                !effect.gone().isEmpty()
                        || !effect.changed().isEmpty()
                        || !effect.added().isEmpty());
        target().rows.keySet().removeAll(effect.gone());
        target().update(effect.changed());
        target().insert(effect.added());
    }

    private void overwrite() {
        engine = Engine.CALVE;
        var rows = random.percent(20) ? new ArrayList<Map<Integer, Object>>() : newRows();
        Branch target = target();
        String table = target(engine.catalog);
        switch (random.intBelow(5)) {
            case 0 -> {
                source(rows);
                run("INSERT OVERWRITE " + table + " SELECT * FROM src");
                target.rows.clear();
            }
            case 1 -> {
                List<Column> divide = model.spec.stream()
                        .filter(field -> field.function().isEmpty())
                        .map(field -> model.column(field.column()))
                        .toList();
                if (divide.isEmpty()) {
                    return;
                }
                Column column = random.oneOf(divide);
                Object value = values.value(column.type());
                String literal = ModelValues.literal(value, column.type());
                rows.forEach(row -> row.put(column.id(), value));
                source(rows);
                var others = model.columns.stream()
                        .filter(other -> !other.equals(column))
                        .toList();
                run("INSERT OVERWRITE " + table + " PARTITION (" + column.name() + " = "
                        + literal.replaceAll("^CAST\\((.*) AS [A-Z]+\\)$", "$1") + ") SELECT "
                        + names(others) + " FROM src");
                target.rows.keySet().removeAll(model.where(target, column.name() + " <=> " + literal));
            }
            case 2 -> {
                source(rows);
                Set<String> replaced =
                        Set.copyOf(model.partitions(spark.table("src")).values());
                Map<Long, String> partitions = model.partitions(model.frame(target));
                if (random.yes()) {
                    spark.conf().set("spark.sql.sources.partitionOverwriteMode", "dynamic");
                    try {
                        run("INSERT OVERWRITE " + table + " SELECT * FROM src -- dynamic");
                    } finally {
                        spark.conf().unset("spark.sql.sources.partitionOverwriteMode");
                    }
                } else {
                    write(
                            "overwritePartitions",
                            () -> spark.table("src").writeTo(table).overwritePartitions());
                }
                target.rows.keySet().removeIf(key -> replaced.contains(partitions.get(key)));
            }
            default -> {
                String condition = values.condition(plain(), "", true);
                List<Long> gone = model.where(target, condition);
                source(rows);
                if (random.yes()) {
                    run("INSERT INTO " + table + " REPLACE WHERE " + condition + " SELECT * FROM src");
                } else {
                    write(
                            "overwrite(" + condition + ")",
                            () -> spark.table("src").writeTo(table).overwrite(functions.expr(condition)));
                }
                target.rows.keySet().removeAll(gone);
            }
        }
        target.insert(rows);
    }

    /** Columns that conditions a connector is handed can be about. */
    private List<Column> plain() {
        return model.columns.stream()
                .filter(column -> !(column.type() instanceof ArrayType) && !(column.type() instanceof MapType))
                .toList();
    }

    private void compact() {
        String options = random.oneOf(
                "'rewrite-all', 'true'",
                "'min-input-files', '2'",
                "'target-file-size-bytes', '3000', 'min-input-files', '2'");
        call(
                "rewrite_data_files",
                (branch.equals(ModelTable.MAIN) ? "" : "branch => '" + branch + "', ") + "options => map(" + options
                        + ")");
    }

    // Shape

    private List<Column> others() {
        return model.columns.stream().filter(column -> column.id() != 0).toList();
    }

    private void alter() {
        branch = ModelTable.MAIN;
        String alter = "ALTER TABLE " + tables.in(Engine.CALVE, name);
        switch (random.intBelow(6)) {
            case 0, 1 -> add(alter);
            case 2 -> {
                List<Column> free = others().stream()
                        .filter(column -> model.spec.stream().noneMatch(field -> field.column() == column.id()))
                        .toList();
                if (free.size() > 2) {
                    Column dropped = random.oneOf(free);
                    run(alter + " DROP COLUMN " + dropped.name());
                    model.columns.remove(dropped);
                }
            }
            case 3 -> {
                Column column = random.oneOf(others());
                String newName = random.percent(30)
                                && model.columns.stream()
                                        .noneMatch(c -> c.name().equals("c2"))
                        ? "c2"
                        : "r" + nextColumn++;
                run(alter + " RENAME COLUMN " + column.name() + " TO " + newName);
                model.replace(column, column.named(newName));
            }
            case 4 -> widen(alter);
            default -> {
                Column column = random.oneOf(others());
                if (random.yes()) {
                    run(alter + " ALTER COLUMN " + column.name() + " FIRST");
                    model.columns.remove(column);
                    model.columns.add(0, column);
                } else {
                    run(alter + " ALTER COLUMN " + column.name() + " AFTER k");
                    model.columns.remove(column);
                    model.columns.add(model.columns.indexOf(model.column(0)) + 1, column);
                }
            }
        }
    }

    private void add(String alter) {
        Optional<Column> struct = model.columns.stream()
                .filter(column -> column.type() instanceof StructType)
                .findAny();
        if (struct.isPresent() && random.percent(40)) {
            String field = "n" + nextColumn++;
            run(alter + " ADD COLUMN " + struct.get().name() + "." + field + " BIGINT");
            var type = ((StructType) struct.get().type()).add(field, DataTypes.LongType);
            model.convert(struct.get().id(), value -> value == null ? null : wider((Row) value));
            model.replace(struct.get(), struct.get().typed(type));
            return;
        }
        DataType type = values.type();
        boolean plain = !(type instanceof StructType) && !(type instanceof ArrayType) && !(type instanceof MapType);
        // JSON has no NaN and no infinity, and so has no default.
        boolean finite = !type.equals(DataTypes.FloatType) && !type.equals(DataTypes.DoubleType);
        Object fallback = model.version == 3 && plain && finite && random.yes() ? values.value(type) : null;
        var column = new Column(nextColumn, "c" + nextColumn++, type, fallback);
        run(alter + " ADD COLUMN " + column.name() + " " + type.sql()
                + (fallback == null ? "" : " DEFAULT " + ModelValues.literal(fallback, type)));
        model.columns.add(column);
        model.convert(column.id(), value -> fallback);
    }

    private static Row wider(Row struct) {
        var fields = new ArrayList<>();
        for (int i = 0; i < struct.size(); i++) {
            fields.add(struct.get(i));
        }
        fields.add(null);
        return org.apache.spark.sql.RowFactory.create(fields.toArray());
    }

    private void widen(String alter) {
        for (Column column : others()) {
            Optional<DataType> wide = switch (column.type().typeName()) {
                case "integer" -> Optional.of(DataTypes.LongType);
                case "float" -> Optional.of(DataTypes.DoubleType);
                case "decimal(9,2)" -> Optional.of(new DecimalType(20, 2));
                default -> Optional.empty();
            };
            if (wide.isPresent() && random.percent(50)) {
                run(alter + " ALTER COLUMN " + column.name() + " TYPE "
                        + wide.get().sql());
                java.util.function.UnaryOperator<Object> widened = value -> value instanceof Integer number
                        ? (Object) number.longValue()
                        : value instanceof Float number ? (Object) number.doubleValue() : value;
                model.convert(column.id(), widened);
                model.replace(
                        column, new Column(column.id(), column.name(), wide.get(), widened.apply(column.fallback())));
                return;
            }
        }
    }

    private Optional<PartitionField> newPartitionField() {
        Column column = random.oneOf(others());
        if (model.spec.stream().anyMatch(field -> field.column() == column.id())) {
            return Optional.empty();
        }
        List<String> functions = switch (column.type().typeName()) {
            case "integer", "long" -> List.of("", "bucket", "truncate");
            case "string" -> List.of("", "bucket", "truncate");
            case "decimal(9,2)", "decimal(20,2)" -> List.of("bucket", "truncate");
            case "date" -> List.of("", "bucket", "years", "months", "days");
            case "timestamp" -> List.of("bucket", "years", "months", "days", "hours");
            case "boolean" -> List.of("");
            default -> List.of();
        };
        if (functions.isEmpty()) {
            return Optional.empty();
        }
        String function = random.oneOf(functions);
        String parameter =
                function.equals("bucket") || function.equals("truncate") ? random.intBetween(2, 4) + ", " : "";
        return Optional.of(new PartitionField(column.id(), function, parameter));
    }

    private void repartition() {
        branch = ModelTable.MAIN;
        if (!model.spec.isEmpty() && random.percent(45)) {
            PartitionField field = random.oneOf(model.spec);
            call("drop_partition_field", "field => '" + term(field) + "'");
            model.spec.remove(field);
            return;
        }
        newPartitionField().ifPresent(field -> {
            call("add_partition_field", "transform => '" + term(field) + "'");
            model.spec.add(field);
        });
    }

    private String term(PartitionField field) {
        return field.term("", model.column(field.column()).name());
    }

    private void branches() {
        List<String> others = model.branches.keySet().stream()
                .filter(other -> !other.equals(ModelTable.MAIN))
                .toList();
        branch = ModelTable.MAIN;
        if (others.size() < 2) {
            String created = "b" + nextColumn++;
            call("create_branch", "branch => '" + created + "'");
            model.branches.put(created, target().copy());
            return;
        }
        String other = random.oneOf(others);
        if (SnapshotUtil.isAncestorOf(tables.table(name), head(other), head(ModelTable.MAIN))) {
            call("fast_forward", "branch => 'main', to => '" + other + "'");
            model.branches.put(ModelTable.MAIN, model.branches.get(other).copy());
        } else {
            call("drop_branch", "branch => '" + other + "'");
            model.branches.remove(other);
        }
    }

    private void tune() {
        branch = ModelTable.MAIN;
        switch (random.intBelow(6)) {
            case 0 -> set("write.parquet.row-group-size-bytes", random.oneOf("1", "2000", "1000000"));
            case 1 -> set("write.target-file-size-bytes", random.oneOf("1000", "100000000"));
            case 2 -> set("commit.manifest.min-count-to-merge", random.oneOf("2", "4", "100"));
            case 3 -> set("write.parquet.compression-codec", random.oneOf("snappy", "zstd", "gzip", "uncompressed"));
            case 4 -> set("write.metadata.metrics.default", random.oneOf("none", "counts", "truncate(2)", "full"));
            default -> {
                String command = random.oneOf("delete", "update", "merge");
                if (model.version > 1) {
                    set("write." + command + ".mode", random.oneOf("copy-on-write", "merge-on-read"));
                }
            }
        }
    }

    private void upgrade() {
        branch = ModelTable.MAIN;
        if (model.version < 3) {
            model.version++;
            set("format-version", "" + model.version);
        }
    }

    // Comparisons

    private long head(String of) {
        Snapshot head = tables.table(name).snapshot(of);
        return head == null ? 0 : head.snapshotId();
    }

    /** A statement of ours that changes nothing commits nothing; the peer's may. */
    private void assertSnapshot(long before, boolean changes) {
        if (engine == Engine.CALVE) {
            assertThat(head(branch) != before).as("whether it made a snapshot").isEqualTo(changes);
        }
    }

    private void check(int number) {
        try {
            var peer = tables.table(name);
            Snapshot head = peer.snapshot(branch);
            int before = snapshots;
            snapshots = peer.snapshots() instanceof java.util.Collection<?> all ? all.size() : snapshots;
            Branch target = target();
            String columns = model.version == 3 ? "*" + LINEAGE : "*";
            List<Row> found = spark.sql("SELECT " + columns + " FROM " + target(SparkTestSession.LAKE))
                    .collectAsList();
            model.check(target, found, head == null ? 0 : head.sequenceNumber());
            target.identified = model.version == 3 && (target.identified || snapshots > before);
            assertThat(TableAudit.findings(TableAudit.newestMetadata(SparkTestSession.warehouse()
                                    .resolve("model")
                                    .resolve(name))
                            .orElseThrow()))
                    .isEmpty();
            assertThat(LiveFiles.of(peer).dangling())
                    .as("deletes of files that are gone")
                    .isEmpty();
            if (snapshots > before && head != null && random.percent(20)) {
                past.add(new Past(
                        head.snapshotId(), PeerTables.text(model.frame(target).collectAsList())));
            }
            query();
            if (number % 10 == 9) {
                everything();
            }
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    /** A filter finds what it finds in the model. */
    private void query() {
        String condition = values.condition(model.columns, "", false);
        String query = "SELECT k FROM " + target(SparkTestSession.LAKE) + " WHERE " + condition;
        assertThat(spark.sql(query).collectAsList().stream()
                        .map(row -> row.getLong(0))
                        .sorted()
                        .toList())
                .as(query)
                .isEqualTo(model.where(target(), condition));
    }

    /** All branches as both engines read them, and states of the past. */
    private void everything() {
        String was = branch;
        for (var entry : model.branches.entrySet()) {
            branch = entry.getKey();
            List<String> expected =
                    PeerTables.text(model.frame(entry.getValue()).collectAsList());
            for (Engine reader : Engine.values()) {
                assertThat(PeerTables.text(spark.sql("SELECT * FROM " + target(reader.catalog))
                                .collectAsList()))
                        .as("branch %s as %s reads it", branch, reader)
                        .isEqualTo(expected);
            }
            assertThat(spark.sql("SELECT count(*) FROM " + target(SparkTestSession.LAKE))
                            .head()
                            .getLong(0))
                    .isEqualTo(expected.size());
            if (model.version == 3 && entry.getValue().identified) {
                String lineage = "SELECT k" + LINEAGE + " FROM ";
                assertThat(PeerTables.text(spark.sql(lineage + target(SparkTestSession.PEER))
                                .collectAsList()))
                        .as("lineage of branch %s as the peer reads it", branch)
                        .isEqualTo(PeerTables.text(spark.sql(lineage + target(SparkTestSession.LAKE))
                                .collectAsList()));
            }
        }
        branch = was;
        if (!past.isEmpty()) {
            Past state = random.oneOf(past);
            assertThat(PeerTables.text(spark.sql("SELECT * FROM " + tables.in(Engine.CALVE, name) + " VERSION AS OF "
                                    + state.snapshotId())
                            .collectAsList()))
                    .as("snapshot %d", state.snapshotId())
                    .isEqualTo(state.rows());
        }
    }

    @Override
    public String toString() {
        return name + ": " + model;
    }
}
