package dev.calve.it;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.LongStream;

/** Statements that end in the middle, each as it differs from the others on its way to the commit. */
@SuppressWarnings("ImmutableEnumChecker") // The maps are immutable.
enum CrashKind {

    /** Two data files, one in a partition without a folder; the commit deletes the metadata file its log has no room for. */
    APPEND(
            2,
            Map.of("write.metadata.previous-versions-max", "2", "write.metadata.delete-after-commit.enabled", "true")),

    /** Vectors for three files, two of which have one. */
    DELETE_VECTORS(3, Map.of()),

    /** The same by position delete files. */
    DELETE_POSITIONS(2, Map.of()),

    /** Two files are written again, one of them with its vector applied, and one file of new rows. */
    MERGE_COPY_ON_WRITE(3, Map.of()),

    /** A file goes, and its vector with it. */
    DELETE_WHOLE_FILE(3, Map.of()),

    /** An append that makes one manifest of those there are. */
    APPEND_AND_MERGE_MANIFESTS(3, Map.of("commit.manifest.min-count-to-merge", "2")),

    /** No snapshot; the new properties shorten the log of metadata, and the commit deletes what falls out. */
    CHANGE_METADATA(2, Map.of("write.metadata.delete-after-commit.enabled", "true")),

    /** Somebody else appends between load and publication: the list of the first attempt is cleaned up. */
    APPEND_AFTER_LOST_RACE(2, Map.of("commit.retry.min-wait-ms", "1")),

    /** Somebody else deletes another row of the same file: the rows are settled again, the first vectors are cleaned up. */
    DELETE_SETTLED_AGAIN(3, Map.of("commit.retry.min-wait-ms", "1")),

    /** Somebody else deletes a row that this one updates: it is refused, and everything it wrote is cleaned up. */
    MERGE_REFUSED(3, Map.of("commit.retry.min-wait-ms", "1"));

    /** What {@link #CHANGE_METADATA} sets. */
    static final Map<String, String> CHANGED = Map.of("changed", "yes", "write.metadata.previous-versions-max", "1");

    private static final Set<Long> GOING = Set.of(5L, 15L, 25L);

    /** The row {@link #next} deletes. */
    static final long NEXT_ROW = 33;

    final int formatVersion;
    private final Map<String, String> properties;

    CrashKind(int formatVersion, Map<String, String> properties) {
        this.formatVersion = formatVersion;
        this.properties = properties;
    }

    /** Whether somebody else commits while it runs. */
    boolean meetsWinner() {
        return this == APPEND_AFTER_LOST_RACE || this == DELETE_SETTLED_AGAIN || isRefused();
    }

    /** Whether somebody else makes it fail. */
    boolean isRefused() {
        return this == MERGE_REFUSED;
    }

    /** Makes a table of four data files in four partitions, two of them with a deleted row. */
    void prepare(CoreTable table) throws IOException {
        var all = new HashMap<>(properties);
        all.put("kind", name());
        table.create(formatVersion, all);
        statement(table).append(10, 0, 10);
        statement(table).append(10, 20, 30);
        statement(table).delete(Set.of(3L, 23L));
    }

    private static CoreStatement statement(CoreTable table) throws IOException {
        return new CoreStatement(table, UUID.randomUUID());
    }

    static Set<Long> rowsBefore() {
        var ids = new TreeSet<Long>();
        LongStream.range(0, 40).filter(id -> id != 3 && id != 23).forEach(ids::add);
        return ids;
    }

    /** The rows if the statement succeeds and nobody else does anything. */
    Set<Long> rowsAfter() {
        Set<Long> ids = rowsBefore();
        switch (this) {
            case APPEND, APPEND_AND_MERGE_MANIFESTS, APPEND_AFTER_LOST_RACE ->
                LongStream.of(40, 41, 42, 100, 101, 102).forEach(ids::add);
            case DELETE_VECTORS, DELETE_POSITIONS, DELETE_SETTLED_AGAIN -> ids.removeAll(GOING);
            case MERGE_COPY_ON_WRITE, MERGE_REFUSED -> {
                ids.removeAll(GOING);
                LongStream.of(200, 201, 202).forEach(ids::add);
            }
            case DELETE_WHOLE_FILE -> ids.removeIf(id -> id < 10);
            case CHANGE_METADATA -> {}
        }
        return ids;
    }

    /**
     * Runs the statement to its end.
     *
     * @throws dev.calve.commit.CommitConflictException if it is refused
     */
    void run(CoreTable table, UUID statementId) throws IOException {
        var statement = new CoreStatement(table, statementId);
        switch (this) {
            case APPEND, APPEND_AND_MERGE_MANIFESTS, APPEND_AFTER_LOST_RACE -> statement.append(3, 40, 100);
            case DELETE_VECTORS, DELETE_POSITIONS, DELETE_SETTLED_AGAIN -> statement.delete(GOING);
            case MERGE_COPY_ON_WRITE -> statement.merge(GOING, true, 3, 200);
            case MERGE_REFUSED -> statement.merge(GOING, false, 3, 200);
            case DELETE_WHOLE_FILE -> statement.delete(Set.of(0L, 1L, 2L, 4L, 5L, 6L, 7L, 8L, 9L));
            case CHANGE_METADATA -> statement.set(CHANGED);
        }
    }

    /** What somebody else commits while it runs. */
    void win(CoreTable table) throws IOException {
        switch (this) {
            case APPEND_AFTER_LOST_RACE -> statement(table).append(1, 500);
            case DELETE_SETTLED_AGAIN -> statement(table).delete(Set.of(7L));
            case MERGE_REFUSED -> statement(table).delete(Set.of(5L));
            default -> throw new IllegalStateException(this + " meets nobody.");
        }
    }

    /** Does to the rows what {@link #win} does, if it does anything. */
    void addWinner(Set<Long> ids) {
        switch (this) {
            case APPEND_AFTER_LOST_RACE -> ids.add(500L);
            case DELETE_SETTLED_AGAIN -> ids.remove(7L);
            case MERGE_REFUSED -> ids.remove(5L);
            default -> {}
        }
    }

    /** Deletes a row that no kind touches. */
    static void next(CoreTable table) throws IOException {
        statement(table).delete(Set.of(NEXT_ROW));
    }
}
