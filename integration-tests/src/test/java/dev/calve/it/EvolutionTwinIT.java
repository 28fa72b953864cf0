package dev.calve.it;

import static dev.calve.it.TwinFile.data;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.commit.SnapshotChange.Operation;
import dev.calve.metadata.BranchMoves;
import dev.calve.metadata.IdentifierFields;
import dev.calve.metadata.MetadataUpdate;
import dev.calve.metadata.NewPartitionField;
import dev.calve.metadata.NewRef;
import dev.calve.metadata.RefChanges;
import dev.calve.metadata.Retention;
import dev.calve.metadata.SnapshotRef;
import dev.calve.metadata.SpecEvolution;
import dev.calve.metadata.TableMetadata;
import dev.calve.metadata.WriteOrder;
import dev.calve.partition.ColumnTransform;
import dev.calve.partition.PartitionField;
import dev.calve.partition.SortKey;
import dev.calve.partition.SortOrder;
import dev.calve.partition.TermText;
import dev.calve.partition.Transform;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.function.Function;
import org.apache.iceberg.ManageSnapshots;
import org.apache.iceberg.NullOrder;
import org.apache.iceberg.ReplaceSortOrder;
import org.apache.iceberg.Table;
import org.apache.iceberg.UpdatePartitionSpec;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.expressions.Term;
import org.apache.iceberg.types.Types;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Specs, sort orders, identifier fields and refs of two tables that are changed alike at random, one by the peer's API and one
 * by ours. What the one refuses the other refuses, and after each change both metadata files say the same.
 */
class EvolutionTwinIT {

    private static final int STEPS = 22;

    private static final List<String> TERMS = List.of(
            "id",
            "bucket(4, id)",
            "bucket(8, id)",
            "truncate(10, id)",
            "part",
            "bucket(4, part)",
            "days(ts)",
            "hours(ts)",
            "months(ts)",
            "years(ts)",
            "x",
            "bucket(4, x)");

    private static final List<String> NAMES = List.of("p", "q", "part", "id_bucket_4", "ts_day", "part_1000", "ts");

    @TempDir
    Path folder;

    private int refused;
    private int accepted;

    private static Term theirs(ColumnTransform term) {
        String column = term.column();
        if (term.transform() instanceof Transform.Bucket bucket) {
            return Expressions.bucket(column, bucket.count());
        }
        if (term.transform() instanceof Transform.Truncate truncate) {
            return Expressions.truncate(column, truncate.width());
        }
        if (term.transform() instanceof Transform.Time time) {
            return switch (time) {
                case YEAR -> Expressions.year(column);
                case MONTH -> Expressions.month(column);
                case DAY -> Expressions.day(column);
                case HOUR -> Expressions.hour(column);
            };
        }
        return Expressions.ref(column);
    }

    /** Both make the change, or both refuse it and leave the table as it is. */
    private void both(
            TwinTable twins,
            String step,
            Consumer<Table> theirChange,
            Function<TableMetadata, List<MetadataUpdate>> ourChange) {
        List<MetadataUpdate> updates;
        try {
            updates = ourChange.apply(twins.ours());
        } catch (IllegalArgumentException e) {
            assertThatThrownBy(() -> theirChange.accept(twins.theirs()))
                    .as("%s, which we refuse: %s", step, e.getMessage())
                    .isInstanceOf(RuntimeException.class);
            refused++;
            return;
        }
        accepted++;
        if (updates.isEmpty()) {
            theirChange.accept(twins.theirs());
        } else {
            twins.evolve(theirChange, updates.toArray(MetadataUpdate[]::new));
        }
        twins.assertSame(step);
    }

