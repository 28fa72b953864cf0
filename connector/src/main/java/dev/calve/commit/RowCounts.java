package dev.calve.commit;

import java.util.OptionalLong;

/**
 * How many rows a statement touched, exactly; what is not known exactly is empty. Goes into the snapshot's summary as {@code
 * calve.rows-deleted}, {@code -updated}, {@code -inserted} and {@code -copied}. A count of 0 is left out there, like any
 * other, and so is one that is not known.
 *
 * @param deleted rows that were live and are no more, updated ones not included
 * @param updated rows that were live and have new values
 * @param inserted rows that were not there before
 * @param copied rows written again as they were, because they shared a file with others
 * @param matchedAreDeleted whether the rows of files that leave by a {@link Removal.Matching} are deleted rows too. Which files
 *     these are is known only when the commit succeeds, so the commit adds them to {@code deleted}, if it can count them
 */
public record RowCounts(
        OptionalLong deleted,
        OptionalLong updated,
        OptionalLong inserted,
        OptionalLong copied,
        boolean matchedAreDeleted) {

    private static final RowCounts NONE =
            new RowCounts(OptionalLong.of(0), OptionalLong.of(0), OptionalLong.of(0), OptionalLong.of(0), false);

    private static final RowCounts UNKNOWN = new RowCounts(
            OptionalLong.empty(), OptionalLong.empty(), OptionalLong.empty(), OptionalLong.empty(), false);

    public RowCounts {
        for (OptionalLong count : new OptionalLong[] {deleted, updated, inserted, copied}) {
            if (count.orElse(0) < 0) {
                throw new IllegalArgumentException(
                        "A number of rows must be 0 or more, not " + count.getAsLong() + ".");
            }
        }
    }

    /** Nothing is known. */
    public static RowCounts unknown() {
        return UNKNOWN;
    }

    /** No row was touched; to be filled by the {@code with} methods. */
    public static RowCounts none() {
        return NONE;
    }

    public RowCounts withDeleted(OptionalLong rows) {
        return new RowCounts(rows, updated, inserted, copied, matchedAreDeleted);
    }

    public RowCounts withUpdated(OptionalLong rows) {
        return new RowCounts(deleted, rows, inserted, copied, matchedAreDeleted);
    }

    public RowCounts withInserted(OptionalLong rows) {
        return new RowCounts(deleted, updated, rows, copied, matchedAreDeleted);
    }

    public RowCounts withCopied(OptionalLong rows) {
        return new RowCounts(deleted, updated, inserted, rows, matchedAreDeleted);
    }

    /** The same, with the rows of files that leave by a {@link Removal.Matching} to be counted as deleted. */
    public RowCounts withMatchedDeleted() {
        return new RowCounts(deleted, updated, inserted, copied, true);
    }
}
