package dev.calve.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.commit.SnapshotChange.Operation;
import dev.calve.expression.Expression;
import dev.calve.expression.Expressions;
import dev.calve.io.RequestLog.Request;
import dev.calve.manifest.DataFile;
import dev.calve.manifest.ManifestEntry;
import dev.calve.manifest.ManifestEntry.Status;
import dev.calve.manifest.ManifestFile;
import dev.calve.metadata.MetadataUpdate;
import dev.calve.schema.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ManifestEditsTest {

    private static final String MANIFEST = ".*-m\\d+\\.avro";

    private static List<String> requests(CommitFixture table, Request request) {
        return table.storage.requests().all().stream()
                .filter(made -> made.matches(request + " " + MANIFEST))
                .map(made -> made.substring(request.toString().length() + 1))
                .distinct()
                .toList();
    }

    private static void loseARace(CommitFixture table) {
        table.committer.beforeSwap(() -> table.evolve(new MetadataUpdate.SetProperties(Map.of("other", "change"))));
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void opensAndWritesNothingAgainAfterALostRace(int version) {
        var table = CommitFixture.unpartitioned(version);
        var a = table.dataFile("a.parquet").build();
        var b = table.dataFile("b.parquet").build();
        table.append(a, b);
        table.change(Operation.DELETE)
                .delete(version == 3 ? table.vector("v.puffin", a) : table.positions("p.parquet", a))
                .commit();
        SnapshotChange change = table.change(Operation.OVERWRITE)
                .remove(a)
                .add(table.dataFile("c.parquet").build())
                .build();
        loseARace(table);
        table.storage.requests().reset();
        table.commit(change);
        assertThat(requests(table, Request.CREATE))
                .as("new data, data, deletes")
                .hasSize(3);
        assertThat(table.storage.requests().all().stream().filter(request -> request.matches("OPEN " + MANIFEST)))
                .hasSizeLessThanOrEqualTo(3);
        assertThat(requests(table, Request.READ)).hasSize(2);
        assertThat(table.live().statuses())
                .containsExactlyInAnyOrder(
                        "ADDED c.parquet",
                        "DELETED a.parquet",
                        "EXISTING b.parquet",
                        version == 3 ? "DELETED v.puffin" : "DELETED p.parquet");
    }

    @Test
    void editsAnewWhatAnotherWriterWroteAgain() {
        var table = CommitFixture.unpartitioned(3);
        var a = table.dataFile("a.parquet").build();
        var b = table.dataFile("b.parquet").build();
        var c = table.dataFile("c.parquet").build();
        table.append(a, b, c);
        SnapshotChange change = table.change(Operation.DELETE).remove(a).build();
        table.committer.beforeSwap(
                () -> table.change(Operation.DELETE).remove(b).commit());
        table.commit(change);
        assertThat(table.live().statuses()).containsExactly("DELETED a.parquet", "EXISTING c.parquet");
    }

    /** Another writer adds a file whose condition the statement was told to watch, so that it is derived again. */
    private static void commitDerivedAgain(CommitFixture table, SnapshotChange first, Supplier<SnapshotChange> second) {
        table.committer.beforeSwap(
                () -> table.append(table.dataFile("other.parquet").build()));
        var derived = new AtomicBoolean();
        CommitOutcome outcome = table.statement().commit(first, (found, conflicts, change) -> {
            derived.set(true);
            return Optional.of(second.get());
        });
        assertThat(outcome.committed()).isPresent();
        assertThat(derived).isTrue();
    }

    @Test
    void editsDataAnewForAChangeThatWasDerivedAgain() {
        var table = CommitFixture.unpartitioned(2);
        var a = table.dataFile("a.parquet").build();
        var b = table.dataFile("b.parquet").build();
        var c = table.dataFile("c.parquet").build();
        table.append(a, b, c);
        commitDerivedAgain(
                table,
                table.change(Operation.DELETE)
                        .remove(a)
                        .rule(new ConflictRule.NoNewDataMatching(Expression.Constant.TRUE))
                        .build(),
                () -> table.change(Operation.DELETE).remove(b).build());
        assertThat(table.live().data().keySet())
                .contains(a.path(), c.path())
                .doesNotContain(b.path())
                .hasSize(3);
    }

    @Test
    void editsDeletesAnewForAChangeThatWasDerivedAgain() {
        var table = CommitFixture.unpartitioned(3);
        var a = table.dataFile("a.parquet").build();
        var b = table.dataFile("b.parquet").build();
        table.append(a, b);
        var ofA = table.vector("v.puffin", a, 4, 1);
        var ofB = table.vector("v.puffin", b, 44, 1);
        table.change(Operation.DELETE).delete(ofA).delete(ofB).commit();
        var newOfB = table.vector("w.puffin", b);
        commitDerivedAgain(
                table,
                table.change(Operation.DELETE)
                        .delete(table.vector("lost.puffin", a), ofA)
                        .rule(new ConflictRule.NoNewDataMatching(Expression.Constant.TRUE))
                        .build(),
                () -> table.change(Operation.DELETE).delete(newOfB, ofB).build());
        assertThat(table.live().deletes().keySet())
                .containsExactlyInAnyOrder(ofA.key().toString(), newOfB.key().toString());
    }

    /** Of two files that leave, one is where it was read and the other is not. */
    @Test
    void opensAManifestOnceThatIsKnownToMatterAndMayHoldAFileThatMoved() {
        var table = CommitFixture.partitionedBy(Type.Simple.INT, 2);
        var a = table.dataFile("a.parquet").in(1).build();
        var b = table.dataFile("b.parquet").in(1).build();
        var x = table.dataFile("x.parquet").in(1).build();
        var y = table.dataFile("y.parquet").in(1).build();
        table.append(a, x);
        table.append(b, y);
        SnapshotChange change = table.change(Operation.DELETE).remove(a, b).build();
        table.change(Operation.DELETE).remove(y).commit();
        table.commit(change);
        assertThat(table.live().data().keySet()).containsExactly(x.path());
    }

    /** The other commit gave the rows of a manifest from before the upgrade their ids: they are those from now on. */
    @Test
    void usesNothingAgainThatWasWrittenBeforeRowsHadIds() {
        var table = CommitFixture.unpartitioned(2);
        var a = table.dataFile("a.parquet").records(3).build();
        var b = table.dataFile("b.parquet").records(4).build();
        table.append(a, b);
        table.upgradeTo(3);
        SnapshotChange change = table.change(Operation.DELETE).remove(a).build();
        table.committer.beforeSwap(
                () -> table.append(table.dataFile("c.parquet").records(5).build()));
        table.commit(change);
        assertThat(table.live().entry(b).file().firstRowId()).hasValue(5 + 3);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void splitsAManifestFarAboveTheTargetSize(int version) {
        var table = CommitFixture.unpartitioned(version);
        table.evolve(new MetadataUpdate.SetProperties(Map.of("write.manifest.compression-codec", "uncompressed")));
        var files = new DataFile[3_000];
        for (int i = 0; i < files.length; i++) {
            files[i] = table.dataFile("f" + i + ".parquet").records(i % 7).build();
        }
        table.append(files);
        assertThat(table.live().manifests()).hasSize(1);
        var before = table.live().data();
        table.evolve(new MetadataUpdate.SetProperties(Map.of("commit.manifest.target-size-bytes", "80000")));
        table.change(Operation.DELETE).remove(files[1_500]).commit();

        assertThat(table.live().manifests()).hasSizeGreaterThan(1);
        var after = table.live().data();
        assertThat(after).hasSize(files.length - 1);
        after.forEach((path, entry) -> {
            ManifestEntry<DataFile> was = Optional.ofNullable(before.get(path)).orElseThrow();
            assertThat(entry)
                    .isEqualTo(new ManifestEntry<>(
                            Status.EXISTING,
                            was.snapshotId(),
                            was.sequenceNumber(),
                            was.fileSequenceNumber(),
                            was.file()));
        });
    }

    @Test
    void keepsTheOrderOfTheListHoweverManyManifestsAreWritten() {
        var table = CommitFixture.unpartitioned(2);
        var removed = new ArrayList<DataFile>();
        for (int i = 0; i < 20; i++) {
            var goes = table.dataFile("goes" + i + ".parquet").build();
            table.append(goes, table.dataFile("stays" + i + ".parquet").build());
            removed.add(goes);
        }
        table.change(Operation.DELETE).remove(removed.toArray(DataFile[]::new)).commit();
        var expected = new ArrayList<String>();
        for (int i = 19; i >= 0; i--) {
            expected.add("DELETED goes" + i + ".parquet");
            expected.add("EXISTING stays" + i + ".parquet");
        }
        assertThat(table.live().statuses()).containsExactlyElementsOf(expected);
    }

    @Test
    void opensOnlyManifestsWhoseSummariesAFilterMayMatch() {
        var table = CommitFixture.partitionedBy(Type.Simple.INT, 2);
        var a = table.dataFile("a.parquet").in(1).build();
        var b = table.dataFile("b.parquet").in(2).build();
        table.append(a);
        table.append(b);
        String ofA = table.live().manifestOf(a.path());
        SnapshotChange change = table.change(Operation.DELETE)
                .removeMatching(Expressions.comparison(
                        new Expression.Column(CommitFixture.PART, Type.Simple.INT, false),
                        Expression.Operator.EQUAL,
                        1))
                .build();
        table.storage.requests().reset();
        table.commit(change);
        assertThat(requests(table, Request.READ)).containsExactly(ofA);
        assertThat(table.live().data().keySet()).containsExactly(b.path());
    }

    /** The manifest that listed the file is gone: only those that may hold its partition are opened instead. */
    @Test
    void looksInManifestsOfThePartitionForAFileThatMoved() {
        var table = CommitFixture.partitionedBy(Type.Simple.INT, 2);
        var a = table.dataFile("a.parquet").in(1).build();
        var b = table.dataFile("b.parquet").in(1).build();
        var c = table.dataFile("c.parquet").in(2).build();
        table.append(a, b);
        table.append(c);
        ManifestFile ofC = table.live().manifest(table.live().manifestOf(c.path()));
        SnapshotChange change = table.change(Operation.DELETE).remove(a).build();
        table.change(Operation.DELETE).remove(b).commit();
        table.storage.requests().reset();
        table.commit(change);
        assertThat(requests(table, Request.READ)).doesNotContain(ofC.path());
        assertThat(table.live().data().keySet()).containsExactly(c.path());
    }

    /** Steps that run beside the one that fails must be over when the leftovers are deleted. */
    @Test
    void leavesNothingBehindWhenOneOfManyWritesFails() {
        for (int nth = 1; nth <= 8; nth++) {
            var table = CommitFixture.unpartitioned(2);
            var removed = new ArrayList<DataFile>();
            for (int i = 0; i < 8; i++) {
                var goes = table.dataFile("goes" + i + ".parquet").build();
                table.append(goes, table.dataFile("stays" + i + ".parquet").build());
                removed.add(goes);
            }
            SnapshotChange change = table.change(Operation.DELETE)
                    .remove(removed.toArray(DataFile[]::new))
                    .build();
            var before = table.storage.locations();
            table.storage.requests().reset();
            table.storage.requests().failAfter(Request.CREATE, nth);
            assertThatThrownBy(() -> table.commit(change)).hasMessageContaining("Injected");
            assertThat(table.storage.locations()).isEqualTo(before);
        }
    }
}
