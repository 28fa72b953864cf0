package dev.calve.tools;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec;

/**
 * Compares queries of the same files, read by Calve, by Apache Iceberg's own connector and by Spark's {@code parquet} source,
 * in one session and in turn. The main of {@code dev/bench scan}.
 */
public final class ScanBench {

    private static final String HELP = """
            bench scan [--rows N] [--work NAME,...] [--runs N] [--warmup N] [--sides NAME,...] [--dir DIR]

              --rows N          rows of the flat tables (8000000); the nested table has a quarter
              --files N         files of the table that is planned only (100000)
              --work NAME,...   full, one-column, selective, vectors-1, vectors-20, nested, plan-one-day (all)
              --runs N          timed runs of each side (7)
              --warmup N        runs before them (3)
              --sides NAME,...  calve, peer, parquet (all); one side alone is for a profiler
              --conf KEY=VALUE  a setting of the session; may be repeated. With spark.hadoop.fs.file.impl=
                                dev.calve.tools.LocalFilesWithoutFork all sides read through Hadoop's local file system,
                                without it Calve reads local files itself
              --dir DIR         keeps the tables there for the next time; without it a temporary folder
            """;

    private static final OperatingSystemMXBean SYSTEM =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    private final Arguments arguments;
    private final SparkSession spark;
    private final ScanTables tables;

    private ScanBench(Arguments arguments, SparkSession spark, ScanTables tables) {
        this.arguments = arguments;
        this.spark = spark;
        this.tables = tables;
    }

    /** Who reads. */
    enum Side {
        CALVE,
        PEER,
        PARQUET;

        String title() {
            return titleOf(this);
        }
    }

    /** What is read. */
    private enum Work {
        FULL(1),
        ONE_COLUMN(5),
        SELECTIVE(3),
        VECTORS_1(1),
        VECTORS_20(1),
        NESTED(1),
        PLAN_ONE_DAY(3);

        /** How often in one timed run: the clock of processor time ticks too slowly for one short query. */
        private final int times;

        Work(int times) {
            this.times = times;
        }

        String title() {
            return titleOf(this);
        }

        /** Spark's source knows no deletes, and no table to plan. */
        boolean canBeReadBy(Side side) {
            return side != Side.PARQUET || (this != VECTORS_1 && this != VECTORS_20 && this != PLAN_ONE_DAY);
        }
    }

