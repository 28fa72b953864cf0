package dev.calve.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.api.java.UDF1;
import org.apache.spark.sql.types.DataTypes;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a MERGE reads and shuffles of its target, and how often it reads its source. */
class MergeSourceIT {

    private static final String NAMESPACE = SparkTestSession.LAKE + ".merge_sources";
    private static final String SETTING = "spark.calve.merge.source";
    private static final int ROWS = 3000;

    private static final AtomicLong CALLS = new AtomicLong();
    private static final AtomicLong SHUFFLED = new AtomicLong();
    private static final SparkListener LISTENER = new SparkListener() {
        @Override
        public void onTaskEnd(SparkListenerTaskEnd end) {
            SHUFFLED.addAndGet(end.taskMetrics().shuffleWriteMetrics().recordsWritten());
        }
    };

    /** Which column pairs make a row of the source the same as one of the target, and which of source ids 0 to 9 then are. */
    private record Key(String condition, String matched) {}

    private static final List<Key> KEYS = List.of(
            new Key("t.id = s.id", "id < 10"),
            new Key("t.i = s.id", "id < 10"),
            new Key("s.id = t.id AND t.txt = s.txt", "id < 10"),
            new Key("t.dec = s.dec AND t.day = s.day", "id < 10"),
            new Key("t.day = s.day AND t.at = s.at AND t.bin = s.bin", "id < 10"),
            new Key("t.bin = s.bin AND t.flag = (s.id % 3 = 0)", "id < 10"),
            new Key("t.id = s.id * 2", "id < 20 AND id % 2 = 0"),
            new Key("t.half = s.half", "id < 10"),
            new Key("t.id = s.id AND t.txt > s.lower", "id < 10 AND txt > 'k5'"),
            new Key("t.nul = s.nul", "id < 10 AND id % 2 = 0"),
            new Key("t.nul <=> s.nul AND t.id = s.id", "id < 10"),
            new Key("t.id = s.id AND t.id IS NOT NULL AND s.id < 7", "id < 7"));

    private static SparkSession spark() {
        return SparkTestSession.spark();
    }

    @BeforeAll
    static void start() {
        Sql.run("CREATE NAMESPACE IF NOT EXISTS " + NAMESPACE);
        spark().udf()
                .register(
                        "counted",
                        (UDF1<Long, Long>) id -> {
                            CALLS.incrementAndGet();
                            return id;
                        },
                        DataTypes.LongType);
        spark().sparkContext().addSparkListener(LISTENER);
    }

    @AfterAll
    static void stop() {
        spark().sparkContext().removeSparkListener(LISTENER);
    }

    private static String columns(String id) {
        return ("%1$s AS id, CAST(%1$s AS int) AS i, concat('k', %1$s) AS txt, CAST(%1$s / 4 AS decimal(12, 2)) AS dec,"
                        + " date_add(DATE '1969-12-28', CAST(%1$s AS int)) AS day, timestamp_seconds(%1$s - 5) AS at,"
                        + " unhex(hex(%1$s)) AS bin, %1$s %% 3 = 0 AS flag, %1$s / 2D AS half,"
                        + " if(%1$s %% 2 = 0, %1$s, NULL) AS nul")
                .formatted(id);
    }

    /** Three files of consecutive ids. */
    private static String table() {
        String table = NAMESPACE + "." + Sql.unique("t");
        Sql.run(
                "CREATE TABLE %s USING calve TBLPROPERTIES ('format-version' = '3', 'write.merge.mode' = 'merge-on-read')"
                        + " AS SELECT /*+ COALESCE(1) */ %s, 'old' AS s FROM range(%d)",
                table, columns("id"), ROWS);
        for (int part = 1; part < 3; part++) {
            Sql.run(
                    "INSERT INTO %s SELECT /*+ COALESCE(1) */ %s, 'old' FROM range(%d, %d)",
                    table, columns("id"), part * ROWS, (part + 1) * ROWS);
        }
        return table;
    }

