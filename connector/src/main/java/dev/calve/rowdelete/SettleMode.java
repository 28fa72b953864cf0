package dev.calve.rowdelete;

/** How positions that go are recorded when some rows of the file stay. */
public enum SettleMode {
    /** A deletion vector (format version 3). */
    VECTOR,
    /** A position delete file per data file (format version 2). */
    POSITION_FILE,
    /** A new data file with the rows that stay. */
    REWRITE
}