    private static String titleOf(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** What one side needed in the timed runs. */
    private record Times(List<Long> wallNanos, List<Long> cpuNanos) {
        Times() {
            this(new ArrayList<>(), new ArrayList<>());
        }
    }

    public static void main(String[] arguments) {
        System.exit(run(arguments));
    }

    private static int run(String[] arguments) {
        boolean debug = List.of(arguments).contains("--debug");
        try {
            var parsed = Arguments.parse(
                    arguments,
                    Set.of("--rows", "--files", "--work", "--runs", "--warmup", "--sides", "--conf", "--dir"),
                    Set.of("--debug", "--help", "-h"));
            if (parsed.has("--help") || parsed.has("-h")) {
                System.out.print(HELP);
                return 0;
            }
            Optional<Path> kept = parsed.value("--dir").map(Path::of);
            Path folder = kept.isPresent()
                    ? Files.createDirectories(kept.get().toAbsolutePath())
                    : ToolSession.temporaryFolder("calve-bench");
            try (var session = ToolSession.start("calve-bench", folder.toString(), true, settings(parsed))) {
                var tables = new ScanTables(
                        session.spark(), folder, parsed.number("--rows", 8_000_000), parsed.number("--files", 100_000));
                new ScanBench(parsed, session.spark(), tables).run();
            }
            return 0;
        } catch (IllegalArgumentException e) {
            System.err.println("Error: " + e.getMessage());
            return 2;
        } catch (Exception e) {
            System.err.println("Error: " + Failures.oneLine(e) + (debug ? "" : " (--debug prints the stack)"));
            if (debug) {
                e.printStackTrace();
            }
            return 1;
        }
    }

    private static Map<String, String> settings(Arguments arguments) {
        var settings = new TreeMap<String, String>();
        for (String setting : arguments.values("--conf")) {
            String[] parts = setting.split("=", 2);
            if (parts.length != 2) {
                throw new IllegalArgumentException("--conf must have KEY=VALUE, not '" + setting + "'.");
            }
            settings.put(parts[0], parts[1]);
        }
        return settings;
    }

    private void run() throws IOException {
        List<Side> sides = chosen("--sides", Side.values());
        var rows = new ArrayList<List<String>>();
        for (Work work : chosen("--work", Work.values())) {
            Map<Side, Times> times =
                    compare(work, sides.stream().filter(work::canBeReadBy).toList());
            List<String> row = row(work, times);
            rows.add(row);
            System.err.println(String.join(" ", row));
        }
        var header = List.of(
                "query",
                "calve ms",
                "peer ms",
                "parquet ms",
                "calve cpu",
                "peer cpu",
                "parquet cpu",
                "wall:peer",
                "cpu:peer",
                "wall:parquet",
                "cpu:parquet");
        var numeric = new ArrayList<Boolean>(Collections.nCopies(header.size(), true));
        numeric.set(0, false);
        System.out.println(
                "Whole queries in turn, from SQL text to answer, plan-one-day to the tasks of the scan. ms and cpu: medians, wall and processor time of "
                        + "the process in milliseconds; wall:X and cpu:X: calve / X.");
        new TextTable(header, numeric, rows).lines().forEach(System.out::println);
    }

    private <T extends Enum<T>> List<T> chosen(String option, T[] all) {
        Optional<String> given = arguments.value(option);
        if (given.isEmpty()) {
            return List.of(all);
        }
        return Arrays.stream(given.get().split(",", -1))
                .map(name -> Arrays.stream(all)
                        .filter(one -> titleOf(one).equals(name))
                        .findFirst()
                        .orElseThrow(() -> new IllegalArgumentException(
                                "Option " + option + " knows no '" + name + "'; see --help.")))
                .toList();
    }

    /** @throws IllegalStateException if two sides answer differently */
    private Map<Side, Times> compare(Work work, List<Side> sides) throws IOException {
        var queries = new EnumMap<Side, Runnable>(Side.class);
        var answers = new EnumMap<Side, Object>(Side.class);
        for (Side side : sides) {
            queries.put(side, () -> answers.put(side, answer(work, side)));
            tables.prepare(table(work), side);
        }
        int warmup = arguments.number("--warmup", 3);
        int runs = arguments.number("--runs", 7);
        var times = new EnumMap<Side, Times>(Side.class);
        sides.forEach(side -> times.put(side, new Times()));
        for (int run = 0; run < warmup + runs; run++) {
            for (int turn = 0; turn < sides.size(); turn++) {
                Side side = sides.get((run + turn) % sides.size());
                time(
                        Objects.requireNonNull(queries.get(side)),
                        work.times,
                        run < warmup ? new Times() : Objects.requireNonNull(times.get(side)));
            }
            if (answers.values().stream().distinct().count() > 1) {
                throw new IllegalStateException("All sides must answer alike, but " + work.title() + ": " + answers);
            }
        }
        return times;
    }

    private static void time(Runnable query, int count, Times times) {
        // What the last run left must not be collected in the time of this one.
        System.gc();
        long cpu = SYSTEM.getProcessCpuTime();
        long start = System.nanoTime();
        for (int i = 0; i < count; i++) {
            query.run();
        }
        times.wallNanos.add((System.nanoTime() - start) / count);
        times.cpuNanos.add((SYSTEM.getProcessCpuTime() - cpu) / count);
    }

    private static ScanTables.Name table(Work work) {
        return switch (work) {
            case FULL, ONE_COLUMN, SELECTIVE -> ScanTables.Name.FLAT;
            case VECTORS_1 -> ScanTables.Name.VECTORS_1;
            case VECTORS_20 -> ScanTables.Name.VECTORS_20;
            case NESTED -> ScanTables.Name.NESTED;
            case PLAN_ONE_DAY -> ScanTables.Name.MANY;
        };
    }

    private Object answer(Work work, Side side) {
        String from = " FROM " + tables.of(table(work), side);
        return switch (work) {
            case FULL, VECTORS_1, VECTORS_20 -> collect(ScanTables.ALL_COLUMNS + from);
            case ONE_COLUMN -> collect("SELECT sum(id)" + from);
            case SELECTIVE -> collect(ScanTables.ALL_COLUMNS + from + tables.fivePercent());
            case NESTED -> collect(ScanTables.ALL_NESTED + from);
            // A scan plans its files when somebody asks for its tasks.
            case PLAN_ONE_DAY -> {
                var plan = spark.sql("SELECT *" + from + ScanTables.ONE_DAY)
                        .queryExecution()
                        .executedPlan();
                ((BatchScanExec) plan.collectLeaves().head()).inputPartitions();
                yield "planned";
            }
        };
    }

    private Object collect(String query) {
        return spark.sql(query).collectAsList();
    }

    private static List<String> row(Work work, Map<Side, Times> times) {
        var row = new ArrayList<String>();
        row.add(work.title());
        for (Side side : Side.values()) {
            row.add(times.containsKey(side) ? millis(times.get(side).wallNanos) : "-");
        }
        for (Side side : Side.values()) {
            row.add(times.containsKey(side) ? millis(times.get(side).cpuNanos) : "-");
        }
        for (Side other : List.of(Side.PEER, Side.PARQUET)) {
            Times ours = times.get(Side.CALVE);
            Times theirs = times.get(other);
            row.add(ours != null && theirs != null ? ratio(ours.wallNanos, theirs.wallNanos) : "-");
            row.add(ours != null && theirs != null ? ratio(ours.cpuNanos, theirs.cpuNanos) : "-");
        }
        return row;
    }

    private static long median(List<Long> values) {
        return values.stream().sorted().skip(values.size() / 2).findFirst().orElseThrow();
    }

    private static String ratio(List<Long> ours, List<Long> theirs) {
        return String.format(Locale.ROOT, "%.2f", (double) median(ours) / median(theirs));
    }

    private static String millis(List<Long> nanos) {
        return Long.toString(TimeUnit.NANOSECONDS.toMillis(median(nanos)));
    }
}
