package dev.calve.tools;

import dev.calve.hadoop.HadoopStorage;
import dev.calve.metadata.Snapshot;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;
import org.apache.spark.storage.StorageLevel;

/**
 * Shows Calve at work on TPC-H's {@code lineitem}: creates two tables, deletes rows from one with deletion vectors and
 * from the other by rewriting, and asks Calve, Apache Iceberg's own runtime and the generated rows the same questions.
 * The exit code is 1 if two of the three answers differ. The main of {@code dev/quickstart}.
 */
public final class Quickstart {

    private static final String HELP = """
            quickstart [--sf FACTOR] [--format-version 2|3] [--warehouse DIR] [--conf KEY=VALUE] [--debug]

              --sf FACTOR            TPC-H's scale factor (0.1, which is 600,000 rows)
              --format-version 2|3   of the tables (3); 2 has position delete files instead of deletion vectors
              --warehouse DIR        where the tables go and stay; without it a temporary folder that goes at the end
              --conf KEY=VALUE       a setting of Spark
            """;

    private static final String NAMESPACE = "quickstart";

    /** The pricing summary of TPC-H's first query. */
    private static final String PRICING = """
            l_returnflag AS flag, l_linestatus AS status, count(*) AS rows, sum(l_quantity) AS quantity,
            sum(l_extendedprice) AS price, sum(l_extendedprice * (1 - l_discount)) AS discounted,
            sum(l_extendedprice * (1 - l_discount) * (1 + l_tax)) AS charged""";

    /** Sums up every column of every row. */
    private static final String FINGERPRINT = "sum(CAST(xxhash64(*) AS DECIMAL(20,0)))";

    private final SparkSession spark;
    private final HadoopStorage storage;
    private final String warehouse;
    private final int formatVersion;
    private final Dataset<Row> generated;
    private final List<String> failures = new ArrayList<>();

    private Quickstart(SparkSession spark, String warehouse, int formatVersion, Dataset<Row> generated) {
        this.spark = spark;
        this.storage = new HadoopStorage(spark.sparkContext().hadoopConfiguration());
        this.warehouse = warehouse;
        this.formatVersion = formatVersion;
        this.generated = generated;
    }

    public static void main(String[] arguments) {
        System.exit(run(arguments));
    }

    private static int run(String[] arguments) {
        boolean debug = List.of(arguments).contains("--debug");
        try {
            var parsed = Arguments.parse(
                    arguments,
                    Set.of("--sf", "--format-version", "--warehouse", "--conf"),
                    Set.of("--debug", "--help", "-h"));
            if (parsed.has("--help") || parsed.has("-h")) {
                System.out.print(HELP);
                return 0;
            }
            if (!parsed.rest().isEmpty()) {
                throw new IllegalArgumentException(
                        "Unknown argument '" + parsed.rest().get(0) + "'; see --help.");
            }
            return run(parsed);
        } catch (IllegalArgumentException e) {
            System.err.println("Error: " + e.getMessage());
            return 2;
        } catch (Exception e) {
            System.out.flush();
            System.err.println("Error: " + Failures.oneLine(e) + (debug ? "" : " (--debug prints the stack)"));
            if (debug) {
                e.printStackTrace();
            }
            return 1;
        }
    }

    private static int run(Arguments arguments) throws IOException {
        double scaleFactor = scaleFactor(arguments);
        int formatVersion = arguments.number("--format-version", 3);
        if (formatVersion != 2 && formatVersion != 3) {
            throw new IllegalArgumentException("--format-version must be 2 or 3, not '" + formatVersion + "'.");
        }
        Map<String, String> configuration = Sql.configuration(arguments);
        boolean temporary = arguments.value("--warehouse").isEmpty();
        String warehouse = arguments
                .value("--warehouse")
                .map(ToolSession::warehouse)
                .orElseGet(
                        () -> ToolSession.temporaryFolder("calve-quickstart-").toString());
        long start = System.nanoTime();
        try (var session = ToolSession.start("calve-quickstart", warehouse, true, configuration)) {
            SparkSession spark = session.spark();
            int parts = Math.max(spark.sparkContext().defaultParallelism(), 4);
            // Asked for about ten times; what does not fit into memory goes to disk.
            Dataset<Row> generated =
                    LineItems.generate(spark, scaleFactor, parts).persist(StorageLevel.MEMORY_AND_DISK());
            var quickstart = new Quickstart(spark, warehouse, formatVersion, generated);
            System.out.println("Calve on Spark " + spark.version() + ": TPC-H lineitem at scale factor " + scaleFactor
                    + ", format version " + formatVersion + "\nWarehouse " + warehouse
                    + (temporary ? " (removed at the end; --warehouse DIR keeps one)" : ""));
            quickstart.refuseOldTables();
            quickstart.mergeOnRead();
            quickstart.copyOnWrite();
            return quickstart.verdict(start, temporary);
        }
    }

