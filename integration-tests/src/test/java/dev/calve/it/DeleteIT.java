package dev.calve.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.LongStream;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData;
import org.apache.parquet.internal.column.columnindex.OffsetIndex;
import org.apache.parquet.io.LocalInputFile;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerJobStart;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.api.java.UDF1;
import org.apache.spark.sql.types.DataTypes;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What DELETE removes, what it writes, what it opens, and that it changes nothing when it fails. */
@Tag("iceberg-peer")
class DeleteIT {

    private static final String NAMESPACE = "deletes";
    private static final String COPY_ON_WRITE = "copy-on-write";
    private static final String MERGE_ON_READ = "merge-on-read";

    /** Every file is a task of its own. */
    private static final String ONE_FILE_A_TASK =
            "'read.split.target-size'='1', 'read.split.open-file-cost'='1', 'read.split.adaptive-size.enabled'='false'";

    private static SparkSession spark() {
        return SparkTestSession.spark();
    }

    private static LakeTable create(int version, String mode, String columns, String partitions, String... properties) {
        var all = new ArrayList<String>();
        all.add(LakeTable.deleteMode(mode));
        all.addAll(List.of(properties));
        return LakeTable.create(NAMESPACE, version, columns, partitions, String.join(", ", all));
    }

    private static List<Long> range(long from, long to) {
        return LongStream.range(from, to).boxed().toList();
    }

    private static void assertIds(LakeTable table, List<Long> expected) {
        assertThat(table.longs("id", "true")).isEqualTo(expected);
        assertThat(table.peerRows("id")).isEqualTo(table.rows("id"));
        table.live().assertSound(table.name());
        if (table.newest() != null) {
            assertThat(table.summary()).containsAllEntriesOf(table.live().totals());
        }
    }

    /** The file of which a row with the id is in. */
    private static String fileOf(LakeTable table, long id) {
        String row =
                Sql.rows("SELECT _file FROM %s WHERE id = %d", table.name(), id).get(0);
        return row.substring(1, row.length() - 1);
    }

    @ParameterizedTest
    @CsvSource({"1,copy-on-write", "2,copy-on-write", "2,merge-on-read", "3,copy-on-write", "3,merge-on-read"})
    void filesAllOfWhoseRowsMatchGoWithoutBeingOpened(int version, String mode) {
        LakeTable partitioned = create(version, mode, "id bigint, at timestamp, p int", "p, days(at)");
        partitioned.insert(
                "SELECT id, timestamp'2024-01-01 00:00:00' + make_interval(0, 0, 0, 0, id), CAST(id % 2 AS INT)"
                        + " FROM range(0, 48)");
        // Partitions: p by day; those of p = 1 are noise now.
        LakeTable.garble(fileOf(partitioned, 1));
        LakeTable.garble(fileOf(partitioned, 25));
        partitioned.delete("p = 1");
        assertThat(partitioned.summary())
                .containsEntry("operation", "delete")
                .containsEntry("deleted-data-files", "2")
                .containsEntry("deleted-records", "24")
                .doesNotContainKey("added-data-files")
                .doesNotContainKey("added-delete-files");
        assertIds(partitioned, range(0, 48).stream().filter(id -> id % 2 == 0).toList());
        LakeTable.garble(fileOf(partitioned, 30));
        partitioned.delete("at >= timestamp'2024-01-02 00:00:00'");
        assertIds(partitioned, range(0, 24).stream().filter(id -> id % 2 == 0).toList());

        LakeTable byMetrics = create(version, mode, "id bigint, s string, d decimal(9, 2), t date", "");
        for (int file = 0; file < 5; file++) {
            byMetrics.insert(
                    "SELECT /*+ COALESCE(1) */ id, '%s' || id, id / 4.0, date'2024-01-01' + CAST(id AS INT) FROM range(%d, %d)"
                            .formatted("abcde".charAt(file), file * 10, file * 10 + 10));
        }
        for (DataFile file : byMetrics.live().data()) {
            if (!file.location().equals(LakeTable.path(fileOf(byMetrics, 45)).toString())) {
                LakeTable.garble(file.location());
            }
        }
        byMetrics.delete("id < 10");
        byMetrics.delete("s LIKE 'b%'");
        byMetrics.delete("d BETWEEN 5 AND 7.25");
        byMetrics.delete("t >= date'2024-01-31' AND t < date'2024-02-10'");
        assertIds(byMetrics, range(40, 50));
        assertThat(byMetrics.history()).hasSize(9);
    }

