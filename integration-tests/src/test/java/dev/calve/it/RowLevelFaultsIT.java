package dev.calve.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.calve.commit.SwapOutcome;
import dev.calve.it.ScriptedCatalog.Swap;
import dev.calve.it.ScriptedCatalog.Wrapped;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongPredicate;
import java.util.stream.LongStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileContent;
import org.apache.iceberg.ManifestFile;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.SnapshotChanges;
import org.apache.iceberg.Table;
import org.apache.iceberg.expressions.Expressions;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.util.HadoopInputFile;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Faults that have bitten users of systems of this kind, each as a small case. The expected rows are those of a model in
 * memory, the expected metadata is recounted by the peer.
 */
@Tag("iceberg-peer")
class RowLevelFaultsIT {

    private static final String NAMESPACE = "faults";
    private static final String COPY_ON_WRITE = "copy-on-write";
    private static final String MERGE_ON_READ = "merge-on-read";

    private static LakeTable create(int version, String mode, String columns, String partitions, String... properties) {
        var all = new ArrayList<String>();
        all.add(LakeTable.deleteMode(mode));
        all.addAll(List.of(properties));
        return LakeTable.create(NAMESPACE, version, columns, partitions, String.join(", ", all));
    }

    private static String[] text(long... values) {
        return LongStream.of(values)
                .mapToObj(value -> "[" + value + "]")
                .sorted()
                .toArray(String[]::new);
    }

