package dev.calve.commit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.calve.commit.Conflict.Other;
import dev.calve.deletes.PositionBitmap;
import dev.calve.expression.Expression;
import dev.calve.manifest.DataFile;
import dev.calve.metadata.TableProperties;
import dev.calve.metadata.TableProperties.IsolationLevel;
import dev.calve.partition.PartitionTuple;
import dev.calve.schema.Type;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** What a user reads, word by word. */
class ConflictMessageTest {

    private static final String A = "s3://b/a.parquet";
    private static final Other BY = new Other(81, Optional.of("overwrite"), OptionalLong.of(77), true);

    private final CommitFixture table = CommitFixture.partitionedBy(Type.Simple.INT, 3);
    private final DataFile file = table.dataFile("f").in(1).build();

    private static CommitConflictException refused(IsolationLevel level, Conflict... conflicts) {
        return new CommitConflictException(
                "db.t",
                "DELETE",
                Optional.of(new Statement.Isolation(level, "write.delete.isolation-level")),
                List.of(conflicts));
    }

    private static void assertRefusal(Conflict conflict, String message, boolean again) {
        CommitConflictException refused = refused(IsolationLevel.SERIALIZABLE, conflict);
        assertThat(refused)
                .hasMessage("Cannot commit DELETE to db.t: " + message + ". Nothing was changed"
                        + (again ? "; run the statement again." : "."));
        assertThat(refused.runningAgainHelps()).isEqualTo(again);
        assertThat(refused.conflicts()).containsExactly(conflict);
        assertThat(conflict.madeBy())
                .isEqualTo(conflict instanceof Conflict.ByOther ? Optional.of(BY) : Optional.empty());
    }

    @Test
    void saysWhatToDoWhereTheSameCannotBeRunAgain() {
        CommitConflictException refused = new CommitConflictException(
                "db.t",
                "DELETE",
                Optional.empty(),
                List.of(new Conflict.DataFileRemoved(BY, A)),
                Optional.of("plan the DELETE again"));
        assertThat(refused).hasMessageEndingWith(". Nothing was changed; plan the DELETE again.");
        assertThat(refused.runningAgainHelps()).isFalse();
    }

    @Test
    void namesARemovedFile() {
        assertRefusal(
                new Conflict.DataFileRemoved(BY, A),
                "data file s3://b/a.parquet was removed by snapshot 81 (overwrite) since snapshot 77 was read",
                true);
    }

    @Test
    void namesAnotherSnapshotThatSaysNoOperationAndATableThatWasEmpty() {
        var old = new Other(81, Optional.empty(), OptionalLong.empty(), false);
        assertThat(new Conflict.DataFileRemoved(old, A).message())
                .isEqualTo("data file s3://b/a.parquet was removed by snapshot 81 since the table was read, which was"
                        + " empty then");
    }

    @Test
    void namesAnAddedFileAndTheLevelThatWouldNotMind() {
        assertRefusal(
                new Conflict.DataAdded(BY, A, Expression.Constant.TRUE),
                "data file s3://b/a.parquet, which may hold rows the statement selects, was added by snapshot 81"
                        + " (overwrite) since snapshot 77 was read. With write.delete.isolation-level 'snapshot' this would"
                        + " not matter",
                true);
    }

    @Test
    void namesADataFileRowsWereDeletedFrom() {
        assertRefusal(
                new Conflict.RowsDeleted(BY, A, table.vector("v", file)),
                "rows of data file s3://b/a.parquet were deleted by snapshot 81 (overwrite) since snapshot 77 was read",
                true);
    }

    @Test
    void namesRowsThatOverlap() {
        var positions = new PositionBitmap();
        for (long position = 0; position < 12; position++) {
            positions.add(position * 2);
        }
        assertRefusal(
                new Conflict.RowsOverlap(BY, A, positions),
                "row(s) at position(s) 0, 2, 4, 6, 8, 10, 12, 14, 16, 18 and 2 more of data file s3://b/a.parquet were"
                        + " changed by snapshot 81 (overwrite) since snapshot 77 was read",
                true);
    }

    @Test
    void namesAnEqualityDeleteFileAndWhatItAppliesTo() {
        var deletes = table.equality("e", 0, 1);
        assertRefusal(
                new Conflict.KeysDeleted(BY, List.of(A), deletes),
                "rows of data file s3://b/a.parquet may be deleted by the equality delete file memory:/t/data/e, added by"
                        + " snapshot 81 (overwrite) since snapshot 77 was read",
                true);
        assertThat(new Conflict.KeysDeleted(BY, List.of(A, "b", "c"), deletes).message())
                .startsWith("rows of data file s3://b/a.parquet and of 2 more may be deleted");
    }

