package dev.calve.tools;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Compares commits with Apache Iceberg's own library on equal tables of many files, in one process and in turn: whole
 * commits, from loading the metadata over planning to the swap. The main of {@code dev/bench commit}.
 */
public final class CommitBench {

    private static final String HELP = """
            bench commit [--files N,...] [--work NAME,...] [--runs N] [--warmup N] [--heap] [--dir DIR]

              --files N,...     sizes of the tables (10000,100000,500000)
              --work NAME,...   remove-file, add-vector, append, remove-day, vectors, appends (all)
              --runs N          timed runs of each (7; of the sequences 3)
              --warmup N        runs before them (3; of the sequences 1)
              --commits N       length of the sequences 'vectors' and 'appends', on the smallest table (1000)
              --equal-compression   has the peer deflate manifests as Calve does (its default is the highest level)
              --heap            instead: the heap that a planned file keeps, and the smallest a commit works with
              --dir DIR         keeps the tables there for the next time; without it a temporary folder
            """;

    private static final OperatingSystemMXBean SYSTEM =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    /** Where both begin to differ in a file's number, so that no two runs ask for the same file. */
    private static final int STRIDE = 7919;

    private final List<CommitSide> sides = List.of(new CalveCommits(), new PeerCommits());
    private final Arguments arguments;
    private final Path folder;

    private CommitBench(Arguments arguments, Path folder) {
        this.arguments = arguments;
        this.folder = folder;
    }

    /** What is committed. A sequence is many commits on one table. */
    private enum Work {
        REMOVE_FILE,
        ADD_VECTOR,
        APPEND,
        REMOVE_DAY,
        VECTORS,
        APPENDS;

        boolean isSequence() {
            return this == VECTORS || this == APPENDS;
        }

        String title() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }

