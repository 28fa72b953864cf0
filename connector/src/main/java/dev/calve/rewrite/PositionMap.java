package dev.calve.rewrite;

import dev.calve.deletes.PositionBitmap;
import dev.calve.deletes.PositionCursor;
import dev.calve.manifest.DataFile;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Where the rows of rewritten files went: (source, position) to (output, position), nothing for rows that did not survive.
 * Immutable. Memory: 28 bytes per run of rows that stayed neighbours, whatever the number of rows.
 */
public final class PositionMap {

    private final Map<String, Runs> bySource;
    private final Map<String, Long> rowsByOutput;

    private PositionMap(Map<String, Runs> bySource, Map<String, Long> rowsByOutput) {
        this.bySource = bySource;
        this.rowsByOutput = rowsByOutput;
    }

    public static Builder builder() {
        return new Builder();
    }

    /**
     * The map of a rewrite that keeps all rows that stay in their order: those of the first source come first, the first ones in
     * the first output. Cost: per run of rows that stayed neighbours.
     *
     * @throws IllegalArgumentException if the outputs do not have as many rows as stay
     */
    public static PositionMap inOrder(List<Source> sources, List<DataFile> outputs) {
        var map = builder();
        int output = 0;
        long to = 0;
        for (Source source : sources) {
            map.source(source.path());
            PositionCursor gone = source.gone().cursor();
            long rows = source.entry().file().recordCount();
            for (long position = 0; position < rows; ) {
                long next = gone.seek(position);
                long stop = next == PositionCursor.NONE ? rows : Math.min(next, rows);
                while (position < stop) {
                    while (output < outputs.size() && to == outputs.get(output).recordCount()) {
                        output++;
                        to = 0;
                    }
                    if (output == outputs.size()) {
                        throw new IllegalArgumentException("All rows that stay must be in " + outputs.size()
                                + " files, but not row " + position + " of " + source.path() + ".");
                    }
                    DataFile file = outputs.get(output);
                    long count = Math.min(stop - position, file.recordCount() - to);
                    map.addRun(source.path(), position, count, file.path(), to);
                    position += count;
                    to += count;
                }
                position = stop + 1;
            }
        }
        boolean whole = output == outputs.size()
                || (output == outputs.size() - 1 && to == outputs.get(output).recordCount());
        if (!whole) {
            throw new IllegalArgumentException("All rows of the new files must have a source, but not row " + to
                    + " of " + outputs.get(output).path() + ".");
        }
        return map.build();
    }

    /** Paths of all sources, those without survivors too. */
    public Set<String> sources() {
        return Set.copyOf(bySource.keySet());
    }

    /**
     * Paths of the outputs that hold rows of a source.
     *
     * @throws IllegalArgumentException if the source is not in the map
     */
    public Set<String> outputsOf(String source) {
        Runs runs = runsOf(source);
        return Arrays.stream(runs.output)
                .distinct()
                .mapToObj(runs.outputs::get)
                .collect(Collectors.toUnmodifiableSet());
    }

    /** Rows that went to an output; 0 for a path that is none. */
    public long rowsOf(String output) {
        return rowsByOutput.getOrDefault(output, 0L);
    }

    /**
     * Where rows of a source are now. Cost: per position of a survivor, logarithmic in the runs of the source; gaps are skipped.
     *
     * @return positions by path of the output; outputs that hold none of the rows are missing
     * @throws IllegalArgumentException if the source is not in the map: its rows must not be taken for gone
     */
    public Map<String, PositionBitmap> map(String source, PositionBitmap positions) {
        Runs runs = runsOf(source);
        var mapped = new HashMap<String, PositionBitmap>();
        var cursor = positions.cursor();
        int run = 0;
        long next = cursor.seek(0);
        while (next != PositionCursor.NONE) {
            run = runs.atOrAfter(next, run);
            if (run == runs.size) {
                break;
            }
            if (next < runs.from[run]) {
                next = cursor.seek(runs.from[run]);
                continue;
            }
            mapped.computeIfAbsent(runs.outputs.get(runs.output[run]), path -> new PositionBitmap())
                    .add(runs.to[run] + (next - runs.from[run]));
            next = cursor.seek(next + 1);
        }
        return mapped;
    }

    private Runs runsOf(String source) {
        return Optional.ofNullable(bySource.get(source))
                .orElseThrow(() -> new IllegalArgumentException("Data file must be a source of the rewrite, but "
                        + source + " is none of its " + bySource.size() + " sources."));
    }

    /** Runs of one source, ascending and without overlap. */
    private static final class Runs {
        private final List<String> outputs;
        private long[] from = new long[4];
        private long[] length = new long[4];
        private long[] to = new long[4];
        private int[] output = new int[4];
        private int size;

        Runs(List<String> outputs) {
            this.outputs = outputs;
        }

