package dev.calve.tools;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
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
            return BenchCommand.title(this);
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
            return BenchCommand.title(this);
        }

        /** Spark's source knows no deletes, and no table to plan. */
        boolean canBeReadBy(Side side) {
            return side != Side.PARQUET || (this != VECTORS_1 && this != VECTORS_20 && this != PLAN_ONE_DAY);
        }
    }

    public static void main(String[] arguments) {
        var command = new BenchCommand(
                HELP, Set.of("--rows", "--files", "--work", "--runs", "--warmup", "--sides", "--conf"), Set.of());
        System.exit(command.run(arguments, ScanBench::run));
    }

    private static void run(Arguments arguments, Path folder) throws IOException {
        try (var session =
                ToolSession.start("calve-bench", folder.toString(), true, BenchCommand.settings(arguments))) {
            var tables = new ScanTables(
                    session.spark(),
                    folder,
                    arguments.number("--rows", 8_000_000),
                    arguments.number("--files", 100_000));
            new ScanBench(arguments, session.spark(), tables).run();
        }
    }

    private void run() throws IOException {
        List<Side> sides = BenchCommand.chosen(arguments, "--sides", Side.values());
        var rows = new ArrayList<List<String>>();
        for (Work work : BenchCommand.chosen(arguments, "--work", Work.values())) {
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

    /** @throws IllegalStateException if two sides answer differently */
    private Map<Side, Times> compare(Work work, List<Side> sides) throws IOException {
        for (Side side : sides) {
            tables.prepare(table(work), side);
        }
        var answers = new EnumMap<Side, Object>(Side.class);
        return Times.inTurn(
                sides, arguments.number("--warmup", 3), arguments.number("--runs", 7), (side, run, times) -> {
                    times.add(work.times, () -> answers.put(side, answer(work, side)));
                    if (answers.values().stream().distinct().count() > 1) {
                        throw new IllegalStateException(
                                "All sides must answer alike, but " + work.title() + ": " + answers);
                    }
                });
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
        for (Side other : List.of(Side.PEER, Side.PARQUET)) {
            Times ours = times.get(Side.CALVE);
            Times theirs = times.get(other);
            row.add(ours != null && theirs != null ? ratio(ours.wallNanos(), theirs.wallNanos()) : "-");
            row.add(ours != null && theirs != null ? ratio(ours.cpuNanos(), theirs.cpuNanos()) : "-");
        }
        return row;
    }

    private static String ratio(List<Long> ours, List<Long> theirs) {
        return Times.ratio(Times.median(ours), Times.median(theirs));
    }
}
