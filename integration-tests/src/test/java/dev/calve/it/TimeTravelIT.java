package dev.calve.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.hadoop.HadoopCatalog;
import org.apache.spark.sql.DataFrameReader;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** States of a table that both engines wrote, with branches and tags, as the peer reads them; and when newest rows are seen. */
@Tag("iceberg-peer")
class TimeTravelIT {

    private static final SparkSession SPARK = SparkTestSession.spark();
    private static final String NAMESPACE = "travel";

    /** Ids of the snapshots of main of {@link #TABLE}, oldest first. */
    private static final List<Long> IDS = new ArrayList<>();

    /** When each of them became current, epoch milliseconds. */
    private static final List<Long> TIMES = new ArrayList<>();

    private static final String TABLE = NAMESPACE + ".history";

    /**
     * Snapshots 0, 1 and 2 with columns id and name: appended by the peer, by Calve, and rows deleted by the peer. Then name
     * is renamed and price added. 3 and 4: appended by Calve and by the peer. Tag v1 at 0, branch audit from 1 on with one
     * append of its own by the peer, branch 4711 at 2.
     */
    @BeforeAll
    static void makesHistory() throws InterruptedException {
        Sql.run("CREATE NAMESPACE IF NOT EXISTS lake.%s", NAMESPACE);
        Sql.run(
                "CREATE TABLE peer.%s (id bigint, name string) USING iceberg TBLPROPERTIES ('format-version'='3',"
                        + " 'write.delete.mode'='merge-on-read')",
                TABLE);
        Sql.run("INSERT INTO peer.%s SELECT /*+ COALESCE(1) */ id, concat('a', id) FROM range(10)", TABLE);
        later();
        Sql.run("INSERT INTO lake.%s SELECT id, concat('b', id) FROM range(10, 20)", TABLE);
        later();
        Sql.run("DELETE FROM peer.%s WHERE id %% 4 = 0", TABLE);
        later();
        List<Long> first = mainOf(peerTable(TABLE));
        peerTable(TABLE)
                .manageSnapshots()
                .createTag("v1", first.get(0))
                .createBranch("audit", first.get(1))
                .createBranch("4711", first.get(2))
                .commit();
        Sql.run("ALTER TABLE peer.%s RENAME COLUMN name TO label", TABLE);
        Sql.run("ALTER TABLE peer.%s ADD COLUMN price double", TABLE);
        Sql.run("INSERT INTO peer.%s.branch_audit SELECT id, 'audit', 1.5D FROM range(100, 103)", TABLE);
        Sql.run("INSERT INTO lake.%s SELECT id, concat('c', id), id / 2D FROM range(20, 30)", TABLE);
        later();
        Sql.run("INSERT INTO peer.%s SELECT id, concat('d', id), id / 2D FROM range(30, 40)", TABLE);
        Table table = peerTable(TABLE);
        IDS.addAll(mainOf(table));
        IDS.forEach(id -> TIMES.add(table.snapshot(id).timestampMillis()));
        assertThat(IDS).hasSize(5);
    }

    /** Times are told apart by the millisecond. */
    private static void later() throws InterruptedException {
        Thread.sleep(3);
    }

    private static Table peerTable(String table) {
        return new HadoopCatalog(
                        SPARK.sessionState().newHadoopConf(),
                        SparkTestSession.warehouse().toString())
                .loadTable(TableIdentifier.parse(table));
    }

    private static List<Long> mainOf(Table table) {
        var ids = new ArrayList<Long>();
        for (Snapshot at = table.currentSnapshot(); at != null; ) {
            ids.add(0, at.snapshotId());
            at = at.parentId() == null ? null : table.snapshot(at.parentId());
        }
        return ids;
    }

    private static String path(String table) {
        return SparkTestSession.warehouse().resolve(table.replace('.', '/')).toString();
    }

    /** Columns with their types, and all rows. */
    private static List<String> answer(Dataset<Row> frame) {
        var answer = new ArrayList<String>();
        answer.add(frame.schema().toDDL());
        answer.addAll(PeerTables.text(frame.collectAsList()));
        return answer;
    }