    private static double scaleFactor(Arguments arguments) {
        String text = arguments.value("--sf").orElse("0.1");
        try {
            double factor = Double.parseDouble(text);
            if (factor > 0 && factor <= 1000) {
                return factor;
            }
        } catch (NumberFormatException e) {
            // Said below, with the numbers that are out of range.
        }
        throw new IllegalArgumentException("--sf must be a number above 0 and at most 1000, not '" + text + "'.");
    }

    /** Another run's tables are not this run's to drop. */
    private void refuseOldTables() throws IOException {
        for (String table : List.of("lineitem", "lineitem_cow")) {
            if (TableFiles.read(storage, folder(table)).isPresent()) {
                throw new IllegalArgumentException("Warehouse " + warehouse + " must not have a table " + NAMESPACE
                        + "." + table + " yet, but has. Name another folder or drop it with dev/sql.");
            }
        }
    }

    /** A table partitioned by year: a whole partition goes, then single rows, then more rows of the same files. */
    private void mergeOnRead() throws IOException {
        load(
                "1. Create and load a partitioned table",
                "lineitem",
                "PARTITIONED BY (years(l_shipdate))",
                "merge-on-read");
        var gone = new ArrayList<String>();
        delete("2. DELETE a whole partition: no file is opened", "lineitem", "l_shipdate < DATE '1993-01-01'", gone);
        delete(
                "3. DELETE rows, merge-on-read",
                "lineitem",
                "l_returnflag = 'R' AND l_quantity < 10 AND l_shipdate < DATE '1995-01-01'",
                gone);
        delete(
                "4. DELETE more rows of the same files",
                "lineitem",
                "l_shipmode IN ('AIR', 'SHIP') AND l_tax = 0.08",
                gone);
        compare("lineitem", gone);
    }

    /** A table without partitions, loaded in the order of its key, so that bounds spare most files a rewrite. */
    private void copyOnWrite() throws IOException {
        load("5. Create and load a table without partitions", "lineitem_cow", "", "copy-on-write");
        var gone = new ArrayList<String>();
        long third = generated.agg(functions.max("l_orderkey")).first().getLong(0) / 3;
        delete(
                "6. DELETE rows, copy-on-write",
                "lineitem_cow",
                "l_orderkey < " + third + " AND l_shipmode = 'MAIL'",
                gone);
        compare("lineitem_cow", gone);
    }

    private void load(String heading, String table, String partitioning, String deleteMode) throws IOException {
        heading(heading);
        String create = "CREATE TABLE " + lake(table) + " (" + LineItems.COLUMNS + ") USING calve "
                + (partitioning.isEmpty() ? "" : partitioning + " ")
                + "TBLPROPERTIES ('format-version' = '" + formatVersion + "', 'write.delete.mode' = '" + deleteMode
                + "')";
        say(("CREATE TABLE " + lake(table) + " (16 columns) " + partitioning).strip());
        long start = System.nanoTime();
        spark.sql("CREATE NAMESPACE IF NOT EXISTS " + ToolSession.LAKE + "." + NAMESPACE);
        spark.sql(create);
        try {
            generated.writeTo(lake(table)).append();
        } catch (org.apache.spark.sql.catalyst.analysis.NoSuchTableException e) {
            throw new IllegalStateException("Table " + lake(table) + " was created, but is not found.", e);
        }
        double seconds = seconds(start);
        TableFiles files = files(table);
        say("%,d rows in %,d data files, %.1f MB, in %.1f s with making them up"
                .formatted(files.records(), files.dataFiles().size(), files.dataBytes() / 1e6, seconds));
        saySummary(files);
        expect("rows loaded", generated.count(), count(lake(table)));
    }

    private void delete(String heading, String table, String condition, List<String> gone) throws IOException {
        heading(heading);
        String statement = "DELETE FROM " + lake(table) + " WHERE " + condition;
        say(statement);
        long before = count(lake(table));
        TableFiles filesBefore = files(table);
        long start = System.nanoTime();
        spark.sql(statement);
        double seconds = seconds(start);
        gone.add(condition);
        long after = count(lake(table));
        TableFiles filesAfter = files(table);
        say("rows %,d -> %,d (%,d deleted in %.1f s)".formatted(before, after, before - after, seconds));
        say(changes(filesBefore, filesAfter));
        saySummary(filesAfter);
        expect("rows left", survivors(gone).count(), after);
    }

    /** What a statement did to the files, found by comparing manifests. */
    private static String changes(TableFiles before, TableFiles after) {
        var kept = new HashSet<>(before.dataFiles());
        kept.retainAll(after.dataFiles());
        var changes = new ArrayList<String>();
        changes.add("data files: %,d kept, %,d removed, %,d written"
                .formatted(
                        kept.size(),
                        before.dataFiles().size() - kept.size(),
                        after.dataFiles().size() - kept.size()));
        if (!after.vectors().isEmpty()) {
            changes.add(counted(added(before.vectors(), after.vectors()), "deletion vector") + " written into "
                    + counted(added(before.vectorFiles(), after.vectorFiles()), "Puffin file"));
        }
        if (!after.deleteFiles().isEmpty()) {
            changes.add(counted(added(before.deleteFiles(), after.deleteFiles()), "position delete file") + " written");
        }
        return String.join("; ", changes);
    }