    private static long shuffled(String statement) throws Exception {
        drain();
        SHUFFLED.set(0);
        Sql.run("%s", statement);
        drain();
        return SHUFFLED.get();
    }

    private static void drain() throws Exception {
        Object bus = spark().sparkContext().getClass().getMethod("listenerBus").invoke(spark().sparkContext());
        bus.getClass().getMethod("waitUntilEmpty").invoke(bus);
    }

    @Test
    void onlyRowsThatCanMatchAreShuffled() throws Exception {
        String table = table();
        spark().sql("SELECT " + columns("id") + ", 'k5' AS lower FROM range(10)")
                .createOrReplaceTempView("few");
        for (int i = 0; i < KEYS.size(); i++) {
            Key key = KEYS.get(i);
            long moved = shuffled("MERGE INTO " + table + " t USING few s ON " + key.condition()
                    + " WHEN MATCHED THEN UPDATE SET s = 'new" + i
                    + "' WHEN NOT MATCHED THEN INSERT (id, s) VALUES (-1, 'come" + i + "')");
            List<String> counts = Sql.rows(
                    "SELECT count_if(%1$s), count_if(s = 'new%3$d' AND %1$s), count_if(s = 'new%3$d'),"
                            + " count_if(s = 'come%3$d') + count_if(s = 'new%3$d') FROM %2$s",
                    "id >= 0 AND " + key.matched(), table, i);
            assertThat(counts).as(key.condition()).singleElement().asString().matches("\\[(\\d+),\\1,\\1,10\\]");
            if (!key.condition().contains("half")) {
                assertThat(moved).as("shuffled by %s", key.condition()).isLessThan(40);
            }
        }
        spark().conf().set(SETTING, "off");
        try {
            assertThat(shuffled("MERGE INTO " + table
                            + " t USING few s ON t.id = s.id WHEN MATCHED THEN UPDATE SET s = 'new'"
                            + " WHEN NOT MATCHED THEN INSERT (id) VALUES (-1)"))
                    .isGreaterThan(3 * ROWS);
        } finally {
            spark().conf().unset(SETTING);
        }
    }

    @Test
    void aSourceThatMayChangeIsReadOnce(@TempDir Path folder) throws Exception {
        String table = table();
        String merge = "MERGE INTO " + table + " t USING (%s) s ON t.id = s.id"
                + " WHEN MATCHED THEN UPDATE SET s = 'new' WHEN NOT MATCHED THEN INSERT (id, s) VALUES (s.id, 'new')";
        CALLS.set(0);
        Sql.run(merge, "SELECT counted(id) AS id FROM range(2995, 3005)");
        assertThat(CALLS).hasValue(10);
        CALLS.set(0);
        assertThat(Sql.rows("EXPLAIN " + merge, "SELECT counted(id) AS id FROM range(2995, 3005)")
                        .toString())
                .contains("Calve");
        assertThat(CALLS).hasValue(0);
        // Whatever it says, rows are right.
        Sql.run(merge, "SELECT CAST(rand() * 9000 AS bigint) AS id FROM range(1)");
        assertThat(Sql.count(table)).isEqualTo(3 * ROWS);

        spark().conf().set(SETTING, "twice");
        try {
            assertThat(shuffled(merge.formatted("SELECT counted(id) AS id FROM range(2995, 3005)")))
                    .isLessThan(40);
            spark().conf().set(SETTING, "thrice");
            assertThat(Sql.failure(merge, "SELECT 1L AS id"))
                    .contains("spark.calve.merge.source must be 'auto', 'twice' or 'off', not 'thrice'");
        } finally {
            spark().conf().unset(SETTING);
        }
        String files = folder.resolve("source").toUri().toString();
        spark().range(2995, 3005).write().parquet(files);
        assertThat(shuffled(merge.formatted("SELECT id FROM parquet.`" + files + "` WHERE id < 3004")))
                .isLessThan(40);
        assertThat(Sql.count(table + " WHERE s = 'new'")).isBetween(10L, 11L);
    }
}