    /** What the peer says of {@code VERSION AS OF}. */
    private static List<String> peerAt(Object version) {
        return answer(SPARK.sql("SELECT * FROM peer." + TABLE + " VERSION AS OF '" + version + "'"));
    }

    private static DataFrameReader reader(String... options) {
        var reader = SPARK.read();
        for (int i = 0; i < options.length; i += 2) {
            reader.option(options[i], options[i + 1]);
        }
        return reader;
    }

    private static String refusal(String... options) {
        try {
            reader(options).table("lake." + TABLE).collectAsList();
        } catch (Throwable e) { // Spark throws checked exceptions that its methods do not declare.
            return Sql.messages(e);
        }
        throw new AssertionError("These options must be refused: " + List.of(options));
    }

    @Test
    void sqlReadsTheStatesThatThePeerReads() {
        var states = new ArrayList<String>();
        for (int i = 0; i < IDS.size(); i++) {
            long id = IDS.get(i);
            long millis = TIMES.get(i);
            states.add(" VERSION AS OF " + id);
            states.add(" FOR SYSTEM_VERSION AS OF '" + id + "'");
            states.add(".snapshot_id_" + id);
            states.add(" TIMESTAMP AS OF timestamp_millis(" + millis + ")");
            states.add(" TIMESTAMP AS OF timestamp_micros(" + (millis * 1000 + 999) + ")");
            states.add(" FOR SYSTEM_TIME AS OF timestamp_millis(" + (millis + 1) + ")");
            states.add(".at_timestamp_" + millis);
            if (i > 0) {
                states.add(" TIMESTAMP AS OF timestamp_millis(" + (millis - 1) + ")");
            }
        }
        for (String ref : List.of("v1", "audit", "main")) {
            states.add(" VERSION AS OF '" + ref + "'");
        }
        states.addAll(List.of(".tag_v1", ".branch_audit", ".branch_4711", ".branch_main", ""));
        for (String state : states) {
            assertThat(answer(SPARK.sql("SELECT * FROM lake." + TABLE + state)))
                    .as(state)
                    .isEqualTo(answer(SPARK.sql("SELECT * FROM peer." + TABLE + state)));
        }
        assertThat(states).hasSize(5 * 8 - 1 + 3 + 5);
        assertThat(answer(SPARK.sql("SELECT * FROM lake." + TABLE + " VERSION AS OF '4711'")))
                .as("a number that is no snapshot's; the peer looks no further")
                .isEqualTo(answer(SPARK.sql("SELECT * FROM peer." + TABLE + ".branch_4711")));
        assertThat(Sql.rows("SELECT max(name) FROM lake.%s VERSION AS OF %d WHERE id < 5", TABLE, IDS.get(1)))
                .containsExactly("[a4]");
        assertThat(Sql.rows("SELECT count(*), max(price) FROM lake.%s VERSION AS OF 'audit' WHERE price > 1", TABLE))
                .containsExactly("[3,1.5]");
    }

