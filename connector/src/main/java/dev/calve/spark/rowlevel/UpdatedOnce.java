package dev.calve.spark.rowlevel;

import dev.calve.deletes.PositionBitmap;
import dev.calve.spark.wire.RowsChanged;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * What the tasks of a statement did to the rows of its table, by file. A row that is updated must be updated once and not
 * deleted besides: otherwise it came back twice, whatever made Spark hand it over twice. A row may be deleted several times.
 */
final class UpdatedOnce {

    private final Map<String, RowsChanged.Fragment> files = new LinkedHashMap<>();

    /** Adds what one task did. The fragment must not be changed afterwards. */
    void add(RowsChanged.Fragment fragment) {
        RowsChanged.Fragment known = files.putIfAbsent(fragment.path(), fragment);
        if (known == null) {
            return;
        }
        long updates = known.updated().cardinality() + fragment.updated().cardinality();
        known.deleted().or(fragment.deleted());
        known.updated().or(fragment.updated());
        check(known.path(), known.deleted(), known.updated(), updates);
    }

    /** Rows that go, by file; not to be changed, because they are not copied where rows of one kind go. */
    Map<String, PositionBitmap> going() {
        var going = new LinkedHashMap<String, PositionBitmap>();
        files.forEach((path, file) -> going.put(path, going(file)));
        return going;
    }

    private static PositionBitmap going(RowsChanged.Fragment file) {
        if (file.updated().isEmpty()) {
            return file.deleted();
        }
        return file.deleted().isEmpty() ? file.updated() : PositionBitmap.union(file.deleted(), file.updated());
    }

    /** How many rows go and come back. */
    long updated() {
        return files.values().stream()
                .mapToLong(file -> file.updated().cardinality())
                .sum();
    }

    /**
     * Checks the rows of one file.
     *
     * @param updates how often a row of the file was updated
     * @throws IllegalStateException naming a row that was changed more than once
     */
    static void check(String path, PositionBitmap deleted, PositionBitmap updated, long updates) {
        Optional<String> problem = Optional.empty();
        if (updated.cardinality() != updates) {
            problem = Optional.of((updates - updated.cardinality()) + " updates change a row another one changed");
        } else if (deleted.intersects(updated)) {
            var both = deleted.copy();
            both.and(updated);
            problem = Optional.of("the row at position " + both.first() + " is both updated and deleted");
        }
        problem.ifPresent(what -> {
            throw new IllegalStateException("A row must be changed once by a statement, but of " + path + " " + what
                    + ". Does the source of the statement give other rows each time it is read? Save it first.");
        });
    }
}
