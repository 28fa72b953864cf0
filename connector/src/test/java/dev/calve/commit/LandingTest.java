package dev.calve.commit;

import static dev.calve.commit.ScriptedCommitter.Answer.APPLIED_LATER;
import static dev.calve.commit.ScriptedCommitter.Answer.DONE_BUT_REJECTED;
import static dev.calve.commit.ScriptedCommitter.Answer.REJECTED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.calve.commit.CommitOutcome.Committed;
import dev.calve.commit.ScriptedCommitter.Answer;
import dev.calve.commit.ScriptedCommitter.Interruption;
import dev.calve.commit.SnapshotChange.Operation;
import dev.calve.manifest.DataFile;
import dev.calve.metadata.MetadataUpdate;
import dev.calve.metadata.Snapshot;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A statement knows its own snapshot again, and deletes nothing while it may still arrive. */
class LandingTest {

    private CommitFixture table = CommitFixture.unpartitioned(3);

    /** Runs before the second load of the next statement, which is the one that looks for its snapshot. */
    private void beforeLook(Interruption others) {
        int look = table.committer.loads() + 2;
        boolean[] done = {false};
        table.committer.beforeAll(() -> {
            if (!done[0] && table.committer.loads() == look && table.committer.swaps() > 0) {
                done[0] = true;
                others.run();
            }
        });
    }

    private Committed committed(SnapshotChange change) {
        return table.statement().commit(change).committed().orElseThrow();
    }

    private void assertNothingLeft() {
        assertThat(table.storage.locations()).allMatch(reachable()::contains);
    }

    private Set<String> reachable() {
        return table.metadata().snapshots().stream()
                .flatMap(snapshot -> LiveFiles.of(table.storage, table.metadata(), snapshot).reachable().stream())
                .collect(java.util.stream.Collectors.toSet());
    }

    @ParameterizedTest
    @EnumSource(names = {"DONE_BUT_UNKNOWN", "DONE_BUT_REJECTED", "DONE_BUT_THROWN"})
    void knowsItsSnapshotBelowThoseOfOthers(Answer answer) {
        DataFile mine = table.dataFile("mine").build();
        DataFile other = table.dataFile("other").build();
        table.committer.answer(answer);
        beforeLook(() -> table.append(other));
        Committed outcome = committed(table.appending(mine));
        assertThat(outcome.attempts()).isEqualTo(1);
        assertThat(table.head().parentId()).hasValue(outcome.snapshotId());
        assertThat(table.live().data()).containsOnlyKeys(mine.path(), other.path());
        assertNothingLeft();
    }

    @ParameterizedTest
    @EnumSource(names = {"DONE_BUT_UNKNOWN", "DONE_BUT_REJECTED"})
    void knowsItsSnapshotOnABranch(Answer answer) {
        table.append(table.dataFile("first").build());
        SnapshotChange change = table.change(Operation.APPEND)
                .add(table.dataFile("mine").build())
                .on("audit")
                .build();
        table.committer.answer(answer);
        beforeLook(() -> table.append(table.dataFile("other").build()));
        Committed outcome = committed(change);
        assertThat(table.metadata().snapshot("audit").map(Snapshot::id)).contains(outcome.snapshotId());
        assertNothingLeft();
    }

    // Expired before it could look.

    @ParameterizedTest
    @CsvSource({"1, DONE_BUT_UNKNOWN", "1, DONE_BUT_REJECTED", "3, DONE_BUT_UNKNOWN", "3, DONE_BUT_REJECTED"})
    void knowsThatItsSnapshotWasThereByItsChild(int version, Answer answer) {
        table = CommitFixture.unpartitioned(version);
        table.append(table.dataFile("first").build());
        DataFile mine = table.dataFile("mine").build();
        table.committer.answer(answer);
        beforeLook(() -> {
            long own = table.head().id();
            table.append(table.dataFile("other").build());
            table.committer.expire(own);
        });
        Committed outcome = committed(table.appending(mine));
        assertThat(table.metadata().snapshot(outcome.snapshotId())).isEmpty();
        assertThat(table.live().data()).hasSize(3).containsKey(mine.path());
    }