    @Test
    void optionsReadTheStatesThatThePeerReadsBySql() {
        String name = "lake." + TABLE;
        String time = "" + TIMES.get(1);
        String text = Instant.ofEpochMilli(TIMES.get(1)).toString();
        List<String> second = peerAt(IDS.get(1));
        for (List<String> options : List.of(
                List.of("snapshot-id", "" + IDS.get(1)),
                List.of("as-of-timestamp", time),
                List.of("versionAsOf", "" + IDS.get(1)),
                List.of("timestampAsOf", text))) {
            String[] pairs = options.toArray(String[]::new);
            assertThat(answer(reader(pairs).format("calve").load(path(TABLE))))
                    .as("%s by path", options)
                    .isEqualTo(second);
            assertThat(answer(reader(pairs).table(name))).as("%s", options).isEqualTo(second);
            String with = "`" + pairs[0] + "` = '" + pairs[1] + "'";
            assertThat(answer(SPARK.sql("SELECT * FROM " + name + " WITH (" + with + ")")))
                    .as(with)
                    .isEqualTo(second);
        }
        assertThat(answer(reader("tag", "v1").table(name))).isEqualTo(peerAt("v1"));
        assertThat(answer(reader("snapshot-id", "" + IDS.get(3)).table(name))).isEqualTo(peerAt(IDS.get(3)));
        assertThat(answer(reader("as-of-timestamp", "" + TIMES.get(3)).table(name)))
                .isEqualTo(peerAt(IDS.get(3)));
        assertThat(answer(SPARK.sql("SELECT * FROM " + name + " WITH (`snapshot-id` = " + IDS.get(3) + ")")))
                .isEqualTo(peerAt(IDS.get(3)));
        assertThat(answer(SPARK.sql("SELECT * FROM " + name + " WITH (`versionAsOf` = 'v1')")))
                .isEqualTo(peerAt("v1"));
        assertThat(answer(reader("branch", "audit").table(name))).isEqualTo(peerAt("audit"));
        assertThat(answer(reader("versionAsOf", "v1").table(name))).isEqualTo(peerAt("v1"));
        assertThat(answer(reader("branch", "audit").format("calve").load(path(TABLE))))
                .isEqualTo(peerAt("audit"));
        assertThat(answer(reader("tag", "v1").format("calve").load(path(TABLE))))
                .isEqualTo(peerAt("v1"));
        assertThat(answer(reader().format("calve").load(path(TABLE) + "#tag_v1")))
                .isEqualTo(peerAt("v1"));
        assertThat(answer(reader().format("calve").load(path(TABLE) + "#snapshot_id_" + IDS.get(0))))
                .isEqualTo(peerAt(IDS.get(0)));
    }

    /** Spark looks a name up once per statement, whatever the options of its references. */
    @Test
    void optionsOfOneReferenceDoNotCountForAnother() {
        String name = "lake." + TABLE;
        String old = name + " WITH (`snapshot-id` = " + IDS.get(1) + ")";
        String tagged = name + " WITH (`tag` = 'v1')";
        assertThat(Sql.rows(
                        "SELECT 1, count(*) FROM %s UNION ALL SELECT 2, count(*) FROM %s UNION ALL"
                                + " SELECT 3, count(*) FROM %s",
                        name, old, tagged))
                .containsExactlyElementsOf(Sql.rows(
                        "SELECT 1, count(*) FROM peer.%1$s UNION ALL SELECT 2, count(*) FROM peer.%1$s VERSION AS OF"
                                + " %2$d UNION ALL SELECT 3, count(*) FROM peer.%1$s VERSION AS OF 'v1'",
                        TABLE, IDS.get(1)));
        assertThat(Sql.rows(
                        "SELECT count(*), count(b.id), max(b.name) FROM %s a FULL JOIN %s b USING (id)", tagged, old))
                .containsExactly("[20,20,b19]");
        assertThat(reader("snapshot-id", "" + IDS.get(1))
                        .table(name)
                        .as("b")
                        .join(reader("tag", "v1").table(name).as("a"), "id")
                        .count())
                .isEqualTo(10);
        assertThat(Sql.rows(
                        "SELECT 1, count(*) FROM %1$s.manifests UNION ALL SELECT 2, count(*) FROM %1$s.manifests"
                                + " WITH (`snapshot-id` = %2$d)",
                        name, IDS.get(1)))
                .containsExactlyElementsOf(Sql.rows(
                        "SELECT 1, count(*) FROM %1$s.manifests UNION ALL SELECT 2, count(*) FROM"
                                + " %1$s.manifests VERSION AS OF %2$d",
                        "peer." + TABLE, IDS.get(1)));
    }

