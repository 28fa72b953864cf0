package dev.calve.rowdelete;

/** How positions that go are recorded when some rows of the file stay. */
public enum SettleMode {
    /** A deletion vector (format version 3). */
    VECTOR,
    /** A position delete file, for one data file or several of a partition (format version 2). */
    POSITION_FILE,
    /** A new data file with the rows that stay. */
    REWRITE;

    /**
     * How deletes beside a data file are written in a table.
     *
     * @throws IllegalArgumentException for version 1, which has no such deletes
     */
    public static SettleMode inPlace(int formatVersion) {
        if (formatVersion == 1) {
            throw new IllegalArgumentException("Deletes beside a data file need format version 2 or 3, not 1.");
        }
        return formatVersion == 2 ? POSITION_FILE : VECTOR;
    }
}