    /** Its manifests are gone, its number is taken by nobody that is left. */
    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void knowsThatItsSnapshotWasThereByItsChildAlone(int version) {
        table = CommitFixture.unpartitioned(version);
        DataFile mine = table.dataFile("mine").build();
        table.committer.answer(DONE_BUT_REJECTED);
        beforeLook(() -> {
            long own = table.head().id();
            table.change(Operation.REPLACE)
                    .remove(mine)
                    .addRewritten(table.dataFile("compacted").build())
                    .commit();
            table.append(table.dataFile("other").build());
            table.committer.expire(own);
        });
        assertThat(committed(table.appending(mine)).attempts()).isEqualTo(1);
        assertThat(table.live().data()).hasSize(2);
    }

    @ParameterizedTest
    @CsvSource({"1, DONE_BUT_UNKNOWN", "1, DONE_BUT_REJECTED", "3, DONE_BUT_UNKNOWN", "3, DONE_BUT_REJECTED"})
    void knowsThatItsSnapshotWasThereByItsManifests(int version, Answer answer) {
        table = CommitFixture.unpartitioned(version);
        table.append(table.dataFile("first").build());
        DataFile mine = table.dataFile("mine").build();
        table.committer.answer(answer);
        beforeLook(() -> {
            long own = table.head().id();
            table.append(table.dataFile("other").build());
            long child = table.head().id();
            table.append(table.dataFile("another").build());
            table.committer.expire(own, child);
        });
        committed(table.appending(mine));
        assertThat(table.live().data()).hasSize(4).containsKey(mine.path());
    }

    @Test
    void knowsByTheNumberThatAnotherSnapshotTookItsPlace() {
        table.append(table.dataFile("first").build());
        table.committer.answer(REJECTED);
        beforeLook(() -> {
            table.append(table.dataFile("other").build());
            long winner = table.head().id();
            table.append(table.dataFile("another").build());
            long second = table.head().id();
            table.append(table.dataFile("third").build());
            table.committer.expire(winner, second);
        });
        Committed outcome = committed(table.appending(table.dataFile("mine").build()));
        assertThat(outcome.attempts()).isEqualTo(2);
        assertThat(table.live().data()).hasSize(5);
    }

    /** Whoever cannot tell must not commit twice. */
    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void saysThatNobodyKnowsWhenEveryTraceIsExpired(int version) {
        table = CommitFixture.unpartitioned(version);
        DataFile first = table.dataFile("first").build();
        table.append(first);
        DataFile mine = table.dataFile("mine").build();
        table.committer.answer(DONE_BUT_REJECTED);
        beforeLook(() -> {
            long own = table.head().id();
            table.change(Operation.REPLACE)
                    .remove(first, mine)
                    .addRewritten(table.dataFile("compacted").build())
                    .commit();
            long child = table.head().id();
            table.append(table.dataFile("other").build());
            table.committer.expire(own, child);
        });
        var statement = table.statement();
        assertThatThrownBy(() -> statement.commit(table.appending(mine)))
                .isInstanceOf(CommitStateUnknownException.class);
        assertThat(statement.ledger.abort()).isFalse();
        assertThat(table.live().data()).hasSize(2);
        assertThat(table.storage.locations()).containsAll(table.live().reachable());
    }

    // A rejection is verified.

    @Test
    void believesNoRejectionOfALastAttemptThatWasDone() {
        table.evolve(new MetadataUpdate.SetProperties(Map.of("commit.retry.num-retries", "0")));
        DataFile mine = table.dataFile("mine").build();
        table.committer.answer(DONE_BUT_REJECTED);
        assertThat(committed(table.appending(mine)).snapshotId())
                .isEqualTo(table.head().id());
        assertThat(table.live().data()).containsOnlyKeys(mine.path());
        assertNothingLeft();
    }

