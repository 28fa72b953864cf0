package dev.calve.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.calve.it.PeerTables.Engine;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.spark.sql.AnalysisException;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.connector.read.SupportsReportStatistics;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Random conditions: what our scans return and our deletes remove is what Spark itself says of the same rows in memory, however
 * files and row groups are pruned. The session is in a zone with daylight saving. The seed is printed and the same in every build; {@code -Dcalve.seed}
 * sets it.
 */
@Tag("iceberg-peer")
class PredicateOracleIT {

    private static final int SELECTS = 200;
    private static final int DELETES = 48;

    private static final StructType SCHEMA = StructType.fromDDL(
            "id bigint, i int, l bigint, f float, d double, dec decimal(9,2), s string, dt date, ts timestamp, "
                    + "ntz timestamp_ntz, b boolean, bin binary, st struct<x: int, y: string>");

    private static PeerTables tables;
    private static List<Row> rows;
    private static long seed;

    @BeforeAll
    static void start() {
        tables = new PeerTables("predicates");
        tables.spark.conf().set("spark.sql.session.timeZone", "America/Los_Angeles");
        seed = Long.getLong("calve.seed", 478_243);
        System.out.println("PredicateOracleIT: -Dcalve.seed=" + seed);
        rows = rows(new Random(seed));
        tables.frame(rows, SCHEMA).createOrReplaceTempView("in_memory");
        // Sorted by different columns, so that files and row groups have narrow bounds of these.
        create(
                "by_l",
                "",
                "merge-on-read",
                3,
                Comparator.comparing((Row row) -> row.isNullAt(2) ? Long.MIN_VALUE : row.getLong(2)));
        create(
                "by_s",
                "PARTITIONED BY (truncate(1, s))",
                "copy-on-write",
                2,
                Comparator.comparing((Row row) -> String.valueOf(row.get(4))));
        create(
                "by_ts",
                "PARTITIONED BY (days(ts), bucket(2, i))",
                "merge-on-read",
                2,
                Comparator.comparing((Row row) -> row.getLong(0)));
        create(
                "by_d",
                "PARTITIONED BY (d)",
                "copy-on-write",
                3,
                Comparator.comparing((Row row) -> row.isNullAt(6) ? "" : row.getString(6)));
    }

    private static final List<String> TABLES = List.of("by_l", "by_s", "by_ts", "by_d");

    /** Four files an unpartitioned table, of tiny row groups; one task writes each file, in order. */
    private static void create(String table, String partitionedBy, String mode, int version, Comparator<Row> order) {
        tables.spark.sql(("CREATE TABLE %s (%s) USING calve %s TBLPROPERTIES ('format-version' = '%d', "
                        + "'write.delete.mode' = '%s', 'write.parquet.row-group-size-bytes' = '1024', "
                        + "'write.parquet.row-group-check-min-record-count' = '10', "
                        + "'write.parquet.row-group-check-max-record-count' = '10', 'write.distribution-mode' = 'none')")
                .formatted(tables.in(Engine.CALVE, table), SCHEMA.toDDL(), partitionedBy, version, mode));
        List<Row> sorted = rows.stream().sorted(order).toList();
        int files = partitionedBy.isEmpty() ? 4 : 1;
        for (int i = 0; i < files; i++) {
            List<Row> part = sorted.subList(i * sorted.size() / files, (i + 1) * sorted.size() / files);
            tables.append(
                    i % 2 == 0 ? Engine.CALVE : Engine.PEER,
                    table,
                    tables.frame(part, SCHEMA).coalesce(1));
        }
    }

    private static Object choose(Random random, Object... values) {
        return values[random.nextInt(values.length)];
    }

    private static List<Row> rows(Random random) {
        var rows = new ArrayList<Row>();
        for (long id = 0; id < 400; id++) {
            rows.add(RowFactory.create(
                    id,
                    choose(
                            random,
                            null,
                            random.nextInt(40) - 20,
                            random.nextInt(10),
                            Integer.MIN_VALUE,
                            Integer.MAX_VALUE),
                    choose(
                            random,
                            null,
                            (long) random.nextInt(200) - 100,
                            (long) random.nextInt(50),
                            Long.MAX_VALUE,
                            Long.MIN_VALUE),
                    choose(
                            random,
                            null,
                            Float.NaN,
                            0.0f,
                            -0.0f,
                            1.5f,
                            -2.25f,
                            Float.POSITIVE_INFINITY,
                            random.nextFloat()),
                    choose(random, null, Double.NaN, 0.0, -0.0, 3.5, Double.NEGATIVE_INFINITY, 1.5),
                    choose(
                            random,
                            null,
                            new BigDecimal("0.00"),
                            new BigDecimal("1.25"),
                            new BigDecimal("9999999.99"),
                            BigDecimal.valueOf(random.nextInt(2000) - 1000, 2)),
                    choose(
                            random,
                            null,
                            "",
                            "a",
                            "ab",
                            "abc",
                            "ab\u0000",
                            "żółw",
                            "😀",
                            "\uFFFF",
                            "AB",
                            "k" + random.nextInt(60)),
                    choose(
                            random,
                            null,
                            LocalDate.parse("1969-12-31"),
                            LocalDate.parse("1970-01-01"),
                            LocalDate.parse("2024-02-29"),
                            LocalDate.parse("2024-03-01"),
                            LocalDate.parse("0001-01-01")),
                    choose(
                            random,
                            null,
                            Instant.parse("1969-12-31T23:59:59.999999Z"),
                            Instant.EPOCH,
                            Instant.parse("2024-03-10T10:00:00.000001Z"),
                            Instant.parse("2024-03-10T09:59:59Z"),
                            Instant.parse("2024-03-10T19:00:00Z")),
                    choose(
                            random,
                            null,
                            LocalDateTime.parse("1969-12-31T23:59:59.999999"),
                            LocalDateTime.parse("1970-01-01T00:00:00"),
                            LocalDateTime.parse("2024-03-10T02:30:00")),
                    choose(random, null, true, false),
                    choose(random, null, new byte[0], new byte[] {0}, new byte[] {-128, -1}, new byte[] {127}),
                    random.nextInt(5) == 0
                            ? null
                            : RowFactory.create(
                                    choose(random, null, 0, 5, -5, random.nextInt(20)),
                                    choose(random, null, "", "ab", "y" + random.nextInt(10)))));
        }
        return List.copyOf(rows);
    }

