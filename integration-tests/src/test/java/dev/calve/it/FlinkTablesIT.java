package dev.calve.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.HistoryEntry;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.hadoop.HadoopCatalog;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tables that Flink wrote from changelogs hold, and after a DELETE of ours still hold, the rows that follow from the
 * changelogs. {@code dev/flink} made them, together with those rows, which come from no reader. They are read
 * byte for byte as Flink left them, on a file system whose bucket is the folder they were unpacked to.
 */
@Tag("iceberg-peer")
class FlinkTablesIT {

    private static final String BUCKET = "flink-tables";
    private static final String WAREHOUSE = "s3a://" + BUCKET + "/warehouse";
    private static final String LAKE = "flink_lake.flink.";
    private static final String PEER = "flink_peer.flink.";

    /** Apache Iceberg 1.12 does not find the deleted rows of a key with a column of type fixed. */
    private static final String ONLY_OURS = "vectors_mixed_key";

    private static final List<String> CONDITIONS = List.of(
            "id >= 25",
            "p IS NULL OR flag",
            "amount IN (1.00, 2.50, 4.75) OR day < DATE'1970-01-03' AND at IS NOT NULL",
            "moment > TIMESTAMP'2024-03-01 12:00:00Z' AND (raw = X'05FF' OR mod(point.a, 2) = 0)");

    private static final String GONE = "mod(id, 5) = 1 OR p = 'p1' AND day IS NOT NULL";

    @TempDir
    private static Path folder;

    private static SparkSession spark;
    private static HadoopCatalog catalog;

