package dev.calve.rowdelete;

/**
 * From which share of deleted rows on a data file is written again, instead of getting deletes beside it: copy-on-write, merge-on-read,
 * or, file by file, one or the other.
 *
 * @param share of the file's rows, those deleted before included; 0 for always, more than 1 for never
 */
public record RewriteFrom(double share) {

    /** Copy-on-write. */
    public static final RewriteFrom ALWAYS = new RewriteFrom(0);

    /** Merge-on-read. */
    public static final RewriteFrom NEVER = new RewriteFrom(Double.MAX_VALUE);

    public RewriteFrom {
        if (!(share >= 0)) {
            throw new IllegalArgumentException("A share must be 0 or more, not " + share + ".");
        }
    }

    /**
     * Whether a file is written again.
     *
     * @param gone its rows that are deleted, now or before
     * @param rows all its rows, at least one
     */
    public boolean covers(long gone, long rows) {
        return gone >= share * rows;
    }

    /** Whether any file can be written again. */
    public boolean isPossible() {
        return share <= 1;
    }
}