    /** A table of one file, with its bytes overwritten. */
    private static LakeTable garbled(int version, String mode, String columns, String rows) {
        LakeTable table = create(version, mode, columns, "");
        table.insert("SELECT /*+ COALESCE(1) */ * FROM VALUES " + rows);
        LakeTable.garble(table.onlyData().location());
        return table;
    }

    /** What must not be read is noise, so reading it would fail. */
    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void pagesInWhichNoRowCanMatchAreNotRead(int version) throws Exception {
        LakeTable table = create(
                version,
                MERGE_ON_READ,
                "id bigint, name string",
                "",
                "'write.parquet.page-row-limit'='1000', 'write.parquet.row-group-size-bytes'='200000'");
        table.insert("SELECT /*+ COALESCE(1) */ if(id % 10 = 3, null, id), sha2(string(id), 256) FROM range(20000)");
        Path file = LakeTable.path(table.onlyData().location());
        byte[] content = Files.readAllBytes(file);
        int spoiled = 0;
        try (var parquet = ParquetFileReader.open(new LocalInputFile(file))) {
            assertThat(parquet.getRowGroups()).hasSizeGreaterThan(1);
            for (BlockMetaData group : parquet.getRowGroups()) {
                for (ColumnChunkMetaData chunk : group.getColumns()) {
                    OffsetIndex pages = parquet.readOffsetIndex(chunk);
                    for (int i = 0; i < pages.getPageCount(); i++) {
                        long first = group.getRowIndexOffset() + pages.getFirstRowIndex(i);
                        long last = group.getRowIndexOffset() + pages.getLastRowIndex(i, group.getRowCount());
                        boolean isRead = chunk.getPath().toDotString().equals("id") && last >= 9000 && first < 10000;
                        if (!isRead) {
                            long start = pages.getOffset(i);
                            LakeTable.garble(file, start, start + pages.getCompressedPageSize(i));
                            spoiled++;
                        }
                    }
                }
            }
        }
        assertThat(spoiled).isGreaterThan(30);

        table.delete("id >= 9000 AND id < 10000 AND id % 2 = 0");
        Files.write(file, content);

        assertThat(table.onlyDelete().recordCount()).isEqualTo(500);
        assertThat(table.longs("id", "id IS NOT NULL"))
                .isEqualTo(LongStream.range(0, 20000)
                        .filter(id -> id % 10 != 3 && !(id >= 9000 && id < 10000 && id % 2 == 0))
                        .boxed()
                        .toList());
        assertThat(table.peerRows("id")).isEqualTo(table.rows("id"));
        table.delete("NOT (id < 19000)");
        assertThat(table.longs("coalesce(id, -1)", "id IS NULL OR id >= 18990")).hasSize(2000 + 9);
        assertThat(table.peerRows("id")).isEqualTo(table.rows("id"));
    }

    @ParameterizedTest
    @CsvSource({"2,copy-on-write", "3,merge-on-read"})
    void nullsAndNanKeepAFileFromGoingUnopened(int version, String mode) {
        Map<String, String> contradicted = new HashMap<>();
        contradicted.put("n = 7", "(1L, 7, 1D), (2L, 7, 1D), (3L, NULL, 1D)");
        contradicted.put("n <> 8", "(1L, 7, 1D), (3L, NULL, 1D)");
        contradicted.put("n IS NOT NULL", "(1L, 7, 1D), (3L, NULL, 1D)");
        contradicted.put("n IS NULL", "(1L, 7, 1D), (3L, NULL, 1D)");
        contradicted.put("NOT (n > 8)", "(1L, 7, 1D), (3L, NULL, 1D)");
        contradicted.put("n IN (7)", "(1L, 7, 1D), (3L, NULL, 1D)");
        contradicted.put("f < 5", "(1L, 7, 1D), (2L, 7, double('NaN'))");
        contradicted.put("NOT (f > 5)", "(1L, 7, 1D), (2L, 7, double('NaN'))");
        contradicted.put("f <= 1 OR n = 8", "(1L, 7, 1D), (2L, 7, double('NaN'))");
        contradicted.forEach((condition, rows) -> {
            String columns = "id bigint, n int, f double";
            LakeTable table = garbled(version, mode, columns, rows);
            FolderState before = table.state();
            assertThat(table.deleteFailure(condition)).as(condition).contains("must be a Parquet file");
            assertThat(table.state()).as(condition).isEqualTo(before);
        });
        // Nothing contradicts these.
        for (String condition : List.of("n = 7", "n IS NOT NULL", "f < 5", "NOT (f > 5)", "n IN (7, 8)")) {
            LakeTable table = garbled(version, mode, "id bigint, n int, f double", "(1L, 7, 1D), (2L, 7, 2D)");
            table.delete(condition);
            assertThat(table.live().data()).as(condition).isEmpty();
        }
        LakeTable kept = create(version, mode, "id bigint, n int, f double", "");
        kept.insert("SELECT /*+ COALESCE(1) */ * FROM VALUES (1L, 7, 1D), (2L, NULL, double('NaN')), (3L, 7, NULL)");
        kept.delete("f <= 100");
        assertIds(kept, List.of(2L, 3L));
        kept.delete("n = 7");
        assertIds(kept, List.of(2L));
        kept.delete("f > 1e300");
        assertIds(kept, List.of());
    }

