package dev.calve.tools;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerJobStart;
import org.apache.spark.sql.SparkSession;

/**
 * Compares row-level statements of Calve with those of Apache Iceberg's own connector, in one session and in turn, each on
 * the same table, which is made what it was before every run. The main of {@code dev/bench rowlevel}.
 */
public final class RowLevelBench {

    private static final String HELP = """
            bench rowlevel [--rows N] [--work NAME,...] [--runs N] [--warmup N] [--sides NAME,...] [--quick] [--dir DIR]

              --rows N          rows of the tables (5000000)
              --files N,...     sizes of the tables that delete-row and delete-partition change (10000,100000)
              --work NAME,...   delete-1, delete-category, delete-again, delete-range, delete-20, delete-nothing, update-1,
                                merge-1: merge-on-read, version 3; delete-20-v2, merge-1-v2: version 2; delete-1-cow,
                                delete-range-cow, update-1-cow, merge-1-cow: copy-on-write, version 2; append,
                                overwrite-static, overwrite-dynamic, delete-row, delete-partition (all)
              --runs N          timed runs of each side (5)
              --warmup N        runs before them (2)
              --sides NAME,...  calve, peer (both); one side alone is for a profiler
              --conf KEY=VALUE  a setting of the session; may be repeated
              --quick           a few statements on small tables, less than three minutes; fails where Calve needs more
                                processor time than it may, compared with the peer
              --dir DIR         keeps the tables there for the next time; without it a temporary folder
            """;

    private static final int QUICK_ROWS = 1_000_000;

    private final Arguments arguments;
    private final SparkSession spark;
    private final RowLevelTables tables;
    private final AtomicInteger jobs = new AtomicInteger();
    private final List<String> tooSlow = new ArrayList<>();

    private RowLevelBench(Arguments arguments, SparkSession spark, RowLevelTables tables) {
        this.arguments = arguments;
        this.spark = spark;
        this.tables = tables;
    }

    /** Who changes the table. */
    private enum Side {
        CALVE(ToolSession.LAKE),
        PEER(ToolSession.PEER);

        private final String catalog;

        Side(String catalog) {
            this.catalog = catalog;
        }
    }

    public static void main(String[] arguments) {
        var command = new BenchCommand(
                HELP,
                Set.of("--rows", "--files", "--work", "--runs", "--warmup", "--sides", "--conf"),
                Set.of("--quick"));
        System.exit(command.run(arguments, RowLevelBench::run));
    }

    private static void run(Arguments arguments, Path folder) throws IOException {
        var settings = new TreeMap<String, String>();
        LocalFilesWithoutFork.installForProcess();
        settings.put("spark.sql.parquet.compression.codec", "zstd");
        settings.putAll(BenchCommand.settings(arguments));
        int rows = arguments.number("--rows", arguments.has("--quick") ? QUICK_ROWS : 5_000_000);
        try (var session = ToolSession.start("calve-bench", folder.toString(), true, settings)) {
            var tables = new RowLevelTables(session.spark(), folder, rows);
            tables.prepareRows();
            new RowLevelBench(arguments, session.spark(), tables).run();
        }
    }

    private void run() throws IOException {
        spark.sparkContext().addSparkListener(new SparkListener() {
            @Override
            public void onJobStart(SparkListenerJobStart start) {
                jobs.incrementAndGet();
            }
        });
        var rows = new ArrayList<List<String>>();
        for (RowLevelWork work : works()) {
            for (int files : work.table() == RowLevelTables.State.MANY ? sizes() : List.of(0)) {
                List<String> row = compare(work, files);
                rows.add(row);
                System.err.println(String.join(" ", row));
            }
        }
        var header = List.of(
                "statement", "calve ms", "peer ms", "calve cpu", "peer cpu", "wall", "cpu", "jobs", "peer jobs");
        var numeric = new ArrayList<Boolean>(Collections.nCopies(header.size(), true));
        numeric.set(0, false);
        System.out.println(
                "Whole statements in turn, from SQL text to commit. ms and cpu: medians, wall and processor time"
                        + " of the process in milliseconds; wall and cpu at the end: calve / peer; jobs: Spark's, of one run.");
        new TextTable(header, numeric, rows).lines().forEach(System.out::println);
        if (!tooSlow.isEmpty()) {
            throw new IllegalStateException("Calve may need less processor time only: " + String.join("; ", tooSlow));
        }
    }

