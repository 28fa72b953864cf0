package dev.calve.tools;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

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
            return BenchCommand.title(this);
        }

        static Work of(String title) {
            return Arrays.stream(values())
                    .filter(work -> work.title().equals(title))
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException("There is no work '" + title + "'; see --help."));
        }
    }

    public static void main(String[] arguments) {
        var command = new BenchCommand(
                HELP,
                Set.of("--files", "--work", "--runs", "--warmup", "--commits", "--once"),
                Set.of("--heap", "--equal-compression"));
        System.exit(command.run(arguments, (parsed, folder) -> new CommitBench(parsed, folder).run()));
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

    /** Manifests that one side read in its last run, and that its snapshot has then. */
    private record Manifests(int opened, int left) {}

    private List<String> compare(ManyFiles table, Work work) throws IOException {
        var manifests = new HashMap<CommitSide, Manifests>();
        Map<CommitSide, Times> times = Times.inTurn(
                sides,
                arguments.number("--warmup", work.isSequence() ? 1 : 3),
                arguments.number("--runs", work.isSequence() ? 3 : 7),
                (side, run, ofSide) -> {
                    Path copy = folder.resolve(side.name());
                    table.restoreTo(copy, arguments.has("--equal-compression"));
                    side.manifestsOpened();
                    ofSide.add(1, () -> perform(side, table, copy, work, Math.floorMod(run * STRIDE, table.files())));
                    manifests.put(side, new Manifests(side.manifestsOpened(), side.manifests(copy)));
                });
        Times calve = Objects.requireNonNull(times.get(sides.get(0)));
        Times peer = Objects.requireNonNull(times.get(sides.get(1)));
        Manifests ofCalve = Objects.requireNonNull(manifests.get(sides.get(0)));
        Manifests ofPeer = Objects.requireNonNull(manifests.get(sides.get(1)));
        return List.of(
                Integer.toString(table.files()),
                table.partitioned() ? "by day" : "unpartitioned",
                work.title() + (work.isSequence() ? " x " + arguments.number("--commits", 1000) : ""),
                Times.millis(Times.median(calve.wallNanos())),
                Times.millis(Times.median(peer.wallNanos())),
                Times.ratio(Times.median(calve.wallNanos()), Times.median(peer.wallNanos())),
                // Its clock ticks too slowly for one short commit.
                Times.ratio(Times.sum(calve.cpuNanos()), Times.sum(peer.cpuNanos())),
                Integer.toString(ofCalve.opened()),
                Integer.toString(ofPeer.opened()),
                Integer.toString(ofCalve.left()),
                Integer.toString(ofPeer.left()));
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
}
