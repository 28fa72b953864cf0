package dev.calve.commit;

import static dev.calve.commit.ScriptedCommitter.Answer.DONE_BUT_REJECTED;
import static dev.calve.commit.ScriptedCommitter.Answer.DONE_BUT_UNKNOWN;
import static dev.calve.commit.ScriptedCommitter.Answer.REJECTED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.commit.CommitOutcome.Committed;
import dev.calve.commit.ScriptedCommitter.Answer;
import dev.calve.commit.SnapshotChange.Operation;
import dev.calve.expression.Expression;
import dev.calve.io.RequestLog.Request;
import dev.calve.manifest.DataFile;
import dev.calve.metadata.ColumnChanges;
import dev.calve.metadata.MetadataUpdate;
import dev.calve.metadata.MetadataUpdates;
import dev.calve.metadata.Snapshot;
import dev.calve.metadata.TableMetadata;
import dev.calve.schema.Schema;
import dev.calve.schema.SchemaChange;
import dev.calve.schema.SchemaChanges;
import dev.calve.schema.Type;
import java.io.UncheckedIOException;
import java.time.Clock;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class TableCommitTest {

    private final CommitFixture table = CommitFixture.unpartitioned(3);

    /** Everything on storage that no snapshot of the table refers to. */
    private static Set<String> leftovers(CommitFixture table) {
        var left = new TreeSet<>(table.storage.locations());
        for (Snapshot snapshot : table.metadata().snapshots()) {
            left.removeAll(
                    LiveFiles.of(table.storage, table.metadata(), snapshot).reachable());
        }
        return left;
    }

    private static Committed committed(CommitOutcome outcome) {
        return outcome.committed().orElseThrow(() -> new AssertionError("Nothing was committed"));
    }

    @Test
    void saysWhatItCommitted() {
        var outcome = committed(
                table.statement().commit(table.appending(table.dataFile("a").build())));
        assertThat(outcome.attempts()).isEqualTo(1);
        assertThat(outcome.snapshotId()).isEqualTo(table.head().id());
        assertThat(outcome.state()).isSameAs(table.committer.now());
        assertThat(leftovers(table)).isEmpty();
    }

    @Test
    void reportsWhatItDidInOneLine() {
        table.append(table.dataFile("a").records(10).build());
        SnapshotChange change = table.appending(table.dataFile("b").build())
                .withRowCounts(new RowCounts(
                        OptionalLong.of(2), OptionalLong.of(3), OptionalLong.of(5), OptionalLong.of(7), false))
                .withCopies(new CopyCounts(1, 2_000, 30));
        CommitReport report = committed(table.statement().commit(change)).report();
        assertThat(report.get(CommitReport.Count.ROWS_MATCHED)).isEqualTo(5);
        assertThat(report.get(CommitReport.Count.ROWS_INSERTED)).isEqualTo(5);
        assertThat(report.get(CommitReport.Count.BYTES_COPIED)).isEqualTo(2_000);
        assertThat(report.get(CommitReport.Count.VECTORS_ADDED)).isZero();
        assertThat(report.get(CommitReport.Count.ATTEMPTS)).isEqualTo(1);
        assertThat(report.toString())
                .matches(
                        "snapshot " + table.head().id()
                                + " \\(append\\) in \\d+ ms: 5 rows matched, 2 rows deleted, 3 rows updated,"
                                + " 5 rows inserted, 7 rows copied, 1 data files added, 1 data files rewritten, \\d+ bytes of new files,"
                                + " 2000 bytes copied raw, 30 bytes encoded again, 1 manifests carried, 1 manifests written, 1 attempts");
    }

    private static final SchemaChanges ADDED = new SchemaChanges(
            List.of(new SchemaChange.Add(
                    List.of(), "more", Type.Simple.INT, false, Optional.empty(), Optional.empty(), Optional.empty())),
            false);

    private static List<MetadataUpdate> adding(TableMetadata found) {
        return found.schema().field("more").isPresent()
                ? List.of()
                : ColumnChanges.updates(found, ColumnChanges.evolve(found, ADDED));
    }

    private CommitOutcome commitForMoreColumns() {
        Schema written = MetadataUpdates.apply(table.metadata(), adding(table.metadata()), 2_000)
                .schema();
        var target = new CommitTarget(
                CommitFixture.TABLE,
                table.metadata().uuid(),
                Optional.of(written),
                Branches.UNKNOWN,
                table.committer,
                table.storage);
        var wrote = table.statement();
        return new TableCommit(target, wrote.statement(), Clock.systemUTC())
                .changing(TableCommitTest::adding, table.metadata().lastColumnId())
                .commit(wrote.wrote(table.appending(table.dataFile("b").build())), Resettle.never());
    }

    @Test
    void changesColumnsInTheSameCommit() {
        table.append(table.dataFile("a").build());
        int swaps = table.committer.swaps();
        Committed done = committed(commitForMoreColumns());
        assertThat(table.committer.swaps()).isEqualTo(swaps + 1);
        assertThat(done.state().metadata().schema().field("more")).isPresent();
        assertThat(table.head().schemaId()).hasValue(done.state().metadata().currentSchemaId());
        assertThat(done.state().metadata().schemas()).hasSize(2);
        committed(commitForMoreColumns());
        assertThat(table.metadata().schemas()).hasSize(2);
    }

    /** Another writer adds the same column first, or one that takes the field id the files were written with. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void changesColumnsOnlyToThoseThatWereWritten(boolean same) {
        table.append(table.dataFile("a").build());
        var other = new SchemaChange.Add(
                List.of(), "other", Type.Simple.INT, false, Optional.empty(), Optional.empty(), Optional.empty());
        table.committer.beforeSwap(() -> {
            TableMetadata found = table.metadata();
            table.evolve((same
                            ? adding(found)
                            : ColumnChanges.updates(
                                    found, ColumnChanges.evolve(found, new SchemaChanges(List.of(other), false))))
                    .toArray(MetadataUpdate[]::new));
        });
        if (same) {
            assertThat(committed(commitForMoreColumns()).attempts()).isEqualTo(2);
            assertThat(table.live().data()).hasSize(2);
            return;
        }
        assertThatThrownBy(this::commitForMoreColumns)
                .isInstanceOf(CommitConflictException.class)
                .hasMessageContaining("'more' is another column now");
        assertThat(table.metadata().schema().field("more")).isEmpty();
        assertThat(table.live().data()).hasSize(1);
    }

    @Test
    void commitsNothingForAnEmptyChange() {
        assertThat(table.statement().commit(table.appending())).isInstanceOf(CommitOutcome.NothingToDo.class);
        assertThat(table.committer.swaps()).isZero();
    }

    // B08: a retry is built on the winner's snapshot.

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void keepsTheWinnersRowsAfterALostRace(int version) {
        var raced = CommitFixture.unpartitioned(version);
        var winner = raced.dataFile("winner").build();
        var loser = raced.dataFile("loser").build();
        raced.committer.beforeSwap(() -> raced.append(winner));
        var outcome = committed(raced.statement().commit(raced.appending(loser)));
        assertThat(outcome.attempts()).isEqualTo(2);
        assertThat(raced.live().data().keySet()).containsExactly(loser.path(), winner.path());
        assertThat(raced.head().parentId())
                .hasValue(raced.metadata().snapshots().get(0).id());
        assertThat(leftovers(raced)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"rewrite", "vector", "overwrite", "metadata delete"})
    void keepsTheWinnersRowsWhateverTheLoserDoes(String kind) {
        var a = table.dataFile("a").ids(1, 10).build();
        var b = table.dataFile("b").ids(11, 20).build();
        table.append(a, b);
        var change = switch (kind) {
            case "rewrite" ->
                table.change(Operation.OVERWRITE)
                        .remove(a)
                        .addRewritten(table.dataFile("a2").records(5).build())
                        .build();
            case "vector" ->
                table.change(Operation.DELETE).delete(table.vector("v", a)).build();
            case "overwrite" ->
                table.change(Operation.OVERWRITE)
                        .removeMatching(CommitFixture.idAtMost(10))
                        .add(table.dataFile("new").ids(1, 10).build())
                        .build();
            default ->
                table.change(Operation.DELETE)
                        .removeMatching(CommitFixture.idAtMost(10))
                        .build();
        };
        var winner = table.dataFile("winner").ids(21, 30).build();
        table.committer.beforeSwap(() -> table.append(winner));
        table.statement().commit(change);
        assertThat(table.live().data()).containsKeys(b.path(), winner.path());
        assertThat(table.live().data().containsKey(a.path())).isEqualTo(kind.equals("vector"));
        assertThat(leftovers(table)).isEmpty();
    }

    @Test
    void writesItsManifestsOnceHoweverOftenItLoses() {
        var a = table.dataFile("a").build();
        var b = table.dataFile("b").build();
        table.append(a, b);
        var change = table.change(Operation.OVERWRITE)
                .remove(a)
                .add(table.dataFile("c").build())
                .delete(table.vector("v", b))
                .build();
        table.committer.answer(REJECTED, REJECTED, REJECTED);
        table.storage.requests().reset();
        var outcome = committed(table.statement().commit(change));
        assertThat(outcome.attempts()).isEqualTo(4);
        // Three manifests once, and a list per attempt.
        assertThat(table.storage.requests().count(Request.CREATE)).isEqualTo(3 + 4);
        assertThat(table.live().data()).hasSize(2);
        assertThat(leftovers(table)).isEmpty();
    }

    @Test
    void rewritesAManifestAgainThatTheWinnerReplaced() {
        var a = table.dataFile("a").build();
        var b = table.dataFile("b").build();
        var c = table.dataFile("c").build();
        table.append(a, b, c);
        var change = table.change(Operation.DELETE).remove(a).build();
        table.committer.beforeSwap(
                () -> table.commit(table.change(Operation.DELETE).remove(b).build()));
        table.statement().commit(change);
        assertThat(table.live().statuses()).containsExactly("DELETED a", "EXISTING c");
        assertThat(leftovers(table)).isEmpty();
    }

    @Test
    void givesUpAfterTheRetriesTheTableAllowsAndLeavesNothing() {
        table.evolve(new MetadataUpdate.SetProperties(Map.of("commit.retry.num-retries", "2")));
        table.committer.answer(REJECTED, REJECTED, REJECTED);
        var change = table.appending(table.dataFile("a").build());
        assertThatThrownBy(() -> table.statement().commit(change))
                .isInstanceOf(CommitConflictException.class)
                .hasMessageContaining("3 times")
                .hasMessageContaining("the script says so");
        assertThat(table.committer.swaps()).isEqualTo(3);
        assertThat(table.storage.locations()).isEmpty();
    }

    @Test
    void triesMoreOftenThanTheRivalIfTheTableDoesNotSay() {
        var rejections = new Answer[10];
        java.util.Arrays.fill(rejections, REJECTED);
        table.committer.answer(rejections);
        assertThat(committed(table.statement()
                                .commit(table.appending(table.dataFile("a").build())))
                        .attempts())
                .isEqualTo(11);
    }

    @Test
    void givesUpWhenTimeIsOver() {
        table.evolve(new MetadataUpdate.SetProperties(Map.of("commit.retry.total-timeout-ms", "0")));
        table.committer.answer(REJECTED);
        var change = table.appending(table.dataFile("a").build());
        assertThatThrownBy(() -> table.statement().commit(change))
                .isInstanceOf(CommitConflictException.class)
                .hasMessageContaining("commit.retry.total-timeout-ms");
    }

    // B09: outcome unknown.

    @ParameterizedTest
    @EnumSource(names = {"DONE_BUT_UNKNOWN", "DONE_BUT_THROWN", "DONE_BUT_OUT_OF_MEMORY", "DONE_BUT_REJECTED"})
    void recognisesItsOwnSnapshot(Answer answer) {
        var a = table.dataFile("a").build();
        table.committer.answer(answer);
        var outcome = committed(table.statement().commit(table.appending(a)));
        assertThat(outcome.snapshotId()).isEqualTo(table.head().id());
        assertThat(table.metadata().snapshots()).hasSize(1);
        assertThat(table.live().data().keySet()).containsExactly(a.path());
        assertThat(leftovers(table)).isEmpty();
    }

    @Test
    void recognisesItsOwnSnapshotBelowOthers() {
        var a = table.dataFile("a").build();
        var b = table.dataFile("b").build();
        table.committer.answer(REJECTED, DONE_BUT_REJECTED);
        // The second load of the statement finds its own snapshot and one that came after.
        var statement = table.statement();
        table.committer.beforeSwap(() -> {});
        statement.commit(table.appending(a));
        table.append(b);
        assertThat(table.live().data().keySet()).containsExactly(a.path(), b.path());
        assertThat(leftovers(table)).isEmpty();
    }

    @Test
    void removesEveryFileAfterACertainFailure() {
        var statement = table.statement();
        table.committer.answer(Answer.FAILED);
        var change = table.appending(table.dataFile("a").build());
        assertThatThrownBy(() -> statement.commit(change))
                .isInstanceOf(UncheckedIOException.class)
                .hasRootCauseMessage("disk full");
        assertThat(table.committer.swaps()).isEqualTo(1);
        assertThat(table.storage.locations()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(names = {"UNKNOWN", "THROWN"})
    void keepsEveryFileWhenNobodyKnows(Answer answer) {
        var statement = table.statement();
        table.committer.answer(answer);
        var change = table.appending(table.dataFile("a").build());
        assertThatThrownBy(() -> statement.commit(change))
                .isInstanceOf(CommitStateUnknownException.class)
                .hasMessageContaining("kept");
        var kept = table.storage.locations();
        assertThat(kept).hasSize(3);
        assertThat(statement.ledger.abort()).isFalse();
        assertThat(table.storage.locations()).isEqualTo(kept);
    }

    @ParameterizedTest
    @EnumSource(names = {"DONE_BUT_UNKNOWN", "DONE_BUT_THROWN", "DONE_BUT_OUT_OF_MEMORY"})
    void keepsEveryFileWhenItCannotLook(Answer answer) {
        var a = table.dataFile("a").build();
        var statement = table.statement();
        table.committer.answer(answer);
        table.committer.failLoadsAfter(1);
        assertThatThrownBy(() -> statement.commit(table.appending(a)))
                .isInstanceOf(CommitStateUnknownException.class)
                .cause()
                .satisfies(cause -> assertThat(cause.getSuppressed()).hasSize(1));
        statement.ledger.abort();
        assertThat(table.live().data().keySet()).containsExactly(a.path());
        assertThat(table.storage.locations()).containsAll(table.live().reachable());
    }

    @Test
    void looksForItsSnapshotInAnInterruptedThread() {
        var a = table.dataFile("a").build();
        table.committer.answer(DONE_BUT_UNKNOWN);
        table.committer.beforeSwap(() -> Thread.currentThread().interrupt());
        table.committer.beforeAll(() -> {
            if (Thread.currentThread().isInterrupted()) {
                throw new java.nio.channels.ClosedByInterruptException();
            }
        });
        try {
            assertThat(committed(table.statement().commit(table.appending(a))).snapshotId())
                    .isEqualTo(table.head().id());
        } finally {
            assertThat(Thread.interrupted()).isTrue();
        }
    }

    @Test
    void leavesNothingWhenInterruptedBetweenAttempts() {
        table.committer.answer(REJECTED);
        table.committer.beforeSwap(() -> Thread.currentThread().interrupt());
        var change = table.appending(table.dataFile("a").build());
        try {
            assertThatThrownBy(() -> table.statement().commit(change))
                    .isInstanceOf(UncheckedIOException.class)
                    .hasMessageContaining("interrupted");
        } finally {
            assertThat(Thread.interrupted()).isTrue();
        }
        assertThat(table.storage.locations()).isEmpty();
        assertThat(table.metadata().snapshots()).isEmpty();
    }

    // Failures of storage at every step.

    @ParameterizedTest
    @EnumSource(
            value = Request.class,
            names = {"OPEN", "READ", "CREATE", "WRITE", "CLOSE"})
    void leavesTheTableAsItWasWhereverStorageFails(Request request) {
        int failures = 0;
        for (int nth = 1; ; nth++) {
            var faulty = CommitFixture.unpartitioned(3);
            var a = faulty.dataFile("a").build();
            var b = faulty.dataFile("b").build();
            faulty.append(a, b);
            faulty.change(Operation.DELETE).delete(faulty.vector("v", a)).commit();
            var before = faulty.storage.locations();
            long head = faulty.head().id();
            var change = faulty.change(Operation.OVERWRITE)
                    .remove(a)
                    .add(faulty.dataFile("c").build())
                    .delete(faulty.vector("w", b))
                    .build();
            faulty.storage.requests().failOn(request, nth);
            try {
                faulty.statement().commit(change);
                break;
            } catch (UncheckedIOException e) {
                failures++;
                assertThat(e).hasMessageContaining(CommitFixture.TABLE).hasMessageContaining("Injected");
            }
            assertThat(faulty.head().id()).isEqualTo(head);
            assertThat(faulty.storage.locations()).isEqualTo(before);
        }
        assertThat(failures).isGreaterThanOrEqualTo(3);
    }

    @Test
    void reportsTheFirstErrorWhenCleaningFailsToo() {
        table.storage.requests().failOn(Request.CREATE, 2);
        table.storage.requests().failAll(Request.DELETE);
        var change = table.appending(table.dataFile("a").build());
        assertThatThrownBy(() -> table.statement().commit(change)).hasMessageContaining("CREATE 2");
    }

    @Test
    void succeedsWhenCleaningAfterTheCommitFails() {
        table.committer.answer(REJECTED);
        table.storage.requests().failAll(Request.DELETE);
        var a = table.dataFile("a").build();
        assertThat(table.statement().commit(table.appending(a))).isInstanceOf(Committed.class);
        assertThat(table.live().data().keySet()).containsExactly(a.path());
    }

    @Test
    void leavesNothingWhenTheTableCannotBeLoaded() {
        table.committer.failLoadsAfter(0);
        var change = table.appending(table.dataFile("a").build());
        assertThatThrownBy(() -> table.statement().commit(change)).isInstanceOf(UncheckedIOException.class);
        assertThat(table.storage.locations()).isEmpty();
    }

    @Test
    void leavesNothingWhenTheTableCannotBeLoadedAgain() {
        table.committer.answer(REJECTED);
        // The first load and the one that verifies the rejection.
        table.committer.failLoadsAfter(2);
        var change = table.appending(table.dataFile("a").build());
        assertThatThrownBy(() -> table.statement().commit(change)).isInstanceOf(UncheckedIOException.class);
        assertThat(table.storage.locations()).isEmpty();
    }

    @Test
    void refusesATableCreatedAnewUnderTheName() {
        var other = CommitFixture.unpartitioned(3);
        var statement = other.statement();
        var change = statement.wrote(other.appending(other.dataFile("a").build()));
        var target = new CommitTarget(CommitFixture.TABLE, table.metadata().uuid(), other.committer, other.storage);
        var commit = new TableCommit(target, statement.statement(), java.time.Clock.systemUTC());
        assertThatThrownBy(() -> commit.commit(change, Resettle.never()))
                .isInstanceOf(CommitConflictException.class)
                .hasMessageContaining("created again");
        assertThat(other.storage.locations()).isEmpty();
    }

    // Deriving a change anew.

    @Test
    void removesTheFilesOfARoundThatWasDerivedAgain() {
        var a = table.dataFile("a").build();
        table.append(a);
        var statement = table.statement();
        var first = table.vector("first.puffin", a);
        SnapshotChange change = guarded(table.change(Operation.DELETE).delete(first), a);
        var winner = table.vector("winner.puffin", a);
        table.committer.beforeSwap(
                () -> table.change(Operation.DELETE).delete(winner).commit());
        var outcome = committed(statement.commit(change, (found, conflict, old) -> {
            assertThat(conflict.get(0).message()).contains(a.path());
            return Optional.of(statement.wrote(
                    guarded(table.change(Operation.DELETE).delete(table.vector("again.puffin", a), winner), a)));
        }));
        assertThat(outcome.attempts()).isEqualTo(3);
        assertThat(table.live().deletes().keySet()).containsExactly("memory:/t/data/again.puffin@4");
        assertThat(table.storage.locations()).doesNotContain(first.path()).contains(winner.path());
        assertThat(leftovers(table)).isEmpty();
    }

    private static SnapshotChange guarded(CommitFixture.ChangeBuilder change, DataFile file) {
        return change.rule(new ConflictRule.DeletesUnchanged(
                        Map.of(file.path(), new ConflictRule.Place(file.specId(), file.partition()))))
                .build();
    }

    @Test
    void leavesNothingWhenNothingIsLeftToDo() {
        var a = table.dataFile("a").build();
        table.append(a);
        var before = table.storage.locations();
        SnapshotChange change = table.change(Operation.DELETE)
                .delete(table.vector("v", a))
                .rule(new ConflictRule.FilesStillThere(
                        Map.of(a.path(), new ConflictRule.Place(a.specId(), a.partition()))))
                .build();
        table.change(Operation.DELETE).remove(a).commit();
        assertThat(table.statement().commit(change, (found, conflict, old) -> Optional.empty()))
                .isInstanceOf(CommitOutcome.NothingToDo.class);
        assertThat(table.storage.locations()).containsAll(before).doesNotContain("memory:/t/data/v");
        assertThat(leftovers(table)).isEmpty();
    }

    static List<Throwable> failures() {
        return List.of(
                new IllegalStateException("the stage failed"),
                new AssertionError("the stage failed"),
                // As Spark's SparkException: checked, and nowhere declared.
                new Exception("the stage failed"));
    }

    @ParameterizedTest
    @MethodSource("failures")
    void leavesNothingWhenDerivingAgainFails(Throwable failure) {
        var a = table.dataFile("a").build();
        table.append(a);
        SnapshotChange change = table.change(Operation.DELETE)
                .delete(table.vector("v", a))
                .rule(new ConflictRule.FilesStillThere(
                        Map.of(a.path(), new ConflictRule.Place(a.specId(), a.partition()))))
                .build();
        table.change(Operation.DELETE).remove(a).commit();
        assertThatThrownBy(() -> table.statement().commit(change, (found, conflict, old) -> {
                    throw TableCommitTest.<RuntimeException>undeclared(failure);
                }))
                .isSameAs(failure);
        assertThat(leftovers(table)).isEmpty();
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    private static <E extends Throwable> E undeclared(Throwable failure) throws E {
        throw (E) failure;
    }

    @Test
    void truncatesWhatIsThereWhenItCommits() {
        table.append(table.dataFile("a").build());
        SnapshotChange truncate = new SnapshotChange(
                Operation.DELETE,
                "main",
                java.util.OptionalLong.empty(),
                3,
                List.of(),
                List.of(),
                List.of(new Removal.Matching(Expression.Constant.TRUE)),
                List.of(),
                Map.of());
        table.committer.beforeSwap(() -> table.append(table.dataFile("b").build()));
        table.statement().commit(truncate);
        assertThat(table.live().data()).isEmpty();
        assertThat(new HashSet<>(table.live().statuses())).containsExactlyInAnyOrder("DELETED a", "DELETED b");
    }
}