    @ParameterizedTest
    @CsvSource({"1,copy-on-write", "2,copy-on-write", "2,merge-on-read", "3,copy-on-write", "3,merge-on-read"})
    void aDeleteThatMatchesNothingCommitsNothing(int version, String mode) {
        LakeTable table = create(version, mode, "id bigint, v bigint, p int", "p");
        table.delete("id = 1");
        Sql.run("DELETE FROM %s", table.name());
        Sql.run("TRUNCATE TABLE %s", table.name());
        assertThat(table.newest()).isNull();
        table.insert("SELECT id, id % 5, CAST(id % 2 AS INT) FROM range(0, 20)");
        table.delete("v = 3");
        FolderState before = table.state();
        // Ruled out by metrics or partitions, found out by reading, gone already, never true.
        for (String condition : List.of(
                "id = 1000",
                "p = 7",
                "id > 3 AND v = 9",
                "id % 20 = 21",
                "v = 3",
                "id = 8 AND p = 0",
                "false",
                "id = NULL",
                "id <> id",
                "1 = 0")) {
            table.delete(condition);
            assertThat(table.state()).as(condition).isEqualTo(before);
        }
        assertIds(table, range(0, 20).stream().filter(id -> id % 5 != 3).toList());
    }

    @ParameterizedTest
    @CsvSource({"1,copy-on-write", "2,copy-on-write", "2,merge-on-read", "3,copy-on-write", "3,merge-on-read"})
    void aTableIsEmptiedWithoutOpeningItsFiles(int version, String mode) {
        LakeTable table = create(version, mode, "id bigint, p int", "p");
        for (String statement : List.of(
                "TRUNCATE TABLE %s", "DELETE FROM %s", "DELETE FROM %s WHERE true", "DELETE FROM %s WHERE 1 = 1")) {
            table.insert("SELECT id, CAST(id % 2 AS INT) FROM range(0, 10)");
            table.delete("id = 5");
            table.live().data().forEach(file -> LakeTable.garble(file.location()));
            int files = table.stored().size();
            Sql.run(statement, table.name());
            assertIds(table, List.of());
            assertThat(table.live().data()).isEmpty();
            assertThat(table.live().deletes()).isEmpty();
            assertThat(table.summary()).containsEntry("operation", "delete").containsEntry("total-records", "0");
            assertThat(table.stored()).as(statement).hasSize(files);
        }
        FolderState before = table.state();
        assertThat(Sql.failure("TRUNCATE TABLE %s PARTITION (p = 1)", table.name()))
                .contains("AnalysisException");
        assertThat(table.state()).isEqualTo(before);
    }

    @Test
    void aSecondDeleteAbsorbsTheVectorAndLeavesItsNeighboursAlone() {
        LakeTable table = create(3, MERGE_ON_READ, "id bigint", "");
        table.insert("SELECT id FROM range(0, 10, 1, 1)");
        table.insert("SELECT id FROM range(10, 20, 1, 1)");
        table.insert("SELECT id FROM range(20, 30, 1, 1)");
        table.delete("id % 10 = 3");
        Map<String, DeleteFile> first = byDataFile(table);
        assertThat(first).hasSize(3);
        assertThat(first.values().stream().map(DeleteFile::location).distinct())
                .as("vectors of one task share a file")
                .hasSize(1);
        table.delete("id = 14");
        Map<String, DeleteFile> second = byDataFile(table);
        assertThat(second.keySet()).isEqualTo(first.keySet());
        String touched = fileOf(table, 15);
        for (String file : first.keySet()) {
            DeleteFile before = first.get(file);
            DeleteFile after = second.get(file);
            if (file.equals(touched)) {
                assertThat(after.location()).isNotEqualTo(before.location());
                assertThat(after.recordCount()).isEqualTo(2);
            } else {
                assertThat(after.location()).isEqualTo(before.location());
                assertThat(after.contentOffset()).isEqualTo(before.contentOffset());
                assertThat(after.contentSizeInBytes()).isEqualTo(before.contentSizeInBytes());
                assertThat(after.dataSequenceNumber()).isEqualTo(before.dataSequenceNumber());
            }
        }
        assertThat(table.summary())
                .containsEntry("added-dvs", "1")
                .containsEntry("removed-dvs", "1")
                .containsEntry("added-position-deletes", "2")
                .containsEntry("removed-position-deletes", "1");
        assertIds(
                table,
                range(0, 30).stream().filter(id -> id % 10 != 3 && id != 14).toList());
    }