    static int rowGroups(String location) {
        try (var reader = ParquetFileReader.open(
                HadoopInputFile.fromPath(new org.apache.hadoop.fs.Path(location), new Configuration(false)))) {
            return reader.getRowGroups().size();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void deletesHitTheirRowsHoweverTheFileIsSplit(int version) {
        String columns = "id bigint, v bigint, filler string";
        LongPredicate everywhere = id -> id % 7 == 3;
        LongPredicate notAtTheStart = id -> id % 7 == 3 && id >= 3_000;
        for (var gone : List.of(everywhere, notAtTheStart)) {
            LakeTable table =
                    create(version, MERGE_ON_READ, columns, "", "'write.parquet.row-group-size-bytes'='4096'");
            table.insert("SELECT id, id * 2, uuid() FROM range(0, 5000, 1, 1)");
            assertThat(rowGroups(table.onlyData().location())).isGreaterThan(5);
            table.delete(gone == everywhere ? "id % 7 = 3" : "id % 7 = 3 AND id >= 3000");
            for (String splitSize : List.of("8192", "20000", "1000000000")) {
                for (String batchSize : List.of("7", "4096")) {
                    var read = SparkTestSession.spark()
                            .read()
                            .option("split-size", splitSize)
                            .option("batch-size", batchSize)
                            .table(table.name());
                    if (splitSize.equals("8192")) {
                        assertThat(read.rdd().getNumPartitions()).isGreaterThan(2);
                    }
                    String how = "split-size " + splitSize + ", batch-size " + batchSize;
                    for (long from : new long[] {0, 3_500}) {
                        var found = read.where("id >= " + from).select("id", "v").collectAsList().stream()
                                .map(row -> List.of(row.getLong(0), row.getLong(1)))
                                .toList();
                        assertThat(found)
                                .as(how + ", id >= " + from)
                                .containsExactlyInAnyOrderElementsOf(LongStream.range(from, 5_000)
                                        .filter(gone.negate())
                                        .mapToObj(id -> List.of(id, id * 2))
                                        .toList());
                    }
                }
            }
            assertThat(table.peerRows("id")).isEqualTo(table.rows("id"));
        }
    }

    @Test
    void rowIdsAreFirstRowIdPlusPositionInEveryRowGroup() {
        LakeTable table =
                create(3, MERGE_ON_READ, "id bigint, filler string", "", "'write.parquet.row-group-size-bytes'='2048'");
        table.insert("SELECT id, uuid() FROM range(0, 1500, 1, 1)");
        assertThat(rowGroups(table.onlyData().location())).isGreaterThan(3);
        // The ids of a second file do not start at 0.
        table.insert("SELECT id, uuid() FROM range(1500, 2000, 1, 1)");
        for (String splitSize : List.of("4096", "1000000000")) {
            for (String condition : List.of("true", "id IN (99, 100, 1499, 1500, 1999)", "id > 1400")) {
                var found = SparkTestSession.spark()
                        .read()
                        .option("split-size", splitSize)
                        .table(table.name())
                        .where(condition)
                        .selectExpr("id", "_row_id", "_pos")
                        .collectAsList();
                assertThat(found).as(condition).isNotEmpty().allSatisfy(row -> {
                    assertThat(row.getLong(1)).isEqualTo(row.getLong(0));
                    assertThat(row.getLong(2)).isEqualTo(row.getLong(0) % 1_500);
                });
            }
        }
        assertThat(table.longs("_row_id", "true"))
                .isEqualTo(LongStream.range(0, 2_000).boxed().toList());
        table.delete("id % 2 = 0");
        assertThat(table.rows("id, _row_id")).isEqualTo(table.peerRows("id, _row_id"));
        assertThat(table.longs("_row_id", "true"))
                .isEqualTo(LongStream.range(0, 2_000)
                        .filter(id -> id % 2 != 0)
                        .boxed()
                        .toList());
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void aSecondDeleteLeavesOneDeleteFilePerDataFile(int version) {
        LakeTable table = create(version, MERGE_ON_READ, "id bigint", "");
        table.insert("SELECT id FROM range(1, 6, 1, 1)");
        table.delete("id = 2");
        DeleteFile first = table.onlyDelete();
        table.delete("id = 4");
        DeleteFile second = table.onlyDelete();
        assertThat(second.recordCount()).isEqualTo(2);
        assertThat(second.referencedDataFile()).isEqualTo(table.onlyData().location());
        assertThat(table.rows("id")).containsExactly(text(1, 3, 5));
        assertThat(table.peerRows("id")).containsExactly(text(1, 3, 5));

        Table peer = table.peer();
        var changes = SnapshotChanges.builderFor(peer)
                .snapshot(peer.currentSnapshot())
                .build();
        assertThat(changes.removedDeleteFiles())
                .singleElement()
                .satisfies(removed -> assertThat(removed.location()).isEqualTo(first.location()));
        String kind = version == 3 ? "dvs" : "position-delete-files";
        assertThat(table.summary())
                .containsEntry("added-" + kind, "1")
                .containsEntry("removed-" + kind, "1")
                .containsAllEntriesOf(table.live().totals());
    }

    @ParameterizedTest
    @CsvSource({"2,hour", "3,hour", "2,none", "3,none"})
    void rowsOfAnOlderSpecAreDeletedUnderThatSpec(int version, String newSpec) {
        for (String mode : List.of(MERGE_ON_READ, COPY_ON_WRITE)) {
            LakeTable table = create(version, mode, "id bigint, ts timestamp, v string", "days(ts)");
            table.insert("SELECT * FROM VALUES (1L, timestamp'2024-01-01 01:00:00', 'a'),"
                    + " (2L, timestamp'2024-01-01 02:00:00', 'b'), (3L, timestamp'2024-01-01 03:00:00', 'c')");
            var evolution = table.peer().updateSpec().removeField("ts_day");
            if (newSpec.equals("hour")) {
                evolution.addField(Expressions.hour("ts"));
            }
            evolution.commit();
            table.delete("v = 'b'");
            assertThat(table.rows("id")).as(mode).containsExactly(text(1, 3));
            assertThat(table.peerRows("id")).as(mode).containsExactly(text(1, 3));
            assertSpecs(table);

            table.insert("SELECT /*+ COALESCE(1) */ * FROM VALUES (4L, timestamp'2024-01-01 04:00:00', 'd'),"
                    + " (5L, timestamp'2024-01-01 04:30:00', 'c'), (6L, timestamp'2024-01-01 04:40:00', 'f')");
            assertThat(table.live().data()).extracting(file -> file.specId()).contains(0, 1);
            table.delete("v = 'c'");
            assertThat(table.rows("id")).as(mode).containsExactly(text(1, 4, 6));
            assertThat(table.peerRows("id")).as(mode).containsExactly(text(1, 4, 6));
            assertSpecs(table);
            if (mode.equals(MERGE_ON_READ)) {
                assertThat(table.live().deletes())
                        .extracting(file -> file.specId())
                        .containsExactlyInAnyOrder(0, 1);
            }
            assertThat(table.summary()).containsAllEntriesOf(table.live().totals());
        }
    }

    /** Entries are in a manifest of their own spec, and deletes in the partition of their data file. */
    private static void assertSpecs(LakeTable table) {
        Table peer = table.peer();
        for (ManifestFile manifest : peer.currentSnapshot().allManifests(peer.io())) {
            var specs = new HashSet<Integer>();
            for (var file : table.live().data()) {
                if (file.manifestLocation().equals(manifest.path())) {
                    specs.add(file.specId());
                }
            }
            for (var file : table.live().deletes()) {
                if (file.manifestLocation().equals(manifest.path())) {
                    specs.add(file.specId());
                }
            }
            assertThat(specs).isSubsetOf(manifest.partitionSpecId());
        }
        table.live().assertSound("table " + table.name());
    }

    @ParameterizedTest
    @CsvSource({"1,copy-on-write", "2,copy-on-write", "2,merge-on-read", "3,copy-on-write", "3,merge-on-read"})
    void rowsWhoseConditionIsUnknownSurvive(int version, String mode) {
        for (String condition : List.of("ints = 2", "ints <> 1", "NOT (ints > 1)", "ints NOT IN (1, 5)")) {
            LakeTable table = create(version, mode, "ints int", "");
            table.insert("SELECT /*+ COALESCE(1) */ * FROM VALUES (1), (2), (CAST(NULL AS INT))");
            table.delete(condition);
            boolean keepsOne = !condition.startsWith("NOT (");
            String kept = keepsOne ? "[1]" : "[2]";
            assertThat(table.rows("ints")).as(condition).containsExactlyInAnyOrder(kept, "[null]");
            assertThat(table.peerRows("ints")).as(condition).containsExactlyInAnyOrder(kept, "[null]");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void aRewriteDoesNotBringBackRowsDeletedByVectors(int version) {
        LakeTable table = create(version, MERGE_ON_READ, "id bigint", "");
        table.insert("SELECT id FROM range(1, 6, 1, 1)");
        table.delete("id = 1");
        String old = table.onlyData().location();
        assertThat(table.onlyDelete().referencedDataFile()).isEqualTo(old);
        table.set("write.delete.mode", COPY_ON_WRITE);
        table.delete("id = 2");
        assertThat(table.rows("id")).containsExactly(text(3, 4, 5));
        assertThat(table.peerRows("id")).containsExactly(text(3, 4, 5));
        assertThat(table.onlyData().location()).isNotEqualTo(old);
        assertThat(table.onlyData().recordCount()).isEqualTo(3);
        assertThat(table.live().deletes()).isEmpty();
        assertThat(table.summary()).containsAllEntriesOf(table.live().totals());
        if (version == 3) {
            assertThat(table.rows("id, _row_id")).containsExactly("[3,2]", "[4,3]", "[5,4]");
        }
        // And the other way round again.
        table.set("write.delete.mode", MERGE_ON_READ);
        table.delete("id = 4");
        assertThat(table.rows("id")).containsExactly(text(3, 5));
        assertThat(table.peerRows("id")).containsExactly(text(3, 5));
    }

    /** What a statement of ours does while another writer is faster. */
    private record Race(String name, String statement, List<Long> left) {}

    @ParameterizedTest
    @CsvSource({"2,merge-on-read", "2,copy-on-write", "3,merge-on-read", "3,copy-on-write"})
    void aRetryKeepsTheWinnersRows(int version, String mode) {
        var races = List.of(
                new Race("append", "INSERT INTO %s SELECT 100L, 9", List.of(1L, 2L, 3L, 4L, 100L)),
                new Race("delete", "DELETE FROM %s WHERE id = 2", List.of(1L, 3L, 4L)),
                new Race("delete of a partition", "DELETE FROM %s WHERE p = 1", List.of(3L, 4L)),
                new Race("delete of all that was read", "DELETE FROM %s WHERE p < 3", List.of()));
        for (Race race : races) {
            LakeTable table = create(version, mode, "id bigint, p int", "p");
            table.insert("SELECT * FROM VALUES (1L, 1), (2L, 1), (3L, 2), (4L, 2)");
            String read = table.snapshot();
            ScriptedCatalog.during(
                    ScriptedCatalog.beforeFirstSwap(() -> table.insert("SELECT id, 7 FROM range(1000, 1010)")),
                    () -> Sql.run("%s", race.statement().formatted(table.in(ScriptedCatalog.NAME))));
            var expected = new ArrayList<>(race.left());
            LongStream.range(1_000, 1_010).forEach(expected::add);
            assertThat(table.longs("id", "true")).as(race.name()).isEqualTo(expected);
            assertThat(table.peerRows("id")).isEqualTo(table.rows("id"));
            assertThat(table.history()).as(race.name()).hasSize(3).element(2).isEqualTo(Long.parseLong(read));
            assertThat(table.newest().parentId()).isEqualTo(table.history().get(1));
            assertThat(table.summary()).containsAllEntriesOf(table.live().totals());
            table.live().assertSound(race.name());
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void aRaceForTheFirstSnapshotLosesNoRows(int version) {
        LakeTable table = create(version, MERGE_ON_READ, "id bigint", "");
        ScriptedCatalog.during(
                ScriptedCatalog.beforeFirstSwap(() -> table.insert("SELECT id FROM range(0, 10)")),
                () -> Sql.run("INSERT INTO %s SELECT id FROM range(10, 20)", table.in(ScriptedCatalog.NAME)));
        assertThat(table.longs("id", "true"))
                .isEqualTo(LongStream.range(0, 20).boxed().toList());
        assertThat(table.history()).hasSize(2);
        assertThat(table.summary())
                .containsEntry("total-records", "20")
                .containsAllEntriesOf(table.live().totals());
        assertThat(table.peerRows("id")).isEqualTo(table.rows("id"));
    }

    /** A DELETE that was serializable may not leave rows it would have deleted had it run last. */
    @ParameterizedTest
    @CsvSource({"2,merge-on-read", "2,copy-on-write", "3,merge-on-read", "3,copy-on-write"})
    void aDeleteThatLostARaceIsPlannedAgain(int version, String mode) {
        LakeTable table = create(version, mode, "id bigint, v bigint", "");
        table.insert("SELECT id, id FROM range(0, 10, 1, 1)");
        // Rows of the same kind come, and a row of the same file goes, before the delete commits.
        ScriptedCatalog.during(
                ScriptedCatalog.beforeFirstSwap(() -> {
                    table.insert("SELECT id, id FROM range(10, 20, 1, 1)");
                    table.delete("id = 4");
                }),
                () -> Sql.run("DELETE FROM %s WHERE v %% 3 = 0", table.in(ScriptedCatalog.NAME)));
        var expected = LongStream.range(0, 20)
                .filter(id -> id % 3 != 0 && id != 4)
                .boxed()
                .toList();
        assertThat(table.longs("id", "true")).isEqualTo(expected);
        assertThat(table.peerRows("id")).isEqualTo(table.rows("id"));
        table.live().assertSound(mode);
        assertThat(table.summary()).containsAllEntriesOf(table.live().totals());
        // What the first try wrote is gone.
        var listed = new HashSet<String>();
        Table peer = table.peer();
        for (Snapshot snapshot : peer.snapshots()) {
            var changes = SnapshotChanges.builderFor(peer).snapshot(snapshot).build();
            changes.addedDataFiles()
                    .forEach(file -> listed.add(LakeTable.path(file.location()).toString()));
            changes.addedDeleteFiles()
                    .forEach(file -> listed.add(LakeTable.path(file.location()).toString()));
        }
        assertThat(table.stored()).extracting(Object::toString).containsExactlyInAnyOrderElementsOf(listed);
    }

    /** A swap that is carried out, but whose answer is lost. */
    private static final class AppliedThenLost extends Wrapped {
        private final Throwable failure;
        private final boolean reloadWorks;
        private final AtomicBoolean sent;

        AppliedThenLost(dev.calve.commit.Committer real, Throwable failure, boolean reloadWorks, AtomicBoolean sent) {
            super(real);
            this.failure = failure;
            this.reloadWorks = reloadWorks;
            this.sent = sent;
        }

        @Override
        public dev.calve.commit.TableState load() throws IOException {
            if (sent.get() && !reloadWorks) {
                throw new IOException("the catalog does not answer");
            }
            return super.load();
        }

        @Override
        SwapOutcome swap(Swap swap) {
            swap.run();
            sent.set(true);
            if (failure instanceof Error error) {
                throw error;
            }
            if (failure instanceof RuntimeException unchecked) {
                throw unchecked;
            }
            return new SwapOutcome.Unknown(failure);
        }
    }

    private static final List<String> STATEMENTS = List.of(
            "INSERT INTO %s SELECT id FROM range(5, 8)", "DELETE FROM %s WHERE id = 2", "DELETE FROM %s WHERE id < 5");

    private static List<Long> after(int statement) {
        return switch (statement) {
            case 0 -> List.of(0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L);
            case 1 -> List.of(0L, 1L, 3L, 4L);
            default -> List.of();
        };
    }

    @ParameterizedTest
    @CsvSource({"2,merge-on-read", "2,copy-on-write", "3,merge-on-read", "3,copy-on-write"})
    void anUnknownOutcomeDeletesNoFile(int version, String mode) {
        var failures = List.of(
                new RuntimeException("connection reset"),
                new java.util.concurrent.TimeoutException("no answer in 60 s"),
                new OutOfMemoryError("Java heap space, pretended"));
        for (int statement = 0; statement < STATEMENTS.size(); statement++) {
            // All failures for one statement, one failure for the others: each path through the clean-up is the same.
            for (Throwable failure : statement == 1 ? failures : failures.subList(0, 1)) {
                for (boolean reloadWorks : new boolean[] {true, false}) {
                    LakeTable table = create(version, mode, "id bigint", "");
                    table.insert("SELECT id FROM range(0, 5, 1, 1)");
                    String sql = STATEMENTS.get(statement);
                    var sent = new AtomicBoolean();
                    ScriptedCatalog.during(real -> new AppliedThenLost(real, failure, reloadWorks, sent), () -> {
                        if (reloadWorks) {
                            Sql.run("%s", sql.formatted(table.in(ScriptedCatalog.NAME)));
                        } else {
                            assertThat(Sql.failure("%s", sql.formatted(table.in(ScriptedCatalog.NAME))))
                                    .contains("Cannot tell whether snapshot " + table.snapshot() + " was committed");
                        }
                    });
                    assertThat(table.longs("id", "true"))
                            .as("%s, %s, reload works: %s", sql, failure, reloadWorks)
                            .isEqualTo(after(statement));
                    assertThat(table.peerRows("id")).isEqualTo(table.rows("id"));
                }
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"2,merge-on-read", "2,copy-on-write", "3,merge-on-read", "3,copy-on-write"})
    void aDefiniteFailureDeletesTheFilesWritten(int version, String mode) {
        for (int statement = 0; statement < STATEMENTS.size(); statement++) {
            LakeTable table = create(
                    version, mode, "id bigint", "", "'commit.retry.num-retries'='1', 'commit.retry.min-wait-ms'='1'");
            table.insert("SELECT id FROM range(0, 5, 1, 1)");
            FolderState before = table.state();
            String sql = STATEMENTS.get(statement).formatted(table.in(ScriptedCatalog.NAME));
            ScriptedCatalog.during(
                    real -> new Wrapped(real) {
                        @Override
                        SwapOutcome swap(Swap swap) {
                            return new SwapOutcome.Rejected("the test says so");
                        }
                    },
                    () -> assertThat(Sql.failure("%s", sql))
                            .contains("lost the race against other writers 2 times")
                            .contains("the test says so"));
            assertThat(table.state()).as(sql).isEqualTo(before);
        }
    }

    /** Unknown and not applied looks the same to us as unknown and applied: everything stays, and the table is as it was. */
    @Test
    void anUnknownOutcomeThatWasNoneLeavesTheTableReadable() {
        LakeTable table = create(3, MERGE_ON_READ, "id bigint", "");
        table.insert("SELECT id FROM range(0, 5, 1, 1)");
        int files = table.stored().size();
        ScriptedCatalog.during(
                real -> new Wrapped(real) {
                    @Override
                    SwapOutcome swap(Swap swap) {
                        return new SwapOutcome.Unknown(new IOException("socket closed"));
                    }
                },
                () -> assertThat(Sql.failure("DELETE FROM %s WHERE id = 2", table.in(ScriptedCatalog.NAME)))
                        .contains("Cannot tell whether snapshot")
                        .contains("socket closed"));
        assertThat(table.stored()).hasSize(files + 1);
        assertThat(table.longs("id", "true")).containsExactly(0L, 1L, 2L, 3L, 4L);
        table.delete("id = 2");
        assertThat(table.longs("id", "true")).containsExactly(0L, 1L, 3L, 4L);
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void totalsEqualARecountAfterEachCommit(int version) {
        LakeTable table = create(version, MERGE_ON_READ, "id bigint, p bigint, v bigint", "p");
        String kind = version == 3 ? "dvs" : "position-delete-files";

        table.insert("SELECT id, id % 4, id FROM range(0, 1000)");
        assertTotals(table, 1_000);
        assertThat(table.summary()).containsEntry("added-records", "1000").doesNotContainKey("added-" + kind);

        table.delete("v % 2 = 0");
        assertTotals(table, 500);
        // Partitions 0 and 2 hold even numbers only: their files go as a whole, found out by reading them.
        assertThat(table.summary()).containsEntry("deleted-data-files", "2").doesNotContainKey("added-" + kind);
        table.delete("v % 3 = 0");
        assertTotals(table, 333);
        assertThat(table.summary()).containsEntry("added-" + kind, "2").doesNotContainKey("removed-" + kind);
        table.delete("v % 3 = 1");
        assertThat(table.summary()).containsEntry("added-" + kind, "2").containsEntry("removed-" + kind, "2");
        assertTotals(table, 166);
        table.delete("v % 3 = 2");
        assertTotals(table, 0);
        assertThat(table.summary()).containsEntry("removed-" + kind, "2").doesNotContainKey("added-" + kind);
        assertThat(table.live().data()).isEmpty();
        assertThat(table.live().deletes()).isEmpty();

        table.insert("SELECT id, id % 4, id FROM range(0, 1000)");
        assertTotals(table, 1_000);
        table.delete("v IN (4, 5, 6)");
        assertTotals(table, 997);
        table.set("write.delete.mode", COPY_ON_WRITE);
        table.delete("v IN (1, 9, 13, 3, 7)");
        assertTotals(table, 992);
        table.delete("p = 2");
        assertTotals(table, 743);
        assertThat(table.summary()).containsEntry("deleted-data-files", "1").doesNotContainKey("added-data-files");
        Sql.run("TRUNCATE TABLE %s", table.name());
        assertTotals(table, 0);
    }

    private static void assertTotals(LakeTable table, long rows) {
        assertThat(table.summary()).containsAllEntriesOf(table.live().totals());
        assertThat(Sql.count(table.name())).isEqualTo(rows);
        assertThat(table.peerRows("count(*)")).containsExactly("[" + rows + "]");
        table.live().assertSound(table.name());
        assertThat(table.live().deletes())
                .allSatisfy(file -> assertThat(file.content()).isEqualTo(FileContent.POSITION_DELETES));
    }
}
