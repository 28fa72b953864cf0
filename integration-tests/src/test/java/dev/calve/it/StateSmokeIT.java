package dev.calve.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** States of the past, newest rows and replaced tables on every version of Spark; without the peer. */
class StateSmokeIT {

    private static final SparkSession SPARK = SparkTestSession.spark();

    @BeforeAll
    static void createNamespace() {
        Sql.run("CREATE NAMESPACE IF NOT EXISTS lake.states");
    }

    private static String create(long rows) {
        String table = "lake.states." + Sql.unique("t");
        Sql.run("CREATE TABLE %s TBLPROPERTIES ('format-version'='3') AS SELECT id FROM range(%d)", table, rows);
        return table;
    }

    @Test
    void statesOfThePastAreRead() {
        String table = create(3);
        String first = Sql.snapshot(table);
        Sql.run("INSERT INTO %s SELECT id FROM range(3, 5)", table);
        String second = Sql.snapshot(table);
        Sql.run("CALL lake.system.create_tag(table => '%s', tag => 'two')", table.substring("lake.".length()));
        Sql.run("CALL lake.system.create_branch(table => '%s', branch => 'b')", table.substring("lake.".length()));
        Sql.run("ALTER TABLE %s ADD COLUMN name STRING", table);
        Sql.run("INSERT INTO %s SELECT 9L, 'nine'", table);

        assertThat(Sql.longs("SELECT * FROM %s VERSION AS OF %s", table, first)).containsExactly(0L, 1L, 2L);
        assertThat(Sql.longs("SELECT * FROM %s VERSION AS OF 'two'", table)).hasSize(5);
        assertThat(SPARK.table(table + ".tag_two").columns()).containsExactly("id");
        assertThat(SPARK.table(table + ".branch_b").columns()).containsExactly("id", "name");
        assertThat(SPARK.table(table + ".snapshot_id_" + first).count()).isEqualTo(3);
        assertThat(SPARK.read().option("versionAsOf", first).table(table).columns())
                .containsExactly("id");
        assertThat(SPARK.read().option("branch", "b").table(table).count()).isEqualTo(5);
        assertThat(SPARK.read()
                        .option("start-snapshot-id", first)
                        .option("end-snapshot-id", second)
                        .table(table)
                        .count())
                .isEqualTo(2);
        assertThat(Sql.longs("SELECT count(*) FROM %s TIMESTAMP AS OF current_timestamp()", table))
                .containsExactly(6L);
        assertThat(Sql.failure("SELECT * FROM %s TIMESTAMP AS OF '2001-01-01'", table))
                .contains("oldest");
        assertThat(Sql.failure("INSERT INTO %s.tag_two SELECT 1L", table)).contains("cannot be changed");
        long onMain = Sql.count(table);
        Sql.run("DELETE FROM %s.branch_b WHERE id = 1", table);
        assertThat(Sql.longs("SELECT id FROM %s.branch_b", table)).doesNotContain(1L);
        assertThat(Sql.count(table)).isEqualTo(onMain);
        assertThat(Sql.rows(
                        "SELECT a.id, b.id FROM %1$s VERSION AS OF %2$s a FULL JOIN %1$s VERSION AS OF %3$s b"
                                + " ON a.id = b.id WHERE a.id IS NULL",
                        table, first, second))
                .containsExactly("[null,3]", "[null,4]");
    }

    @Test
    void newestRowsAreSeenAlsoWhereTheTableIsCached() {
        String table = create(3);
        Dataset<Row> frame = SPARK.table(table);
        Sql.run("CACHE TABLE %s", table);
        try {
            assertThat(Sql.count(table)).isEqualTo(3);
            Sql.run("INSERT INTO %s VALUES (3), (4)", table);
            assertThat(Sql.count(table)).isEqualTo(5);
            Sql.run("DELETE FROM %s WHERE id = 0", table);
            assertThat(Sql.count(table)).isEqualTo(4);
            Sql.run("CREATE OR REPLACE TABLE %s AS SELECT 7L AS id", table);
            assertThat(Sql.longs("SELECT id FROM %s", table)).containsExactly(7L);
        } finally {
            Sql.run("UNCACHE TABLE IF EXISTS %s", table);
        }
        if (!SPARK.version().startsWith("4.0.")) {
            assertThat(frame.collectAsList()).as("tables are loaded again").hasSize(1);
        }
    }

    @Test
    void tablesAreReplacedWithTheirHistory() throws Exception {
        String table = create(3);
        String first = Sql.snapshot(table);
        Sql.run("REPLACE TABLE %s AS SELECT id, 'x' AS name FROM %s WHERE id > 0", table, table);
        assertThat(Sql.rows("SELECT * FROM %s", table)).containsExactly("[1,x]", "[2,x]");
        SPARK.range(1).toDF("other").writeTo(table).createOrReplace();
        SPARK.range(8, 9).toDF("other").write().mode("overwrite").saveAsTable(table);
        assertThat(Sql.longs("SELECT other FROM %s", table)).containsExactly(8L);
        Sql.run("CREATE OR REPLACE TABLE %s (a INT, b STRING)", table);
        assertThat(Sql.rows("SELECT * FROM %s", table)).isEmpty();
        assertThat(Sql.longs("SELECT * FROM %s VERSION AS OF %s", table, first)).isEqualTo(List.of(0L, 1L, 2L));
        assertThat(Sql.failure("CREATE OR REPLACE TABLE %s AS SELECT CAST(raise_error('boom') AS INT) AS x", table))
                .contains("boom");
        assertThat(SPARK.table(table).columns()).containsExactly("a", "b");
    }
}
