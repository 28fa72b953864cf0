package dev.calve.commit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.calve.commit.SnapshotChange.Operation;
import dev.calve.expression.Expression;
import dev.calve.manifest.DataFile;
import dev.calve.metadata.MetadataUpdate;
import dev.calve.metadata.SnapshotRef;
import dev.calve.partition.PartitionTuple;
import dev.calve.schema.Field;
import dev.calve.schema.Schema;
import dev.calve.schema.Type;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ConflictCheckTest {

    private final CommitFixture table = CommitFixture.partitionedBy(Type.Simple.INT, 2);
    private final DataFile a = table.dataFile("a").in(1).ids(1, 10).build();
    private final DataFile b = table.dataFile("b").in(2).ids(11, 20).build();

    ConflictCheckTest() {
        table.append(a, b);
    }

    private List<Conflict> check(SnapshotChange change) throws IOException {
        return ConflictCheck.find(table.storage, table.metadata(), change);
    }

    private SnapshotChange reading(ConflictRule... rules) {
        var change = table.change(Operation.OVERWRITE)
                .add(table.dataFile("mine").in(1).build());
        List.of(rules).forEach(change::rule);
        return change.build();
    }

    private static ConflictRule unchanged(DataFile file) {
        return new ConflictRule.DeletesUnchanged(
                Map.of(file.path(), new ConflictRule.Place(file.specId(), file.partition())));
    }

    private static ConflictRule needed(DataFile file) {
        return new ConflictRule.FilesStillThere(
                Map.of(file.path(), new ConflictRule.Place(file.specId(), file.partition())));
    }

    private void assertConflict(SnapshotChange change, String file) throws IOException {
        assertThat(check(change)).singleElement().satisfies(conflict -> {
            assertThat(conflict.message())
                    .contains(file)
                    .contains(Long.toString(table.head().id()));
        });
    }

    @Test
    void findsNothingWhenNobodyCommitted() throws IOException {
        assertThat(check(
                        reading(needed(a), unchanged(a), new ConflictRule.NoNewDataMatching(Expression.Constant.TRUE))))
                .isEmpty();
    }

    @Test
    void readsNothingForAChangeWithoutRules() throws IOException {
        SnapshotChange append = table.appending(table.dataFile("c").in(1).build());
        table.append(table.dataFile("d").in(1).build());
        table.storage.requests().reset();
        assertThat(check(append)).isEmpty();
        assertThat(table.storage.requests().all()).isEmpty();
    }

    @Test
    void mindsTheRemovalOfAFileItNeedsOnly() throws IOException {
        SnapshotChange ofA = reading(needed(a));
        SnapshotChange ofB = reading(needed(b));
        table.change(Operation.DELETE).remove(a).commit();
        assertConflict(ofA, a.path());
        assertThat(check(ofB)).isEmpty();
    }

    @Test
    void mindsTheRemovalThatAnOlderSnapshotMade() throws IOException {
        SnapshotChange change = reading(needed(a));
        table.change(Operation.DELETE).remove(a).commit();
        table.append(table.dataFile("c").in(1).build());
        table.append(table.dataFile("d").in(1).build());
        assertThat(check(change)).isNotEmpty();
    }

    @Test
    void mindsNewDataThatMayMatch() throws IOException {
        SnapshotChange change = reading(new ConflictRule.NoNewDataMatching(CommitFixture.idAtMost(10)));
        table.append(table.dataFile("above").in(1).ids(11, 30).build());
        assertThat(check(change)).isEmpty();
        table.append(table.dataFile("across").in(1).ids(5, 30).build());
        assertConflict(change, "across");
    }

    @Test
    void mindsNewDataWithoutMetrics() throws IOException {
        SnapshotChange change = reading(new ConflictRule.NoNewDataMatching(CommitFixture.idAtMost(10)));
        table.append(table.dataFile("unknown").in(1).build());
        assertConflict(change, "unknown");
    }

    @Test
    void doesNotTakeCompactionForNewData() throws IOException {
        SnapshotChange change = reading(new ConflictRule.NoNewDataMatching(Expression.Constant.TRUE));
        table.change(Operation.REPLACE)
                .remove(a)
                .addRewritten(table.dataFile("a2").in(1).build())
                .commit();
        assertThat(check(change)).isEmpty();
    }

    @Test
    void mindsPositionDeletesOfItsFileHoweverTheyAreScoped() throws IOException {
        SnapshotChange ofA = reading(unchanged(a));
        SnapshotChange ofB = reading(unchanged(b));
        table.change(Operation.DELETE).delete(table.positions("p", a)).commit();
        assertConflict(ofA, a.path());
        assertThat(check(ofB)).isEmpty();

        SnapshotChange laterA = reading(unchanged(a));
        table.change(Operation.DELETE).delete(table.positionsIn("wide", a)).commit();
        assertConflict(laterA, a.path());
        assertThat(check(ofB)).isEmpty();
    }

    @Test
    void leavesEqualityDeletesToTheirSequenceNumber() throws IOException {
        SnapshotChange change = reading(unchanged(a));
        table.change(Operation.DELETE).delete(table.equality("e", 0, 1)).commit();
        assertThat(check(change)).isEmpty();
    }

    @Test
    void mindsPartitionScopedDeletesAcrossAPromotion() throws IOException {
        SnapshotChange change = reading(unchanged(a));
        table.evolve(
                new MetadataUpdate.AddSchema(
                        new Schema(
                                1,
                                List.of(
                                        Field.required(1, "id", Type.Simple.LONG),
                                        Field.optional(2, "part", Type.Simple.LONG))),
                        2),
                new MetadataUpdate.SetCurrentSchema(-1));
        var promoted = table.dataFile("c").in(1L).build();
        assertThat(promoted.partition()).isNotEqualTo(PartitionTuple.of(1));
        table.change(Operation.DELETE)
                .delete(table.positionsIn("wide", promoted))
                .commit();
        assertConflict(change, a.path());
    }

    @Test
    void doesNotMindWhatItHadRead() throws IOException {
        table.change(Operation.DELETE).delete(table.positions("p", a)).commit();
        table.change(Operation.DELETE).remove(b).commit();
        assertThat(check(reading(unchanged(a), needed(b)))).isEmpty();
    }

    @Test
    void mindsAnUpgradeSinceDeletesWereWritten() throws IOException {
        SnapshotChange change =
                table.change(Operation.DELETE).delete(table.positions("p", a)).build();
        SnapshotChange append = table.appending(table.dataFile("c").in(1).build());
        table.upgradeTo(3);
        assertThat(check(change))
                .singleElement()
                .satisfies(conflict -> assertThat(conflict).isInstanceOf(Conflict.FormatChanged.class));
        assertThat(check(append)).isEmpty();
    }

    @Test
    void doesNotKnowAHistoryThatWasRolledBack() throws IOException {
        long first = table.head().id();
        table.append(table.dataFile("c").in(1).build());
        SnapshotChange change = reading(needed(a));
        table.evolve(new MetadataUpdate.SetSnapshotRef("main", SnapshotRef.branch(first)));
        assertThat(check(change))
                .singleElement()
                .satisfies(conflict -> assertThat(conflict).isInstanceOf(Conflict.HistoryUnknown.class));
    }

    @Test
    void walksTheWholeHistoryIfTheTableWasEmptyWhenRead() throws IOException {
        var empty = CommitFixture.unpartitioned(2);
        SnapshotChange change = empty.change(Operation.OVERWRITE)
                .add(empty.dataFile("mine").build())
                .rule(new ConflictRule.NoNewDataMatching(Expression.Constant.TRUE))
                .build();
        assertThat(ConflictCheck.find(empty.storage, empty.metadata(), change)).isEmpty();
        empty.append(empty.dataFile("c").build());
        assertThat(ConflictCheck.find(empty.storage, empty.metadata(), change)).isNotEmpty();
    }

    /** Locations opened by a check, each once. */
    private List<String> opened(SnapshotChange change) throws IOException {
        table.storage.requests().reset();
        check(change);
        return table.storage.requests().all().stream()
                .filter(request -> request.startsWith("OPEN"))
                .distinct()
                .toList();
    }

    @Test
    void opensOnlyWhatOthersWroteSince() throws IOException {
        for (int i = 0; i < 5; i++) {
            table.append(table.dataFile("old" + i).in(1).build());
        }
        SnapshotChange change = reading(new ConflictRule.NoNewDataMatching(CommitFixture.idAtMost(10)));
        table.append(table.dataFile("new").in(1).build());
        // One list, one manifest.
        assertThat(opened(change)).hasSize(2);
    }

    @Test
    void opensNoManifestThatCannotConcernARule() throws IOException {
        DataFile c = table.dataFile("c").in(3).ids(1, 10).build();
        table.append(c);
        SnapshotChange change =
                reading(needed(a), unchanged(a), new ConflictRule.NoNewDataMatching(CommitFixture.idAtMost(10)));
        // Removes nothing, and is no new data.
        table.change(Operation.REPLACE)
                .addRewritten(table.dataFile("d").in(1).build())
                .remove(c)
                .commit();
        table.change(Operation.DELETE).delete(table.positions("p", b)).commit();
        assertThat(opened(change))
                .allMatch(request -> request.contains("/snap-"))
                .hasSize(2);
    }

    @Test
    void opensNoManifestThatOnlyLostFilesInSearchOfNewOnes() throws IOException {
        SnapshotChange change = reading(new ConflictRule.NoNewDataMatching(Expression.Constant.TRUE));
        table.change(Operation.DELETE).remove(a).commit();
        assertThat(opened(change))
                .allMatch(request -> request.contains("/snap-"))
                .hasSize(1);
        assertThat(check(change)).isEmpty();
    }

    @Test
    void opensNoManifestForARuleWithoutFiles() throws IOException {
        SnapshotChange change = reading(
                new ConflictRule.FilesStillThere(Map.of()),
                new ConflictRule.DeletesUnchanged(Map.of()),
                new ConflictRule.NoNewEqualityDeletes(Map.of(), Expression.Constant.TRUE));
        table.evolve(new MetadataUpdate.AddSpec(dev.calve.partition.PartitionSpec.unpartitioned(1)));
        table.change(Operation.OVERWRITE)
                .remove(b)
                .add(table.dataFile("c").in(1).build())
                .delete(table.positions("p", a))
                .delete(table.equality("e", 1))
                .commit();
        assertThat(opened(change))
                .allMatch(request -> request.contains("/snap-"))
                .hasSize(1);
    }

    @Test
    void opensNoManifestOfPartitionsTheFilterExcludes() throws IOException {
        SnapshotChange change = reading(new ConflictRule.NoNewDataMatching(GuardedTable.partIs(1)));
        table.append(table.dataFile("elsewhere").in(2).build());
        assertThat(opened(change))
                .allMatch(request -> request.contains("/snap-"))
                .hasSize(1);
    }

    // Attempt after attempt.

    @Test
    void looksAtASnapshotOnceHoweverOftenItIsAsked() throws IOException {
        var check = new ConflictCheck(table.storage, reading(needed(a)));
        for (int i = 0; i < 4; i++) {
            table.append(table.dataFile("other" + i).in(1).build());
            table.storage.requests().reset();
            assertThat(check.against(table.metadata())).isEmpty();
            assertThat(table.storage.requests().all().stream().filter(request -> request.startsWith("OPEN")))
                    .hasSize(1);
        }
        table.change(Operation.DELETE).remove(a).commit();
        assertThat(check.against(table.metadata())).hasSize(1);
        assertThat(check.against(table.metadata())).as("found again").hasSize(1);
    }

    @Test
    void startsOverWhenABranchWasRolledBackBetweenAttempts() throws IOException {
        long read = table.head().id();
        var check = new ConflictCheck(table.storage, reading(needed(a)));
        table.append(table.dataFile("c").in(1).build());
        assertThat(check.against(table.metadata())).isEmpty();
        table.evolve(new MetadataUpdate.SetSnapshotRef("main", SnapshotRef.branch(read)));
        table.change(Operation.DELETE).remove(a).commit();
        assertThat(check.against(table.metadata())).hasSize(1);
    }

    // History that cannot be known.

    private void assertUnknown(SnapshotChange change, String why) throws IOException {
        assertThat(check(change))
                .singleElement()
                .satisfies(conflict ->
                        assertThat(((Conflict.HistoryUnknown) conflict).why()).contains(why));
    }

    @Test
    void doesNotKnowWhatASnapshotDidWhoseManifestListIsGone() throws IOException {
        SnapshotChange change = reading(needed(a));
        table.append(table.dataFile("c").in(1).build());
        String list = table.head().manifestList().orElseThrow();
        long expired = table.head().id();
        table.append(table.dataFile("d").in(1).build());
        table.storage.delete(list);
        assertUnknown(change, Long.toString(expired));
        assertUnknown(change, list);
    }

    @Test
    void doesNotKnowWhatASnapshotDidWhoseManifestIsGone() throws IOException {
        SnapshotChange change = reading(needed(a));
        table.change(Operation.DELETE).remove(a).commit();
        String manifest = dev.calve.scan.SnapshotManifests.of(table.storage, table.head())
                .get(0)
                .path();
        table.append(table.dataFile("d").in(1).build());
        table.storage.delete(manifest);
        assertUnknown(change, manifest);
    }

    @Test
    void doesNotKnowWhatASnapshotDidThatIsNoLongerListed() throws IOException {
        SnapshotChange change = reading(needed(a));
        table.append(table.dataFile("c").in(1).build());
        long gone = table.head().id();
        table.append(table.dataFile("d").in(1).build());
        table.committer.expire(gone);
        assertUnknown(change, "no longer an ancestor");
    }

    @Test
    void doesNotAskTheHistoryForAChangeThatReadNothingAndHasNoRules() throws IOException {
        long first = table.head().id();
        SnapshotChange upsert = new SnapshotChange(
                Operation.OVERWRITE,
                "main",
                java.util.OptionalLong.empty(),
                2,
                List.of(SnapshotChange.AddedData.ofNewRows(
                        table.dataFile("mine").in(1).build())),
                List.of(new SnapshotChange.AddedDelete(
                        table.equality("e", 0, 1), java.util.Set.of(), java.util.Optional.empty())),
                List.of(),
                List.of(),
                Map.of());
        table.append(table.dataFile("c").in(1).build());
        table.committer.expire(first);
        assertThat(check(upsert)).isEmpty();
    }

    // What others wrote, however they wrote it.

    @Test
    void reportsAnUpgradeBesideEverythingElse() throws IOException {
        SnapshotChange change = table.change(Operation.DELETE)
                .delete(table.positions("p", a))
                .rule(unchanged(a))
                .rule(needed(b))
                .build();
        table.change(Operation.DELETE).delete(table.positions("q", a)).commit();
        table.change(Operation.DELETE).remove(b).commit();
        table.upgradeTo(3);
        assertThat(check(change))
                .extracting(conflict -> conflict.getClass().getSimpleName())
                .containsExactly("FormatChanged", "DataFileRemoved", "RowsDeleted");
    }

    @Test
    void reportsTheMostTellingFirstAndOfThoseTheNewest() throws IOException {
        SnapshotChange change = reading(
                new ConflictRule.NoNewDataMatching(Expression.Constant.TRUE), unchanged(a), needed(a), needed(b));
        table.append(table.dataFile("c").in(1).build());
        table.change(Operation.DELETE).delete(table.positions("p", a)).commit();
        table.change(Operation.DELETE).remove(a).commit();
        table.change(Operation.DELETE).remove(b).commit();
        table.append(table.dataFile("d").in(1).build());
        assertThat(check(change))
                .extracting(conflict -> conflict.message().replaceAll("(, which.*| was .*| were .*)", ""))
                .containsExactly(
                        "data file memory:/t/data/b",
                        "data file memory:/t/data/a",
                        "rows of data file memory:/t/data/a",
                        "data file memory:/t/data/d",
                        "data file memory:/t/data/c");
    }

    @Test
    void reportsEveryFileThatGotRowIdsAlsoThoseThatStay() throws IOException {
        SnapshotChange change = reading(new ConflictRule.RowIdsStillUnassigned(GuardedTable.places(a, b)));
        table.upgradeTo(3);
        assertThat(check(change)).isEmpty();
        table.append(table.dataFile("c").in(1).build());
        assertThat(check(change))
                .extracting(conflict -> ((Conflict.RowIdsAssigned) conflict).dataFile())
                .containsExactlyInAnyOrder(a.path(), b.path());
    }

    @Test
    void mindsNewDataThatMayMatchAFilterOverAColumnPromotedSince() throws IOException {
        SnapshotChange change = reading(new ConflictRule.NoNewDataMatching(GuardedTable.partIs(1)));
        table.evolve(
                new MetadataUpdate.AddSchema(
                        new Schema(
                                1,
                                List.of(
                                        Field.required(1, "id", Type.Simple.LONG),
                                        Field.optional(2, "part", Type.Simple.LONG))),
                        2),
                new MetadataUpdate.SetCurrentSchema(-1));
        table.append(table.dataFile("c").in(1L).build());
        assertConflict(change, "c");
    }
}