    @Test
    void namesAPartition() {
        assertRefusal(
                new Conflict.PartitionChanged(BY, new ConflictRule.Place(0, PartitionTuple.of(1)), A),
                "partition " + PartitionTuple.of(1)
                        + " of spec 0 was changed (file s3://b/a.parquet) by snapshot 81 (overwrite) since snapshot 77 was"
                        + " read",
                true);
    }

    @Test
    void namesAFileWhoseRowsGotIds() {
        assertRefusal(
                new Conflict.RowIdsAssigned(A),
                "rows of data file s3://b/a.parquet got row ids after they were read to be written again",
                true);
    }

    @Test
    void saysWhyTheHistoryIsNotKnown() {
        assertRefusal(
                Conflict.HistoryUnknown.notAnAncestor(OptionalLong.of(77), "main"),
                "snapshot 77, which was read, is no longer an ancestor of branch 'main', so it is not known what changed"
                        + " meanwhile",
                true);
        assertRefusal(
                Conflict.HistoryUnknown.notAnAncestor(OptionalLong.empty(), "main"),
                "the table was empty when it was read, and the first snapshots of branch 'main' are expired, so it is not"
                        + " known what changed meanwhile",
                true);
        assertRefusal(
                Conflict.HistoryUnknown.filesGone(OptionalLong.of(77), "main", 80, "snap-80.avro"),
                "snapshot 80 of branch 'main' was expired since the table was read (snap-80.avro), so it is not known what"
                        + " changed meanwhile",
                true);
    }

    @Test
    void saysThatTheFormatChanged() {
        assertRefusal(
                new Conflict.FormatChanged(2, 3),
                "deletes were written for format version 2, but the table was upgraded to 3",
                true);
    }

    /** The statement might succeed, but on a table nobody had in mind. */
    @Test
    void doesNotSendAStatementToANewTable() {
        assertRefusal(
                new Conflict.TableReplaced("old", "new"),
                "it was dropped and created again since it was read (uuid old, now new); look whether the statement is"
                        + " meant for the new table",
                false);
    }

    @Test
    void saysHowOftenTheRaceWasLost() {
        assertRefusal(
                new Conflict.LostRace(3, Duration.ofMillis(1500), "somebody was faster"),
                "lost the race against other writers 3 times in 1500 ms, last because somebody was faster;"
                        + " commit.retry.total-timeout-ms bounds how long it is tried",
                true);
    }

    @Test
    void countsTheOthersAndHelpsOnlyIfAllDo() {
        CommitConflictException refused = refused(
                IsolationLevel.SERIALIZABLE,
                new Conflict.DataFileRemoved(BY, A),
                new Conflict.RowIdsAssigned(A),
                new Conflict.TableReplaced("old", "new"));
        assertThat(refused.getMessage())
                .contains("was read (and 2 more). Nothing was changed.")
                .doesNotContain("again.");
        assertThat(refused.runningAgainHelps()).isFalse();
    }

    @Test
    void saysEverythingAsFieldsToo() {
        CommitConflictException refused = refused(IsolationLevel.SNAPSHOT, new Conflict.DataFileRemoved(BY, A));
        assertThat(refused.table()).isEqualTo("db.t");
        assertThat(refused.command()).isEqualTo("DELETE");
        assertThat(refused.isolation())
                .contains(new Statement.Isolation(IsolationLevel.SNAPSHOT, "write.delete.isolation-level"));
        assertThat(refused.getMessage()).doesNotContain("isolation");
    }

    // Which rules a level brings.

    @Test
    void guardsNothingReadUnderSnapshot() {
        var properties = TableProperties.of(
                Map.of(
                        "write.delete.isolation-level", "snapshot",
                        "write.update.isolation-level", "snapshot"),
                "db.t");
        assertThat(Statement.Isolation.ofDelete(properties).rules(Expression.Constant.TRUE))
                .isEmpty();
        assertThat(Statement.Isolation.ofUpdate(properties).rules(Expression.Constant.TRUE, Map.of()))
                .isEmpty();
        assertThat(Statement.Isolation.ofMerge(properties).level()).isEqualTo(IsolationLevel.SERIALIZABLE);
    }

    @Test
    void guardsWhatWasReadUnderSerializableWhichIsTheDefault() {
        var isolation = Statement.Isolation.ofMerge(TableProperties.of(Map.of(), "db.t"));
        assertThat(isolation)
                .isEqualTo(new Statement.Isolation(IsolationLevel.SERIALIZABLE, "write.merge.isolation-level"));
        var noNewData = new ConflictRule.NoNewDataMatching(Expression.Constant.TRUE);
        assertThat(isolation.rules(Expression.Constant.TRUE)).containsExactly(noNewData);
        Map<String, ConflictRule.Place> scanned = GuardedTable.places(file);
        assertThat(isolation.rules(Expression.Constant.TRUE, scanned))
                .containsExactly(noNewData, new ConflictRule.NoRowsDeletedIn(scanned, Expression.Constant.TRUE));
    }
}
