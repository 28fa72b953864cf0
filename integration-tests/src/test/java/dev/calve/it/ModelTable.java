package dev.calve.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructType;

/**
 * What a table must hold: the rows of each branch, in memory, by their unique and unchanging key. What conditions and new values
 * mean is asked of Spark, over rows in memory.
 */
final class ModelTable {

    static final String KEY = "k";
    static final String MAIN = "main";

    /**
     * A column.
     *
     * @param id stays when it is renamed
     * @param fallback value of rows that are inserted without one
     */
    record Column(int id, String name, DataType type, Object fallback) {

        Column named(String newName) {
            return new Column(id, newName, type, fallback);
        }

        Column typed(DataType newType) {
            return new Column(id, name, newType, fallback);
        }
    }

    /** A field by which new files are divided. */
    record PartitionField(int column, String function, String parameter) {

        /** The field over a column of a name, functions being those of a prefix. */
        String term(String functions, String name) {
            return function.isEmpty() ? name : functions + function + "(" + parameter + name + ")";
        }
    }

    /**
     * A row.
     *
     * @param values by id of the column
     * @param rowId null if it is not known yet
     * @param updated the number of the snapshot that last wrote it; null if it is not known yet
     */
    record Stored(Map<Integer, Object> values, Long rowId, Long updated) {

        long key() {
            return (Long) values.get(0);
        }

        Stored with(Map<Integer, Object> changed) {
            var all = new HashMap<>(values);
            all.putAll(changed);
            return new Stored(all, rowId, WRITTEN_NOW);
        }
    }

    private static final long WRITTEN_NOW = -1;

    /** The rows of a branch, and whether all of them have ids. */
    static final class Branch {
        final Map<Long, Stored> rows = new TreeMap<>();
        boolean identified;

        Branch copy() {
            var copy = new Branch();
            copy.rows.putAll(rows);
            copy.identified = identified;
            return copy;
        }

        /** Adds rows that were not there. */
        void insert(List<Map<Integer, Object>> added) {
            for (Map<Integer, Object> values : added) {
                var row = new Stored(values, null, WRITTEN_NOW);
                if (rows.put(row.key(), row) != null) {
                    throw new IllegalStateException("Key " + row.key() + " is there already.");
                }
            }
        }

        /** @param changed new values by id of the column, by key of the row */
        void update(Map<Long, Map<Integer, Object>> changed) {
            changed.forEach((key, values) -> rows.put(key, rows.get(key).with(values)));
        }
    }

    private final SparkSession spark;
    List<Column> columns = new ArrayList<>();
    final List<PartitionField> spec = new ArrayList<>();
    final Map<String, Branch> branches = new LinkedHashMap<>();
    int version;

    /** The key of the row that has, or had, a row id. */
    private final Map<Long, Long> keysByRowId = new HashMap<>();

    ModelTable(SparkSession spark, int version) {
        this.spark = spark;
        this.version = version;
        branches.put(MAIN, new Branch());
    }

    StructType schema() {
        return schema(columns);
    }

    static StructType schema(List<Column> columns) {
        var schema = new StructType();
        for (Column column : columns) {
            schema = schema.add(column.name(), column.type());
        }
        return schema;
    }

