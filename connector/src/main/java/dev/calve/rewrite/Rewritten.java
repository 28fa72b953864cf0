package dev.calve.rewrite;

import dev.calve.manifest.DataFile;
import java.util.List;

/**
 * The outcome of a rewrite.
 *
 * @param sources as they were handed in
 * @param files the new ones in the order of their rows; none if no row stayed. Without first row ids: these come with a commit
 */
public record Rewritten(List<Source> sources, List<DataFile> files, RewriteCounts counts) {

    public Rewritten {
        sources = List.copyOf(sources);
        files = List.copyOf(files);
        long expected = sources.stream().mapToLong(Rewritten::kept).sum();
        long written = files.stream().mapToLong(DataFile::recordCount).sum();
        if (written != expected) {
            throw new IllegalStateException("The new files of " + sources.get(0).path() + " and others must have "
                    + expected + " rows, not " + written + ".");
        }
    }

    private static long kept(Source source) {
        long rows = source.entry().file().recordCount();
        return rows - source.gone().cardinalityInRange(0, rows);
    }

    /** Where the rows are now. Cost: per run of rows that stayed neighbours. */
    public PositionMap positions() {
        return PositionMap.inOrder(sources, files);
    }
}
