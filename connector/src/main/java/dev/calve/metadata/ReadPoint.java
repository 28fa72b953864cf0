package dev.calve.metadata;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Which state of a table a query asks for. {@code toString} completes "Cannot read t …".
 *
 * <p>The head of a branch is read with the table's current schema, because a branch goes on with the table; a snapshot that
 * is asked for by its id, a time or a tag is read with the schema it was written with, because it is to look as it did then.
 */
public sealed interface ReadPoint {

    /** Errors name at most this many of what there is. */
    int SHOWN = 20;

    /** The head of {@code main}. */
    record Current() implements ReadPoint {
        @Override
        public ReadState in(TableMetadata metadata, String table) {
            return new ReadState(this, metadata.currentSnapshot(), metadata.schema(), false);
        }

        @Override
        public String besidesId() {
            return "";
        }

        @Override
        public String toString() {
            return "as it is now";
        }
    }

    /** A snapshot by its id. */
    record AtSnapshot(long id) implements ReadPoint {
        @Override
        public ReadState in(TableMetadata metadata, String table) {
            Snapshot snapshot = metadata.snapshot(id)
                    .orElseThrow(() -> unknown(table, this, "its snapshots are " + snapshots(metadata)));
            return past(this, metadata, snapshot);
        }

        @Override
        public String besidesId() {
            return "";
        }

        @Override
        public String toString() {
            return "at snapshot " + id;
        }
    }

    /**
     * What was the head of {@code main} at a time, by the table's snapshot log.
     *
     * @param millis epoch milliseconds; a snapshot that became current then is included
     */
    record AsOf(long millis) implements ReadPoint {
        @Override
        public ReadState in(TableMetadata metadata, String table) {
            List<TableMetadata.SnapshotLogEntry> log = metadata.snapshotLog();
            long found = log.stream()
                    .filter(entry -> entry.timestampMillis() <= millis)
                    .reduce((earlier, later) -> later)
                    .map(TableMetadata.SnapshotLogEntry::snapshotId)
                    .orElseThrow(() -> unknown(
                            table,
                            this,
                            log.isEmpty()
                                    ? "no snapshot was ever current in it"
                                    : "the oldest state it remembers is of "
                                            + time(log.get(0).timestampMillis())));
            Snapshot snapshot = metadata.snapshot(found)
                    .orElseThrow(() -> unknown(
                            table,
                            this,
                            "snapshot " + found + ", which was current then, was expired; its snapshots are "
                                    + snapshots(metadata)));
            return past(this, metadata, snapshot);
        }

        @Override
        public String toString() {
            return "as of " + time(millis);
        }
    }

    /** The head of a branch; that of {@code main} may be missing. */
    record OfBranch(String name) implements ReadPoint {
        @Override
        public ReadState in(TableMetadata metadata, String table) {
            if (name.equals(SnapshotRef.MAIN)) {
                return new ReadState(this, metadata.currentSnapshot(), metadata.schema(), false);
            }
            Snapshot head = ref(metadata, name, SnapshotRef.Kind.BRANCH)
                    .orElseThrow(() -> unknown(table, this, refs(metadata)));
            return new ReadState(this, Optional.of(head), metadata.schema(), false);
        }

        @Override
        public String toString() {
            return "of branch '" + name + "'";
        }
    }

    /** The snapshot of a tag. */
    record AtTag(String name) implements ReadPoint {
        @Override
        public ReadState in(TableMetadata metadata, String table) {
            return past(
                    this,
                    metadata,
                    ref(metadata, name, SnapshotRef.Kind.TAG).orElseThrow(() -> unknown(table, this, refs(metadata))));
        }

        @Override
        public String toString() {
            return "at tag '" + name + "'";
        }
    }

    /** The id of a snapshot or, if there is none with that id, the name of a branch or tag. */
    record Version(String text) implements ReadPoint {
        @Override
        public ReadState in(TableMetadata metadata, String table) {
            ReadPoint meant = snapshotId(metadata)
                    .or(() -> named(metadata))
                    .orElseThrow(
                            () -> unknown(table, this, refs(metadata) + "; its snapshots are " + snapshots(metadata)));
            return meant.in(metadata, table).askedForAs(this);
        }

        private Optional<ReadPoint> snapshotId(TableMetadata metadata) {
            try {
                long id = Long.parseLong(text);
                return metadata.snapshot(id).map(snapshot -> new AtSnapshot(id));
            } catch (NumberFormatException e) {
                return Optional.empty();
            }
        }

        private Optional<ReadPoint> named(TableMetadata metadata) {
            if (text.equals(SnapshotRef.MAIN)) {
                return Optional.of(new OfBranch(text));
            }
            return Optional.ofNullable(metadata.refs().get(text))
                    .map(ref -> ref.kind() == SnapshotRef.Kind.BRANCH ? new OfBranch(text) : new AtTag(text));
        }

        @Override
        public String toString() {
            return "at version '" + text + "'";
        }
    }

    /**
     * The state that is meant, in a table as it is now.
     *
     * @param table name for messages
     * @throws IllegalArgumentException if the table has no such state; names those it has
     */
    ReadState in(TableMetadata metadata, String table);

    /** What a plan says after the id of the snapshot that was found: {@code " at tag 'x'"}; empty if the id says it all. */
    default String besidesId() {
        return " " + this;
    }

    private static ReadState past(ReadPoint point, TableMetadata metadata, Snapshot snapshot) {
        // Writers of version 1 need not say which schema a snapshot has.
        var schema = snapshot.schemaId().isPresent()
                ? metadata.schema(snapshot.schemaId().getAsInt())
                : metadata.schema();
        return new ReadState(point, Optional.of(snapshot), schema, true);
    }

    private static Optional<Snapshot> ref(TableMetadata metadata, String name, SnapshotRef.Kind kind) {
        return Optional.ofNullable(metadata.refs().get(name))
                .filter(ref -> ref.kind() == kind)
                .flatMap(ref -> metadata.snapshot(ref.snapshotId()));
    }

    private static IllegalArgumentException unknown(String table, ReadPoint point, String known) {
        return new IllegalArgumentException("Cannot read " + table + " " + point + ": there is no such state; " + known
                + ". Ask for one of these, or for none to read the newest rows.");
    }

    private static String refs(TableMetadata metadata) {
        return "its branches are " + named(metadata, SnapshotRef.Kind.BRANCH) + ", its tags "
                + named(metadata, SnapshotRef.Kind.TAG);
    }

    private static List<String> named(TableMetadata metadata, SnapshotRef.Kind kind) {
        return metadata.refs().entrySet().stream()
                .filter(entry -> entry.getValue().kind() == kind)
                .map(Map.Entry::getKey)
                .sorted()
                .toList();
    }

    /** The newest ones, oldest first. */
    private static String snapshots(TableMetadata metadata) {
        List<Snapshot> all = metadata.snapshots();
        int left = Math.max(0, all.size() - SHOWN);
        return all.stream()
                .skip(left)
                .map(snapshot -> snapshot.id() + " (" + Instant.ofEpochMilli(snapshot.timestampMillis()) + ")")
                .collect(Collectors.joining(", ", left > 0 ? "[" + left + " older, " : "[", "]"));
    }

    private static String time(long millis) {
        return Instant.ofEpochMilli(millis) + " (" + millis + " ms)";
    }
}