    private TwinTable create(long seed, int formatVersion) {
        try {
            TwinTable twins = TwinTable.create(Files.createDirectory(folder.resolve("r" + seed)), formatVersion);
            twins.differ("metadata\\.metadata-log.*", "the peer writes a file for some changes of nothing");
            twins.evolve(table -> table.updateSchema()
                    .addColumn("ts", Types.TimestampType.withZone())
                    .commit());
            return twins;
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void specsOrdersAndIdentifiersChangeAlike(int formatVersion) {
        Randomly.check(3, random -> {
            TwinTable twins = create(random.longBelow(Long.MAX_VALUE), formatVersion);
            for (int i = 0; i < STEPS; i++) {
                if (random.percent(60)) {
                    changeSpec(twins, random);
                } else if (random.percent(50)) {
                    changeOrder(twins, random);
                } else if (random.percent(60)) {
                    identify(twins, random.yes());
                } else {
                    upgrade(twins);
                }
            }
        });
        assertThat(accepted).isGreaterThan(5);
        assertThat(refused).isPositive();
        System.out.println("Twin changes of version " + formatVersion + ": " + accepted + " made, " + refused
                + " refused by both");
    }

    private void changeSpec(TwinTable twins, Randomly random) {
        ColumnTransform term = TermText.transform(random.oneOf(TERMS));
        Optional<String> name = random.percent(40) ? Optional.of(random.oneOf(NAMES)) : Optional.empty();
        if (isUnclear(twins.ours(), term, name)) {
            return;
        }
        var wanted = new NewPartitionField(term, name);
        List<PartitionField> fields = twins.ours().spec().fields();
        if (random.percent(40) || fields.isEmpty()) {
            both(
                    twins,
                    "add " + wanted,
                    table -> add(table.updateSpec(), wanted).commit(),
                    found -> new SpecEvolution(found, true).add(wanted));
            return;
        }
        PartitionField old = random.oneOf(fields);
        boolean byName = random.yes() || old.transform().equals(Transform.VOID);
        String column = twins.ours().schema().name(old.sourceId()).orElseThrow();
        var oldTerm = new ColumnTransform(column, old.transform());
        String text = byName ? old.name() : oldTerm.toString();
        if (!byName && fields.stream().anyMatch(field -> field.name().equals(text) && !field.equals(old))) {
            return;
        }
        if (random.yes() && !old.transform().equals(Transform.VOID)) {
            both(
                    twins,
                    "drop " + text,
                    table -> remove(table.updateSpec(), byName, old, oldTerm).commit(),
                    found -> new SpecEvolution(found, true).drop(text));
        } else if (!old.transform().equals(Transform.VOID)) {
            both(
                    twins,
                    "replace " + text + " with " + wanted,
                    table -> add(remove(table.updateSpec(), byName, old, oldTerm), wanted)
                            .commit(),
                    found -> new SpecEvolution(found, true).replace(text, wanted));
        }
    }

    /** Where the peer takes any of several fields of the past, or a name that a column has that is another one's. */
    private static boolean isUnclear(TableMetadata table, ColumnTransform term, Optional<String> name) {
        int source = table.schema().field(term.column()).orElseThrow().id();
        boolean several = table.specs().stream()
                        .flatMap(spec -> spec.fields().stream())
                        .filter(field -> field.sourceId() == source
                                && field.transform().equals(term.transform())
                                && name.map(field.name()::equals).orElse(true))
                        .distinct()
                        .count()
                > 1;
        return several || name.map(term.column()::equals).orElse(false);
    }

    private static UpdatePartitionSpec add(UpdatePartitionSpec update, NewPartitionField wanted) {
        return wanted.name().isPresent()
                ? update.addField(wanted.name().get(), theirs(wanted.term()))
                : update.addField(theirs(wanted.term()));
    }

    private static UpdatePartitionSpec remove(
            UpdatePartitionSpec update, boolean byName, PartitionField field, ColumnTransform term) {
        return byName ? update.removeField(field.name()) : update.removeField(theirs(term));
    }

    private void changeOrder(TwinTable twins, Randomly random) {
        var keys = new ArrayList<SortKey>();
        for (String term : TERMS) {
            if (random.percent(15) && !term.equals("bucket(4, x)")) {
                keys.add(new SortKey(
                        TermText.transform(term),
                        random.oneOf(SortOrder.Direction.values()),
                        random.oneOf(SortOrder.NullOrder.values())));
            }
        }
        both(
                twins,
                "order by " + keys,
                table -> {
                    ReplaceSortOrder replace = table.replaceSortOrder();
                    for (SortKey key : keys) {
                        NullOrder nulls = NullOrder.valueOf(key.nullOrder().name());
                        if (key.direction() == SortOrder.Direction.ASC) {
                            replace.asc(theirs(key.term()), nulls);
                        } else {
                            replace.desc(theirs(key.term()), nulls);
                        }
                    }
                    replace.commit();
                },
                found -> WriteOrder.set(found, keys, true));
    }

    private void identify(TwinTable twins, boolean byId) {
        List<String> columns = byId ? List.of("id") : List.of();
        both(
                twins,
                "identify by " + columns,
                table -> table.updateSchema().setIdentifierFields(columns).commit(),
                found -> IdentifierFields.set(found, columns, true));
    }

    private void upgrade(TwinTable twins) {
        int next = Math.min(3, twins.ours().formatVersion() + 1);
        both(
                twins,
                "upgrade to " + next,
                table -> table.updateProperties()
                        .set("format-version", "" + next)
                        .commit(),
                found -> found.formatVersion() == next
                        ? List.of()
                        : List.of(new MetadataUpdate.UpgradeFormatVersion(next)));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void refsComeGoAndMoveAlike(int formatVersion) {
        Randomly.check(3, random -> {
            TwinTable twins = create(random.longBelow(Long.MAX_VALUE), formatVersion);
            for (int i = 0; i < STEPS; i++) {
                if (i < 4 || random.percent(20)) {
                    append(twins, i, random);
                } else {
                    changeRef(twins, random);
                }
            }
        });
        assertThat(accepted).isGreaterThan(2);
        assertThat(refused).isPositive();
        System.out.println("Twin changes of refs in version " + formatVersion + ": " + accepted + " made, " + refused
                + " refused by both");
    }

    private void append(TwinTable twins, int number, Randomly random) {
        List<String> branches = twins.ours().refs().entrySet().stream()
                .filter(ref -> ref.getValue().kind() == SnapshotRef.Kind.BRANCH)
                .map(ref -> ref.getKey())
                .toList();
        String branch = branches.isEmpty() ? "main" : random.oneOf(branches);
        TwinFile file = data("f" + number + ".parquet", 10, 0, 1);
        twins.theirs()
                .newAppend()
                .appendFile(file.theirData(twins.theirs()))
                .toBranch(branch)
                .commit();
        new TwinChange(twins, Operation.APPEND).on(branch).add(file).commit();
        twins.assertSame("append to " + branch);
    }

    /** Ids differ between the twins: a snapshot is told by its place, one beyond the last is one that is not there. */
    private static long theirId(Table table, int place) {
        var ids = new ArrayList<Long>();
        table.snapshots().forEach(snapshot -> ids.add(snapshot.snapshotId()));
        return place < ids.size() ? ids.get(place) : 17;
    }

    private static long ourId(TableMetadata table, int place) {
        return place < table.snapshots().size() ? table.snapshots().get(place).id() : 17;
    }

    private void changeRef(TwinTable twins, Randomly random) {
        int place = random.intBelow(twins.ours().snapshots().size() + 1);
        String name = random.oneOf("a", "b", "c", "t");
        String other = random.oneOf("a", "b", "main", "t");
        SnapshotRef.Kind kind = random.percent(70) ? SnapshotRef.Kind.BRANCH : SnapshotRef.Kind.TAG;
        switch (random.intBelow(8)) {
            case 0, 1 -> create(twins, random, name, kind, place);
            case 2 ->
                both(
                        twins,
                        "drop " + kind + " " + other,
                        table -> drop(table.manageSnapshots(), other, kind).commit(),
                        found -> RefChanges.drop(found, other, kind, false));
            case 3 ->
                both(
                        twins,
                        "roll back to " + place,
                        table -> table.manageSnapshots()
                                .rollbackTo(theirId(table, place))
                                .commit(),
                        found -> BranchMoves.rollbackTo(found, ourId(found, place)));
            case 4 ->
                both(
                        twins,
                        "roll back to before " + place,
                        table -> table.manageSnapshots()
                                .rollbackToTime(millis(table, place))
                                .commit(),
                        found -> BranchMoves.rollbackBefore(found, millis(found, place)));
            case 5 ->
                both(
                        twins,
                        "set current to " + place,
                        table -> table.manageSnapshots()
                                .setCurrentSnapshot(theirId(table, place))
                                .commit(),
                        found -> BranchMoves.setCurrent(found, ourId(found, place)));
            default -> {
                String branch = random.oneOf("a", "main", "b", "t");
                both(
                        twins,
                        "fast-forward " + branch + " to " + other,
                        table -> table.manageSnapshots()
                                .fastForwardBranch(branch, other)
                                .commit(),
                        found -> BranchMoves.fastForward(found, branch, other));
            }
        }
    }

    private static long millis(Table table, int place) {
        long id = theirId(table, place);
        return table.snapshot(id) == null ? 1 : table.snapshot(id).timestampMillis();
    }

    private static long millis(TableMetadata table, int place) {
        return table.snapshot(ourId(table, place))
                .map(snapshot -> snapshot.timestampMillis())
                .orElse(1L);
    }

    private static ManageSnapshots drop(ManageSnapshots manage, String name, SnapshotRef.Kind kind) {
        return kind == SnapshotRef.Kind.BRANCH ? manage.removeBranch(name) : manage.removeTag(name);
    }

    private void create(TwinTable twins, Randomly random, String name, SnapshotRef.Kind kind, int place) {
        boolean replace = random.percent(40);
        boolean ofBranch = kind == SnapshotRef.Kind.BRANCH;
        var retention = new Retention(
                ofBranch && random.yes() ? OptionalInt.of(random.intBetween(1, 9)) : OptionalInt.empty(),
                ofBranch && random.yes() ? OptionalLong.of(random.intBetween(1, 99)) : OptionalLong.empty(),
                random.yes() ? OptionalLong.of(random.intBetween(1, 99)) : OptionalLong.empty());
        boolean exists = twins.ours().refs().containsKey(name);
        both(
                twins,
                (replace ? "replace " : "create ") + kind + " " + name + " at " + place + " with " + retention,
                table -> create(table, exists && replace, name, kind, theirId(table, place), retention),
                found -> RefChanges.create(
                        found,
                        new NewRef(
                                name,
                                kind,
                                OptionalLong.of(ourId(found, place)),
                                retention,
                                replace ? NewRef.IfExists.REPLACE : NewRef.IfExists.FAIL)));
    }

    private static void create(
            Table table, boolean replace, String name, SnapshotRef.Kind kind, long id, Retention retention) {
        ManageSnapshots manage = table.manageSnapshots();
        if (kind == SnapshotRef.Kind.BRANCH) {
            manage = replace ? manage.replaceBranch(name, id) : manage.createBranch(name, id);
        } else {
            manage = replace ? manage.replaceTag(name, id) : manage.createTag(name, id);
        }
        if (retention.minSnapshotsToKeep().isPresent()) {
            manage.setMinSnapshotsToKeep(name, retention.minSnapshotsToKeep().getAsInt());
        }
        if (retention.maxSnapshotAgeMillis().isPresent()) {
            manage.setMaxSnapshotAgeMs(name, retention.maxSnapshotAgeMillis().getAsLong());
        }
        if (retention.maxRefAgeMillis().isPresent()) {
            manage.setMaxRefAgeMs(name, retention.maxRefAgeMillis().getAsLong());
        }
        manage.commit();
    }
}
