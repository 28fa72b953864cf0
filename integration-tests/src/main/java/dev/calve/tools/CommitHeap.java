package dev.calve.tools;

import java.io.IOException;
import java.lang.ref.Reference;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** Measures the heap of planning and committing: what a planned file keeps, and the smallest heap a commit works with. */
final class CommitHeap {

    private static final long MEBIBYTE = 1024L * 1024;
    private static final int MOST_MEBIBYTES = 2048;
    private static final int STEP_MEBIBYTES = 4;

    /** A heap that leaves nearly all time to the collector is not one that works. */
    private static final long PATIENCE_SECONDS = 60;

    private final Path folder;
    private final List<CommitSide> sides;

    CommitHeap(Path folder, List<CommitSide> sides) {
        this.folder = folder;
        this.sides = sides;
    }

    void measure(List<Integer> sizes) throws IOException, InterruptedException {
        var rows = new ArrayList<List<String>>();
        for (int size : sizes) {
            var table = ManyFiles.at(folder.resolve("base-" + size), size, false);
            var row = new ArrayList<String>();
            row.add(Integer.toString(size));
            for (CommitSide side : sides) {
                row.add(String.format(Locale.ROOT, "%d", bytesPerFile(table, side)));
            }
            for (String work : List.of("remove-file", "append")) {
                for (CommitSide side : sides) {
                    row.add(Integer.toString(smallestHeap(side, work, size)));
                }
            }
            rows.add(row);
        }
        System.out.println(
                "Bytes a planned file keeps with all its statistics; smallest -Xmx in MiB, unpartitioned table.");
        new TextTable(
                        List.of("files", "calve B", "peer B", "remove-file", "peer", "append", "peer"),
                        List.of(true, true, true, true, true, true, true),
                        rows)
                .lines()
                .forEach(System.out::println);
    }

    private long bytesPerFile(ManyFiles table, CommitSide side) throws IOException {
        Path copy = folder.resolve(side.name());
        table.restoreTo(copy, false);
        side.plan(table, copy);
        long before = used();
        Object kept = side.plan(table, copy);
        try {
            return (used() - before) / table.files();
        } finally {
            Reference.reachabilityFence(kept);
        }
    }

    private static long used() {
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        Runtime runtime = Runtime.getRuntime();
        return runtime.totalMemory() - runtime.freeMemory();
    }

    private int smallestHeap(CommitSide side, String work, int size) throws IOException, InterruptedException {
        int fails = 0;
        int works = MOST_MEBIBYTES;
        while (works - fails > STEP_MEBIBYTES) {
            int middle = (works + fails) / 2;
            if (works(side.name() + ":" + work + ":" + size + ":false", middle)) {
                works = middle;
            } else {
                fails = middle;
            }
        }
        return works;
    }

    private boolean works(String once, int heapMebibytes) throws IOException, InterruptedException {
        var command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx" + heapMebibytes * MEBIBYTE,
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                CommitBench.class.getName(),
                "--once",
                once,
                "--dir",
                folder.toString());
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            process.destroyForcibly().waitFor();
            return false;
        }
        return process.exitValue() == 0;
    }
}
