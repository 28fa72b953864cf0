package dev.calve.metadata;

import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * How branches and tags come and go. Spec: Snapshot References. Nothing is changed here: each method gives the updates that
 * do. {@link BranchMoves} moves a branch that is there.
 *
 * <p>Every method throws {@link IllegalArgumentException} for what cannot be, naming what is there instead.
 */
public final class RefChanges {

    private RefChanges() {}

    /**
     * Creates a ref, or, if asked to, replaces one of the same kind, which keeps what is not said anew of its retention. For
     * {@code main}, replacing can only change the retention.
     */
    public static List<MetadataUpdate> create(TableMetadata table, NewRef wanted) {
        String name = wanted.name();
        if (name.equals(SnapshotRef.MAIN)) {
            return ofMain(table, wanted);
        }
        SnapshotRef existing = table.refs().get(name);
        if (existing == null) {
            SnapshotRef bare =
                    SnapshotRef.of(wanted.kind(), target(table, wanted).id());
            return set(table, name, wanted.retention().of(bare));
        }
        requireKind(table, "create", name, wanted.kind(), existing);
        return switch (wanted.ifExists()) {
            case FAIL ->
                throw cannot(table, "create", wanted.kind(), name, "it exists, at snapshot " + existing.snapshotId());
            case KEEP -> List.of();
            case REPLACE ->
                set(
                        table,
                        name,
                        wanted.retention().of(existing.at(target(table, wanted).id())));
        };
    }

    private static List<MetadataUpdate> ofMain(TableMetadata table, NewRef wanted) {
        if (wanted.kind() == SnapshotRef.Kind.TAG) {
            throw cannot(table, "create", wanted.kind(), wanted.name(), "main is the branch of the table itself");
        }
        if (wanted.ifExists() == NewRef.IfExists.KEEP) {
            return List.of();
        }
        Optional<Snapshot> head = table.currentSnapshot();
        if (wanted.ifExists() == NewRef.IfExists.FAIL || head.isEmpty()) {
            throw cannot(
                    table,
                    "create",
                    wanted.kind(),
                    wanted.name(),
                    "every table has it" + (head.isEmpty() ? ", from the first rows on" : ""));
        }
        if (wanted.snapshotId().isPresent()
                && wanted.snapshotId().getAsLong() != head.get().id()) {
            throw cannot(
                    table,
                    "replace",
                    wanted.kind(),
                    wanted.name(),
                    "it is moved by set_current_snapshot, rollback_to_snapshot and fast_forward");
        }
        if (wanted.retention().maxRefAgeMillis().isPresent()) {
            throw cannot(table, "replace", wanted.kind(), wanted.name(), "it never expires, so it has no maximum age");
        }
        return set(
                table,
                SnapshotRef.MAIN,
                wanted.retention().of(BranchMoves.main(table, head.get().id())));
    }

    private static Snapshot target(TableMetadata table, NewRef wanted) {
        if (wanted.snapshotId().isPresent()) {
            long id = wanted.snapshotId().getAsLong();
            return table.snapshot(id)
                    .orElseThrow(() -> cannot(
                            table,
                            "create",
                            wanted.kind(),
                            wanted.name(),
                            "there is no snapshot " + id + ", but " + TableParts.snapshots(table.snapshots())));
        }
        return table.currentSnapshot()
                .orElseThrow(() -> cannot(
                        table,
                        "create",
                        wanted.kind(),
                        wanted.name(),
                        "main has no snapshot yet that it could begin at. Write rows first, or name a snapshot"));
    }

    /** The update that makes a ref so; none if it is. */
    static List<MetadataUpdate> set(TableMetadata table, String name, SnapshotRef ref) {
        return ref.equals(table.refs().get(name)) ? List.of() : List.of(new MetadataUpdate.SetSnapshotRef(name, ref));
    }

    /**
     * Drops a ref.
     *
     * @param ifExists whether one that is not there is as good as dropped
     */
    public static List<MetadataUpdate> drop(TableMetadata table, String name, SnapshotRef.Kind kind, boolean ifExists) {
        if (name.equals(SnapshotRef.MAIN)) {
            throw cannot(table, "drop", kind, name, "main is the branch of the table itself");
        }
        SnapshotRef existing = table.refs().get(name);
        if (existing == null && ifExists) {
            return List.of();
        }
        if (existing == null) {
            throw cannot(
                    table,
                    "drop",
                    kind,
                    name,
                    "there is no such " + noun(kind) + ", but " + TableParts.refs(table, kind));
        }
        requireKind(table, "drop", name, kind, existing);
        return List.of(new MetadataUpdate.RemoveSnapshotRef(name));
    }

    private static void requireKind(
            TableMetadata table, String verb, String name, SnapshotRef.Kind wanted, SnapshotRef existing) {
        if (existing.kind() != wanted) {
            throw cannot(table, verb, wanted, name, "'" + name + "' is a " + noun(existing.kind()));
        }
    }

    static String noun(SnapshotRef.Kind kind) {
        return kind.name().toLowerCase(Locale.ROOT);
    }

    private static IllegalArgumentException cannot(
            TableMetadata table, String verb, SnapshotRef.Kind kind, String name, String why) {
        return new IllegalArgumentException("Cannot " + verb + " " + noun(kind) + " '" + name + "' (table at "
                + table.location() + "): " + why + ".");
    }
}
