package dev.calve.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What becomes of an overwrite when somebody else commits first. */
@Tag("iceberg-peer")
class OverwriteConflictIT {

    private static final String NAMESPACE = "overwrite_conflicts";

    private static SparkSession spark() {
        return SparkTestSession.spark();
    }

    /** Two partitions of ids 0 to 9, by whether they are odd; one file each. */
    private static LakeTable create(int version, String mode) {
        LakeTable table = LakeTable.create(NAMESPACE, version, "id bigint, p int", "p", LakeTable.deleteMode(mode));
        return table.insert("SELECT id, CAST(id % 2 AS INT) FROM range(10)");
    }

    private interface Write {
        void run() throws Exception;
    }

    /** Runs a statement, between whose look at the table and its commit another one is committed. Returns how it failed. */
    private static String during(Write ours, Runnable others) {
        var failure = new String[] {""};
        ScriptedCatalog.during(ScriptedCatalog.beforeFirstSwap(others), () -> {
            try {
                ours.run();
            } catch (Throwable e) {
                failure[0] = Sql.messages(e);
            }
        });
        return failure[0];
    }

    private static Dataset<Row> rows(int p, long... ids) {
        return spark().range(ids[0], ids[ids.length - 1] + 1).selectExpr("id", p + " AS p");
    }

    private static String scripted(LakeTable table) {
        return table.in(ScriptedCatalog.NAME);
    }

    private static void assertIds(LakeTable table, Long... ids) {
        assertThat(table.longs("id", "true")).containsExactly(ids);
        assertThat(table.peerRows("*")).isEqualTo(table.rows("*"));
        table.live().assertSound(table.name());
        assertThat(table.summary()).containsAllEntriesOf(table.live().totals());
        assertNothingIsLeftOver(table);
    }

    /** Of files that no snapshot lists, none stays. */
    private static void assertNothingIsLeftOver(LakeTable table) {
        List<String> listed = Sql.rows(
                "SELECT DISTINCT reverse(split(data_file.file_path, '/'))[0] FROM %s.all_entries",
                table.in(SparkTestSession.PEER));
        assertThat(table.stored()).allSatisfy(file -> assertThat(listed).contains("[" + file.getFileName() + "]"));
    }

    @ParameterizedTest
    @CsvSource({"2,copy-on-write", "3,merge-on-read"})
    void ofTwoBlindOverwritesTheLastOnesRowsAreLeft(int version, String mode) {
        LakeTable table = create(version, mode);
        assertThat(during(() -> rows(1, 100).writeTo(scripted(table)).overwritePartitions(), () -> {
                    rowsInto(table, 1, 200);
                    Sql.run("DELETE FROM %s WHERE id IN (1, 2)", table.name());
                }))
                .isEmpty();
        assertIds(table, 0L, 4L, 6L, 8L, 100L);
        // By a condition that covers files in part: those of the other, which came meanwhile, as well.
        assertThat(during(
                        () -> rows(0, 300)
                                .writeTo(scripted(table))
                                .overwrite(functions.col("id").geq(5)),
                        () -> {
                            Sql.run("INSERT INTO %s VALUES (3L, 1), (50L, 1), (7L, 0)", table.name());
                            Sql.run("DELETE FROM %s WHERE id = 6", table.name());
                        }))
                .isEmpty();
        assertIds(table, 0L, 3L, 4L, 300L);
        assertThat(table.summary()).containsEntry("calve.rows-inserted", "1");
        // All of it.
        assertThat(during(
                        () -> Sql.run("INSERT OVERWRITE %s SELECT 400L, 2", scripted(table)),
                        () -> Sql.run("INSERT OVERWRITE %s SELECT 500L, 0", table.name())))
                .isEmpty();
        assertIds(table, 400L);
        assertThat(table.summary()).containsEntry("calve.rows-deleted", "1");
        // An empty table gets its first rows from two at once.
        LakeTable empty = LakeTable.create(NAMESPACE, version, "id bigint, p int", "p", LakeTable.deleteMode(mode));
        assertThat(during(
                        () -> rows(1, 1, 2).writeTo(scripted(empty)).overwritePartitions(),
                        () -> rowsInto(empty, 1, 3)))
                .isEmpty();
        assertIds(empty, 1L, 2L);
    }

