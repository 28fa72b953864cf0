package dev.calve.it;

import static dev.calve.it.TwinFile.data;
import static dev.calve.it.TwinFile.positions;
import static dev.calve.it.TwinFile.vector;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.commit.SnapshotChange.Operation;
import dev.calve.expression.Expression;
import dev.calve.expression.Expressions;
import dev.calve.metadata.MetadataUpdate;
import dev.calve.partition.PartitionField;
import dev.calve.partition.PartitionSpec;
import dev.calve.partition.Transform;
import dev.calve.schema.Type;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.AppendFiles;
import org.apache.iceberg.DeleteFiles;
import org.apache.iceberg.RowDelta;
import org.apache.iceberg.Table;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The same changes committed by us and by the peer's Java API to tables made alike: what both have written down afterwards is
 * compared field by field, in metadata files, manifest lists and manifests. Differences that are meant to be are named where
 * they occur, with the reason. No Spark session is needed.
 */
@Tag("iceberg-peer")
class CommitPeerIT {

    @TempDir
    private Path folder;

    private static final TwinFile A = data("a.parquet", 10, 0, 1);
    private static final TwinFile B = data("b.parquet", 20, 0, 1);
    private static final TwinFile C = data("c.parquet", 30, 0, 2);
    private static final TwinFile D = data("d.parquet", 40, 0, (Object) null);
    private static final TwinFile E = data("e.parquet", 50, 0, 3);

    private TwinChange ours(TwinTable twins, Operation operation) {
        return new TwinChange(twins, operation);
    }

    private void append(TwinTable twins, TwinFile... files) {
        AppendFiles append = twins.theirs().newAppend();
        for (TwinFile file : files) {
            append.appendFile(file.theirData(twins.theirs()));
        }
        append.commit();
        ours(twins, Operation.APPEND).add(files).commit();
        twins.assertSame("append of " + files.length);
    }

    private void delete(TwinTable twins, TwinFile... files) {
        DeleteFiles delete = twins.theirs().newDelete();
        for (TwinFile file : files) {
            delete.deleteFile(file.theirData(twins.theirs()));
        }
        delete.commit();
        ours(twins, Operation.DELETE).remove(files).commit();
        twins.assertSame("delete of " + files.length);
    }