    Column column(String name) {
        return columns.stream()
                .filter(column -> column.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    Column column(int id) {
        return columns.stream().filter(column -> column.id() == id).findFirst().orElseThrow();
    }

    void replace(Column old, Column by) {
        columns.set(columns.indexOf(old), by);
    }

    Row row(Map<Integer, Object> values) {
        return RowFactory.create(
                columns.stream().map(column -> values.get(column.id())).toArray());
    }

    /** Values by id of the column, of rows that begin with the table's columns in order. */
    Map<Integer, Object> values(Row row) {
        var values = new HashMap<Integer, Object>();
        for (int i = 0; i < columns.size(); i++) {
            values.put(columns.get(i).id(), row.get(i));
        }
        return values;
    }

    Dataset<Row> frame(Branch branch) {
        return spark.createDataFrame(
                branch.rows.values().stream().map(row -> row(row.values())).toList(), schema());
    }

    /** What expressions are of the rows of a branch, by key. */
    Map<Long, Row> of(Branch branch, List<String> expressions) {
        var all = new ArrayList<String>();
        all.add(KEY);
        all.addAll(expressions);
        var found = new TreeMap<Long, Row>();
        for (Row row : frame(branch).selectExpr(all.toArray(String[]::new)).collectAsList()) {
            found.put(row.getLong(0), row);
        }
        return found;
    }

    /** Keys of the rows that a condition selects. */
    List<Long> where(Branch branch, String condition) {
        return of(branch, List.of(condition)).entrySet().stream()
                .filter(entry -> Boolean.TRUE.equals(entry.getValue().get(1)))
                .map(Map.Entry::getKey)
                .toList();
    }

    /** The partition of each row of a frame that has the table's columns, by key; functions are the peer's. */
    Map<Long, String> partitions(Dataset<Row> rows) {
        var all = new ArrayList<String>();
        all.add(KEY);
        spec.forEach(field -> all.add(field.term(
                SparkTestSession.PEER + ".system.", column(field.column()).name())));
        var found = new TreeMap<Long, String>();
        for (Row row : rows.selectExpr(all.toArray(String[]::new)).collectAsList()) {
            var values = new ArrayList<>();
            for (int i = 1; i < row.size(); i++) {
                values.add(row.get(i));
            }
            found.put(row.getLong(0), values.toString());
        }
        return found;
    }

    /**
     * Compares a branch with what was read of it.
     *
     * @param found the table's columns, and with format version 3 row id and last number after them
     * @param number the sequence number of the branch's head
     */
    void check(Branch branch, List<Row> found, long number) {
        var expected =
                branch.rows.values().stream().map(row -> row(row.values())).toList();
        var rows = found.stream().map(row -> row(values(row))).toList();
        assertThat(PeerTables.text(rows)).as("rows").isEqualTo(PeerTables.text(expected));
        if (version < 3) {
            branch.rows.replaceAll((key, row) -> new Stored(row.values(), null, null));
            return;
        }
        for (Row row : found) {
            Stored stored =
                    Objects.requireNonNull(branch.rows.get((Long) values(row).get(0)), row::toString);
            Long id = (Long) row.get(columns.size());
            Long updated = (Long) row.get(columns.size() + 1);
            String what = "of row " + stored.key();
            if (stored.rowId() != null || branch.identified) {
                assertThat(id).as("id " + what).isNotNull();
            }
            if (stored.rowId() != null) {
                assertThat(id).as("id " + what).isEqualTo(stored.rowId());
            } else if (id != null) {
                assertThat(keysByRowId.putIfAbsent(id, stored.key()))
                        .as("another row that had id %d, which is %s", id, what)
                        .isNull();
            }
            if (stored.updated() != null && id != null) {
                assertThat(updated)
                        .as("last number " + what)
                        .isEqualTo(stored.updated() == WRITTEN_NOW ? (Long) number : stored.updated());
            } else if (updated != null) {
                assertThat(updated).as("last number " + what).isBetween(0L, number);
            }
            branch.rows.put(stored.key(), new Stored(stored.values(), id, id == null ? null : updated));
        }
    }

    /** Changes the values of a column in all branches. */
    void convert(int column, java.util.function.UnaryOperator<Object> conversion) {
        for (Branch branch : branches.values()) {
            branch.rows.replaceAll((key, row) -> {
                var values = new HashMap<>(row.values());
                values.put(column, conversion.apply(values.get(column)));
                return new Stored(values, row.rowId(), row.updated());
            });
        }
    }

    @Override
    public String toString() {
        return "v" + version + " " + schema().toDDL() + " by "
                + spec.stream()
                        .map(field -> field.term("", column(field.column()).name()))
                        .toList()
                + ", rows "
                + Arrays.toString(branches.values().stream()
                        .map(branch -> branch.rows.size())
                        .toArray());
    }
}