        static Work of(String title) {
            return Arrays.stream(values())
                    .filter(work -> work.title().equals(title))
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException("There is no work '" + title + "'; see --help."));
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
                    Set.of("--files", "--work", "--runs", "--warmup", "--commits", "--dir", "--once"),
                    Set.of("--heap", "--equal-compression", "--debug", "--help", "-h"));
            if (parsed.has("--help") || parsed.has("-h")) {
                System.out.print(HELP);
                return 0;
            }
            Optional<Path> kept = parsed.value("--dir").map(Path::of);
            Path folder = kept.isPresent()
                    ? Files.createDirectories(kept.get().toAbsolutePath())
                    : Files.createTempDirectory("calve-bench");
            try {
                new CommitBench(parsed, folder).run();
            } finally {
                if (kept.isEmpty()) {
                    ManyFiles.deleteFolder(folder);
                }
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

    private void run() throws IOException, InterruptedException {
        if (arguments.value("--once").isPresent()) {
            once(arguments.value("--once").get());
            return;
        }
        List<Integer> sizes = list("--files", "10000,100000,500000").stream()
                .map(Integer::valueOf)
                .toList();
        if (arguments.has("--heap")) {
            new CommitHeap(folder, sides).measure(sizes);
            return;
        }
        var rows = new ArrayList<List<String>>();
        for (int size : sizes) {
            for (boolean partitioned : List.of(true, false)) {
                for (Work work : works(size, partitioned, sizes.get(0))) {
                    List<String> row = compare(table(size, partitioned), work);
                    rows.add(row);
                    System.err.println(String.join(" ", row));
                }
            }
        }
        var header = List.of(
                "files",
                "table",
                "commit",
                "calve ms",
                "peer ms",
                "wall",
                "cpu",
                "opened",
                "peer opened",
                "left",
                "peer left");
        var numeric = List.of(true, false, false, true, true, true, true, true, true, true, true);
        System.out.println(
                "Whole commits in turn. ms: medians; wall and cpu: calve / peer, cpu over all runs; opened: manifests "
                        + "read in one run; left: manifests of the new snapshot.");
        new TextTable(header, numeric, rows).lines().forEach(System.out::println);
    }

    private List<Work> works(int size, boolean partitioned, int smallest) {
        return list("--work", "remove-file,add-vector,append,remove-day,vectors,appends").stream()
                .map(Work::of)
                .filter(work -> work != Work.REMOVE_DAY || partitioned)
                .filter(work -> !work.isSequence() || (size == smallest && partitioned))
                .toList();
    }

    private List<String> list(String option, String otherwise) {
        return List.of(arguments.value(option).orElse(otherwise).split(",", -1));
    }

    private ManyFiles table(int size, boolean partitioned) throws IOException {
        return ManyFiles.at(folder.resolve("base-" + size + (partitioned ? "-days" : "")), size, partitioned);
    }

    /** What one side needed in the timed runs. */
    private static final class Times {
        private final List<Long> wallNanos = new ArrayList<>();
        private final List<Long> cpuNanos = new ArrayList<>();
        private int opened;
        private int left;
    }

    private List<String> compare(ManyFiles table, Work work) throws IOException {
        int warmup = arguments.number("--warmup", work.isSequence() ? 1 : 3);
        int runs = arguments.number("--runs", work.isSequence() ? 3 : 7);
        var times = List.of(new Times(), new Times());
        for (int run = 0; run < warmup + runs; run++) {
            for (int turn = 0; turn < 2; turn++) {
                int side = (run + turn) % 2;
                time(sides.get(side), table, work, run, run < warmup ? new Times() : times.get(side));
            }
        }
        Times calve = times.get(0);
        Times peer = times.get(1);
        return List.of(
                Integer.toString(table.files()),
                table.partitioned() ? "by day" : "unpartitioned",
                work.title() + (work.isSequence() ? " x " + arguments.number("--commits", 1000) : ""),
                millis(median(calve.wallNanos)),
                millis(median(peer.wallNanos)),
                ratio(median(calve.wallNanos), median(peer.wallNanos)),
                // Its clock ticks too slowly for one short commit.
                ratio(sum(calve.cpuNanos), sum(peer.cpuNanos)),
                Integer.toString(calve.opened),
                Integer.toString(peer.opened),
                Integer.toString(calve.left),
                Integer.toString(peer.left));
    }

    private void time(CommitSide side, ManyFiles table, Work work, int run, Times times) throws IOException {
        Path copy = folder.resolve(side.name());
        table.restoreTo(copy, arguments.has("--equal-compression"));
        // What the last run left must not be collected in the time of this one.
        System.gc();
        side.manifestsOpened();
        long cpu = SYSTEM.getProcessCpuTime();
        long start = System.nanoTime();
        perform(side, table, copy, work, Math.floorMod(run * STRIDE, table.files()));
        times.wallNanos.add(System.nanoTime() - start);
        times.cpuNanos.add(SYSTEM.getProcessCpuTime() - cpu);
        times.opened = side.manifestsOpened();
        times.left = side.manifests(copy);
    }

    private void perform(CommitSide side, ManyFiles table, Path copy, Work work, int file) throws IOException {
        int commits = arguments.number("--commits", 1000);
        switch (work) {
            case REMOVE_FILE -> side.removeFile(table, copy, file);
            case ADD_VECTOR -> side.addVector(table, copy, file);
            case APPEND -> side.append(table, copy, table.files() + file);
            case REMOVE_DAY -> side.removeDay(table, copy, table.dayOf(file));
            case VECTORS -> side.addVectors(table, copy, commits);
            case APPENDS -> {
                for (int i = 0; i < commits; i++) {
                    side.append(table, copy, table.files() + i);
                }
            }
        }
    }

    /** One commit in a process of its own, whose heap is somebody's experiment. */
    private void once(String what) throws IOException {
        String[] parts = what.split(":", -1);
        CommitSide side = sides.stream()
                .filter(one -> one.name().equals(parts[0]))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("There is no side '" + parts[0] + "'."));
        ManyFiles table = table(Integer.parseInt(parts[2]), Boolean.parseBoolean(parts[3]));
        Path copy = folder.resolve(side.name() + "-once");
        table.restoreTo(copy, false);
        perform(side, table, copy, Work.of(parts[1]), table.files() / 2);
    }

    private static long median(List<Long> values) {
        return values.stream().sorted().skip(values.size() / 2).findFirst().orElseThrow();
    }

    private static long sum(List<Long> values) {
        return values.stream().mapToLong(Long::longValue).sum();
    }

    private static String ratio(long ours, long theirs) {
        return String.format(Locale.ROOT, "%.2f", (double) ours / theirs);
    }

    private static String millis(long nanos) {
        return Long.toString(TimeUnit.NANOSECONDS.toMillis(nanos));
    }
}