    private static RowDelta rowDelta(TwinTable twins) {
        Table table = twins.theirs();
        return table.newRowDelta().validateFromSnapshot(table.currentSnapshot().snapshotId());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void dataFilesComeAndGo(int version) {
        var twins = TwinTable.create(folder, version);
        twins.assertSame("create");
        append(twins, A, B, C);
        append(twins, D);
        delete(twins, B);
        delete(twins, D);
        append(twins, E);

        twins.theirs()
                .newOverwrite()
                .deleteFile(C.theirData(twins.theirs()))
                .addFile(D.theirData(twins.theirs()))
                .commit();
        ours(twins, Operation.OVERWRITE).remove(C).add(D).commit();
        twins.assertSame("overwrite");

        var expression = org.apache.iceberg.expressions.Expressions.equal("part", 3);
        twins.theirs().newDelete().deleteFromRowFilter(expression).commit();
        ours(twins, Operation.DELETE).removeMatching(part(3)).commit();
        twins.assertSame("delete by expression");

        twins.theirs()
                .newReplacePartitions()
                .addFile(B.theirData(twins.theirs()))
                .commit();
        ours(twins, Operation.OVERWRITE)
                .removeMatching(part(1))
                .add(B)
                .say("replace-partitions", "true")
                .commit();
        twins.assertSame("replace partitions");

        twins.theirs()
                .newDelete()
                .deleteFromRowFilter(org.apache.iceberg.expressions.Expressions.alwaysTrue())
                .commit();
        ours(twins, Operation.DELETE).removeMatching(Expression.Constant.TRUE).commit();
        twins.assertSame("delete everything");
        append(twins, A);
        assertThat(twins.compared()).isGreaterThan(1_000);
        twins.assertEveryDifferenceWasSeen();
    }

    private static Expression part(int value) {
        return Expressions.comparison(
                new Expression.Column(2, Type.Simple.INT, false), Expression.Operator.EQUAL, value);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void compactionKeepsTheAgeOfItsRows(int version) {
        var twins = TwinTable.create(folder, version);
        append(twins, A, C);
        append(twins, B);
        long read = twins.ours().lastSequenceNumber();
        append(twins, E);
        var compacted = data("ab.parquet", 30, 0, 1);
        var rewrite = twins.theirs()
                .newRewrite()
                .deleteFile(A.theirData(twins.theirs()))
                .deleteFile(B.theirData(twins.theirs()))
                .addFile(compacted.theirData(twins.theirs()));
        if (version > 1) {
            rewrite.dataSequenceNumber(read);
        }
        rewrite.commit();
        ours(twins, Operation.REPLACE)
                .remove(A, B)
                .addRewritten(compacted, read)
                .commit();
        twins.assertSame("compaction");
        append(twins, D);
        delete(twins, compacted);
        append(twins, A);
        twins.assertEveryDifferenceWasSeen();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void everySpecHasItsManifests(int version) {
        var twins = TwinTable.create(folder, version, "commit.manifest-merge.enabled", "false");
        append(twins, A, C);
        addBucket(twins);
        var old = data("old.parquet", 5, 0, 2);
        var now = data("now.parquet", 6, 1, 2, 3);
        append(twins, old, now);
        append(twins, data("later.parquet", 7, 1, null, 0));
        delete(twins, C, now);
        append(twins, E);
        twins.assertEveryDifferenceWasSeen();
    }

    private static void addBucket(TwinTable twins) {
        twins.evolve(
                table -> table.updateSpec()
                        .addField(org.apache.iceberg.expressions.Expressions.bucket("id", 4))
                        .commit(),
                new MetadataUpdate.AddSpec(new PartitionSpec(
                        1,
                        List.of(
                                PartitionField.of(2, 1000, "part", Transform.IDENTITY),
                                PartitionField.of(1, 1001, "id_bucket_4", new Transform.Bucket(4))))),
                new MetadataUpdate.SetDefaultSpec(-1));
        twins.assertSame("new spec");
    }

    /** With merging on, lists are grouped by spec, the newest first, which decides who gets which row ids. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void manifestsOfTheNewestSpecComeFirst(int version) {
        var twins = TwinTable.create(folder, version);
        append(twins, A, C);
        addBucket(twins);
        append(twins, data("old.parquet", 5, 0, 2), data("now.parquet", 6, 1, 2, 3));
        twins.assertEveryDifferenceWasSeen();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void smallManifestsAreMergedAsThePeerMergesThem(int version) {
        var twins = TwinTable.create(folder, version, "commit.manifest.min-count-to-merge", "3");
        append(twins, A, C);
        append(twins, B);
        append(twins, E);
        append(twins, D);
        delete(twins, B);
        append(twins, data("f.parquet", 3, 0, 9));
        delete(twins, A, D);
        append(twins, data("g.parquet", 4, 0, 9));
        append(twins, data("h.parquet", 5, 0, 8));
        delete(twins, E, C);
        append(twins, A);
        twins.assertEveryDifferenceWasSeen();
    }

    @Test
    void vectorsSurviveTheMergingOfTheirManifests() {
        var twins = TwinTable.create(folder, 3, "commit.manifest.min-count-to-merge", "3");
        append(twins, A, C, D, E);
        vectorOf(twins, "a.puffin", A);
        twins.differ(
                "list\\(main\\).*|metadata\\.snapshots\\[\\d+]\\.summary\\.manifests-.*",
                "manifests of data count towards the number of small ones here, so those of vectors are merged earlier");
        vectorOf(twins, "c.puffin", C);
        vectorOf(twins, "d.puffin", D);
        vectorOf(twins, "e.puffin", E);
        delete(twins, C);
        twins.assertEveryDifferenceWasSeen();
    }

    private void vectorOf(TwinTable twins, String name, TwinFile of) {
        var vector = vector(name, of, 4, 1);
        rowDelta(twins).addDeletes(vector.theirPositions(twins.theirs())).commit();
        ours(twins, Operation.DELETE).delete(vector).commit();
        twins.assertSame("vector of " + of.name());
    }

    @Test
    void vectorsComeAndGoWithTheirData() {
        var twins = TwinTable.create(folder, 3);
        append(twins, A, B, C);
        append(twins, D);
        var first = vector("one.puffin", A, 4, 2);
        var second = vector("one.puffin", C, 48, 3);
        rowDelta(twins)
                .addDeletes(first.theirPositions(twins.theirs()))
                .addDeletes(second.theirPositions(twins.theirs()))
                .commit();
        ours(twins, Operation.DELETE).delete(first).delete(second).commit();
        twins.assertSame("two vectors of one file");

        var wider = vector("two.puffin", A, 4, 5);
        rowDelta(twins)
                .addDeletes(wider.theirPositions(twins.theirs()))
                .removeDeletes(twins.theirDelete(first))
                .commit();
        ours(twins, Operation.DELETE).delete(wider, first).commit();
        twins.assertSame("a vector in place of another");

        rowDelta(twins)
                .addRows(E.theirData(twins.theirs()))
                .addDeletes(vector("three.puffin", D, 4, 1).theirPositions(twins.theirs()))
                .commit();
        ours(twins, Operation.OVERWRITE)
                .add(E)
                .delete(vector("three.puffin", D, 4, 1))
                .commit();
        twins.assertSame("update");

        delete(twins, A);
        append(twins, data("f.parquet", 3, 0, 9));
        long read = twins.ours().lastSequenceNumber();
        var rewritten = data("c2.parquet", 27, 0, 2);
        twins.theirs()
                .newRewrite()
                .validateFromSnapshot(twins.theirs().currentSnapshot().snapshotId())
                .deleteFile(C.theirData(twins.theirs()))
                .addFile(rewritten.theirData(twins.theirs()))
                .dataSequenceNumber(read)
                .commit();
        ours(twins, Operation.REPLACE).remove(C).addRewritten(rewritten, read).commit();
        twins.assertSame("rewrite of a file with a vector");
        append(twins, A);
        twins.assertEveryDifferenceWasSeen();
    }

    @Test
    void positionAndEqualityDeletesOfVersionTwo() {
        var twins = TwinTable.create(folder, 2);
        append(twins, A, B, C);
        var ofA = positions("pa.parquet", A, 2);
        rowDelta(twins).addDeletes(ofA.theirPositions(twins.theirs())).commit();
        ours(twins, Operation.DELETE).delete(ofA).commit();
        twins.assertSame("position deletes");

        var again = positions("pa2.parquet", A, 3);
        rowDelta(twins)
                .addDeletes(again.theirPositions(twins.theirs()))
                .removeDeletes(twins.theirDelete(ofA))
                .commit();
        ours(twins, Operation.DELETE).delete(again, ofA).commit();
        twins.assertSame("position deletes in place of others");

        var keys = new TwinFile("keys.parquet", 0, List.of(1), 4, null, java.util.OptionalLong.empty());
        rowDelta(twins)
                .addRows(E.theirData(twins.theirs()))
                .addDeletes(keys.theirKeys(twins.theirs()))
                .commit();
        ours(twins, Operation.OVERWRITE).add(E).deleteKeys(keys).commit();
        twins.assertSame("upsert");

        // The peer's DELETE leaves position deletes behind when their only data file goes, unless it is told to remove
        // them.
        rowDelta(twins)
                .removeRows(A.theirData(twins.theirs()))
                .removeDeletes(twins.theirDelete(again))
                .commit();
        ours(twins, Operation.OVERWRITE).remove(A).commit();
        twins.assertSame("removal of a file with position deletes");
        append(twins, D);
        twins.assertEveryDifferenceWasSeen();
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void branchesGrowFromMain(int version) {
        var twins = TwinTable.create(folder, version);
        append(twins, A);
        twins.evolve(table -> table.manageSnapshots()
                .createBranch("old", table.currentSnapshot().snapshotId())
                .setMinSnapshotsToKeep("old", 7)
                .createTag("tag", table.currentSnapshot().snapshotId())
                .commit());
        append(twins, B);

        twins.theirs()
                .newAppend()
                .appendFile(C.theirData(twins.theirs()))
                .toBranch("old")
                .commit();
        ours(twins, Operation.APPEND).add(C).on("old").commit();
        twins.assertSame("append to a branch");

        twins.theirs()
                .newDelete()
                .deleteFile(A.theirData(twins.theirs()))
                .toBranch("old")
                .commit();
        ours(twins, Operation.DELETE).on("old").remove(A).commit();
        twins.assertSame("delete on a branch");
        append(twins, E);

        twins.theirs()
                .newAppend()
                .appendFile(D.theirData(twins.theirs()))
                .toBranch("fresh")
                .commit();
        ours(twins, Operation.APPEND).add(D).on("fresh").commit();
        twins.differ(
                "metadata\\.snapshots\\[5]\\.summary\\.total-(data-files|records|files-size)",
                "a new branch begins with the files of main, which the peer's totals leave out");
        twins.assertSame("append to a new branch");

        twins.theirs()
                .newAppend()
                .appendFile(C.theirData(twins.theirs()))
                .toBranch("fresh")
                .commit();
        ours(twins, Operation.APPEND).add(C).on("fresh").commit();
        twins.differ(
                "metadata\\.snapshots\\[6]\\.summary\\.total-(data-files|records|files-size)",
                "and so do its later totals");
        twins.assertSame("append to it again");

        assertThatThrownBy(() -> ours(twins, Operation.APPEND).add(C).on("tag").commit())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'tag'");
        twins.assertSame("nothing");
        twins.assertEveryDifferenceWasSeen();
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void aBranchOfATableWithoutMainBeginsEmpty(int version) {
        var twins = TwinTable.create(folder, version);
        twins.theirs()
                .newAppend()
                .appendFile(A.theirData(twins.theirs()))
                .toBranch("first")
                .commit();
        ours(twins, Operation.APPEND).add(A).on("first").commit();
        twins.assertSame("append to a branch");
        append(twins, B);
        twins.assertEveryDifferenceWasSeen();
    }

    @Test
    void tablesAreUpgradedBetweenCommits() {
        var twins = TwinTable.create(folder, 1);
        append(twins, A, C);
        append(twins, B);
        upgrade(twins, 2);
        append(twins, D);
        delete(twins, A);
        upgrade(twins, 3);
        append(twins, E);
        delete(twins, B);
        var v = vector("v.puffin", C, 4, 2);
        rowDelta(twins).addDeletes(v.theirPositions(twins.theirs())).commit();
        ours(twins, Operation.DELETE).delete(v).commit();
        twins.assertSame("vector");
        delete(twins, C);
        append(twins, A);
        twins.assertEveryDifferenceWasSeen();
    }

    private static void upgrade(TwinTable twins, int version) {
        twins.evolve(
                table -> table.updateProperties()
                        .set("format-version", "" + version)
                        .commit(),
                new MetadataUpdate.UpgradeFormatVersion(version));
        twins.assertSame("upgrade to " + version);
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void logsAndStatisticsAreCarried(int version) {
        var twins = TwinTable.create(folder, version, "write.metadata.previous-versions-max", "3");
        append(twins, A);
        twins.evolve(table -> {
            long snapshot = table.currentSnapshot().snapshotId();
            table.updateStatistics()
                    .setStatistics(new org.apache.iceberg.GenericStatisticsFile(
                            snapshot,
                            table.location() + "/metadata/stats.puffin",
                            413,
                            42,
                            List.of(new org.apache.iceberg.GenericBlobMetadata(
                                    "apache-datasketches-theta-v1", snapshot, 1, List.of(1), Map.of("ndv", "5")))))
                    .commit();
        });
        twins.evolve(table -> table.updatePartitionStatistics()
                .setPartitionStatistics(org.apache.iceberg.ImmutableGenericPartitionStatisticsFile.builder()
                        .snapshotId(table.currentSnapshot().snapshotId())
                        .path(table.location() + "/metadata/partition-stats.parquet")
                        .fileSizeInBytes(43)
                        .build())
                .commit());
        append(twins, B);
        delete(twins, A);
        append(twins, C);
        assertThat(twins.ours().statistics()).hasSize(1);
        assertThat(twins.ours().partitionStatistics()).hasSize(1);
        assertThat(twins.ours().metadataLog()).hasSize(3);
        assertThat(twins.ours().snapshotLog()).hasSize(4);
        twins.assertEveryDifferenceWasSeen();
    }
}