    @BeforeAll
    static void unpack() throws IOException {
        try (InputStream archive = FlinkTablesIT.class.getResourceAsStream("flink-tables.zip");
                var zip = new ZipInputStream(Objects.requireNonNull(archive))) {
            for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
                Path target = folder.resolve(entry.getName());
                Files.createDirectories(target.getParent());
                Files.copy(zip, target);
            }
        }
        FaultyFileSystem.mount(BUCKET, folder);
        spark = SparkTestSession.spark().newSession();
        // Tables are so small that compiling a query would take much longer than to run it uncompiled.
        Map.of(
                        "fs.s3a.impl", FaultyFileSystem.class.getName(),
                        "spark.sql.codegen.wholeStage", "false",
                        "spark.sql.codegen.factoryMode", "NO_CODEGEN",
                        "spark.sql.datetime.java8API.enabled", "true",
                        "spark.sql.catalog.flink_lake", "dev.calve.spark.CalveCatalog",
                        "spark.sql.catalog.flink_lake.warehouse", WAREHOUSE,
                        "spark.sql.catalog.flink_peer", "org.apache.iceberg.spark.SparkCatalog",
                        "spark.sql.catalog.flink_peer.type", "hadoop",
                        "spark.sql.catalog.flink_peer.warehouse", WAREHOUSE,
                        "spark.sql.catalog.flink_peer.cache-enabled", "false")
                .forEach(spark.conf()::set);
        var hadoop = new Configuration(false);
        hadoop.set("fs.s3a.impl", FaultyFileSystem.class.getName());
        catalog = new HadoopCatalog(hadoop, WAREHOUSE);
    }

    private static Stream<String> tables() {
        return Stream.of(
                "int_key",
                "mixed_key",
                "nullable_key",
                "identity",
                "moving",
                "bucket",
                "vectors",
                "vectors_mixed_key",
                "evolved",
                "append",
                "append_v1");
    }

    private static List<String> engines(String table) {
        return table.equals(ONLY_OURS) ? List.of(LAKE) : List.of(PEER, LAKE);
    }

    private static Table table(String name) {
        return catalog.loadTable(TableIdentifier.of("flink", name));
    }

    private static List<Row> rows(String query) {
        return spark.sql(query).collectAsList();
    }

    /** A view of the rows there must be in the table's nth snapshot. */
    private static String expected(String table, int snapshot) throws IOException {
        String name = "expected_" + table + "_" + snapshot;
        if (!spark.catalog().tableExists(name)) {
            Path file = folder.resolve("expected").resolve(table).resolve(snapshot + ".json");
            List<String> lines = Files.readAllLines(file);
            var rows = spark.read()
                    .schema(lines.get(0))
                    .option("mode", "FAILFAST")
                    .json(spark.createDataset(lines.subList(1, lines.size()), Encoders.STRING()));
            spark.createDataFrame(rows.collectAsList(), rows.schema()).createOrReplaceTempView(name);
        }
        return name;
    }

    private static String expected(String table) throws IOException {
        return expected(table, snapshots(table));
    }

    /** How many snapshots Flink made. */
    private static int snapshots(String table) {
        return table.startsWith("append") ? 2 : 4;
    }

    /** A query on the table gives what it gives on the rows there must be. */
    private static void assertSame(String source, String view, String query) {
        List<String> wanted = PeerTables.text(rows(query.formatted(view)));
        assertThat(wanted).isNotEmpty();
        assertThat(PeerTables.text(rows(query.formatted(source))))
                .as("%s from %s", query, source)
                .containsExactlyElementsOf(wanted);
    }

    @ParameterizedTest
    @MethodSource("tables")
    void holdTheRowsThatFlinkWasGiven(String name) throws IOException {
        String view = expected(name);
        assertHasDeletes(name);
        assertThat(spark.table(LAKE + name).schema().toDDL().replace(" NOT NULL", ""))
                .isEqualTo(spark.table(view).schema().toDDL().replace(" NOT NULL", ""));

        for (String engine : engines(name)) {
            assertSame(engine + name, view, "SELECT * FROM %s");
        }
        if (name.equals(ONLY_OURS)) {
            assertThat(spark.table(PEER + name).count())
                    .as("rows of the peer, which is left aside while it has too many")
                    .isGreaterThan(spark.table(view).count());
        }
        for (String condition : CONDITIONS) {
            assertSame(LAKE + name, view, "SELECT id, tags FROM %s WHERE " + condition);
        }
        assertSame(LAKE + name, view, "SELECT count(*), min(day), max(point.t), sum(weight) FROM %s");
    }

    /** The archive holds what it is said to hold. */
    private static void assertHasDeletes(String name) {
        Map<String, String> summary = table(name).currentSnapshot().summary();
        if (name.startsWith("append")) {
            assertThat(summary).containsEntry("total-delete-files", "0");
            return;
        }
        assertThat(Long.parseLong(summary.get("total-equality-deletes"))).isPositive();
        assertThat(Long.parseLong(summary.get("total-position-deletes"))).isPositive();
        assertThat(rows("SELECT DISTINCT content, file_format FROM " + LAKE + name + ".delete_files").stream()
                        .map(Row::toString))
                .containsExactlyInAnyOrder("[2,PARQUET]", name.startsWith("vectors") ? "[1,PUFFIN]" : "[1,PARQUET]");
    }

    @ParameterizedTest
    @MethodSource("tables")
    void showDeletedRows(String name) throws IOException {
        String query = "SELECT id, _deleted, _pos, _file FROM ";
        List<Row> marked = rows(query + LAKE + name);
        assertThat(marked)
                .hasSize(
                        Integer.parseInt(table(name).currentSnapshot().summary().get("total-records")));
        assertSame("(" + query + LAKE + name + ") WHERE NOT _deleted", expected(name), "SELECT id FROM %s");
        if (engines(name).contains(PEER)) {
            assertThat(PeerTables.text(marked)).containsExactlyElementsOf(PeerTables.text(rows(query + PEER + name)));
        }
    }

    @ParameterizedTest
    @MethodSource("tables")
    void hadTheRowsThatFlinkWasGivenUntilThen(String name) throws IOException {
        List<HistoryEntry> history = table(name).history();
        for (int i = 1; i < snapshots(name); i++) {
            String then = LAKE + name + " VERSION AS OF " + history.get(i - 1).snapshotId();
            assertSame(then, expected(name, i), "SELECT * FROM %s");
        }
    }

    @ParameterizedTest
    @MethodSource("tables")
    void loseTheRowsOfADeleteInEitherMode(String name) throws IOException {
        String view = expected(name);
        String left = "left_" + name;
        spark.sql("SELECT * FROM " + view + " WHERE NOT coalesce(" + GONE + ", false)")
                .createOrReplaceTempView(left);
        assertThat(spark.table(view).count()).isGreaterThan(spark.table(left).count());
        long flinks = table(name).currentSnapshot().snapshotId();
        for (String mode :
                name.endsWith("_v1") ? List.of("copy-on-write") : List.of("merge-on-read", "copy-on-write")) {
            spark.sql("ALTER TABLE " + LAKE + name + " SET TBLPROPERTIES ('write.delete.mode' = '" + mode + "')");
            spark.sql("DELETE FROM " + LAKE + name + " WHERE " + GONE);

            assertSame(engines(name).get(0) + name, left, "SELECT * FROM %s");
            assertThat(table(name).currentSnapshot().summary().containsKey("added-position-deletes"))
                    .isEqualTo(mode.equals("merge-on-read"));
            spark.sql("CALL flink_lake.system.rollback_to_snapshot('flink." + name + "', " + flinks + ")");
        }
    }
}
