package dev.calve.scan;

import dev.calve.metadata.Ancestry;
import dev.calve.metadata.ReadState;
import dev.calve.metadata.Snapshot;
import dev.calve.metadata.TableMetadata;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Which part of a branch's history is asked for by {@link ScanRange.Appended}.
 *
 * @param start what comes before the range; empty: nothing, the range begins with the first snapshot
 * @param end the last snapshot of the range; empty: the head of the branch
 */
public record AppendRange(Optional<Bound> start, Optional<Bound> end) {

    /** One end of the range. */
    public sealed interface Bound {}

    /** A snapshot by its id. */
    public record SnapshotId(long id) implements Bound {}

    /** The newest snapshot of the branch that is not younger, in epoch milliseconds. */
    public record Time(long millis) implements Bound {}

    /**
     * The appends of the range.
     *
     * @param branch a branch as it is now
     * @param table name for messages
     * @throws IllegalArgumentException if the end is not a snapshot of the branch or the start none before the end, or a
     *     snapshot between them was expired
     */
    public ScanRange.Appended in(TableMetadata metadata, ReadState branch, String table) {
        Optional<Snapshot> last = end.isEmpty() ? branch.snapshot() : last(metadata, branch, table, end.get());
        OptionalLong after = start.isEmpty() ? OptionalLong.empty() : after(metadata, last, table, start.get());
        if (last.isEmpty()) {
            return new ScanRange.Appended(after, last, List.of());
        }
        List<Snapshot> line = Ancestry.since(metadata, last, after)
                .orElseThrow(() -> refused(
                        table,
                        after.isPresent()
                                ? "snapshot " + after.getAsLong() + ", the start, must be an ancestor of snapshot "
                                        + last.get().id() + ", the end, with every snapshot between them still there"
                                : "without a start, every snapshot up to "
                                        + last.get().id() + " must still be there, but some were expired"));
        return new ScanRange.Appended(
                after,
                last,
                line.stream()
                        .filter(snapshot -> snapshot.operation().equals(Optional.of("append")))
                        .toList());
    }

    private static Optional<Snapshot> last(TableMetadata metadata, ReadState branch, String table, Bound end) {
        if (end instanceof SnapshotId wanted) {
            Snapshot found = metadata.snapshot(wanted.id())
                    .orElseThrow(() -> refused(
                            table, "the end must be a snapshot of the table, but it has none with id " + wanted.id()));
            return Optional.of(found);
        }
        return notYounger(metadata, branch.snapshot(), ((Time) end).millis(), table);
    }

    private static OptionalLong after(TableMetadata metadata, Optional<Snapshot> last, String table, Bound start) {
        if (start instanceof SnapshotId wanted) {
            if (last.isEmpty()) {
                throw refused(
                        table,
                        "snapshot " + wanted.id() + ", the start, must be an ancestor of the end, but there is no "
                                + "snapshot to end at");
            }
            return OptionalLong.of(wanted.id());
        }
        return notYounger(metadata, last, ((Time) start).millis(), table)
                .map(snapshot -> OptionalLong.of(snapshot.id()))
                .orElse(OptionalLong.empty());
    }

    private static Optional<Snapshot> notYounger(
            TableMetadata metadata, Optional<Snapshot> head, long millis, String table) {
        Optional<Snapshot> at = head;
        for (int steps = 0; at.isPresent() && at.get().timestampMillis() > millis; steps++) {
            Snapshot younger = at.get();
            OptionalLong parent = younger.parentId();
            at = parent.isPresent() ? metadata.snapshot(parent.getAsLong()) : Optional.empty();
            // More steps than snapshots: the parents go round in a circle.
            if ((parent.isPresent() && at.isEmpty())
                    || steps > metadata.snapshots().size()) {
                throw refused(
                        table,
                        "what was committed before " + Instant.ofEpochMilli(younger.timestampMillis())
                                + " is not known any more, so nothing can be asked for by the time "
                                + Instant.ofEpochMilli(millis));
            }
        }
        return at;
    }

    private static IllegalArgumentException refused(String table, String why) {
        return new IllegalArgumentException("Cannot read what was appended to " + table + ": " + why + ".");
    }

    @Override
    public String toString() {
        return "what was appended " + start.map(bound -> "after " + text(bound)).orElse("from the beginning")
                + end.map(bound -> " up to " + text(bound)).orElse("");
    }

    private static String text(Bound bound) {
        return bound instanceof Time time
                ? Instant.ofEpochMilli(time.millis()).toString()
                : "snapshot " + ((SnapshotId) bound).id();
    }
}