    private static long added(Set<String> before, Set<String> after) {
        return after.stream().filter(file -> !before.contains(file)).count();
    }

    private static String counted(long number, String what) {
        return "%,d %s%s".formatted(number, what, number == 1 ? "" : "s");
    }

    /** What the snapshot says of itself: first what it changed, then the totals; neither zeros nor sizes. */
    private static void saySummary(TableFiles files) {
        say("snapshot: " + files.snapshot().flatMap(Snapshot::operation).orElse("none")
                + entries(files, "(added|removed|deleted)-.*"));
        say("totals:  " + entries(files, "total-.*"));
    }

    private static String entries(TableFiles files, String keys) {
        return new TreeMap<>(files.summary())
                .entrySet().stream()
                        .filter(entry -> entry.getKey().matches(keys)
                                && !entry.getKey().contains("size")
                                && !entry.getValue().equals("0"))
                        .map(entry -> " " + entry.getKey().replaceFirst("^total-", "") + "=" + entry.getValue())
                        .collect(Collectors.joining());
    }

    /** Asks all three the same questions. */
    private void compare(String table, List<String> gone) {
        heading("The same SELECT on " + table + ": Calve, Apache Iceberg " + icebergVersion() + ", the generated rows");
        survivors(gone).createOrReplaceTempView("survivors");
        long start = System.nanoTime();
        List<List<String>> ours = answer(lake(table));
        double ourSeconds = seconds(start);
        start = System.nanoTime();
        List<List<String>> theirs = answer(peer(table));
        double theirSeconds = seconds(start);
        List<List<String>> expected = answer("survivors");
        var pricing = pricing(lake(table));
        new TextTable(pricing.header(), pricing.numeric(), ours.subList(0, ours.size() - 1))
                .lines()
                .forEach(Quickstart::say);
        say("Calve %.1f s, Apache Iceberg %.1f s, cold and on small data: no benchmark"
                .formatted(ourSeconds, theirSeconds));
        expect(table + ": answer of Calve against the generated rows", expected, ours);
        expect(table + ": answer of Apache Iceberg against the generated rows", expected, theirs);
    }

    /** The rows of the pricing summary, and as the last one the number of rows and their fingerprint. */
    private List<List<String>> answer(String table) {
        var rows = new ArrayList<>(pricing(table).rows());
        rows.addAll(Sql.answer(spark.sql("SELECT count(*), " + FINGERPRINT + " FROM " + table), 1)
                .table()
                .rows());
        return rows;
    }

    private TextTable pricing(String table) {
        return Sql.answer(
                        spark.sql("SELECT " + PRICING + " FROM " + table
                                + " GROUP BY l_returnflag, l_linestatus ORDER BY l_returnflag, l_linestatus"),
                        100)
                .table();
    }

    /** The generated rows that none of the conditions is true for; no condition is null for any row of TPC-H. */
    private Dataset<Row> survivors(List<String> gone) {
        Dataset<Row> rows = generated;
        for (String condition : gone) {
            rows = rows.filter("NOT (" + condition + ")");
        }
        return rows;
    }

    private int verdict(long start, boolean temporary) {
        heading("Result after %.0f s".formatted(seconds(start)));
        if (!failures.isEmpty()) {
            failures.forEach(failure -> say("WRONG " + failure));
            System.out.flush();
            System.err.println("Error: " + failures.size() + " answers differ.");
            return 1;
        }
        say("All answers are equal.");
        if (!temporary) {
            say("Look around: dev/sql --warehouse " + warehouse + ", dev/inspect " + folder("lineitem"));
        }
        return 0;
    }

    private void expect(String what, Object expected, Object actual) {
        if (expected.equals(actual)) {
            say("ok: " + what + (actual instanceof Long number ? " %,d".formatted(number) : ""));
            return;
        }
        failures.add(what + ": must be " + expected + ", not " + actual);
        say("WRONG: " + failures.get(failures.size() - 1));
    }

    private long count(String table) {
        return spark.sql("SELECT count(*) FROM " + table).first().getLong(0);
    }

    private TableFiles files(String table) throws IOException {
        return TableFiles.read(storage, folder(table))
                .orElseThrow(() -> new IllegalStateException("There must be a table at " + folder(table) + "."));
    }

    private String folder(String table) {
        return warehouse + "/" + NAMESPACE + "/" + table;
    }

    private static String lake(String table) {
        return ToolSession.LAKE + "." + NAMESPACE + "." + table;
    }

    private static String peer(String table) {
        return ToolSession.PEER + "." + NAMESPACE + "." + table;
    }

    /** As its jar says; the class is found by name because nothing here is compiled against it. */
    private static String icebergVersion() {
        try {
            return String.valueOf(Class.forName("org.apache.iceberg.IcebergBuild")
                    .getMethod("version")
                    .invoke(null));
        } catch (ReflectiveOperationException e) {
            return "(version unknown)";
        }
    }

    private static double seconds(long start) {
        return (System.nanoTime() - start) / 1e9;
    }

    private static void heading(String text) {
        System.out.println("\n" + text);
    }

    private static void say(String text) {
        System.out.println("   " + text);
    }
}