    private List<RowLevelWork> works() {
        if (arguments.has("--quick") && arguments.value("--work").isEmpty()) {
            return Arrays.stream(RowLevelWork.values())
                    .filter(work -> work.bound().isPresent())
                    .toList();
        }
        return BenchCommand.chosen(arguments, "--work", RowLevelWork.values());
    }

    private List<Integer> sizes() {
        return Arrays.stream(arguments.value("--files").orElse("10000,100000").split(",", -1))
                .map(Integer::valueOf)
                .toList();
    }

    /** @throws IllegalStateException if the sides leave different rows */
    private List<String> compare(RowLevelWork work, int files) throws IOException {
        List<Side> sides = BenchCommand.chosen(arguments, "--sides", Side.values());
        var jobsOf = new EnumMap<Side, Integer>(Side.class);
        var left = new EnumMap<Side, String>(Side.class);
        spark.conf().set("spark.sql.sources.partitionOverwriteMode", work.overwriteMode());
        Map<Side, Times> times = Times.inTurn(
                sides,
                arguments.number("--warmup", 2),
                arguments.number("--runs", arguments.has("--quick") ? 3 : 5),
                (side, run, ofSide) -> {
                    tables.reset(work.table(), files);
                    String statement = work.sql(tables.name(side.catalog, work.table(), files), tables.rows());
                    jobsStarted();
                    ofSide.add(1, () -> spark.sql(statement));
                    jobsOf.put(side, jobsStarted());
                    if (run == 0) {
                        left.put(side, rowsLeft(work, files));
                    }
                });
        if (left.values().stream().distinct().count() > 1) {
            throw new IllegalStateException(
                    "Both sides must leave the same rows, but " + BenchCommand.title(work) + ": " + left);
        }
        return row(work, files, times, jobsOf);
    }

    private int jobsStarted() {
        try {
            spark.sparkContext().listenerBus().waitUntilEmpty();
        } catch (java.util.concurrent.TimeoutException e) {
            throw new IllegalStateException("Spark must deliver its events.", e);
        }
        return jobs.getAndSet(0);
    }

    /** What the peer finds. Of files that exist in the metadata only it finds how many there are. */
    private String rowsLeft(RowLevelWork work, int files) {
        String table = tables.name(ToolSession.PEER, work.table(), files);
        String query = work.table() == RowLevelTables.State.MANY
                ? "SELECT count(*), sum(record_count) FROM " + table + ".files"
                : "SELECT count(*), sum(id), sum(v), sum(price), sum(octet_length(note)) FROM " + table;
        return spark.sql(query).collectAsList().toString();
    }

    private List<String> row(RowLevelWork work, int files, Map<Side, Times> times, Map<Side, Integer> jobsOf) {
        String title = BenchCommand.title(work) + (files == 0 ? "" : ", " + files + " files");
        var row = new ArrayList<String>(List.of(title));
        for (Side side : Side.values()) {
            row.add(
                    times.containsKey(side)
                            ? Times.millis(Times.median(times.get(side).wallNanos()))
                            : "-");
        }
        for (Side side : Side.values()) {
            row.add(
                    times.containsKey(side)
                            ? Times.millis(Times.median(times.get(side).cpuNanos()))
                            : "-");
        }
        Times ours = times.get(Side.CALVE);
        Times theirs = times.get(Side.PEER);
        if (ours == null || theirs == null) {
            row.addAll(List.of("-", "-"));
        } else {
            row.add(Times.ratio(Times.median(ours.wallNanos()), Times.median(theirs.wallNanos())));
            String cpu = Times.ratio(Times.median(ours.cpuNanos()), Times.median(theirs.cpuNanos()));
            row.add(cpu);
            Optional<Double> bound = work.bound();
            if (arguments.has("--quick") && bound.isPresent() && Double.parseDouble(cpu) > bound.get()) {
                tooSlow.add(title + " " + cpu + " instead of at most " + bound.get());
            }
        }
        for (Side side : Side.values()) {
            row.add(jobsOf.containsKey(side) ? jobsOf.get(side).toString() : "-");
        }
        return row;
    }
}
