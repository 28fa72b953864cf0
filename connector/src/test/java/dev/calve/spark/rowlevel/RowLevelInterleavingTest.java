package dev.calve.spark.rowlevel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.calve.Randomly;
import dev.calve.commit.CommitFixture;
import dev.calve.commit.CommitOutcome;
import dev.calve.commit.CommitStateUnknownException;
import dev.calve.commit.ConflictRule;
import dev.calve.commit.LiveFiles;
import dev.calve.commit.Removal;
import dev.calve.commit.ScriptedCommitter.Answer;
import dev.calve.commit.SnapshotChange;
import dev.calve.commit.SnapshotChange.AddedData;
import dev.calve.commit.SnapshotChange.Operation;
import dev.calve.commit.TableState;
import dev.calve.deletes.PositionBitmap;
import dev.calve.expression.Expression;
import dev.calve.expression.Expressions;
import dev.calve.manifest.DataFile;
import dev.calve.metadata.FileNames;
import dev.calve.metadata.Snapshot;
import dev.calve.metadata.TableMetadata;
import dev.calve.rowdelete.ExistingDeletes;
import dev.calve.rowdelete.Outcome;
import dev.calve.rowdelete.SettleMode;
import dev.calve.rowdelete.Settler;
import dev.calve.scan.FileTask;
import dev.calve.scan.ScanPlanner;
import dev.calve.schema.Type;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/**
 * Writers that interrupt each other wherever they ask the catalog something leave what some serial order of them would. Plans,
 * settles and commits with the real code; only rows live in a map.
 */
class RowLevelInterleavingTest {

    private static final int STATEMENTS = 9;

    @Test
    void equalsASerialOrderOfTheSnapshots() {
        Randomly.check(12, random -> new Run(random).run());
    }

    /** A row; its id is stored with it if the file was written again. */
    private record Row(long value, OptionalLong rowId) {}

    /** What one statement does to a set of values; empty appended for a delete. */
    private record Statement(int number, Set<Long> appended, long from, long to, boolean compacts) {

        void replay(Set<Long> values) {
            values.removeIf(value -> value >= from && value < to);
            values.addAll(appended);
        }

        boolean selects(long value) {
            return value >= from && value < to;
        }
    }

    private static final class Run {
        private final Randomly random;
        private final CommitFixture table;
        private final Map<String, List<Row>> contents = new HashMap<>();
        private final Deque<Statement> pending = new ArrayDeque<>();
        private final Map<Long, Statement> bySnapshot = new HashMap<>();

        /** What statements planned on last; in the end only those that found nothing to do are left. */
        private final Map<Statement, Optional<Snapshot>> planned = new HashMap<>();

        private final boolean partitioned;
        private long nextValue;
        private int files;
        private int depth;
        private boolean unknown;

        Run(Randomly random) {
            this.random = random;
            this.partitioned = random.yes();
            int version = random.intBetween(2, 3);
            this.table = partitioned
                    ? CommitFixture.partitionedBy(Type.Simple.INT, version)
                    : CommitFixture.unpartitioned(version);
        }

        void run() throws IOException {
            for (int i = 0; i < STATEMENTS; i++) {
                pending.add(anyStatement(i));
            }
            table.committer.beforeAll(() -> {
                if (depth < 4 && !pending.isEmpty() && random.percent(35)) {
                    execute(pending.remove());
                }
                if (depth > 0 && table.metadata().formatVersion() == 2 && random.percent(4)) {
                    table.upgradeTo(3);
                }
            });
            while (!pending.isEmpty()) {
                if (random.percent(40)) {
                    table.committer.answer(random.oneOf(
                            Answer.REJECTED,
                            Answer.DONE_BUT_REJECTED,
                            Answer.DONE_BUT_UNKNOWN,
                            Answer.DONE_BUT_THROWN,
                            Answer.UNKNOWN));
                }
                execute(pending.remove());
            }
            table.committer.beforeAll(() -> {});
            check();
        }

        private Statement anyStatement(int number) {
            if (number < 2 || random.percent(30)) {
                var values = new TreeSet<Long>();
                for (int i = random.intBetween(1, 6); i > 0; i--) {
                    values.add(nextValue++);
                }
                return new Statement(number, values, 0, 0, false);
            }
            if (random.percent(25)) {
                return new Statement(number, Set.of(), 0, 0, true);
            }
            long from = random.longBelow(20);
            return new Statement(number, Set.of(), from, from + 1 + random.longBelow(4), false);
        }

        private void execute(Statement statement) throws IOException {
            depth++;
            var writer = table.statement();
            try {
                Optional<SnapshotChange> change = plan(statement, writer, table.committer.now());
                CommitOutcome outcome = change.isEmpty()
                        ? new CommitOutcome.NothingToDo()
                        : writer.commit(change.get(), (found, conflict, old) -> plan(statement, writer, found));
                if (outcome.committed().isPresent()) {
                    bySnapshot.put(outcome.committed().get().snapshotId(), statement);
                    planned.remove(statement);
                }
            } catch (CommitStateUnknownException e) {
                unknown = true;
                planned.remove(statement);
            } finally {
                depth--;
            }
        }