    private static Map<String, DeleteFile> byDataFile(LakeTable table) {
        var vectors = new HashMap<String, DeleteFile>();
        for (DeleteFile file : table.live().deletes()) {
            assertThat(vectors.put(file.referencedDataFile(), file)).isNull();
        }
        return vectors;
    }

    @Test
    void positionDeleteFilesCoverOneDataFileAndAreAbsorbed() {
        LakeTable table = create(2, MERGE_ON_READ, "id bigint, p int", "p");
        table.insert("SELECT id, 1 FROM range(0, 10, 1, 1)");
        table.insert("SELECT id, 1 FROM range(10, 20, 1, 1)");
        table.delete("id % 10 = 3");
        Map<String, DeleteFile> first = byDataFile(table);
        assertThat(first.keySet())
                .containsExactlyInAnyOrderElementsOf(
                        table.data().stream().map(DataFile::location).toList());
        table.delete("id IN (4, 5)");
        Map<String, DeleteFile> second = byDataFile(table);
        assertThat(second.get(fileOf(table, 0)).recordCount()).isEqualTo(3);
        assertThat(second.get(fileOf(table, 10)).location())
                .isEqualTo(first.get(fileOf(table, 10)).location());
        assertThat(table.summary())
                .containsEntry("added-position-delete-files", "1")
                .containsEntry("removed-position-delete-files", "1")
                .doesNotContainKey("added-dvs");
        assertIds(
                table,
                range(0, 20).stream()
                        .filter(id -> id % 10 != 3 && id != 4 && id != 5)
                        .toList());
        // One for all data files of the partition absorbs those of one each, and stays when they are asked for again.
        table.set("write.delete.granularity", "partition");
        table.insert("SELECT id, 2 FROM range(20, 30, 1, 1)");
        table.delete("id IN (1, 11, 21)");
        assertThat(table.summary())
                .containsEntry("added-position-delete-files", "2")
                .containsEntry("added-position-deletes", "7")
                .containsEntry("removed-position-delete-files", "2")
                .containsAllEntriesOf(table.live().totals());
        assertThat(table.live().deletes())
                .extracting(file -> String.valueOf(file.referencedDataFile()))
                .containsExactlyInAnyOrder("null", fileOf(table, 20));
        table.set("write.delete.granularity", "file");
        table.delete("id = 12");
        assertThat(table.live().deletes()).hasSize(3);
        assertIds(
                table,
                range(0, 30).stream()
                        .filter(id -> (id % 10 != 3 || id > 20)
                                && !List.of(1L, 4L, 5L, 11L, 12L, 21L).contains(id))
                        .toList());
        assertThat(table.peerRows("*")).isEqualTo(table.rows("*"));
    }

