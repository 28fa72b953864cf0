package dev.calve.deletes;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Collects the (path, position) pairs of position-delete files into one set per data file. Pairs may come in any order;
 * those that come sorted by path, as the format wants it, cost no look-up per row. Not safe for use by several threads.
 */
public final class PositionsByFile {

    private final Map<String, PositionBitmap> byPath = new LinkedHashMap<>();
    private @Nullable String lastPath;
    private @Nullable PositionBitmap last;

    /**
     * Adds one deleted row.
     *
     * @throws IllegalArgumentException if the position is out of range
     */
    public void add(String path, long position) {
        if (last == null || !path.equals(lastPath)) {
            last = byPath.computeIfAbsent(path, unused -> new PositionBitmap());
            lastPath = path;
        }
        last.add(position);
    }

    /** The deleted rows of a data file, if there are any; the path is compared as a string. */
    public Optional<PositionBitmap> of(String path) {
        return Optional.ofNullable(byPath.get(path));
    }

    /** All data files with deleted rows, in order of appearance. */
    public Map<String, PositionBitmap> asMap() {
        return Collections.unmodifiableMap(byPath);
    }
}