        /** The first run from {@code least} on that ends behind the position. */
        int atOrAfter(long position, int least) {
            if (least < size && position < from[least] + length[least]) {
                return least;
            }
            int found = Arrays.binarySearch(from, least, size, position);
            int run = found >= 0 ? found : -found - 2;
            return run >= least && position < from[run] + length[run] ? run : run + 1;
        }

        void add(String source, long first, long count, int target, long at) {
            if (size > 0) {
                int last = size - 1;
                if (first < from[last] + length[last]) {
                    throw new IllegalArgumentException("Rows of source " + source + " must ascend, but position "
                            + first + " follows " + (from[last] + length[last] - 1) + ".");
                }
                boolean continues = first == from[last] + length[last] && at == to[last] + length[last];
                if (target == output[last] && continues) {
                    length[last] += count;
                    return;
                }
            }
            if (size == from.length) {
                from = Arrays.copyOf(from, size * 2);
                length = Arrays.copyOf(length, size * 2);
                to = Arrays.copyOf(to, size * 2);
                output = Arrays.copyOf(output, size * 2);
            }
            from[size] = first;
            length[size] = count;
            to[size] = at;
            output[size++] = target;
        }

        /** A copy without spare room. */
        Runs trimmed() {
            var copy = new Runs(outputs);
            copy.from = Arrays.copyOf(from, size);
            copy.length = Arrays.copyOf(length, size);
            copy.to = Arrays.copyOf(to, size);
            copy.output = Arrays.copyOf(output, size);
            copy.size = size;
            return copy;
        }
    }

    /** Collects rows as a rewrite moves them: sources in any order, the rows of each source ascending. For one thread. */
    public static final class Builder {

        private final Map<String, Runs> bySource = new LinkedHashMap<>();
        private final Map<String, Integer> numbers = new HashMap<>();
        private final List<String> outputs = new ArrayList<>();

        private Builder() {}

        /** Names a source, which may turn out to have no survivors. */
        public Builder source(String path) {
            bySource.computeIfAbsent(path, key -> new Runs(outputs));
            return this;
        }

        /**
         * A row moved.
         *
         * @throws IllegalArgumentException if a later row of the source has moved already
         */
        public Builder add(String source, long position, String output, long outputPosition) {
            return addRun(source, position, 1, output, outputPosition);
        }

        /**
         * Neighbours moved and stayed neighbours.
         *
         * @param count of rows, at least 1
         * @throws IllegalArgumentException if the first or a later row of the source has moved already
         */
        public Builder addRun(String source, long position, long count, String output, long outputPosition) {
            if (count < 1 || position < 0 || outputPosition < 0) {
                throw new IllegalArgumentException("A run must have a row and positions from 0 on, not " + count
                        + " rows from " + position + " to " + outputPosition + ".");
            }
            int number = numbers.computeIfAbsent(output, path -> {
                outputs.add(path);
                return outputs.size() - 1;
            });
            source(source);
            Objects.requireNonNull(bySource.get(source)).add(source, position, count, number, outputPosition);
            return this;
        }

        /**
         * Completes the map. Cost: sorts the runs.
         *
         * @throws IllegalArgumentException if two rows went to one position, or rows of a source changed their order within an
         *     output
         */
        public PositionMap build() {
            var all = new ArrayList<Run>();
            var trimmed = new LinkedHashMap<String, Runs>();
            bySource.forEach((source, runs) -> {
                requireOrder(source, runs);
                for (int i = 0; i < runs.size; i++) {
                    all.add(new Run(runs.output[i], runs.to[i], runs.length[i]));
                }
                trimmed.put(source, runs.trimmed());
            });
            all.sort(Comparator.comparingInt(Run::output).thenComparingLong(Run::to));
            var rows = new HashMap<String, Long>();
            for (int i = 0; i < all.size(); i++) {
                Run run = all.get(i);
                String output = outputs.get(run.output());
                if (i > 0
                        && all.get(i - 1).output() == run.output()
                        && all.get(i - 1).end() > run.to()) {
                    throw new IllegalArgumentException("A row of output " + output
                            + " must have one source, but position " + run.to() + " has two.");
                }
                rows.merge(output, run.length(), Long::sum);
            }
            return new PositionMap(trimmed, rows);
        }

        private record Run(int output, long to, long length) {
            long end() {
                return to + length;
            }
        }

        private void requireOrder(String source, Runs runs) {
            var ends = new long[outputs.size()];
            for (int i = 0; i < runs.size; i++) {
                int output = runs.output[i];
                if (runs.to[i] < ends[output]) {
                    throw new IllegalArgumentException("Rows of source " + source + " must keep their order in output "
                            + outputs.get(output) + ", but position " + runs.from[i] + " went to " + runs.to[i]
                            + ", before row " + (ends[output] - 1) + ".");
                }
                ends[output] = runs.to[i] + runs.length[i];
            }
        }
    }
}
