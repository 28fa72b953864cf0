package dev.calve.commit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.calve.commit.SnapshotChange.Operation;
import dev.calve.metadata.Ancestry;
import dev.calve.metadata.Snapshot;
import dev.calve.metadata.SnapshotRef;
import dev.calve.metadata.TableMetadata;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Spec: Snapshots, {@code parent-snapshot-id}; Snapshot References. */
class AncestryTest {

    private final CommitFixture table = CommitFixture.unpartitioned(3);
    private final List<Long> ids = new ArrayList<>();

    /** Main: 0, 1, 2; branch: 3 on top of 2, and 4. */
    @BeforeEach
    void makesHistory() {
        for (int i = 0; i < 3; i++) {
            ids.add(table.append(table.dataFile("main" + i).build()).snapshotId());
        }
        for (int i = 3; i < 5; i++) {
            ids.add(table.change(Operation.APPEND)
                    .add(table.dataFile("branch" + i).build())
                    .on("branch")
                    .commit()
                    .snapshotId());
        }
    }

    private Optional<List<Integer>> since(String ref, int... since) {
        OptionalLong id = since.length == 0 ? OptionalLong.empty() : OptionalLong.of(ids.get(since[0]));
        return Ancestry.since(table.metadata(), ref, id)
                .map(line -> line.stream().map(Snapshot::id).map(ids::indexOf).toList());
    }

    @Test
    void listsTheSnapshotsOfTheBranchNewestFirst() {
        assertThat(since(SnapshotRef.MAIN)).contains(List.of(2, 1, 0));
        assertThat(since(SnapshotRef.MAIN, 0)).contains(List.of(2, 1));
        assertThat(since(SnapshotRef.MAIN, 2)).contains(List.of());
        assertThat(since("branch", 1)).contains(List.of(4, 3, 2));
    }

    /** A branch that does not exist yet begins at the head of main. */
    @Test
    void listsTheSnapshotsOfMainForABranchToBe() {
        assertThat(since("new", 1)).contains(List.of(2));
    }

    @Test
    void knowsNothingSinceASnapshotOfAnotherLine() {
        assertThat(since(SnapshotRef.MAIN, 3)).isEmpty();
        assertThat(Ancestry.since(table.metadata(), SnapshotRef.MAIN, OptionalLong.of(-5)))
                .isEmpty();
    }

    @Test
    void knowsNothingAcrossASnapshotThatWasExpired() {
        table.committer.expire(ids.get(1));

        assertThat(since(SnapshotRef.MAIN, 0)).isEmpty();
        assertThat(since(SnapshotRef.MAIN)).isEmpty();
        assertThat(since("branch", 2)).contains(List.of(4, 3));
    }

    /** What was read need not be there any more: its child still names it. */
    @Test
    void reachesAnExpiredSnapshotByItsChild() {
        table.committer.expire(ids.get(0));

        assertThat(since(SnapshotRef.MAIN, 0)).contains(List.of(2, 1));
        assertThat(since(SnapshotRef.MAIN)).isEmpty();
    }

    @Test
    void isEmptyForATableWithoutSnapshots() {
        var empty = CommitFixture.unpartitioned(3).metadata();

        assertThat(Ancestry.since(empty, SnapshotRef.MAIN, OptionalLong.empty()))
                .contains(List.of());
        assertThat(Ancestry.since(empty, SnapshotRef.MAIN, OptionalLong.of(1))).isEmpty();
    }

    /** Parents that go round in a circle are against the format; a commit must not hang because of them. */
    @Test
    void endsWhereParentsGoRoundInACircle() {
        table.committer.replace(old -> new TableMetadata(
                old.formatVersion(),
                old.uuid(),
                old.location(),
                old.lastSequenceNumber(),
                old.lastUpdatedMillis(),
                old.lastColumnId(),
                old.currentSchemaId(),
                old.schemas(),
                old.defaultSpecId(),
                old.specs(),
                old.lastPartitionId(),
                old.defaultSortOrderId(),
                old.sortOrders(),
                old.properties(),
                old.currentSnapshotId(),
                old.nextRowId(),
                old.refs(),
                old.snapshots().stream()
                        .map(snapshot -> snapshot.id() == ids.get(0) ? childOf(snapshot, ids.get(2)) : snapshot)
                        .toList(),
                old.statistics(),
                old.partitionStatistics(),
                old.snapshotLog(),
                old.metadataLog(),
                old.unknownFields()));

        assertThat(since(SnapshotRef.MAIN)).isEmpty();
    }

    private static Snapshot childOf(Snapshot snapshot, long parent) {
        return new Snapshot(
                snapshot.id(),
                OptionalLong.of(parent),
                snapshot.sequenceNumber(),
                snapshot.timestampMillis(),
                snapshot.operation(),
                snapshot.summary(),
                snapshot.manifestList(),
                snapshot.manifests(),
                snapshot.schemaId(),
                snapshot.firstRowId(),
                snapshot.addedRows(),
                snapshot.unknownFields());
    }

    @Test
    void listsWhatIsKnownOfALineThatWasExpired() {
        Optional<Snapshot> head = table.metadata().snapshot("branch");
        assertThat(Ancestry.known(table.metadata(), head))
                .extracting(snapshot -> ids.indexOf(snapshot.id()))
                .containsExactly(4, 3, 2, 1, 0);
        table.committer.expire(ids.get(1));
        assertThat(Ancestry.known(table.metadata(), head))
                .extracting(snapshot -> ids.indexOf(snapshot.id()))
                .containsExactly(4, 3, 2);
        assertThat(Ancestry.known(table.metadata(), Optional.empty())).isEmpty();
    }
}