    private static Set<Long> ids(String query) {
        return tables.spark.sql(query).collectAsList().stream()
                .map(row -> row.getLong(0))
                .collect(Collectors.toCollection(HashSet::new));
    }

    private static Set<Long> idsInMemory(String condition) {
        return ids("SELECT id FROM in_memory WHERE " + condition);
    }

    private record Selected(Set<Long> ids, long plannedRows) {}

    private static Selected select(String table, String condition) {
        Dataset<Row> query =
                tables.spark.sql("SELECT id FROM " + tables.in(Engine.CALVE, table) + " WHERE " + condition);
        LogicalPlan plan = ((org.apache.spark.sql.classic.Dataset<Row>) query)
                .queryExecution()
                .optimizedPlan();
        long planned = 0;
        for (LogicalPlan leaf : CollectionConverters.asJava(plan.collectLeaves())) {
            if (leaf instanceof DataSourceV2ScanRelation relation
                    && relation.scan() instanceof SupportsReportStatistics scan) {
                planned = scan.estimateStatistics().numRows().orElseThrow();
            }
        }
        Set<Long> found = new HashSet<>();
        for (Row row : query.collectAsList()) {
            assertThat(found.add(row.getLong(0))).as("row %s once", row.get(0)).isTrue();
        }
        return new Selected(found, planned);
    }

    @Test
    void scansFindTheRowsSparkFindsInMemory() {
        var predicates = new RandomPredicates(seed);
        long pruned = 0;
        long notMatching = 0;
        int some = 0;
        for (int i = 0; i < SELECTS; i++) {
            String condition = predicates.next();
            Set<Long> expected = idsInMemory(condition);
            String table = TABLES.get(i % TABLES.size());
            Selected selected = select(table, condition);
            assertThat(selected.ids())
                    .as("seed %s, %s: %s", seed, table, condition)
                    .isEqualTo(expected);
            assertThat(selected.plannedRows()).isGreaterThanOrEqualTo(expected.size());
            pruned += rows.size() - selected.plannedRows();
            notMatching += rows.size() - expected.size();
            some += expected.isEmpty() ? 0 : 1;
        }
        System.out.println("PredicateOracleIT: " + SELECTS + " selects, " + some + " of them with rows; files with "
                + pruned + " of " + notMatching + " rows that do not match were left out");
        assertThat(some).isGreaterThan(SELECTS / 2);
        assertThat(pruned).isGreaterThan(notMatching / 10);
    }

    @Test
    void deletesRemoveTheRowsSparkFindsInMemory() {
        var predicates = new RandomPredicates(seed + 1);
        List<Long> heads = TABLES.stream()
                .map(table -> tables.table(table).currentSnapshot().snapshotId())
                .toList();
        Set<Long> all = rows.stream().map(row -> row.getLong(0)).collect(Collectors.toSet());
        int done = 0;
        int refused = 0;
        while (done < DELETES) {
            int at = done % TABLES.size();
            String table = TABLES.get(at);
            String condition = predicates.next();
            Set<Long> kept = new HashSet<>(all);
            kept.removeAll(idsInMemory(condition));
            try {
                tables.delete(Engine.CALVE, table, condition);
                done++;
            } catch (Exception e) {
                // Checked, but Scala does not declare it.
                assertThat(e).as(condition).isInstanceOf(AnalysisException.class);
                // Spark could not translate it: nothing may have changed.
                assertThat(++refused)
                        .as("refused: %s: %s", condition, e.getMessage())
                        .isLessThan(DELETES / 2);
                kept = all;
            }
            String what = "seed %s, %s: %s".formatted(seed, table, condition);
            assertThat(ids("SELECT id FROM " + tables.in(Engine.CALVE, table)))
                    .as(what)
                    .isEqualTo(kept);
            if (done % 8 == 7) {
                assertThat(ids("SELECT id FROM " + tables.in(Engine.PEER, table)))
                        .as(what)
                        .isEqualTo(kept);
            }
            LiveFiles.of(tables.table(table)).assertSound(what);
            tables.table(table)
                    .manageSnapshots()
                    .setCurrentSnapshot(heads.get(at))
                    .commit();
        }
        System.out.println("PredicateOracleIT: " + done + " deletes, " + refused + " refused by Spark");
    }
}
