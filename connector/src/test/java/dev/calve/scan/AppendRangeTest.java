package dev.calve.scan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.commit.CommitFixture;
import dev.calve.commit.SnapshotChange.Operation;
import dev.calve.expression.Expression;
import dev.calve.expression.Expressions;
import dev.calve.io.RequestLog.Request;
import dev.calve.metadata.MetadataUpdate;
import dev.calve.metadata.ReadPoint;
import dev.calve.metadata.ReadState;
import dev.calve.metadata.SnapshotRef;
import dev.calve.scan.AppendRange.SnapshotId;
import dev.calve.scan.AppendRange.Time;
import dev.calve.schema.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AppendRangeTest {

    private final List<Long> ids = new ArrayList<>();
    private CommitFixture table = CommitFixture.unpartitioned(3);

    /** Snapshots 0, 1: appends; 2: removes what 0 added; 3, 4: appends. */
    @BeforeEach
    void makesHistory() {
        makeHistory(3);
    }

    private void makeHistory(int version) {
        table = CommitFixture.unpartitioned(version);
        ids.clear();
        var first = table.dataFile("f0").build();
        ids.add(table.append(first).snapshotId());
        ids.add(table.append(table.dataFile("f1").build()).snapshotId());
        ids.add(table.change(Operation.OVERWRITE)
                .remove(first)
                .add(table.dataFile("f2").build())
                .commit()
                .snapshotId());
        ids.add(table.append(table.dataFile("f3").build()).snapshotId());
        ids.add(table.append(table.dataFile("f4").build()).snapshotId());
    }

    private AppendRange after(int start) {
        return new AppendRange(Optional.of(new SnapshotId(ids.get(start))), Optional.empty());
    }

    private AppendRange upTo(int end) {
        return new AppendRange(Optional.empty(), Optional.of(new SnapshotId(ids.get(end))));
    }

    private ScanRange.Appended in(AppendRange range) {
        return range.in(table.metadata(), ReadState.current(table.metadata()), "lake.t");
    }

    private List<String> files(AppendRange range) {
        return files(range, Expression.Constant.TRUE).tasks().stream()
                .map(task -> task.file().path().replaceAll(".*/", ""))
                .toList();
    }

    private ScanPlan files(AppendRange range, Expression filter) {
        return in(range).plan(table.storage, table.metadata(), filter, Set.of());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void listsWhatAppendsAddedAndNothingElse(int version) {
        makeHistory(version);
        assertThat(files(after(0))).containsExactly("f4", "f3", "f1");
        assertThat(files(after(1))).containsExactly("f4", "f3");
        assertThat(files(after(3))).containsExactly("f4");
        assertThat(files(after(4))).isEmpty();
        assertThat(files(upTo(3))).as("also a file that was removed since").containsExactly("f3", "f1", "f0");
        assertThat(files(new AppendRange(
                        Optional.of(new SnapshotId(ids.get(0))), Optional.of(new SnapshotId(ids.get(1))))))
                .containsExactly("f1");
    }

    @Test
    void listsAFileOnceThatAMergedManifestTookOver() {
        table.evolve(new MetadataUpdate.SetProperties(
                Map.of("commit.manifest.min-count-to-merge", "2", "commit.manifest-merge.enabled", "true")));
        ids.add(table.append(table.dataFile("f5").build()).snapshotId());
        ids.add(table.append(table.dataFile("f6").build()).snapshotId());

        assertThat(files(after(3))).containsExactlyInAnyOrder("f6", "f5", "f4");
        assertThat(files(after(4))).containsExactlyInAnyOrder("f6", "f5");
        assertThat(files(after(5))).containsExactly("f6");
    }

    @Test
    void opensOnlyManifestsThatTheSnapshotsWroteAndThatMayMatch() {
        var partitioned = CommitFixture.partitionedBy(Type.Simple.INT, 3);
        long start = 0;
        for (int part = 0; part < 6; part++) {
            long id = partitioned
                    .append(partitioned.dataFile("p" + part).in(part).build())
                    .snapshotId();
            start = part == 1 ? id : start;
        }
        Expression partIs4 = Expressions.equal(new Expression.Column(CommitFixture.PART, Type.Simple.INT, false), 4);
        var range = new AppendRange(Optional.of(new SnapshotId(start)), Optional.empty())
                .in(partitioned.metadata(), ReadState.current(partitioned.metadata()), "lake.t");
        partitioned.storage.requests().reset();
        ScanPlan plan = range.plan(partitioned.storage, partitioned.metadata(), partIs4, Set.of());

        assertThat(plan.tasks()).singleElement().satisfies(task -> {
            assertThat(task.file().path()).endsWith("p4");
            assertThat(task.everyRowMatches()).isTrue();
        });
        assertThat(plan.readDataManifests()).isEqualTo(1);
        assertThat(plan.prunedDataManifests()).isEqualTo(3);
        assertThat(partitioned.storage.requests().count(Request.OPEN))
                .as("four lists and one manifest")
                .isEqualTo(5);
    }

    @Test
    void findsItsEndsByTime() {
        long third = table.metadata().snapshot(ids.get(3)).orElseThrow().timestampMillis();
        long last = table.head().timestampMillis();
        assertThat(files(new AppendRange(Optional.of(new Time(last)), Optional.empty())))
                .as("committed later")
                .isEmpty();
        assertThat(files(new AppendRange(Optional.of(new Time(0)), Optional.empty())))
                .containsExactly("f4", "f3", "f1", "f0");
        assertThat(files(new AppendRange(Optional.of(new Time(0)), Optional.of(new Time(last)))))
                .hasSize(4);
        assertThat(files(new AppendRange(Optional.empty(), Optional.of(new Time(1)))))
                .isEmpty();
        assertThat(third).isLessThanOrEqualTo(last);
    }

    @Test
    void followsABranch() {
        long onBranch = table.change(Operation.APPEND)
                .add(table.dataFile("b5").build())
                .on("audit")
                .commit()
                .snapshotId();
        ReadState audit = new ReadPoint.OfBranch("audit").in(table.metadata(), "lake.t");
        ScanRange.Appended range = after(3).in(table.metadata(), audit, "lake.t");

        assertThat(range.appends()).extracting(snapshot -> snapshot.id()).containsExactly(onBranch, ids.get(4));
        assertThat(range.snapshot().orElseThrow().id()).isEqualTo(onBranch);
        assertThat(in(after(3)).appends()).hasSize(1);
    }

    @Test
    void refusesAStartThatIsNoAncestorOfTheEnd() {
        var wrongWay =
                new AppendRange(Optional.of(new SnapshotId(ids.get(3))), Optional.of(new SnapshotId(ids.get(1))));
        assertThatThrownBy(() -> in(wrongWay))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("lake.t")
                .hasMessageContaining(ids.get(3).toString())
                .hasMessageContaining("ancestor of snapshot " + ids.get(1));
        var unknown = new AppendRange(Optional.of(new SnapshotId(5)), Optional.empty());
        assertThatThrownBy(() -> in(unknown)).hasMessageContaining("snapshot 5, the start,");
        var noEnd = new AppendRange(Optional.empty(), Optional.of(new SnapshotId(5)));
        assertThatThrownBy(() -> in(noEnd)).hasMessageContaining("none with id 5");
    }

    @Test
    void refusesARangeAcrossASnapshotThatWasExpired() {
        long last = table.head().timestampMillis();
        table.committer.expire(ids.get(1));
        assertThatThrownBy(() -> in(after(0))).hasMessageContaining("must be an ancestor");
        assertThatThrownBy(() -> in(new AppendRange(Optional.empty(), Optional.empty())))
                .hasMessageContaining("some were expired");
        assertThatThrownBy(() -> in(new AppendRange(Optional.of(new Time(0)), Optional.empty())))
                .hasMessageContaining("is not known any more");
        assertThat(files(after(1))).as("named by its child").containsExactly("f4", "f3");
        assertThat(files(new AppendRange(Optional.of(new Time(last)), Optional.empty())))
                .isEmpty();
    }

    @Test
    void isEmptyForATableWithoutSnapshots() {
        table = CommitFixture.unpartitioned(3);
        assertThat(files(new AppendRange(Optional.empty(), Optional.empty()))).isEmpty();
        assertThatThrownBy(() -> in(new AppendRange(Optional.of(new SnapshotId(1)), Optional.empty())))
                .hasMessageContaining("no snapshot to end at");
    }

    @Test
    void rangesAreEqualIfTheyReadTheSameSnapshots() {
        assertThat(in(after(1))).isEqualTo(in(after(2))).isNotEqualTo(in(after(3)));
        assertThat(in(after(1))).hasSameHashCodeAs(in(after(2)));
        assertThat(in(after(3)))
                .hasToString("appends after snapshot " + ids.get(3) + " up to snapshot " + ids.get(4) + " (1)");
        var head = new ScanRange.AtSnapshot(table.metadata().snapshot(SnapshotRef.MAIN));
        assertThat(head).isEqualTo(new ScanRange.AtSnapshot(Optional.of(table.head())));
        assertThat(head).isNotEqualTo(new ScanRange.AtSnapshot(Optional.empty()));
        assertThat(head.totalRecords()).hasValue(40);
    }
}
