package dev.calve.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.Table;
import org.apache.iceberg.UpdateProperties;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.hadoop.HadoopCatalog;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.StructType;
import scala.jdk.javaapi.CollectionConverters;

/**
 * The tables of one namespace as both engines see them, and rows as text in which two rows are equal only if every value is,
 * floating point numbers bit by bit. Counts the values compared.
 */
final class PeerTables {

    /** A session of its own, so that a test may set the time zone without others noticing. */
    final SparkSession spark;

    private final String namespace;
    private final HadoopCatalog peer;
    private final AtomicLong cells = new AtomicLong();

    PeerTables(String namespace) {
        this.namespace = namespace;
        this.spark = SparkTestSession.spark().newSession();
        spark.conf().set("spark.sql.datetime.java8API.enabled", "true");
        this.peer = new HadoopCatalog(new Configuration(), "file:" + SparkTestSession.warehouse());
        spark.sql("CREATE NAMESPACE IF NOT EXISTS " + SparkTestSession.PEER + "." + namespace);
    }

    /** One of the two engines that share the warehouse. */
    enum Engine {
        CALVE(SparkTestSession.LAKE, "calve"),
        PEER(SparkTestSession.PEER, "iceberg");

        final String catalog;
        final String provider;

        Engine(String catalog, String provider) {
            this.catalog = catalog;
            this.provider = provider;
        }

        Engine other() {
            return this == CALVE ? PEER : CALVE;
        }
    }

    /** The table's name in the engine's catalog. */
    String in(Engine engine, String table) {
        return engine.catalog + "." + namespace + "." + table;
    }

    /** The table through the peer's Java API, as it is now. */
    Table table(String name) {
        return peer.loadTable(TableIdentifier.of(namespace, name));
    }

    HadoopCatalog peerCatalog() {
        return peer;
    }

    TableIdentifier identifier(String name) {
        return TableIdentifier.of(namespace, name);
    }

    /** Sets properties by the peer's API: ours has no ALTER TABLE yet. Pairs of key and value. */
    void set(String table, String... pairs) {
        UpdateProperties update = table(table).updateProperties();
        for (int i = 0; i < pairs.length; i += 2) {
            update.set(pairs[i], pairs[i + 1]);
        }
        update.commit();
    }

    void setDeleteMode(String table, String mode) {
        if (!mode.equals(table(table).properties().get("write.delete.mode"))) {
            set(table, "write.delete.mode", mode);
        }
    }

    void append(Engine engine, String table, Dataset<Row> rows) {
        try {
            rows.writeTo(in(engine, table)).append();
        } catch (org.apache.spark.sql.catalyst.analysis.NoSuchTableException e) {
            throw new IllegalStateException(e);
        }
    }

    void delete(Engine engine, String table, String condition) {
        spark.sql("DELETE FROM " + in(engine, table) + " WHERE " + condition);
    }

    /** What a query answers, as sorted text. */
    List<String> rows(Engine engine, String table, String columns) {
        return text(
                spark.sql("SELECT " + columns + " FROM " + in(engine, table)).collectAsList());
    }

    /** Both engines read these rows, and nothing else. */
    void assertRows(String table, List<Row> expected) {
        assertRows(table, "", expected);
    }

    /**
     * Both engines read these rows, and give the same values for further columns.
     *
     * @param further names of metadata columns, comma separated; may be empty
     * @return the rows with the further columns
     */
    List<Row> assertRows(String table, String further, List<Row> expected) {
        List<Row> found = assertSame(table, further.isEmpty() ? "*" : "*, " + further);
        int columns = expected.isEmpty() ? 0 : expected.get(0).size();
        assertThat(found.stream()
                        .map(row ->
                                values(CollectionConverters.asJava(row.toSeq()).subList(0, columns)))
                        .sorted())
                .as("rows of %s", table)
                .containsExactlyElementsOf(
                        expected.stream().map(PeerTables::text).sorted().toList());
        cells.addAndGet((long) found.size() * columns);
        return found;
    }

    /** Both engines give the same answer, whatever it is. */
    List<Row> assertSame(String table, String columns) {
        String query = "SELECT " + columns + " FROM ";
        List<Row> ours = spark.sql(query + in(Engine.CALVE, table)).collectAsList();
        List<Row> theirs = spark.sql(query + in(Engine.PEER, table)).collectAsList();
        assertThat(text(ours)).as("%s of %s", columns, table).containsExactlyElementsOf(text(theirs));
        count(ours);
        return ours;
    }

    private void count(List<Row> rows) {
        for (Row row : rows) {
            cells.addAndGet(row.size());
        }
    }

    long cellsCompared() {
        return cells.get();
    }

    Dataset<Row> frame(List<Row> rows, StructType schema) {
        return spark.createDataFrame(rows, schema);
    }

    static List<Row> without(List<Row> rows, Predicate<Row> gone) {
        return rows.stream().filter(gone.negate()).toList();
    }

    static List<String> text(List<Row> rows) {
        return rows.stream().map(PeerTables::text).sorted().toList();
    }

    /** For each value of the column {@code key}, those of some other columns. */
    static Map<Object, List<Object>> byKey(List<Row> rows, String key, String... columns) {
        return rows.stream()
                .collect(Collectors.toMap(
                        row -> row.<Object>getAs(key),
                        row -> Arrays.stream(columns)
                                .map(column -> row.<Object>getAs(column))
                                .toList()));
    }

    private static String text(Row row) {
        return values(CollectionConverters.asJava(row.toSeq()));
    }

    private static String values(List<Object> values) {
        return values.stream().map(PeerTables::text).toList().toString();
    }

    private static String text(Object value) {
        if (value == null) {
            return "NULL";
        }
        if (value instanceof Float number) {
            return number + "#" + Integer.toHexString(Float.floatToRawIntBits(number));
        }
        if (value instanceof Double number) {
            return number + "#" + Long.toHexString(Double.doubleToRawLongBits(number));
        }
        if (value instanceof BigDecimal number) {
            return number.toPlainString();
        }
        if (value instanceof byte[] bytes) {
            return "x" + HexFormat.of().formatHex(bytes);
        }
        if (value instanceof String string) {
            return '"'
                    + string
                    + '"'
                    + Arrays.toString(
                            string.codePoints().filter(c -> c > 126 || c < 32).toArray());
        }
        if (value instanceof Row row) {
            return text(row);
        }
        if (value instanceof scala.collection.Seq<?> list) {
            return CollectionConverters.asJava(list).stream()
                    .map(PeerTables::text)
                    .toList()
                    .toString();
        }
        if (value instanceof scala.collection.Map<?, ?> map) {
            var entries = new TreeMap<String, String>();
            CollectionConverters.asJava(map).forEach((key, mapped) -> entries.put(text(key), text(mapped)));
            return entries.toString();
        }
        return value.getClass().getSimpleName() + ":" + value;
    }
}