    @Test
    void aTableReadByOptionsKeepsItsName() {
        String with = " WITH (`snapshot-id` = " + IDS.get(0) + ")";
        String columns =
                "SELECT max(history.name), max(travel.history.id), max(lake.travel.history.name), count(_file)";
        assertThat(Sql.rows(columns + " FROM lake.travel.history" + with)).containsExactly("[a9,9,a9,10]");
        try {
            Sql.run("USE lake.travel");
            assertThat(Sql.rows(columns + " FROM history" + with)).containsExactly("[a9,9,a9,10]");
            Sql.run("CREATE TEMPORARY VIEW history AS SELECT 'of the view' AS name");
            assertThat(Sql.rows("SELECT * FROM history" + with)).containsExactly("[of the view]");
            Sql.run("CREATE TEMPORARY VIEW early AS SELECT * FROM travel.history" + with);
            Sql.run("USE spark_catalog.default");
            assertThat(Sql.rows("SELECT count(*), max(name) FROM early")).containsExactly("[10,a9]");
        } finally {
            Sql.run("USE spark_catalog.default");
            Sql.run("DROP VIEW IF EXISTS history");
            Sql.run("DROP VIEW IF EXISTS early");
        }
    }

    @Test
    void whatCannotBeReadIsRefusedWithWhatCan() {
        assertThat(Sql.failure("SELECT * FROM lake.%s VERSION AS OF 'nothing'", TABLE))
                .contains("lake." + TABLE, "'nothing'", "tags [v1]", "[4711, audit, main]", "" + IDS.get(2));
        assertThat(Sql.failure("SELECT * FROM lake.%s VERSION AS OF 5", TABLE)).contains("'5'", "" + IDS.get(2));
        assertThat(Sql.failure("SELECT * FROM lake.%s TIMESTAMP AS OF '2001-01-01'", TABLE))
                .contains("2001-01-01", "oldest", "" + TIMES.get(0));
        assertThat(Sql.failure("SELECT * FROM lake.%s.branch_v1", TABLE)).contains("branch 'v1'", "tags [v1]");
        assertThat(Sql.failure("SELECT * FROM lake.%s.snapshot_id_1", TABLE))
                .contains("at snapshot 1", "" + IDS.get(2));
        assertThat(Sql.failure("SELECT * FROM lake.%s.tag_v1 VERSION AS OF 5", TABLE))
                .contains("at tag 'v1' by its name already");
        assertThat(Sql.failure("SELECT * FROM lake.%s.other", TABLE)).contains("TABLE_OR_VIEW_NOT_FOUND");
        assertThat(refusal("snapshot-id", "" + IDS.get(3), "tag", "v1")).contains("'snapshot-id' and 'tag'");
        assertThat(refusal("snapshot-id", "" + IDS.get(3), "versionAsOf", "v1")).contains("contradict");
        assertThat(refusal("snapshot-id", "first")).contains("whole number");
        assertThat(Sql.failure("SELECT * FROM lake.%s.tag_v1 WITH (`branch` = 'audit')", TABLE))
                .contains("at tag 'v1' already");
    }

    @Test
    void statesOfThePastAreOnlyRead() {
        for (String state : List.of(".tag_v1", ".snapshot_id_" + IDS.get(3))) {
            for (String statement : List.of(
                    "DELETE FROM lake.%s%s WHERE id = 1",
                    "UPDATE lake.%s%s SET id = 1", "INSERT INTO lake.%1$s%2$s SELECT * FROM lake.%1$s%2$s")) {
                assertThat(Sql.failure(statement, TABLE, state))
                        .as(statement + state)
                        .contains("cannot be changed");
            }
        }
    }

    @Test
    void aTableThatHasTheNameOfASelectorComesFirst() {
        Sql.run("CREATE NAMESPACE IF NOT EXISTS lake.%s_more", NAMESPACE);
        Sql.run("CREATE TABLE lake.%s_more.branch_audit AS SELECT 7L AS seven", NAMESPACE);
        assertThat(Sql.longs("SELECT * FROM lake.%s_more.branch_audit", NAMESPACE))
                .containsExactly(7L);
        Sql.run("INSERT INTO lake.%s_more.branch_audit SELECT 8L", NAMESPACE);
        assertThat(Sql.longs("SELECT * FROM lake.%s_more.branch_audit", NAMESPACE))
                .containsExactly(7L, 8L);
    }