        private Optional<SnapshotChange> plan(Statement statement, CommitFixture.Statement writer, TableState state) {
            TableMetadata metadata = state.metadata();
            if (!statement.appended().isEmpty()) {
                return Optional.of(
                        SnapshotChange.append("main", metadata.formatVersion(), written(statement), Map.of()));
            }
            planned.put(statement, metadata.currentSnapshot());
            if (metadata.currentSnapshot().isEmpty()) {
                return Optional.empty();
            }
            try {
                Optional<SnapshotChange> change = statement.compacts()
                        ? compaction(metadata, metadata.currentSnapshot().get())
                        : deletion(
                                statement, metadata, metadata.currentSnapshot().get());
                change.ifPresent(writer::wrote);
                return change;
            } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        }

        private List<DataFile> written(Statement statement) {
            var byPart = new TreeMap<Integer, List<Row>>();
            for (long value : new TreeSet<>(statement.appended())) {
                byPart.computeIfAbsent(partitioned ? (int) (value % 2) : 0, key -> new ArrayList<>())
                        .add(new Row(value, OptionalLong.empty()));
            }
            var result = new ArrayList<DataFile>();
            byPart.forEach((part, rows) -> result.add(file(rows, partitioned ? new Object[] {part} : new Object[0])));
            return result;
        }

        private DataFile file(List<Row> rows, Object... partition) {
            var builder = table.dataFile("f" + files++).in(partition).records(rows.size());
            if (random.yes()) {
                builder.ids(
                        rows.stream().mapToLong(Row::value).min().orElseThrow(),
                        rows.stream().mapToLong(Row::value).max().orElseThrow());
            }
            DataFile file = builder.build();
            contents.put(file.path(), List.copyOf(rows));
            return file;
        }

        private Optional<SnapshotChange> deletion(Statement statement, TableMetadata metadata, Snapshot snapshot)
                throws IOException {
            var id = new Expression.Column(CommitFixture.ID, Type.Simple.LONG, true);
            Expression filter = Expressions.and(
                    Expressions.comparison(id, Expression.Operator.GREATER_OR_EQUAL, statement.from()),
                    Expressions.comparison(id, Expression.Operator.LESS, statement.to()));
            var whole = new ArrayList<FileTask>();
            var evaluated = new ArrayList<FileTask>();
            for (FileTask task : new ScanPlanner(table.storage, metadata, snapshot)
                    .plan(filter)
                    .tasks()) {
                (task.everyRowMatches() ? whole : evaluated).add(task);
            }
            SettleMode inPlace = metadata.formatVersion() == 3 ? SettleMode.VECTOR : SettleMode.POSITION_FILE;
            List<Outcome> outcomes =
                    settle(statement, metadata, evaluated, random.percent(60) ? inPlace : SettleMode.REWRITE);
            if (whole.isEmpty() && outcomes.stream().allMatch(outcome -> outcome instanceof Outcome.Untouched)) {
                return Optional.empty();
            }
            return Optional.of(new DeletePlan(snapshot, whole, evaluated, outcomes)
                    .change(
                            "main",
                            metadata.formatVersion(),
                            List.of(new ConflictRule.NoNewDataMatching(filter)),
                            Map.of()));
        }

        private List<Outcome> settle(Statement statement, TableMetadata metadata, List<FileTask> tasks, SettleMode mode)
                throws IOException {
            var names = new FileNames(metadata, java.util.UUID.randomUUID(), 0, files++);
            try (var settler = new Settler(table.storage, metadata, mode, names, this::survivors, "test")) {
                for (int i = 0; i < tasks.size(); i++) {
                    PositionBitmap deleted = ExistingDeletes.of(table.storage, tasks.get(i));
                    settler.settle(i, tasks.get(i), deleted, matches(statement, tasks.get(i), deleted));
                }
                return settler.finish();
            }
        }

        private PositionBitmap matches(Statement statement, FileTask task, PositionBitmap deleted) {
            var matched = new PositionBitmap();
            List<Row> rows = rows(task);
            for (int i = 0; i < rows.size(); i++) {
                if (!deleted.contains(i) && statement.selects(rows.get(i).value())) {
                    matched.add(i);
                }
            }
            return matched;
        }

        private List<Row> rows(FileTask task) {
            return Objects.requireNonNull(contents.get(task.file().path()));
        }

        private List<DataFile> survivors(FileTask task, PositionBitmap gone) {
            return List.of(
                    file(alive(task, gone), task.file().partition().values().toArray()));
        }

        /** The rows of a file that are not gone, with the ids they have. */
        private List<Row> alive(FileTask task, PositionBitmap gone) {
            var alive = new ArrayList<Row>();
            List<Row> rows = rows(task);
            OptionalLong first = task.file().firstRowId();
            for (int i = 0; i < rows.size(); i++) {
                if (!gone.contains(i)) {
                    OptionalLong inherited =
                            first.isPresent() ? OptionalLong.of(first.getAsLong() + i) : OptionalLong.empty();
                    Row row = rows.get(i);
                    alive.add(new Row(
                            row.value(), row.rowId().isPresent() && first.isPresent() ? row.rowId() : inherited));
                }
            }
            return alive;
        }

