package dev.calve.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.calve.catalog.LoadedTable;
import dev.calve.commit.CommitConflictException;
import dev.calve.commit.CommitFixture;
import dev.calve.commit.CommitStateUnknownException;
import dev.calve.commit.CommitTarget;
import dev.calve.commit.Conflict;
import dev.calve.commit.FileLedger;
import dev.calve.commit.Resettle;
import dev.calve.commit.ScriptedCommitter.Answer;
import dev.calve.commit.SnapshotChange;
import dev.calve.commit.Statement;
import dev.calve.commit.TableCommit;
import dev.calve.commit.TableState;
import dev.calve.metadata.MetadataUpdates;
import dev.calve.metadata.Replacement;
import dev.calve.metadata.Snapshot;
import dev.calve.metadata.SnapshotRef;
import dev.calve.metadata.TableMetadata;
import dev.calve.partition.PartitionSpec;
import dev.calve.partition.SortOrder;
import dev.calve.schema.Field;
import dev.calve.schema.Schema;
import dev.calve.schema.Type;
import java.io.UncheckedIOException;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A table that takes the place of another, with rows and without. */
class PublicationTest {

    private final CommitFixture table = CommitFixture.unpartitioned(3);
    private LoadedTable replaced = loaded();
    private Publication publication = new Publication.Replacing(replaced);
    private Set<String> filesBefore = Set.of();

    @BeforeEach
    void fillsTheOldTable() {
        table.append(table.dataFile("old").build());
        replaced = loaded();
        publication = new Publication.Replacing(replaced);
        filesBefore = Set.copyOf(table.storage.locations());
    }

    private LoadedTable loaded() {
        return new LoadedTable("lake.db.t", table.committer.now(), table.storage, table.committer);
    }

    private Staging staged(boolean rows) {
        TableMetadata before = replaced.metadata();
        var schema = new Schema(
                0, List.of(Field.optional(1, "id", Type.Simple.LONG), Field.optional(2, "x", Type.Simple.DATE)));
        var updates = new Replacement(
                        schema, PartitionSpec.unpartitioned(0), SortOrder.UNSORTED, Map.of("k", "v"), Optional.empty())
                .of(before);
        var staging = new Staging(
                new TableState(
                        MetadataUpdates.apply(before, updates, before.lastUpdatedMillis() + 1),
                        replaced.state().metadataLocation()),
                updates);
        if (rows) {
            var target = new CommitTarget("lake.db.t", before.uuid(), staging, table.storage);
            var statement = Statement.of(UUID.randomUUID(), "INSERT", new FileLedger(table.storage));
            var change = SnapshotChange.append(
                    SnapshotRef.MAIN, 3, List.of(table.dataFile("new").build()), Map.of());
            new TableCommit(target, statement, Clock.systemUTC()).commit(change, Resettle.never());
        }
        return staging;
    }

    private void assertReplaced(Staging staging, boolean rows) {
        TableMetadata after = table.metadata();
        assertThat(after).isEqualTo(staging.load().metadata());
        assertThat(after.schema().fields()).extracting(Field::name).containsExactly("id", "x");
        assertThat(after.snapshots()).hasSize(rows ? 2 : 1);
        assertThat(after.currentSnapshot().map(Snapshot::parentId))
                .isEqualTo(rows ? Optional.of(java.util.OptionalLong.empty()) : Optional.empty());
        if (rows) {
            assertThat(table.live().data().keySet()).containsExactly("memory:/t/data/new");
        }
    }

    private void assertUntouched(TableState expected) {
        assertThat(table.committer.now()).isEqualTo(expected);
    }