    @Test
    void twoStatesInOneQueryStayTwo() {
        String table = NAMESPACE + "." + Sql.unique("two");
        Sql.run("CREATE TABLE lake.%s AS SELECT id FROM range(3)", table);
        Sql.run("INSERT INTO lake.%s SELECT id FROM range(3, 5)", table);
        List<Long> ids = mainOf(peerTable(table));
        String at = "lake." + table + " VERSION AS OF ";
        String union = "SELECT count(*) AS c, 1 AS n FROM " + at + ids.get(0) + " UNION ALL SELECT count(*), 2 FROM "
                + at + ids.get(1) + " UNION ALL SELECT count(*), 3 FROM lake." + table;
        String join = "SELECT count(*) FROM " + at + ids.get(0) + " a FULL JOIN " + at + ids.get(1)
                + " b ON a.id = b.id WHERE a.id IS NULL";
        Dataset<Row> pinned = SPARK.sql(union);
        Dataset<Row> selected = SPARK.table("lake." + table + ".snapshot_id_" + ids.get(0));
        Dataset<Row> byOption = reader("versionAsOf", "" + ids.get(0)).table("lake." + table);
        assertThat(Sql.rows(union)).containsExactly("[3,1]", "[5,2]", "[5,3]");
        assertThat(Sql.rows(join)).containsExactly("[2]");

        Sql.run("INSERT INTO peer.%s SELECT id FROM range(5, 9)", table);
        assertThat(pinned.collectAsList().stream().map(Row::toString).sorted())
                .as("built before the commit")
                .containsExactly("[3,1]", "[5,2]", seesNewest() ? "[9,3]" : "[5,3]");
        assertThat(selected.count()).isEqualTo(3);
        assertThat(byOption.count()).isEqualTo(3);
        assertThat(Sql.rows(union)).containsExactly("[3,1]", "[5,2]", "[9,3]");

        Sql.run("CACHE TABLE lake.%s", table);
        try {
            assertThat(Sql.rows(union)).containsExactly("[3,1]", "[5,2]", "[9,3]");
            Sql.run("INSERT INTO lake.%s SELECT id FROM range(9, 10)", table);
            assertThat(Sql.rows(union)).containsExactly("[10,3]", "[3,1]", "[5,2]");
            assertThat(Sql.rows(join)).containsExactly("[2]");
        } finally {
            Sql.run("UNCACHE TABLE lake.%s", table);
        }
        Dataset<Row> cached = SPARK.sql("SELECT * FROM " + at + ids.get(0)).cache();
        try {
            assertThat(cached.count()).isEqualTo(3);
            assertThat(Sql.count("lake." + table)).isEqualTo(10);
            assertThat(Sql.rows(union)).containsExactly("[10,3]", "[3,1]", "[5,2]");
        } finally {
            cached.unpersist();
        }
    }

    /** Two scans are one only if they read one snapshot, whatever it is called. */
    @Test
    void exchangesAreReusedForOneSnapshotAndNotForTwo() {
        String table = "lake." + NAMESPACE + "." + Sql.unique("reuse");
        Sql.run("CREATE TABLE %s AS SELECT id FROM range(6)", table);
        Sql.run("CALL lake.system.create_tag(table => '%s', tag => 'six')", table.substring("lake.".length()));
        Sql.run("INSERT INTO %s SELECT id FROM range(6, 15)", table);
        long first = mainOf(peerTable(table.substring("lake.".length()))).get(0);
        String id = ".snapshot_id_" + first;
        String adaptive = "spark.sql.adaptive.enabled";
        String before = SPARK.conf().get(adaptive);
        SPARK.conf().set(adaptive, "false");
        try {
            assertReuse(table, "", "", true, 5, 5);
            assertReuse(table, id, id, true, 2, 2);
            assertReuse(table, id, ".tag_six", true, 2, 2);
            assertReuse(table, " WITH (`tag` = 'six')", " VERSION AS OF " + first, true, 2, 2);
            assertReuse(table, "", id, false, 5, 2);
            assertReuse(table, " WITH (`snapshot-id` = " + first + ")", "", false, 2, 5);
            assertReuse(table, " WHERE id < 6", " WHERE id < 9", false, 2, 3);
        } finally {
            SPARK.conf().set(adaptive, before);
        }
    }