        /** Joins two files of one partition. */
        private Optional<SnapshotChange> compaction(TableMetadata metadata, Snapshot snapshot) throws IOException {
            var byPartition = new HashMap<Object, List<FileTask>>();
            for (FileTask task : new ScanPlanner(table.storage, metadata, snapshot)
                    .plan(Expression.Constant.TRUE)
                    .tasks()) {
                byPartition
                        .computeIfAbsent(task.file().partition(), key -> new ArrayList<>())
                        .add(task);
            }
            Optional<List<FileTask>> chosen = byPartition.values().stream()
                    .filter(tasks -> tasks.size() > 1)
                    .findFirst()
                    .map(tasks -> tasks.subList(0, 2));
            if (chosen.isEmpty()) {
                return Optional.empty();
            }
            var rows = new ArrayList<Row>();
            var removed = new ArrayList<Removal.Known>();
            var guarded = new HashMap<String, ConflictRule.Place>();
            var withoutIds = new HashMap<String, ConflictRule.Place>();
            for (FileTask task : chosen.get()) {
                rows.addAll(alive(task, ExistingDeletes.of(table.storage, task)));
                removed.add(Removal.Known.of(task.file(), task.manifest()));
                guarded.put(
                        task.file().path(),
                        new ConflictRule.Place(task.file().specId(), task.file().partition()));
                if (task.file().firstRowId().isEmpty()) {
                    withoutIds.put(
                            task.file().path(),
                            new ConflictRule.Place(
                                    task.file().specId(), task.file().partition()));
                }
            }
            DataFile joined =
                    file(rows, chosen.get().get(0).file().partition().values().toArray());
            return Optional.of(new SnapshotChange(
                    Operation.REPLACE,
                    "main",
                    OptionalLong.of(snapshot.id()),
                    metadata.formatVersion(),
                    List.of(new AddedData(joined, OptionalLong.of(snapshot.sequenceNumber()))),
                    List.of(),
                    List.of(new Removal.Files(removed)),
                    List.of(
                            new ConflictRule.FilesStillThere(guarded),
                            new ConflictRule.DeletesUnchanged(guarded),
                            new ConflictRule.RowIdsStillUnassigned(withoutIds)),
                    Map.of()));
        }

        private void check() throws IOException {
            Set<Long> expected = new TreeSet<>();
            Map<Long, Set<Long>> expectedAt = new HashMap<>();
            Map<Long, Long> rowIds = new HashMap<>();
            Set<String> reachable = new HashSet<>();
            OptionalLong parent = OptionalLong.empty();
            for (Snapshot snapshot : table.metadata().snapshots()) {
                assertThat(snapshot.parentId()).isEqualTo(parent);
                parent = OptionalLong.of(snapshot.id());
                assertThat(bySnapshot).containsKey(snapshot.id());
                Objects.requireNonNull(bySnapshot.get(snapshot.id())).replay(expected);
                expectedAt.put(snapshot.id(), Set.copyOf(expected));
                assertRows(snapshot, expected, rowIds);
                reachable.addAll(
                        LiveFiles.of(table.storage, table.metadata(), snapshot).reachable());
            }
            planned.forEach((statement, at) -> assertThat(
                            at.map(snapshot -> expectedAt.get(snapshot.id())).orElse(Set.of()))
                    .noneMatch(statement::selects));
            assertThat(table.storage.locations()).containsAll(reachable);
            if (!unknown) {
                assertThat(reachable).containsAll(metadataAndDeletes());
            }
        }

        /** Data files of statements that never got to their commit are nobody's here, so they are left out. */
        private List<String> metadataAndDeletes() {
            return table.storage.locations().stream()
                    .filter(location -> !location.matches(".*/data/f\\d+"))
                    .toList();
        }

        private void assertRows(Snapshot snapshot, Set<Long> expected, Map<Long, Long> rowIds) throws IOException {
            var values = new ArrayList<Long>();
            var ids = new ArrayList<Long>();
            for (FileTask task : new ScanPlanner(table.storage, table.metadata(), snapshot)
                    .plan(Expression.Constant.TRUE)
                    .tasks()) {
                for (Row row : alive(task, ExistingDeletes.of(table.storage, task))) {
                    values.add(row.value());
                    if (row.rowId().isPresent()) {
                        ids.add(row.rowId().getAsLong());
                        Long before = rowIds.put(row.value(), row.rowId().getAsLong());
                        assertThat(before == null || before == row.rowId().getAsLong())
                                .as("row id of %s: %s, then %s", row.value(), before, row.rowId())
                                .isTrue();
                    }
                }
            }
            assertThat(values).containsExactlyInAnyOrderElementsOf(expected);
            assertThat(ids).doesNotHaveDuplicates();
        }
    }
}
