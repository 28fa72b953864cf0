package dev.calve.rowdelete;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.commit.CommitFixture;
import dev.calve.deletes.PositionBitmap;
import dev.calve.expression.Expression;
import dev.calve.io.RequestLog.Request;
import dev.calve.manifest.DataFile;
import dev.calve.manifest.DeleteFile;
import dev.calve.manifest.ManifestEntry;
import dev.calve.metadata.FileNames;
import dev.calve.metadata.MetadataUpdate;
import dev.calve.rewrite.RewriteCounts;
import dev.calve.rowdelete.Outcome.Deletes;
import dev.calve.rowdelete.Outcome.Rewritten;
import dev.calve.rowdelete.Outcome.Untouched;
import dev.calve.rowdelete.Outcome.WholeFile;
import dev.calve.scan.FileTask;
import dev.calve.schema.Type;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class SettlerTest {

    private final CommitFixture table = CommitFixture.partitionedBy(Type.Simple.INT, 3);
    private final CommitFixture older = CommitFixture.partitionedBy(Type.Simple.INT, 2);
    private int settlers;

    private static <F extends dev.calve.manifest.ContentFile> ManifestEntry<F> entry(F file) {
        return new ManifestEntry<>(ManifestEntry.Status.ADDED, 1, 1, 1, file);
    }

    private static FileTask task(DataFile file, DeleteFile... deletes) {
        return new FileTask(
                entry(file),
                "memory:/m.avro",
                List.of(deletes).stream().map(SettlerTest::entry).toList(),
                Expression.Constant.TRUE,
                false);
    }

    /** Writes survivors as a file with as many records. */
    private static final class Survivors implements SurvivorWriter {
        private final CommitFixture table;
        private int count;

        Survivors(CommitFixture table) {
            this.table = table;
        }

        @Override
        public SurvivorWriter.Survivors write(FileTask task, PositionBitmap gone) {
            return new SurvivorWriter.Survivors(
                    List.of(table.dataFile("survivors" + count++)
                            .in(task.file().partition().values().toArray())
                            .records(task.file().recordCount() - gone.cardinality())
                            .build()),
                    new RewriteCounts(2, 1, 300, 7));
        }
    }

    private Settler settler(CommitFixture of) {
        return new Settler(
                of.storage,
                of.metadata(),
                new FileNames(of.metadata(), UUID.randomUUID(), 0, settlers++),
                new Survivors(of),
                "test");
    }

    private CommitFixture tableFor(SettleMode mode) {
        return mode == SettleMode.POSITION_FILE ? older : table;
    }

    private static PositionBitmap none() {
        return new PositionBitmap();
    }

    @ParameterizedTest
    @EnumSource
    void writesNothingIfNoLiveRowMatches(SettleMode mode) throws IOException {
        var of = tableFor(mode);
        var file = of.dataFile("a").in(1).build();
        try (var settler = settler(of)) {
            settler.settle(mode, 7, task(file), PositionBitmap.of(1, 2), none());
            assertThat(settler.finish()).containsExactly(new Untouched(7));
            assertThat(settler.written()).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource
    void writesNothingIfEveryLiveRowMatches(SettleMode mode) throws IOException {
        var of = tableFor(mode);
        var file = of.dataFile("a").in(1).records(4).build();
        try (var settler = settler(of)) {
            settler.settle(mode, 7, task(file), PositionBitmap.of(1, 2), PositionBitmap.of(0, 3));
            assertThat(settler.finish()).containsExactly(new WholeFile(7, PositionBitmap.of(0, 3)));
            assertThat(settler.written()).isEmpty();
        }
    }

    /** Of ten rows two were deleted by position and one by key; one row more makes four. */
    @ParameterizedTest
    @CsvSource({"2, 0.5, false", "2, 0.4, true", "3, 0.41, false", "3, 0.4, true", "3, 1, false", "2, 0.01, true"})
    void writesAFileAgainFromAShareOfRowsThatAreGone(int formatVersion, double share, boolean rewritten)
            throws IOException {
        var of = formatVersion == 2 ? older : table;
        var file = of.dataFile("a").in(1).records(10).build();
        try (var settler = settler(of)) {
            settler.settle(
                    new RewriteFrom(share),
                    0,
                    task(file),
                    PositionBitmap.of(1, 2, 11, 12),
                    PositionBitmap.of(4),
                    PositionBitmap.of(3));
            settler.settle(new RewriteFrom(share), 1, task(file), none(), none(), none());
            var outcomes = new ArrayList<>(settler.finish());
            outcomes.remove(new Untouched(1));
            assertThat(outcomes)
                    .singleElement()
                    .isInstanceOf(rewritten ? Rewritten.class : Deletes.class)
                    .satisfies(outcome -> assertThat(outcome.positions()).isEqualTo(PositionBitmap.of(3)));
        }
    }

    @Test
    void writesAFileAgainAlwaysOrNeverWhateverTheShare() throws IOException {
        assertThat(RewriteFrom.ALWAYS.covers(1, Long.MAX_VALUE)).isTrue();
        assertThat(RewriteFrom.NEVER.covers(9, 10)).isFalse();
        assertThat(RewriteFrom.ALWAYS.isPossible()).isTrue();
        assertThat(RewriteFrom.NEVER.isPossible()).isFalse();
        assertThat(new RewriteFrom(1).isPossible()).isTrue();
    }

    /** Old position delete files may name rows that do not exist. */
    @ParameterizedTest
    @EnumSource
    void doesNotCountPositionsBehindTheLastRow(SettleMode mode) throws IOException {
        var of = tableFor(mode);
        var file = of.dataFile("a").in(1).records(4).build();
        try (var settler = settler(of)) {
            settler.settle(mode, 0, task(file), PositionBitmap.of(4, 5, 6), PositionBitmap.of(0));
            assertThat(settler.finish().get(0)).isNotInstanceOf(WholeFile.class);
        }
    }

    @ParameterizedTest
    @EnumSource
    void countsRowsDeletedByKeyAsGoneAlready(SettleMode mode) throws IOException {
        var of = tableFor(mode);
        var file = of.dataFile("a").in(1).records(4).build();
        try (var settler = settler(of)) {
            settler.settle(mode, 7, task(file), PositionBitmap.of(1), PositionBitmap.of(2), PositionBitmap.of(0, 3));
            assertThat(settler.finish()).containsExactly(new WholeFile(7, PositionBitmap.of(0, 3)));
        }
    }

    @ParameterizedTest
    @EnumSource
    void leavesRowsDeletedByKeyToTheirEqualityDeletesUnlessRowsAreWrittenAgain(SettleMode mode) throws IOException {
        var of = tableFor(mode);
        var file = of.dataFile("a").in(1).records(10).build();
        var task = task(file, of.equality("e", 0, 1));
        try (var settler = settler(of)) {
            settler.settle(mode, 0, task, PositionBitmap.of(1), PositionBitmap.of(2, 3), PositionBitmap.of(5));
            Outcome outcome = settler.finish().get(0);
            assertThat(outcome.deletedRows()).isEqualTo(1);
            long recorded = outcome instanceof Rewritten rewritten
                    ? rewritten.files().get(0).recordCount()
                    : ((Deletes) outcome).file().recordCount();
            // Position 1 and 5; or all but those and the two that are deleted by key.
            assertThat(recorded).isEqualTo(mode == SettleMode.REWRITE ? 6 : 2);
        }
    }

    @Test
    void writesAllPositionsIntoTheVectorAndSharesOneFile() throws IOException {
        var a = table.dataFile("a").in(1).build();
        var b = table.dataFile("b").in(2).build();
        List<Outcome> outcomes;
        try (var settler = settler(table)) {
            settler.settle(SettleMode.VECTOR, 0, task(a), PositionBitmap.of(1, 2), PositionBitmap.of(5));
            settler.settle(SettleMode.VECTOR, 1, task(b), none(), PositionBitmap.of(9));
            outcomes = settler.finish();
        }
        var ofA = (Deletes) outcomes.get(0);
        var ofB = (Deletes) outcomes.get(1);
        assertThat(ofA.deletedRows()).isEqualTo(1);
        assertThat(ofA.file().recordCount()).isEqualTo(3);
        assertThat(ofA.file().partition()).isEqualTo(a.partition());
        assertThat(ofA.file().scopedTo()).contains(a.path());
        assertThat(ofB.file().partition()).isEqualTo(b.partition());
        assertThat(ofA.file().path()).isEqualTo(ofB.file().path());
        assertThat(ofA.file().fileSizeBytes())
                .isEqualTo(table.storage.bytes(ofA.file().path()).length);
        assertThat(ExistingDeletes.of(table.storage, task(a, ofA.file()))).isEqualTo(PositionBitmap.of(1, 2, 5));
        assertThat(ExistingDeletes.of(table.storage, task(b, ofB.file()))).isEqualTo(PositionBitmap.of(9));
    }

    private DeleteFile settled(DataFile file, PositionBitmap before, PositionBitmap matched, DeleteFile... deletes)
            throws IOException {
        try (var settler = settler(older)) {
            settler.settle(SettleMode.POSITION_FILE, 0, task(file, deletes), before, matched);
            return ((Deletes) settler.finish().get(0)).file();
        }
    }

    @Test
    void absorbsOlderPositionDeletesOfTheSameFile() throws IOException {
        var a = older.dataFile("a").in(1).build();
        var first = settled(a, none(), PositionBitmap.of(1));
        assertThat(first.scopedTo()).contains(a.path());
        assertThat(first).isInstanceOf(DeleteFile.PositionDeletes.class);
        var second = settled(a, PositionBitmap.of(1), PositionBitmap.of(3), first);
        assertThat(ExistingDeletes.of(older.storage, task(a, second))).isEqualTo(PositionBitmap.of(1, 3));
        assertThat(second.recordCount()).isEqualTo(2);
    }

    private static DeleteFile deletesOf(Map<Integer, Outcome> outcomes, int task) {
        return ((Deletes) Objects.requireNonNull(outcomes.get(task))).file();
    }

    @Test
    void writesOneFileAPartitionIfAskedTo() throws IOException {
        older.evolve(new MetadataUpdate.SetProperties(Map.of("write.delete.granularity", "partition")));
        var b = older.dataFile("b").in(1).build();
        var a = older.dataFile("a").in(1).build();
        var whole = older.dataFile("whole").in(1).records(1).build();
        var alone = older.dataFile("alone").in(2).build();
        var scoped = settled(a, none(), PositionBitmap.of(7));
        List<Outcome> outcomes;
        try (var settler = settler(older)) {
            settler.settle(SettleMode.POSITION_FILE, 0, task(b), none(), PositionBitmap.of(1, 2));
            settler.settle(SettleMode.POSITION_FILE, 1, task(alone), none(), PositionBitmap.of(5));
            settler.settle(SettleMode.POSITION_FILE, 2, task(whole), none(), PositionBitmap.of(0));
            settler.settle(SettleMode.POSITION_FILE, 3, task(a, scoped), PositionBitmap.of(7), PositionBitmap.of(3));
            outcomes = settler.finish();
            assertThat(settler.written()).hasSize(2);
        }
        assertThat(outcomes).extracting(Outcome::task).containsExactlyInAnyOrder(0, 1, 2, 3);
        Map<Integer, Outcome> byTask = outcomes.stream().collect(Collectors.toMap(Outcome::task, found -> found));
        DeleteFile shared = deletesOf(byTask, 0);
        assertThat(deletesOf(byTask, 3)).isEqualTo(shared);
        assertThat(shared.scopedTo()).isEmpty();
        assertThat(shared.partition()).isEqualTo(a.partition());
        assertThat(shared.recordCount()).isEqualTo(4);
        assertThat(ExistingDeletes.of(older.storage, task(b, shared))).isEqualTo(PositionBitmap.of(1, 2));
        // With what its own file said, which leaves the table.
        assertThat(ExistingDeletes.of(older.storage, task(a, shared))).isEqualTo(PositionBitmap.of(3, 7));
        assertThat(Objects.requireNonNull(byTask.get(3)).positions()).isEqualTo(PositionBitmap.of(3));
        assertThat(deletesOf(byTask, 1).scopedTo()).contains(alone.path());
        assertThat(byTask.get(2)).isInstanceOf(WholeFile.class);
    }

    /** A file that speaks of several data files stays in the table, so its positions are not repeated. */
    @Test
    void doesNotRepeatPositionsOfWiderFiles() throws IOException {
        var a = older.dataFile("a").in(1).build();
        var scoped = settled(a, none(), PositionBitmap.of(1));
        var source = (DeleteFile.PositionDeletes) settled(a, none(), PositionBitmap.of(2));
        var wide = new DeleteFile.PositionDeletes(source.common(), java.util.Optional.empty());
        var next = settled(a, PositionBitmap.of(1, 2), PositionBitmap.of(3), scoped, wide);
        assertThat(ExistingDeletes.of(older.storage, task(a, next))).isEqualTo(PositionBitmap.of(1, 3));
    }

    @Test
    void rewritesWithEverythingGoneThatWasOrIsDeleted() throws IOException {
        var a = table.dataFile("a").in(1).build();
        try (var settler = settler(table)) {
            settler.settle(SettleMode.REWRITE, 0, task(a), PositionBitmap.of(1, 2), PositionBitmap.of(5));
            var outcome = (Rewritten) settler.finish().get(0);
            assertThat(outcome.deletedRows()).isEqualTo(1);
            assertThat(outcome.files())
                    .singleElement()
                    .satisfies(file -> assertThat(file.recordCount()).isEqualTo(7));
        }
    }

    @ParameterizedTest
    @EnumSource
    void leavesNothingBehindIfItWasNotFinished(SettleMode mode) throws IOException {
        var of = tableFor(mode);
        var files = new ArrayList<DataFile>();
        for (int i = 0; i < 3; i++) {
            files.add(of.dataFile("f" + i).in(1).build());
        }
        var before = of.storage.locations();
        try (var settler = settler(of)) {
            for (DataFile file : files) {
                settler.settle(mode, 0, task(file), none(), PositionBitmap.of(1));
            }
            assertThat(of.storage.locations()).isNotEqualTo(before);
        }
        assertThat(of.storage.locations()).isEqualTo(before);
    }

    @ParameterizedTest
    @EnumSource(names = {"CREATE", "WRITE", "CLOSE"})
    void leavesNothingBehindWhereverWritingFails(Request request) throws IOException {
        int failures = 0;
        for (SettleMode mode : List.of(SettleMode.VECTOR, SettleMode.POSITION_FILE)) {
            var of = tableFor(mode);
            var a = of.dataFile("a").in(1).build();
            var b = of.dataFile("b").in(1).build();
            var before = of.storage.locations();
            for (int nth = 1; ; nth++) {
                of.storage.requests().reset();
                of.storage.requests().failOn(request, nth);
                boolean failed = false;
                try (var settler = settler(of)) {
                    settler.settle(mode, 0, task(a), none(), PositionBitmap.of(1));
                    settler.settle(mode, 1, task(b), none(), PositionBitmap.of(1));
                    settler.finish();
                } catch (IOException e) {
                    failed = true;
                    failures++;
                    assertThat(e).hasStackTraceContaining("Injected");
                }
                if (!failed) {
                    break;
                }
                assertThat(of.storage.locations())
                        .as(mode + " " + request + " " + nth)
                        .isEqualTo(before);
            }
        }
        assertThat(failures).isGreaterThanOrEqualTo(3);
    }

    /** As a task that is killed is, wherever it is. */
    @ParameterizedTest
    @EnumSource(names = {"CREATE", "WRITE", "CLOSE", "DELETE"})
    void leavesNothingBehindWhereverItIsInterrupted(Request request) throws IOException {
        int interrupted = 0;
        for (SettleMode mode : List.of(SettleMode.VECTOR, SettleMode.POSITION_FILE)) {
            var of = tableFor(mode);
            var a = of.dataFile("a").in(1).build();
            var b = of.dataFile("b").in(1).build();
            var before = of.storage.locations();
            for (int nth = 1; ; nth++) {
                of.storage.requests().reset();
                of.storage.requests().failWhenInterrupted();
                of.storage.requests().interruptOn(request, nth);
                if (request == Request.DELETE) {
                    // The interrupt comes while it cleans after another failure.
                    of.storage.requests().failOn(Request.CLOSE, 1);
                }
                Throwable failure = null;
                try (var settler = settler(of)) {
                    settler.settle(mode, 0, task(a), none(), PositionBitmap.of(1));
                    settler.settle(mode, 1, task(b), none(), PositionBitmap.of(1));
                    settler.finish();
                } catch (IOException e) {
                    failure = e;
                }
                if (!Thread.interrupted()) {
                    break;
                }
                interrupted++;
                // An interrupt while it cleans does not hide why.
                assertThat(failure)
                        .isExactlyInstanceOf(
                                request == Request.DELETE ? IOException.class : ClosedByInterruptException.class);
                assertThat(of.storage.locations())
                        .as(mode + " " + request + " " + nth)
                        .isEqualTo(before);
            }
        }
        assertThat(interrupted).isGreaterThanOrEqualTo(2);
    }

    @Test
    void discardsWhatIsFinished() throws IOException {
        var a = table.dataFile("a").in(1).build();
        var before = table.storage.locations();
        var settler = settler(table);
        settler.settle(SettleMode.VECTOR, 0, task(a), none(), PositionBitmap.of(1));
        settler.finish();
        settler.discard();
        settler.close();
        assertThat(table.storage.locations()).isEqualTo(before);
    }

    @Test
    void goesOnCleaningWhenOneFileCannotBeDeleted() throws IOException {
        var a = table.dataFile("a").in(1).build();
        var settler = settler(table);
        settler.settle(SettleMode.REWRITE, 0, task(a), none(), PositionBitmap.of(1));
        settler.settle(SettleMode.REWRITE, 1, task(a), none(), PositionBitmap.of(1));
        table.storage.requests().failOn(Request.DELETE, 1);
        assertThatThrownBy(settler::close).hasMessageContaining("Injected: DELETE 1");
        assertThat(table.storage.locations())
                .contains("memory:/t/data/survivors0")
                .doesNotContain("memory:/t/data/survivors1");
    }

    @Test
    void keepsWhatItWroteOnceFinished() throws IOException {
        var a = table.dataFile("a").in(1).build();
        var settler = settler(table);
        settler.settle(SettleMode.VECTOR, 0, task(a), none(), PositionBitmap.of(1));
        settler.finish();
        settler.close();
        assertThat(table.storage.locations()).containsAll(settler.written());
    }

    @Test
    void refusesEqualityDeletes() {
        var a = older.dataFile("a").in(1).build();
        var task = task(a, older.equality("e", 0, 1));
        assertThatThrownBy(() -> ExistingDeletes.of(older.storage, task, 1))
                .isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> ExistingDeletes.of(older.storage, task))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining(a.path())
                .hasMessageContaining("data/e");
    }

    /** They apply to rows written again with the older number, too. */
    @Test
    void leavesNewerEqualityDeletesAside() throws IOException {
        var a = older.dataFile("a").in(1).build();
        DeleteFile positions;
        try (var settler = settler(older)) {
            settler.settle(SettleMode.POSITION_FILE, 0, task(a), none(), PositionBitmap.of(3));
            positions = ((Deletes) settler.finish().get(0)).file();
        }
        var task = task(a, older.equality("e", 0, 1), positions);
        assertThat(ExistingDeletes.of(older.storage, task, 0)).isEqualTo(PositionBitmap.of(3));
    }
}