    private static void assertReuse(
            String table, String left, String right, boolean reused, long leftRows, long rightRows) {
        String part = "(SELECT id %% 3 AS k, count(*) AS n FROM %s%s GROUP BY id %% 3)";
        Dataset<Row> joined = SPARK.sql("SELECT a.k, a.n, b.n FROM " + part.formatted(table, left) + " a JOIN "
                + part.formatted(table, right) + " b ON a.k = b.k ORDER BY a.k");
        assertThat(joined.queryExecution().executedPlan().toString().contains("ReusedExchange"))
                .as("'%s' and '%s'", left, right)
                .isEqualTo(reused);
        assertThat(joined.collectAsList()).hasSize(3).allSatisfy(row -> {
            assertThat(row.getLong(1)).isEqualTo(leftRows);
            assertThat(row.getLong(2)).isEqualTo(rightRows);
        });
    }

    /** Spark from 4.1 on loads tables again right before a query runs. */
    private static boolean seesNewest() {
        return !SPARK.version().startsWith("4.0.");
    }

    private static List<String> appended(String engine, String table, String... options) {
        return PeerTables.text(
                reader(options).table(engine + "." + table).select("id").collectAsList());
    }

    /** The peer refuses to read nothing. */
    private static boolean isEmpty(int start, int end) {
        return start == Math.min(end, IDS.size() - 1);
    }

    @Test
    void readsWhatWasAppendedBetweenTwoSnapshotsAsThePeerDoes() {
        for (int start = 0; start < IDS.size(); start++) {
            for (int end = start; end <= IDS.size(); end++) {
                String[] options = end == IDS.size()
                        ? new String[] {"start-snapshot-id", "" + IDS.get(start)}
                        : new String[] {"start-snapshot-id", "" + IDS.get(start), "end-snapshot-id", "" + IDS.get(end)};
                assertThat(appended("lake", TABLE, options))
                        .as("%s", List.of(options))
                        .isEqualTo(isEmpty(start, end) ? List.of() : appended("peer", TABLE, options));
            }
        }
        assertThat(answer(reader("start-snapshot-id", "" + IDS.get(0))
                        .table("lake." + TABLE)
                        .where("label LIKE 'b%' AND id > 15")))
                .isEqualTo(answer(reader("start-snapshot-id", "" + IDS.get(0))
                        .table("peer." + TABLE)
                        .where("label LIKE 'b%' AND id > 15")));
        assertThat(reader("start-snapshot-id", "" + IDS.get(2))
                        .table("lake." + TABLE)
                        .count())
                .isEqualTo(20);
        assertThat(reader("start-timestamp", "" + TIMES.get(2), "end-timestamp", "" + TIMES.get(3))
                        .format("calve")
                        .load(path(TABLE))
                        .count())
                .isEqualTo(10);
        assertThat(refusal("start-snapshot-id", "" + IDS.get(3), "end-snapshot-id", "" + IDS.get(1)))
                .contains("must be an ancestor");
        assertThat(refusal("end-snapshot-id", "" + IDS.get(1))).contains("start-snapshot-id");
        assertThat(Sql.failure("SELECT * FROM lake.%s.tag_v1 WITH (`start-snapshot-id` = %d)", TABLE, IDS.get(0)))
                .contains("all rows of a state");
    }

