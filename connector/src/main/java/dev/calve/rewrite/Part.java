package dev.calve.rewrite;

import java.util.ArrayList;
import java.util.List;

/**
 * One row group of an output: the rows that stay of some neighbouring row groups of the sources.
 *
 * @param copied whether its chunks are copied; then it is one clean slice
 */
record Part(List<Slice> slices, boolean copied) {

    /** All their files are open at once. */
    private static final int MOST_SLICES = 256;

    Part {
        slices = List.copyOf(slices);
    }

    long rows() {
        return slices.stream().mapToLong(Slice::kept).sum();
    }

    long bytes() {
        return slices.stream().mapToLong(Slice::keptBytes).sum();
    }

    /**
     * Cuts the sources into row groups: clean slices are copied, others are joined with their neighbours up to the size of a
     * row group and encoded again.
     *
     * @param rowGroupBytes wanted size of a row group
     * @param joinSmall whether clean slices of less than a quarter of that are joined, too
     */
    static List<Part> of(List<Slice> slices, long rowGroupBytes, boolean joinSmall) {
        var parts = new ArrayList<Part>();
        var pending = new ArrayList<Slice>();
        long pendingBytes = 0;
        for (Slice slice : slices) {
            boolean alone = canCopy(slice) && !(joinSmall && slice.keptBytes() < rowGroupBytes / 4);
            boolean full = pendingBytes + slice.keptBytes() > rowGroupBytes || pending.size() == MOST_SLICES;
            if (!pending.isEmpty() && (alone || full)) {
                parts.add(joined(pending));
                pending.clear();
                pendingBytes = 0;
            }
            pending.add(slice);
            pendingBytes += slice.keptBytes();
            if (alone) {
                parts.add(joined(pending));
                pending.clear();
                pendingBytes = 0;
            }
        }
        if (!pending.isEmpty()) {
            parts.add(joined(pending));
        }
        return parts;
    }

    private static Part joined(List<Slice> slices) {
        return new Part(slices, slices.size() == 1 && canCopy(slices.get(0)));
    }

    private static boolean canCopy(Slice slice) {
        return slice.isClean() && slice.copyable();
    }
}
