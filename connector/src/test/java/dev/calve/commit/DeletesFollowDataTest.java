package dev.calve.commit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.calve.commit.SnapshotChange.Operation;
import dev.calve.expression.Expression;
import dev.calve.expression.Expressions;
import dev.calve.manifest.DataFile;
import dev.calve.manifest.DeleteFile;
import dev.calve.metadata.MetadataUpdate;
import dev.calve.partition.PartitionSpec;
import dev.calve.schema.Type;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A delete file that speaks of one data file leaves with it; {@link LiveFiles} checks that none is ever left without. */
class DeletesFollowDataTest {

    private static DeleteFile deletes(CommitFixture table, String name, DataFile of) {
        return table.metadata().formatVersion() == 3 ? table.vector(name, of) : table.positions(name, of);
    }

    private static List<String> deletedIn(CommitFixture table) {
        return table.live().statuses().stream()
                .filter(status -> status.startsWith("DELETED"))
                .toList();
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void deletesOfARemovedFileLeaveInTheSameCommit(int version) {
        var table = CommitFixture.unpartitioned(version);
        var a = table.dataFile("a.parquet").build();
        var b = table.dataFile("b.parquet").build();
        table.append(a, b);
        table.change(Operation.DELETE).delete(deletes(table, "da", a)).commit();
        table.change(Operation.DELETE).delete(deletes(table, "db", b)).commit();
        table.change(Operation.DELETE).remove(a).commit();
        assertThat(deletedIn(table)).containsExactly("DELETED a.parquet", "DELETED da");
        assertThat(table.live().deletes()).hasSize(1);
        assertThat(table.head().summary())
                .containsEntry(version == 3 ? "removed-dvs" : "removed-position-delete-files", "1")
                .containsEntry("total-delete-files", "1");
    }

    /** They were not there when the statement read the table; it does not mind them. */
    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void deletesSomebodyElseAddedSinceLeaveToo(int version) {
        var table = CommitFixture.unpartitioned(version);
        var a = table.dataFile("a.parquet").build();
        var b = table.dataFile("b.parquet").build();
        table.append(a, b);
        SnapshotChange change = table.change(Operation.DELETE).remove(a).build();
        table.change(Operation.DELETE)
                .delete(deletes(table, "da", a))
                .delete(deletes(table, "db", b))
                .commit();
        table.commit(change);
        assertThat(deletedIn(table)).containsExactly("DELETED a.parquet", "DELETED da");
        assertThat(table.live().deletes().keySet()).hasSize(1).allMatch(key -> key.contains("db"));
    }

    /** The race is lost between preparing and swapping: the second attempt finds what the first could not. */
    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void deletesAddedWhileTheCommitWasPreparedLeaveToo(int version) {
        var table = CommitFixture.unpartitioned(version);
        var a = table.dataFile("a.parquet").build();
        var b = table.dataFile("b.parquet").build();
        table.append(a, b);
        SnapshotChange change = table.change(Operation.DELETE).remove(a).build();
        table.committer.beforeSwap(() ->
                table.change(Operation.DELETE).delete(deletes(table, "da", a)).commit());
        table.commit(change);
        assertThat(table.live().data().keySet()).containsExactly(b.path());
        assertThat(table.live().deletes()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void deletesThatReachFurtherStay(int version) {
        var table = CommitFixture.partitionedBy(Type.Simple.INT, 2);
        var a = table.dataFile("a.parquet").in(1).build();
        var b = table.dataFile("b.parquet").in(2).build();
        table.append(a, b);
        table.change(Operation.DELETE)
                .delete(table.positionsIn("wide.parquet", a))
                .delete(table.equality("keys.parquet", 0, 1))
                .commit();
        if (version == 3) {
            table.upgradeTo(3);
        }
        table.change(Operation.DELETE).remove(a).commit();
        assertThat(table.live().deletes().keySet())
                .containsExactly("memory:/t/data/keys.parquet", "memory:/t/data/wide.parquet");
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void deletesOfAnOlderSpecAreFound(int version) {
        var table = CommitFixture.partitionedBy(Type.Simple.INT, version);
        var a = table.dataFile("a.parquet").in(1).build();
        table.append(a);
        table.change(Operation.DELETE).delete(deletes(table, "da", a)).commit();
        table.evolve(new MetadataUpdate.AddSpec(PartitionSpec.unpartitioned(1)), new MetadataUpdate.SetDefaultSpec(-1));
        table.append(table.dataFile("b.parquet").build());
        table.change(Operation.DELETE).remove(a).commit();
        assertThat(table.live().deletes()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void deletesOfFilesAFilterRemovesLeaveToo(int version) {
        var table = CommitFixture.partitionedBy(Type.Simple.INT, version);
        var a = table.dataFile("a.parquet").in(1).build();
        var b = table.dataFile("b.parquet").in(2).build();
        table.append(a, b);
        table.change(Operation.DELETE)
                .delete(deletes(table, "da", a))
                .delete(deletes(table, "db", b))
                .commit();
        var part = new Expression.Column(CommitFixture.PART, Type.Simple.INT, false);
        table.change(Operation.OVERWRITE)
                .removeMatching(Expressions.equal(part, 1))
                .add(table.dataFile("a2.parquet").in(1).build())
                .commit();
        assertThat(deletedIn(table)).containsExactly("DELETED a.parquet", "DELETED da");
        assertThat(table.live().deletes()).hasSize(1);
    }

    /** After merging the vector is listed beside those of other files. */
    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void deletesAreFoundInAMergedManifest(int version) {
        var table = CommitFixture.unpartitioned(version);
        table.evolve(new MetadataUpdate.SetProperties(Map.of("commit.manifest.min-count-to-merge", "3")));
        var files = new DataFile[4];
        for (int i = 0; i < files.length; i++) {
            files[i] = table.dataFile("f" + i + ".parquet").build();
        }
        table.append(files);
        for (int i = 0; i < files.length; i++) {
            table.change(Operation.DELETE)
                    .delete(deletes(table, "d" + i, files[i]))
                    .commit();
        }
        assertThat(table.live().manifests()).hasSizeLessThan(3);
        table.change(Operation.DELETE).remove(files[1]).commit();
        assertThat(deletedIn(table)).containsExactly("DELETED f1.parquet", "DELETED d1");
        assertThat(table.live().deletes()).hasSize(3);
    }
}
