package dev.calve.flink;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.types.RowKind;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.flink.CatalogLoader;
import org.apache.iceberg.flink.FlinkSchemaUtil;
import org.apache.iceberg.flink.TableLoader;
import org.apache.iceberg.flink.sink.IcebergSink;
import org.apache.iceberg.types.Types.NestedField;

/**
 * A table that Flink fills from changelogs, one job and one snapshot per {@link #commit()}. Keeps the rows that the changes
 * leave: a map from key to row, which knows nothing of files.
 */
final class FedTable {

    /** How Flink gets to know what changed. */
    enum Feed {
        /** New rows only; no row has a key. */
        APPEND,
        /** Rows replace those of their key, which Flink deletes unseen. Delete files hold the key. */
        UPSERT,
        /** Old rows and new ones. Delete files hold the whole old row. */
        RETRACT
    }

    private record Change(RowKind kind, Map<String, Object> row) {}

    private final Table table;
    private final TableLoader loader;
    private final Feed feed;
    private final int parallelism;
    private List<String> keys;
    private final BiFunction<Integer, Integer, Map<String, Object>> rows;
    private final List<Change> pending = new ArrayList<>();
    private final Map<List<String>, Map<String, Object>> live = new LinkedHashMap<>();
    private final List<String> expected = new ArrayList<>();
    private int revision;

    /** @param rows makes a row of its number, which alone decides the key, and a revision */
    FedTable(
            CatalogLoader catalog,
            TableIdentifier name,
            Feed feed,
            int parallelism,
            List<String> keys,
            BiFunction<Integer, Integer, Map<String, Object>> rows) {
        this.table = catalog.loadCatalog().loadTable(name);
        this.loader = TableLoader.fromCatalog(catalog, name);
        this.feed = feed;
        this.parallelism = parallelism;
        this.keys = List.copyOf(keys);
        this.rows = rows;
    }

    private List<String> key(Map<String, Object> row) {
        return keys.stream()
                .map(row::get)
                .map(value -> value instanceof byte[] bytes ? Arrays.toString(bytes) : String.valueOf(value))
                .toList();
    }

    /** A new row of the columns that the table has now. */
    private Map<String, Object> row(int number) {
        Map<String, Object> row = rows.apply(number, revision++);
        row.keySet().removeIf(name -> table.schema().findField(name) == null);
        return row;
    }

    /** Makes the row appear, or replaces the one of its key. */
    private void put(int number) {
        Map<String, Object> row = row(number);
        Map<String, Object> old = live.put(key(row), row);
        if (old != null && feed == Feed.RETRACT) {
            pending.add(new Change(RowKind.UPDATE_BEFORE, old));
        }
        pending.add(new Change(old == null ? RowKind.INSERT : RowKind.UPDATE_AFTER, row));
    }

    private void remove(int number) {
        Map<String, Object> old = Objects.requireNonNull(live.remove(key(row(number))));
        pending.add(new Change(RowKind.DELETE, old));
    }

    /** Rows that were not there yet. */
    FedTable insert(int from, int to) {
        for (int number = from; number < to; number++) {
            put(number);
        }
        if (live.size() < pending.size()) {
            throw new IllegalStateException("Two rows must not have one key.");
        }
        return this;
    }

    /** Changes every second row or so: replaces, deletes, brings back; some twice, so that Flink deletes by position. */
    FedTable churn(int from, int to) {
        var random = new Random(revision);
        for (int number = from; number < to; number++) {
            boolean there = live.containsKey(key(row(number)));
            switch (random.nextInt(8)) {
                case 0, 1 -> put(number);
                case 2 -> {
                    put(number);
                    put(number);
                }
                case 3 -> {
                    put(number);
                    remove(number);
                }
                case 4 -> {
                    if (there) {
                        remove(number);
                    }
                }
                case 5 -> {
                    if (there) {
                        remove(number);
                        put(number);
                    }
                }
                default -> {}
            }
        }
        return this;
    }

    /** Changes the table by the API between two commits. */
    FedTable evolve(Consumer<Table> change) {
        table.refresh();
        change.accept(table);
        return this;
    }

    /** What a renamed column means for the rows there are. */
    FedTable rename(String from, String to) {
        keys = keys.stream().map(name -> name.equals(from) ? to : name).toList();
        live.values().forEach(row -> row.put(to, row.remove(from)));
        return this;
    }

    /** Runs a job over the changes since the last one. */
    FedTable commit() throws Exception {
        table.refresh();
        long before = snapshots();
        var type = FlinkSchemaUtil.convert(table.schema());
        List<RowData> changes = pending.stream().map(this::forFlink).toList();
        pending.clear();
        var settings = new Configuration();
        settings.setString("restart-strategy.type", "none");
        settings.setString("execution.checkpointing.interval", "5s");
        try (var environment = StreamExecutionEnvironment.getExecutionEnvironment(settings)) {
            environment.setParallelism(1);
            var stream = environment.fromData(changes, InternalTypeInfo.of(type));
            var sink = IcebergSink.forRowData(stream).tableLoader(loader).writeParallelism(parallelism);
            if (feed != Feed.APPEND) {
                sink.equalityFieldColumns(keys).upsert(feed == Feed.UPSERT);
            }
            sink.append();
            environment.execute();
        }
        table.refresh();
        if (snapshots() != before + 1) {
            throw new IllegalStateException(
                    "A job must make one snapshot, not " + (snapshots() - before) + ". Try again.");
        }
        expected.add(rows());
        System.out.println(table.name() + " " + table.currentSnapshot().summary());
        return this;
    }

    private long snapshots() {
        return table.history().size();
    }

    private RowData forFlink(Change change) {
        List<NestedField> columns = table.schema().columns();
        var row = new GenericRowData(change.kind(), columns.size());
        for (int i = 0; i < columns.size(); i++) {
            NestedField column = columns.get(i);
            row.setField(i, Cell.forFlink(column.type(), change.row().get(column.name())));
        }
        return row;
    }

    /** The rows there must be in each snapshot: the columns in Spark's words, and an object a row; in lines. */
    List<String> expected() {
        return List.copyOf(expected);
    }

    private String rows() {
        List<NestedField> columns = table.schema().columns();
        var lines = new ArrayList<String>();
        lines.add(columns.stream()
                .map(column -> column.name() + " " + Cell.sparkType(column.type()))
                .collect(Collectors.joining(", ")));
        for (Map<String, Object> row : live.values()) {
            lines.add(columns.stream()
                    .map(column -> '"' + column.name() + "\":" + Cell.json(column.type(), row.get(column.name())))
                    .collect(Collectors.joining(",", "{", "}")));
        }
        return String.join("\n", lines);
    }
}
