package dev.calve.scan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.calve.commit.CommitFixture;
import dev.calve.commit.SnapshotChange.Operation;
import dev.calve.expression.Expression;
import dev.calve.io.RequestLog.Request;
import dev.calve.manifest.DataFile;
import dev.calve.metadata.MetadataUpdate;
import dev.calve.partition.PartitionSpec;
import dev.calve.schema.Field;
import dev.calve.schema.Schema;
import dev.calve.schema.Type;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FileLookUpTest {

    private static List<FileTask> planned(CommitFixture table, DataFile... files) {
        List<String> paths = Arrays.stream(files).map(DataFile::path).toList();
        return new ScanPlanner(table.storage, table.metadata(), table.head())
                .plan(Expression.Constant.TRUE).tasks().stream()
                        .filter(task -> paths.contains(task.file().path()))
                        .toList();
    }

    private static List<FileTask> lookUp(CommitFixture table, List<FileTask> seen) throws IOException {
        return new ScanPlanner(table.storage, table.metadata(), table.head()).lookUp(seen);
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void findsTheDeletesThatCameSince(int version) throws IOException {
        var table = CommitFixture.partitionedBy(Type.Simple.INT, version);
        var a = table.dataFile("a").in(1).build();
        table.append(a, table.dataFile("b").in(1).build());
        List<FileTask> seen = planned(table, a);
        var deletes = version == 3 ? table.vector("d", a) : table.positions("d", a);
        table.change(Operation.DELETE).delete(deletes).commit();
        List<FileTask> now = lookUp(table, seen);
        assertThat(now).isEqualTo(planned(table, a));
        assertThat(now.get(0).deletes()).extracting(entry -> entry.file().key()).containsExactly(deletes.key());
    }

    /** The same as planning anew finds, whatever kind of delete it is. */
    @Test
    void findsEveryDeleteThatAppliesAndNoOther() throws IOException {
        var table = CommitFixture.partitionedBy(Type.Simple.INT, 2);
        var a = table.dataFile("a").in(1).build();
        var b = table.dataFile("b").in(2).build();
        table.change(Operation.DELETE).delete(table.equality("old", 0, 1)).commit();
        table.append(a, b);
        List<FileTask> seen = planned(table, a, b);
        table.evolve(new MetadataUpdate.AddSpec(PartitionSpec.unpartitioned(1)), new MetadataUpdate.SetDefaultSpec(1));
        table.change(Operation.DELETE)
                .delete(table.positions("p", a))
                .delete(table.positionsIn("wide", a))
                .delete(table.equality("keys", 0, 1))
                .delete(table.equality("global", 1))
                .delete(table.positions("other", b))
                .commit();
        List<FileTask> now = lookUp(table, seen);
        assertThat(now).isEqualTo(planned(table, a, b));
        assertThat(now.get(0).deletes()).hasSize(4);
        assertThat(now.get(1).deletes()).hasSize(2);
    }

    @Test
    void leavesFilesOutThatAreGone() throws IOException {
        var table = CommitFixture.unpartitioned(3);
        var a = table.dataFile("a").build();
        var b = table.dataFile("b").build();
        table.append(a, b);
        List<FileTask> seen = planned(table, a, b);
        table.change(Operation.DELETE).remove(a).commit();
        assertThat(lookUp(table, seen)).isEqualTo(planned(table, b));
        assertThat(lookUp(table, seen).get(0).manifest())
                .isNotEqualTo(seen.get(1).manifest());
        assertThat(lookUp(table, List.of())).isEmpty();
    }

    @Test
    void keepsWhatTheFilterSaysOfAFile() throws IOException {
        var table = CommitFixture.unpartitioned(3);
        table.append(table.dataFile("a").ids(1, 5).build());
        List<FileTask> seen = new ScanPlanner(table.storage, table.metadata(), table.head())
                .plan(CommitFixture.idAtMost(9))
                .tasks();
        assertThat(lookUp(table, seen)).isEqualTo(seen);
        assertThat(lookUp(table, seen).get(0).everyRowMatches()).isTrue();
    }

    @Test
    void findsFilesOfAPartitionThatWasReadBeforeItsSourceWasPromoted() throws IOException {
        var table = CommitFixture.partitionedBy(Type.Simple.INT, 3);
        var a = table.dataFile("a").in(1).build();
        table.append(a, table.dataFile("b").in(2).build());
        List<FileTask> seen = planned(table, a);
        var promoted = new Schema(
                1,
                List.of(
                        Field.required(CommitFixture.ID, "id", Type.Simple.LONG),
                        Field.optional(CommitFixture.PART, "part", Type.Simple.LONG)));
        table.evolve(
                new MetadataUpdate.AddSchema(promoted, CommitFixture.PART), new MetadataUpdate.SetCurrentSchema(-1));
        // Moves the file to another manifest, so that it must be searched for.
        table.change(Operation.DELETE)
                .remove(planned(table, table.dataFile("b").in(2L).build())
                        .get(0)
                        .file())
                .commit();
        assertThat(lookUp(table, seen)).isEqualTo(planned(table, a)).hasSize(1);
    }

    /** Opens the manifests that hold the files and the deletes of their partitions, nothing else. */
    @Test
    void opensOnlyManifestsThatHoldTheFilesOrTheirDeletes() throws IOException {
        var table = CommitFixture.partitionedBy(Type.Simple.INT, 3);
        DataFile third = table.dataFile("f3").in(3).build();
        for (int part = 0; part < 6; part++) {
            var file = part == 3 ? third : table.dataFile("f" + part).in(part).build();
            table.append(file);
            table.change(Operation.DELETE)
                    .delete(table.vector("v" + part, file))
                    .commit();
        }
        List<FileTask> seen = planned(table, third);
        table.storage.requests().reset();
        assertThat(lookUp(table, seen)).isEqualTo(seen);
        assertThat(table.storage.requests().count(Request.OPEN)).isEqualTo(3);
    }
}