    /** What is left of the statement once Spark gave it up. */
    private Set<String> filesAfterAbort(Staging staging) {
        publication.added(staging).forEach(new StagedFiles("lake.db.t", table.storage)::delete);
        return Set.copyOf(table.storage.locations());
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void oneSwapMakesTheTableTheNewOne(boolean rows) {
        Staging staging = staged(rows);
        assertUntouched(replaced.state());
        int swaps = table.committer.swaps();
        publication.publish(staging);

        assertThat(table.committer.swaps()).isEqualTo(swaps + 1);
        assertReplaced(staging, rows);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aChangeMeanwhileMakesItFailAndStays(boolean rows) {
        Staging staging = staged(rows);
        table.append(table.dataFile("theirs").build());
        TableState theirs = table.committer.now();
        Set<String> withTheirs = Set.copyOf(table.storage.locations());

        var conflict = catchThrowableOfType(CommitConflictException.class, () -> publication.publish(staging));
        assertThat(conflict)
                .hasMessageContaining("REPLACE TABLE to lake.db.t")
                .hasMessageContaining("changed since the statement began")
                .hasMessageContaining(String.valueOf(table.head().id()))
                .hasMessageContaining("run the statement again");
        assertThat(publication.isCertain(conflict)).isTrue();
        assertUntouched(theirs);
        Set<String> left = filesAfterAbort(staging);
        assertThat(withTheirs).containsAll(left);
        assertThat(left).containsAll(filesBefore);
        assertThat(table.live().data().keySet())
                .containsExactlyInAnyOrder("memory:/t/data/old", "memory:/t/data/theirs");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aChangeAtTheLastMomentMakesItFail(boolean rows) {
        Staging staging = staged(rows);
        table.committer.beforeSwap(() ->
                table.committer.update(new dev.calve.metadata.MetadataUpdate.SetProperties(Map.of("theirs", "1"))));
        assertThatThrownBy(() -> publication.publish(staging))
                .isInstanceOf(CommitConflictException.class)
                .hasMessageContaining("somebody was faster");
        assertThat(table.metadata().property("theirs")).contains("1");
        assertThat(table.metadata().property("k")).isEmpty();
        assertThat(filesAfterAbort(staging)).isEqualTo(filesBefore);
    }

    @ParameterizedTest
    @EnumSource(
            value = Answer.class,
            names = {"DONE_BUT_REJECTED", "DONE_BUT_UNKNOWN", "DONE_BUT_THROWN", "DONE_BUT_OUT_OF_MEMORY"})
    void aLostAnswerIsFoundOut(Answer answer) {
        for (boolean rows : List.of(true, false)) {
            replaced = loaded();
            publication = new Publication.Replacing(replaced);
            Staging staging = staged(rows);
            int snapshots = replaced.metadata().snapshots().size();
            table.committer.answer(answer);
            publication.publish(staging);
            assertThat(table.metadata()).isEqualTo(staging.load().metadata());
            assertThat(table.metadata().snapshots()).hasSize(rows ? snapshots + 1 : snapshots);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Answer.class,
            names = {"UNKNOWN", "APPLIED_LATER", "THROWN"})
    void withoutAnAnswerNothingIsDeleted(Answer answer) {
        for (boolean rows : List.of(true, false)) {
            Staging staging = staged(rows);
            table.committer.answer(answer);
            var unknown = catchThrowableOfType(CommitStateUnknownException.class, () -> publication.publish(staging));
            assertThat(unknown).hasMessageContaining("REPLACE TABLE");
            assertThat(publication.isCertain(unknown)).isFalse();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatCertainlyFailedIsCleanedUp(boolean rows) {
        Staging staging = staged(rows);
        table.committer.answer(Answer.FAILED);
        var failed = catchThrowableOfType(UncheckedIOException.class, () -> publication.publish(staging));
        assertThat(publication.isCertain(failed)).isTrue();
        assertUntouched(replaced.state());
        assertThat(filesAfterAbort(staging)).isEqualTo(filesBefore);
    }

    /** The directory of a table dropped and created again may have a file of the same name as the one that was read. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aTableCreatedAnewUnderTheNameIsRefused(boolean rows) {
        Staging staging = staged(rows);
        TableMetadata other = CommitFixture.unpartitioned(3).metadata();
        table.committer.replace(old -> other);
        var conflict = catchThrowableOfType(CommitConflictException.class, () -> publication.publish(staging));
        assertThat(conflict.conflicts()).singleElement().isInstanceOf(Conflict.TableReplaced.class);
        assertThat(table.metadata()).isEqualTo(other);
    }
}
