package dev.calve.it;

import static dev.calve.it.TwinFile.data;
import static dev.calve.it.TwinFile.vector;
import static org.assertj.core.api.Assertions.assertThat;

import dev.calve.commit.SnapshotChange.Operation;
import dev.calve.metadata.MetadataUpdate;
import dev.calve.partition.PartitionField;
import dev.calve.partition.PartitionSpec;
import dev.calve.partition.Transform;
import java.nio.file.Path;
import java.util.List;
import org.apache.iceberg.AppendFiles;
import org.apache.iceberg.DeleteFiles;
import org.apache.iceberg.expressions.Expressions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Small manifests merged by us and by the peer's Java API: the same entries with the same numbers and row ids in the same
 * order, field by field. Manifests here are of one size; where sizes differ much, or the peer would count data and deletes
 * apart, what is merged when is meant to differ.
 */
@Tag("iceberg-peer")
class MergePeerIT {

    private static final String MIN_COUNT = "commit.manifest.min-count-to-merge";

    @TempDir
    private Path folder;

    private static final TwinFile A = data("a.parquet", 10, 0, 1);
    private static final TwinFile B = data("b.parquet", 20, 0, 1);
    private static final TwinFile C = data("c.parquet", 30, 0, 2);
    private static final TwinFile D = data("d.parquet", 40, 0, (Object) null);
    private static final TwinFile E = data("e.parquet", 50, 0, 3);

    private static void append(TwinTable twins, TwinFile... files) {
        AppendFiles append = twins.theirs().newAppend();
        for (TwinFile file : files) {
            append.appendFile(file.theirData(twins.theirs()));
        }
        append.commit();
        new TwinChange(twins, Operation.APPEND).add(files).commit();
        twins.assertSame("append of " + files.length);
    }

    private static void delete(TwinTable twins, TwinFile... files) {
        DeleteFiles delete = twins.theirs().newDelete();
        for (TwinFile file : files) {
            delete.deleteFile(file.theirData(twins.theirs()));
        }
        delete.commit();
        new TwinChange(twins, Operation.DELETE).remove(files).commit();
        twins.assertSame("delete of " + files.length);
    }

    private static void assertDataManifests(TwinTable twins, int count) {
        assertThat(twins.theirs().currentSnapshot().dataManifests(twins.theirs().io()))
                .as("data manifests of the peer")
                .hasSize(count);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void dataManifestsAreMerged(int version) {
        var twins = TwinTable.create(folder, version, MIN_COUNT, "3");
        append(twins, A);
        append(twins, B);
        assertDataManifests(twins, 2);
        append(twins, C);
        assertDataManifests(twins, 1);
        delete(twins, B);
        append(twins, D);
        assertDataManifests(twins, 2);
        append(twins, E);
        assertDataManifests(twins, 1);
        delete(twins, A, C, D, E);
        append(twins, data("f.parquet", 60, 0, 4));
        twins.assertEveryDifferenceWasSeen();
    }

    @Test
    void rowsFromBeforeVersionThreeGetTheSameIds() {
        var twins = TwinTable.create(folder, 1, MIN_COUNT, "3");
        append(twins, A, B);
        twins.evolve(
                table -> table.updateProperties().set("format-version", "2").commit(),
                new MetadataUpdate.UpgradeFormatVersion(2));
        append(twins, C);
        twins.evolve(
                table -> table.updateProperties().set("format-version", "3").commit(),
                new MetadataUpdate.UpgradeFormatVersion(3));
        append(twins, D);
        assertDataManifests(twins, 1);
        delete(twins, B);
        append(twins, E);
        append(twins, data("f.parquet", 60, 0, 4));
        assertDataManifests(twins, 1);
        twins.assertEveryDifferenceWasSeen();
    }

    @Test
    void deleteManifestsAreMerged() {
        var twins = TwinTable.create(folder, 3, MIN_COUNT, "2");
        append(twins, A, B, C, D);
        for (TwinFile file : List.of(A, B, C)) {
            var vector = vector("of-" + file.name() + ".puffin", file, 4, 2);
            twins.theirs()
                    .newRowDelta()
                    .addDeletes(vector.theirPositions(twins.theirs()))
                    .commit();
            new TwinChange(twins, Operation.DELETE).delete(vector).commit();
            twins.assertSame("vector of " + file.name());
        }
        assertThat(twins.theirs()
                        .currentSnapshot()
                        .deleteManifests(twins.theirs().io()))
                .hasSize(1);
        delete(twins, B);
        twins.assertEveryDifferenceWasSeen();
    }

    /** With a higher count the peer merges specs that got no new file at once; we wait until it is due. */
    @Test
    void specsStayApartNewestFirst() {
        var twins = TwinTable.create(folder, 3, MIN_COUNT, "2");
        append(twins, A, C);
        twins.evolve(
                table ->
                        table.updateSpec().addField(Expressions.bucket("id", 4)).commit(),
                new MetadataUpdate.AddSpec(new PartitionSpec(
                        1,
                        List.of(
                                PartitionField.of(2, 1000, "part", Transform.IDENTITY),
                                PartitionField.of(1, 1001, "id_bucket_4", new Transform.Bucket(4))))),
                new MetadataUpdate.SetDefaultSpec(-1));
        append(twins, data("now.parquet", 6, 1, 2, 3));
        append(twins, data("old.parquet", 5, 0, 2), data("later.parquet", 7, 1, null, 0));
        delete(twins, C);
        append(twins, E);
        twins.assertEveryDifferenceWasSeen();
    }
}