    @Test
    void deletesNothingOnAnUnverifiedRejection() {
        DataFile mine = table.dataFile("mine").build();
        var statement = table.statement();
        table.committer.answer(DONE_BUT_REJECTED);
        table.committer.failLoadsAfter(1);
        assertThatThrownBy(() -> statement.commit(table.appending(mine)))
                .isInstanceOf(CommitStateUnknownException.class)
                .hasMessageContaining("a lost answer");
        assertThat(statement.ledger.abort()).isFalse();
        assertThat(table.storage.locations()).containsAll(table.live().reachable());
    }

    // A swap that arrives after nobody found it.

    @Test
    void keepsEverythingForASwapThatArrivesLater() {
        DataFile old = table.dataFile("old").build();
        DataFile mine = table.dataFile("mine").build();
        table.append(old);
        SnapshotChange change =
                table.change(Operation.OVERWRITE).remove(old).add(mine).build();
        table.committer.answer(APPLIED_LATER);
        var statement = table.statement();
        var unknown = catchThrowableOfType(CommitStateUnknownException.class, () -> statement.commit(change));
        assertThat(statement.ledger.abort()).isFalse();
        assertThat(table.live().data()).containsOnlyKeys(old.path());
        assertThat(table.committer.applyLate()).isTrue();
        assertThat(unknown.snapshotId()).hasValue(table.head().id());
        assertThat(table.live().data()).containsOnlyKeys(mine.path());
        assertThat(table.storage.locations()).containsAll(table.live().reachable());
    }

    @Test
    void findsASwapThatArrivesWhileItLooks() {
        DataFile mine = table.dataFile("mine").build();
        table.committer.answer(APPLIED_LATER);
        beforeLook(() -> assertThat(table.committer.applyLate()).isTrue());
        assertThat(committed(table.appending(mine)).snapshotId())
                .isEqualTo(table.head().id());
        assertNothingLeft();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void cannotArriveOnceSomebodyElseCommittedToTheBranch(boolean byRequirement) {
        if (byRequirement) {
            table.committer.byRequirement();
        }
        table.committer.answer(APPLIED_LATER);
        assertThatThrownBy(() -> table.statement()
                        .commit(table.appending(table.dataFile("mine").build())))
                .isInstanceOf(CommitStateUnknownException.class);
        DataFile other = table.dataFile("other").build();
        table.append(other);
        assertThat(table.committer.applyLate()).isFalse();
        assertThat(table.live().data()).containsOnlyKeys(other.path());
    }

    /** A catalog server does not mind a change of properties in between. */
    @Test
    void mayArriveAtACatalogServerAfterOtherChanges() {
        table.committer.byRequirement().answer(APPLIED_LATER);
        DataFile mine = table.dataFile("mine").build();
        assertThatThrownBy(() -> table.statement().commit(table.appending(mine)))
                .isInstanceOf(CommitStateUnknownException.class);
        table.evolve(new MetadataUpdate.SetProperties(Map.of("k", "v")));
        assertThat(table.committer.applyLate()).isTrue();
        assertThat(table.live().data()).containsOnlyKeys(mine.path());
        assertThat(table.metadata().property("k")).contains("v");
        assertThat(table.storage.locations()).containsAll(table.live().reachable());
    }

    @Test
    void saysWhichSnapshotToLookForAndWhere() {
        table.committer.answer(Answer.UNKNOWN);
        var unknown = catchThrowableOfType(
                CommitStateUnknownException.class,
                () -> table.statement()
                        .commit(table.appending(table.dataFile("mine").build())));
        long id = unknown.snapshotId().orElseThrow();
        assertThat(unknown.table()).isEqualTo(CommitFixture.TABLE);
        assertThat(unknown.command()).isEqualTo("TEST");
        assertThat(unknown)
                .hasMessage(
                        "Cannot tell whether snapshot " + id + " was committed to db.t by TEST: java.io.IOException:"
                                + " timeout. All files written were kept. Before running the statement again, look for snapshot "
                                + id
                                + " in the history of branch 'main': if it is there, the statement succeeded. If it is not, it"
                                + " may still arrive as long as nobody else commits to the branch.");
    }
}
