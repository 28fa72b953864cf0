package dev.calve.spark.read;

/**
 * What reading a file, or several, took so far. Immutable.
 *
 * @param rowGroupsRead row groups of which something was or will be read
 * @param rowGroupsSkipped row groups left out because no row of them matters: ruled out by the filter, or all deleted
 * @param rowsSkipped rows left out by the page index in row groups that are read; rows of skipped row groups do not count
 * @param filesDecodedByRows files with an encoding that Spark's vectorized reader refuses, decoded value by value
 * @param bytesRead bytes asked of the storage
 * @param requests ranged reads asked of the storage
 */
public record ReadCounters(
        long rowGroupsRead,
        long rowGroupsSkipped,
        long rowsSkipped,
        long filesDecodedByRows,
        long bytesRead,
        long requests) {

    public static final ReadCounters NONE = new ReadCounters(0, 0, 0, 0, 0, 0);

    /** Of both together. */
    public ReadCounters plus(ReadCounters other) {
        return new ReadCounters(
                rowGroupsRead + other.rowGroupsRead,
                rowGroupsSkipped + other.rowGroupsSkipped,
                rowsSkipped + other.rowsSkipped,
                filesDecodedByRows + other.filesDecodedByRows,
                bytesRead + other.bytesRead,
                requests + other.requests);
    }
}