    private static void rowsInto(LakeTable table, int p, long id) {
        try {
            rows(p, id).writeTo(table.name()).overwritePartitions();
        } catch (org.apache.spark.sql.catalyst.analysis.NoSuchTableException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void oldFilesThatComeMeanwhileAreAskedRowByRow() {
        LakeTable table = create(3, "merge-on-read");
        assertThat(during(() -> rows(1, 100).writeTo(scripted(table)).overwritePartitions(), () -> {
                    table.peer().updateSpec().removeField("p").commit();
                    table.insert("VALUES (20L, 0), (21L, 1), (22L, NULL)");
                }))
                .isEmpty();
        assertIds(table, 0L, 2L, 4L, 6L, 8L, 20L, 22L, 100L);
    }

    @Test
    void serializableRefusesWhatChangedInWhatIsReplaced() {
        for (String changed : List.of("INSERT INTO %s VALUES (11L, 1)", "DELETE FROM %s WHERE id = 3")) {
            for (String mode : List.of("copy-on-write", "merge-on-read")) {
                LakeTable table = create(3, mode);
                String failure = during(
                        () -> rows(1, 100)
                                .writeTo(scripted(table))
                                .option("isolation-level", "serializable")
                                .overwritePartitions(),
                        () -> Sql.run(changed, table.name()));
                assertThat(failure).contains("CommitConflictException", "INSERT OVERWRITE", "Nothing was changed");
                assertThat(table.history()).hasSize(2);
                assertNothingIsLeftOver(table);
                failure = during(
                        () -> rows(1, 100)
                                .writeTo(scripted(table))
                                .option("isolation-level", "serializable")
                                .overwrite(functions.col("id").gt(2)),
                        () -> Sql.run(changed.replace("11L", "12L").replace("= 3", "= 5"), table.name()));
                assertThat(failure).contains("CommitConflictException", "Nothing was changed");
                // What is not replaced may change.
                assertThat(during(
                                () -> rows(1, 100)
                                        .writeTo(scripted(table))
                                        .option("isolation-level", "serializable")
                                        .overwritePartitions(),
                                () -> Sql.run("INSERT INTO %s VALUES (30L, 0)", table.name())))
                        .isEmpty();
                assertIds(table, 0L, 2L, 4L, 6L, 8L, 30L, 100L);
            }
        }
    }

    @Test
    void snapshotIsolationKeepsWhatOthersAddAndRefusesWhatTheyRemove() {
        LakeTable table = create(2, "merge-on-read");
        assertThat(during(
                        () -> rows(1, 100)
                                .writeTo(scripted(table))
                                .option("isolation-level", "snapshot")
                                .overwritePartitions(),
                        () -> Sql.run("INSERT INTO %s VALUES (11L, 1)", table.name())))
                .isEmpty();
        assertIds(table, 0L, 2L, 4L, 6L, 8L, 11L, 100L);
        assertThat(during(
                        () -> rows(1, 101)
                                .writeTo(scripted(table))
                                .option("isolation-level", "snapshot")
                                .overwrite(functions.col("p").equalTo(0)),
                        () -> Sql.run("DELETE FROM %s WHERE id = 4", table.name())))
                .contains("CommitConflictException");
        assertIds(table, 0L, 2L, 6L, 8L, 11L, 100L);
    }

    @Test
    void changesSinceAGivenSnapshotCount() throws Exception {
        LakeTable table = create(3, "merge-on-read");
        String read = table.snapshot();
        table.insert("VALUES (20L, 0)");
        rows(1, 100)
                .writeTo(table.name())
                .option("validate-from-snapshot-id", read)
                .overwritePartitions();
        assertIds(table, 0L, 2L, 4L, 6L, 8L, 20L, 100L);
        Write again = () -> rows(0, 101)
                .writeTo(table.name())
                .option("isolation-level", "serializable")
                .option("validate-from-snapshot-id", read)
                .overwritePartitions();
        assertThat(during(again, () -> {})).contains("CommitConflictException");
        assertIds(table, 0L, 2L, 4L, 6L, 8L, 20L, 100L);
    }

    /** Rows nobody looked at would be gone. */
    @Test
    void anOverwriteThatReadsItsTargetRefusesWhatItHasNotSeen() {
        for (String query : List.of(
                "SELECT id + 100, p FROM %1$s WHERE p = 1",
                "SELECT id, 1 FROM range(1) WHERE id < (SELECT max(id) FROM %1$s)",
                "SELECT count(*), 1 FROM %1$s",
                "SELECT id, 1 FROM range(1) WHERE id IN (SELECT id FROM %1$s)")) {
            LakeTable table = create(2, "merge-on-read");
            spark().conf().set("spark.sql.sources.partitionOverwriteMode", "dynamic");
            try {
                String failure = during(
                        () -> Sql.run("INSERT OVERWRITE " + scripted(table) + " " + query, table.name()),
                        () -> Sql.run("INSERT INTO %s VALUES (11L, 1)", table.name()));
                assertThat(failure)
                        .as(query)
                        .contains("CommitConflictException", "may hold rows the statement selects");
                assertThat(table.longs("id", "true")).hasSize(11);
                // Where nothing is replaced nothing is lost.
                assertThat(during(
                                () -> Sql.run("INSERT OVERWRITE " + scripted(table) + " " + query, table.name()),
                                () -> Sql.run("INSERT INTO %s VALUES (12L, 0)", table.name())))
                        .as(query)
                        .isEmpty();
                assertThat(table.longs("id", "p = 0")).as(query).containsExactly(0L, 2L, 4L, 6L, 8L, 12L);
            } finally {
                spark().conf().unset("spark.sql.sources.partitionOverwriteMode");
            }
        }
    }

    @Test
    void cachedRowsAreReadTooAndThoseOfThePastAreNot() throws Exception {
        LakeTable table = create(2, "merge-on-read");
        Dataset<Row> cached = spark().table(table.name()).filter("p = 1").cache();
        assertThat(cached.count()).isEqualTo(5);
        String failure = during(
                () -> cached.writeTo(scripted(table)).overwritePartitions(),
                () -> Sql.run("INSERT INTO %s VALUES (11L, 1)", table.name()));
        cached.unpersist();
        assertThat(failure).contains("CommitConflictException");
        // The rows of another state do not depend on what is there now.
        String first = "" + table.history().get(1);
        assertThat(during(
                        () -> Sql.run(
                                "INSERT OVERWRITE %s SELECT * FROM %s VERSION AS OF %s",
                                scripted(table), table.name(), first),
                        () -> Sql.run("INSERT INTO %s VALUES (12L, 1)", table.name())))
                .isEmpty();
        assertIds(table, 0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L);
    }
}