    /** Another catalog of the same warehouse stands for another process: nothing is shared but the files. */
    @Test
    void everyQuerySeesTheNewestCommitOfAnybody() {
        String table = NAMESPACE + "." + Sql.unique("fresh");
        String key = "spark.sql.catalog.other";
        SPARK.conf().set(key, "dev.calve.spark.CalveCatalog");
        SPARK.conf().set(key + ".warehouse", SparkTestSession.warehouse().toString());
        Sql.run("CREATE TABLE lake.%s AS SELECT id FROM range(3)", table);
        Dataset<Row> frame = SPARK.table("lake." + table);
        assertThat(Sql.count("lake." + table)).isEqualTo(3);
        Sql.run("INSERT INTO other.%s SELECT 10L", table);
        assertThat(Sql.count("lake." + table)).isEqualTo(4);
        assertThat(frame.count()).isEqualTo(seesNewest() ? 4 : 3);
        Sql.run("INSERT INTO peer.%s SELECT 11L", table);
        assertThat(Sql.count("lake." + table)).isEqualTo(5);
        Sql.run("DELETE FROM lake.%s WHERE id < 2", table);
        assertThat(Sql.count("other." + table)).isEqualTo(3);

        // As many versions as before, so that its file has a name that was read before.
        Sql.run("DROP TABLE other.%s", table);
        Sql.run("CREATE TABLE other.%s AS SELECT id, 'new' AS name FROM range(7)", table);
        assertThat(Sql.count("lake." + table)).isEqualTo(7);
        assertThat(SPARK.table("lake." + table).columns()).containsExactly("id", "name");
        if (seesNewest()) {
            try {
                assertThat(frame.collectAsList())
                        .as("a frame of the table dropped")
                        .isEmpty();
            } catch (Throwable e) { // Spark throws checked exceptions that its methods do not declare.
                assertThat(Sql.messages(e)).contains("TABLE_ID");
            }
        }
    }

    @Test
    void aDroppedAndRecreatedTableIsNotReadFromMemory() {
        String table = NAMESPACE + "." + Sql.unique("again");
        for (int i = 1; i <= 3; i++) {
            Sql.run("CREATE TABLE peer.%s AS SELECT id + %d AS id FROM range(1)", table, i);
            assertThat(Sql.longs("SELECT id FROM lake.%s", table)).containsExactly((long) i);
            Sql.run("DROP TABLE peer.%s", table);
        }
    }

    @Test
    void planNamesTheStateThatIsRead() {
        String name = "lake." + TABLE;
        String first = "snapshot " + IDS.get(0);
        String third = "snapshot " + IDS.get(3);
        String last = "snapshot " + IDS.get(IDS.size() - 1);
        assertPlan(name, "lake.travel.history [" + last + "]");
        assertPlan(name + ".branch_main", "[" + last + " of branch 'main'");
        assertPlan(name + " VERSION AS OF 'v1'", "[" + first + " at version 'v1'");
        assertPlan(name + ".tag_v1", "[" + first + " at tag 'v1'");
        assertPlan(name + " WITH (`tag` = 'v1')", "[" + first + " at tag 'v1'");
        assertPlan(name + ".snapshot_id_" + IDS.get(0), "[" + first + "]");
        assertPlan(
                name + ".at_timestamp_" + TIMES.get(3),
                "[" + third + " as of " + Instant.ofEpochMilli(TIMES.get(3)) + " (" + TIMES.get(3) + " ms)");
        assertPlan(name + ".branch_audit", " of branch 'audit'");
        assertPlan(
                name + " WITH (`start-snapshot-id` = " + IDS.get(3) + ", `branch` = 'main')",
                "appends after " + third + " up to " + last + " (1) of branch 'main'");
        assertPlan(name + ".files.tag_v1", "files [" + first + " at tag 'v1'");
    }

    private static void assertPlan(String table, String part) {
        assertThat(plan("SELECT * FROM " + table))
                .contains("Calve scan of lake.travel.history")
                .contains(part);
    }

    private static String plan(String query) {
        return SPARK.sql(query).queryExecution().executedPlan().toString();
    }
}