    /** UPDATE and MERGE too, and files that lose rows while others commit. */
    @Test
    void positionDeleteFilesCoverAPartitionIfAskedTo() {
        LakeTable table = create(
                2,
                MERGE_ON_READ,
                "id bigint, p int",
                "p",
                "'write.delete.granularity'='partition'",
                "'write.update.mode'='merge-on-read'",
                "'write.merge.mode'='merge-on-read'");
        for (int from = 0; from < 40; from += 10) {
            table.insert("SELECT id, CAST(id / 20 AS INT) FROM range(%d, %d, 1, 1)".formatted(from, from + 10));
        }
        Sql.run("UPDATE %s SET id = id + 100 WHERE id %% 10 = 3", table.name());
        assertThat(table.live().deletes()).hasSize(2).allMatch(file -> file.referencedDataFile() == null);
        Sql.run(
                "MERGE INTO %s t USING (SELECT id * 10 AS id FROM range(5)) s ON t.id = s.id"
                        + " WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT (id, p) VALUES (s.id, 7)",
                table.name());
        assertThat(table.live().deletes()).hasSize(4).allMatch(file -> file.referencedDataFile() == null);
        assertThat(table.summary()).containsAllEntriesOf(table.live().totals());
        assertThat(table.longs("id", "true"))
                .isEqualTo(LongStream.concat(
                                LongStream.range(0, 40).filter(id -> id % 10 != 3 && id % 10 != 0),
                                LongStream.of(40, 103, 113, 123, 133))
                        .boxed()
                        .toList());
        assertThat(table.peerRows("*")).isEqualTo(table.rows("*"));
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void aFileEmptiedByASecondDeleteGoesWithItsDeletes(int version) {
        LakeTable table = create(version, MERGE_ON_READ, "id bigint", "");
        table.insert("SELECT id FROM range(0, 10, 1, 1)");
        table.insert("SELECT id FROM range(10, 20, 1, 1)");
        table.delete("id % 2 = 0");
        int stored = table.stored().size();
        table.delete("id < 10 AND id % 2 = 1");
        assertThat(table.onlyData().location()).isEqualTo(fileOf(table, 11));
        assertThat(table.onlyDelete().referencedDataFile()).isEqualTo(fileOf(table, 11));
        assertThat(table.stored()).hasSize(stored);
        assertThat(table.summary())
                .containsEntry("operation", "delete")
                .containsEntry("deleted-data-files", "1")
                .containsEntry("removed-delete-files", "1")
                .doesNotContainKey("added-delete-files");
        assertIds(table, List.of(11L, 13L, 15L, 17L, 19L));
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void badPropertiesAreRefusedByName(int version) {
        LakeTable table = create(version, MERGE_ON_READ, "id bigint", "");
        table.insert("SELECT id FROM range(0, 10, 1, 1)");
        for (String property : List.of("write.delete.mode", "write.delete.isolation-level")) {
            // Other engines may have written what we would not.
            table.peer().updateProperties().set(property, "perhaps").commit();
            FolderState before = table.state();
            assertThat(table.deleteFailure("id = 3"))
                    .contains(property + " must be")
                    .contains("not 'perhaps'")
                    .contains(table.name());
            assertThat(table.state()).isEqualTo(before);
            table.peer().updateProperties().remove(property).commit();
        }
        table.delete("id = 3");
        assertThat(Sql.count(table.name())).isEqualTo(9);
        LakeTable old = create(1, MERGE_ON_READ, "id bigint", "");
        old.insert("SELECT id FROM range(0, 10, 1, 1)");
        assertThat(old.deleteFailure("id = 3")).contains("'merge-on-read' needs format version 2 or 3");
        assertThat(Sql.count(old.name())).isEqualTo(10);
    }

    @ParameterizedTest
    @CsvSource({"2,merge-on-read", "3,copy-on-write"})
    void predicatesThatCannotBeCarriedAreLeftToSpark(int version, String mode) {
        LakeTable table = create(version, mode, "id bigint, s string, t timestamp", "");
        table.insert(
                "SELECT id, 's' || id, timestamp'2024-01-01 00:00:00' + make_dt_interval(id) FROM range(0, 40, 1, 1)");
        UDF1<Long, Boolean> odd = id -> id % 2 == 1;
        spark().udf().register("is_odd", odd, DataTypes.BooleanType);
        for (String condition : List.of(
                "s RLIKE '^s1$'",
                "is_odd(id) AND id < 10",
                "id IN (SELECT id + 5 FROM " + table.name() + " WHERE id > 30)",
                "EXISTS (SELECT 1 FROM " + table.name() + " o WHERE o.id = " + table.name() + ".id + 1 AND o.id > 35)",
                "id > 3 AND s RLIKE '2'",
                "upper(s) = 'S17'",
                "month(t) = 2 AND id > 33",
                "id NOT IN (SELECT id FROM range(3)) AND id % 11 = 0")) {
            List<Long> kept = Sql.longs("SELECT id FROM %s WHERE NOT coalesce(%s, false)", table.name(), condition);
            table.delete(condition);
            assertThat(table.longs("id", "true")).as(condition).isEqualTo(kept);
        }
        assertThat(table.longs("id", "true")).isNotEmpty();
    }

    /** Spark computes {@code id % 3} once, below the statement, and then takes that for the table. */
    @Test
    void aComputedBetweenEndsAsSparkEndsIt() {
        LakeTable table = create(3, MERGE_ON_READ, "id bigint", "");
        table.insert("SELECT id FROM range(0, 10, 1, 1)");
        table.delete("id % 3 BETWEEN 1 AND 2");
        assertThat(table.longs("id", "true")).containsExactly(0L, 3L, 6L, 9L);
    }

    @ParameterizedTest
    @CsvSource({"2,copy-on-write", "2,merge-on-read", "3,copy-on-write", "3,merge-on-read"})
    void anErrorInThePredicateChangesNothing(int version, String mode) throws Exception {
        // In one task, where files were settled before the failing one; and in several tasks.
        for (String packing : List.of("'read.split.planning-lookback'='10'", ONE_FILE_A_TASK)) {
            LakeTable table = create(version, mode, "id bigint, v bigint", "", packing);
            table.insert("SELECT id, id + 1 FROM range(0, 10, 1, 1)");
            table.insert("SELECT id, id + 1 FROM range(10, 20, 1, 1)");
            table.insert("SELECT id, id - 25 FROM range(20, 30, 1, 1)");
            FolderState before = table.state();
            assertThat(table.deleteFailure("12 / v > 3 OR id % 10 = 9")).contains("DIVIDE_BY_ZERO");
            if (packing.equals(ONE_FILE_A_TASK)) {
                // Whether the driver still takes the result of a task that succeeds in this very moment is open, so
                // only
                // what the table consists of is compared.
                assertThat(metadataFiles(table.state())).isEqualTo(metadataFiles(before));
                assertThat(table.longs("id", "true")).isEqualTo(range(0, 30));
            } else {
                table.awaitState(before);
            }
            // The order of conjuncts guards.
            table.delete("v <> 0 AND 12 / v > 3");
            List<Long> left = range(0, 30).stream()
                    .filter(id -> {
                        double v = id < 20 ? id + 1 : id - 25;
                        return !(v != 0 && 12 / v > 3);
                    })
                    .toList();
            assertIds(table, left);
            // The row with 0, once deleted, is not judged any more.
            table.delete("v = 0");
            table.delete("12 / v = 2");
            assertIds(
                    table,
                    left.stream().filter(id -> id != 25 && id != 5 && id != 31).toList());
        }
    }

    private static List<String> metadataFiles(FolderState state) {
        return state.files().keySet().stream()
                .filter(file -> file.startsWith("metadata/"))
                .toList();
    }

    @ParameterizedTest
    @CsvSource({"copy-on-write", "merge-on-read"})
    void jobsSayWhatTheyAreDoneFor(String mode) throws Exception {
        LakeTable table = create(3, mode, "id bigint", "");
        table.insert("SELECT id FROM range(0, 10, 1, 1)");
        var descriptions = new ConcurrentLinkedQueue<String>();
        var listener = new SparkListener() {
            @Override
            public void onJobStart(SparkListenerJobStart job) {
                descriptions.add(String.valueOf(job.properties().getProperty("spark.job.description")));
            }
        };
        spark().sparkContext().addSparkListener(listener);
        try {
            spark().sparkContext().setJobDescription("mine");
            table.delete("id % 2 = 0");
            assertThat(spark().sparkContext().getLocalProperty("spark.job.description"))
                    .isEqualTo("mine");
            assertThat(table.deleteFailure("1 / (id - 3) > 0")).contains("DIVIDE_BY_ZERO");
            assertThat(spark().sparkContext().getLocalProperty("spark.job.description"))
                    .isEqualTo("mine");
            long end = System.nanoTime() + 10_000_000_000L;
            while (descriptions.size() < 2 && System.nanoTime() < end) {
                Thread.sleep(20);
            }
            assertThat(descriptions)
                    .hasSize(2)
                    .allSatisfy(description -> assertThat(description)
                            .isEqualTo("DELETE FROM " + table.name() + ": find and settle rows in 1 file(s)"));
        } finally {
            spark().sparkContext().removeSparkListener(listener);
            spark().sparkContext().setLocalProperty("spark.job.description", null);
        }
    }

    @ParameterizedTest
    @CsvSource({"3,copy-on-write", "2,merge-on-read"})
    void aCancelledDeleteChangesNothing(int version, String mode) throws Exception {
        LakeTable table = create(version, mode, "id bigint, s string", "", ONE_FILE_A_TASK);
        table.insert("SELECT id, uuid() FROM range(0, 4000, 1, 80)");
        FolderState before = table.state();
        String group = "delete-to-cancel-" + version;
        ExecutorService other = Executors.newSingleThreadExecutor();
        try {
            Future<String> failure = other.submit(() -> {
                spark().sparkContext().setJobGroup(group, "a test", false);
                return table.deleteFailure("id % 3 = 1");
            });
            while (spark().sparkContext().statusTracker().getJobIdsForGroup(group).length == 0 && !failure.isDone()) {
                Thread.sleep(5);
            }
            spark().sparkContext().cancelJobGroup(group);
            assertThat(failure.get()).contains("cancelled");
        } finally {
            other.shutdown();
        }
        assertThat(metadataFiles(table.state())).isEqualTo(metadataFiles(before));
        assertIds(table, range(0, 4_000));
        table.delete("id % 3 = 1");
        assertIds(table, range(0, 4_000).stream().filter(id -> id % 3 != 1).toList());
    }

    @ParameterizedTest
    @CsvSource({"3,merge-on-read", "3,copy-on-write", "2,merge-on-read"})
    void deletesOfSeveralThreadsAllSucceed(int version, String mode) throws Exception {
        LakeTable table = create(version, mode, "id bigint, v bigint", "", "'commit.retry.min-wait-ms'='10'");
        table.insert("SELECT id, id FROM range(0, 100, 1, 1)");
        table.insert("SELECT id, id FROM range(100, 120, 1, 1)");
        // Of one file: rows of their own each, and rows two want to delete.
        var conditions = new ArrayList<String>();
        for (int i = 0; i < 4; i++) {
            conditions.add("v % 10 = " + i);
            conditions.add("v % 20 >= " + i + " AND v % 20 <= " + (i + 1));
        }
        ExecutorService pool = Executors.newFixedThreadPool(4);
        try {
            var work = new ArrayList<Callable<Boolean>>();
            for (String condition : conditions) {
                work.add(() -> {
                    table.delete(condition);
                    return true;
                });
            }
            for (Future<Boolean> done : pool.invokeAll(work)) {
                assertThat(done.get()).isTrue();
            }
        } finally {
            pool.shutdown();
        }
        assertIds(
                table,
                range(0, 120).stream()
                        .filter(id -> id % 10 > 3 && !(id % 20 <= 4))
                        .toList());
        assertThat(table.summary())
                .containsEntry("engine-name", "spark")
                .containsEntry("engine-version", spark().version())
                .containsKey("calve-version");
        // Nothing is left of attempts that lost.
        var listed = new HashSet<String>();
        var peer = table.peer();
        peer.snapshots().forEach(snapshot -> {
            var changes = org.apache.iceberg.SnapshotChanges.builderFor(peer)
                    .snapshot(snapshot)
                    .build();
            changes.addedDataFiles()
                    .forEach(file -> listed.add(LakeTable.path(file.location()).toString()));
            changes.addedDeleteFiles()
                    .forEach(file -> listed.add(LakeTable.path(file.location()).toString()));
        });
        assertThat(table.stored()).extracting(Object::toString).containsExactlyInAnyOrderElementsOf(listed);
    }

    @ParameterizedTest
    @CsvSource({"2,copy-on-write", "3,merge-on-read"})
    void deletesAreWrittenInManyWays(int version, String mode) {
        LakeTable table = create(version, mode, "id bigint, st struct<a: bigint, b: string>, arr array<int>", "");
        table.insert(
                "SELECT id, named_struct('a', id, 'b', 'x' || id), array(CAST(id AS INT)) FROM range(0, 20, 1, 1)");
        Sql.run("DELETE FROM %s AS x WHERE x.id = 1", table.name());
        table.delete("st.a = 2");
        table.delete("st.b = 'x3' OR (st.a BETWEEN 4 AND 5 AND id = 4)");
        table.delete("abs(id - 10) = 5");
        table.delete("CASE WHEN id = 6 THEN true ELSE false END");
        table.delete("CAST(id AS string) = '7'");
        table.delete("id IN (8, 100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111)");
        table.delete("st.b LIKE '%9'");
        // id 9 and 19 are gone; so the last row of the file is 18.
        assertIds(table, List.of(0L, 10L, 11L, 12L, 13L, 14L, 16L, 17L, 18L));
        String file = table.onlyData().location();
        table.delete("_file = '" + file + "' AND _pos = "
                + Sql.longs("SELECT _pos FROM %s WHERE id = 18", table.name()).get(0));
        assertIds(table, List.of(0L, 10L, 11L, 12L, 13L, 14L, 16L, 17L));
        if (version == 3) {
            table.delete("_row_id < 11");
            assertIds(table, List.of(11L, 12L, 13L, 14L, 16L, 17L));
        }
        Sql.run("CREATE OR REPLACE TEMPORARY VIEW some_rows AS SELECT * FROM %s WHERE id > 12", table.name());
        FolderState before = table.state();
        // In Spark's words, which are those of an internal error.
        assertThat(Sql.failure("DELETE FROM some_rows WHERE id = 13")).contains("Unexpected table relation");
        assertThat(table.state()).isEqualTo(before);
    }

    /** Row id and last updated number by id. */
    private static Map<Long, List<Object>> lineage(LakeTable table) {
        var lineage = new HashMap<Long, List<Object>>();
        for (Row row : spark().sql("SELECT id, _row_id, _last_updated_sequence_number FROM " + table.name())
                .collectAsList()) {
            assertThat(lineage.put(row.getLong(0), List.of(row.getLong(1), row.getLong(2))))
                    .isNull();
        }
        return lineage;
    }

    private static void assertKeepsLineage(LakeTable table, Map<Long, List<Object>> before) {
        Map<Long, List<Object>> after = lineage(table);
        assertThat(after).isNotEmpty();
        assertThat(before).containsAllEntriesOf(after);
        String columns = "id, _row_id, _last_updated_sequence_number";
        assertThat(table.rows(columns)).isEqualTo(table.peerRows(columns));
    }

    @Test
    void aRewriteKeepsRowIdsAndLastUpdatedNumbers() {
        LakeTable table =
                create(3, COPY_ON_WRITE, "id bigint, s string", "", "'write.parquet.row-group-size-bytes'='2048'");
        table.insert("SELECT id, uuid() FROM range(0, 300, 1, 1)");
        table.insert("SELECT id, uuid() FROM range(300, 400, 1, 1)");
        Map<Long, List<Object>> original = lineage(table);
        table.delete("id % 7 = 0");
        assertKeepsLineage(table, original);
        table.delete("id % 5 = 0 AND id > 100");
        assertKeepsLineage(table, original);
        table.set("write.delete.mode", MERGE_ON_READ);
        table.delete("id % 3 = 0");
        assertKeepsLineage(table, original);
        table.set("write.delete.mode", COPY_ON_WRITE);
        table.delete("id % 2 = 0");
        assertKeepsLineage(table, original);
        assertThat(table.live().deletes()).isEmpty();
        assertIds(
                table,
                range(0, 400).stream()
                        .filter(id -> id % 7 != 0 && !(id % 5 == 0 && id > 100) && id % 3 != 0 && id % 2 != 0)
                        .toList());
        // Rows stand in their old order, and new rows get ids nobody had.
        List<Row> byPosition = spark().sql("SELECT id FROM " + table.name() + " WHERE id < 300 ORDER BY _pos")
                .collectAsList();
        assertThat(byPosition).extracting(row -> row.getLong(0)).isSorted();
        table.insert("SELECT 1000L, 'new'");
        List<Long> ids = table.longs("_row_id", "true");
        assertThat(new HashSet<>(ids)).hasSameSizeAs(ids);
        assertThat(table.longs("_row_id", "id = 1000").get(0)).isGreaterThanOrEqualTo(400);
    }

    @ParameterizedTest
    @CsvSource({"copy-on-write", "merge-on-read"})
    void tablesUpgradedFromVersion2KeepTheirRowsAndGetRowIds(String mode) {
        LakeTable table = create(2, MERGE_ON_READ, "id bigint, v bigint", "");
        table.insert("SELECT id, id FROM range(0, 10, 1, 1)");
        table.insert("SELECT id, id FROM range(10, 20, 1, 1)");
        table.delete("id % 5 = 0");
        assertThat(table.live().deletes()).hasSize(2);
        table.set("format-version", "3");
        assertThat(table.peer().properties()).doesNotContainKey("format-version");
        assertThat(table.rows("id, _row_id, _last_updated_sequence_number"))
                .hasSize(16)
                .allMatch(row -> row.contains(",null,null]"));
        assertIds(table, range(0, 20).stream().filter(id -> id % 5 != 0).toList());
        table.set("write.delete.mode", mode);
        // One file is touched, the other is carried with its old position deletes.
        table.delete("id IN (3, 4)");
        List<Long> left = range(0, 20).stream()
                .filter(id -> id % 5 != 0 && id != 3 && id != 4)
                .toList();
        assertIds(table, left);
        assertThat(table.live().vectors()).isEqualTo(mode.equals(MERGE_ON_READ) ? 1 : 0);
        assertThat(table.live().deletes()).hasSize(mode.equals(MERGE_ON_READ) ? 2 : 1);
        List<Long> rowIds = table.longs("_row_id", "true");
        assertThat(new HashSet<>(rowIds)).hasSize(left.size());
        Map<Long, List<Object>> lineage = lineage(table);
        assertKeepsLineage(table, lineage);
        table.delete("v IN (6, 11)");
        assertKeepsLineage(table, lineage);
        left = left.stream().filter(id -> id != 6 && id != 11).toList();
        assertIds(table, left);
        table.insert("SELECT 100L, 100L");
        assertKeepsLineage(table, lineageWith(lineage, table, 100));
        assertThat(Sql.count(table.name())).isEqualTo(left.size() + 1);
    }

    private static Map<Long, List<Object>> lineageWith(Map<Long, List<Object>> known, LakeTable table, long added) {
        var all = new HashMap<>(known);
        all.put(added, lineage(table).get(added));
        return all;
    }
}
