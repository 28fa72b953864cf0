package dev.calve.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.calve.it.PeerTables.Engine;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.apache.iceberg.Table;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every kind of table written by one engine, deleted from by both in turns, and read by both after every step: the rows are
 * those of a model in memory. File, position, partition and lineage of each row must agree too.
 */
@Tag("iceberg-peer")
class PeerRoundTripIT {

    private static final String COLUMNS =
            "id bigint NOT NULL, p_int int, p_str string, p_ts timestamp, b boolean, i int, "
                    + "l bigint, f float, d double, dec9 decimal(9,2), dec18 decimal(18,4), dec38 decimal(38,10), dt date, "
                    + "ts timestamp, ntz timestamp_ntz, s string, bin binary";

    private static final StructType SCHEMA = StructType.fromDDL(COLUMNS);

    private static final List<Row> ROWS = rows(30);

    private static PeerTables tables;
    private static int combinations;

    @BeforeAll
    static void start() {
        tables = new PeerTables("round_trip");
    }

    @AfterAll
    static void countWhatWasCompared() {
        System.out.println("PeerRoundTripIT: " + combinations + " tables, " + tables.cellsCompared()
                + " values of rows compared with the model or between the engines");
        assertThat(combinations).isEqualTo(2 * Shape.values().length * 2 * 2 + 4);
        assertThat(tables.cellsCompared()).isGreaterThan(100_000);
    }

    private enum Shape {
        UNPARTITIONED(""),
        IDENTITY("p_int"),
        BUCKET("bucket(3, p_str)"),
        TRUNCATE("truncate(2, p_str)"),
        YEAR("years(p_ts)"),
        MONTH("months(p_ts)"),
        DAY("days(p_ts)"),
        HOUR("hours(p_ts)");

        private final String partitionedBy;

        Shape(String partitionedBy) {
            this.partitionedBy = partitionedBy;
        }

        private String clause() {
            return partitionedBy.isEmpty() ? "" : " PARTITIONED BY (" + partitionedBy + ")";
        }
    }

    private static Object[] values(Object... values) {
        return values;
    }

    private static List<Row> rows(int count) {
        Object[][] values = {
            values(1, -1, null),
            values("ab", "abc", "żółw", null),
            values(
                    Instant.parse("1969-12-31T23:59:59.999999Z"),
                    Instant.parse("2024-02-29T12:30:00Z"),
                    Instant.parse("2024-02-29T13:00:00.000001Z"),
                    null),
            values(true, false, null),
            values(0, Integer.MIN_VALUE, Integer.MAX_VALUE, null, 7),
            values(Long.MIN_VALUE, null, Long.MAX_VALUE, 0L, -3L),
            values(
                    Float.NaN,
                    -0.0f,
                    0.0f,
                    Float.MIN_VALUE,
                    Float.NEGATIVE_INFINITY,
                    Float.POSITIVE_INFINITY,
                    null,
                    -Float.MAX_VALUE),
            values(
                    null,
                    Double.NaN,
                    -0.0,
                    0.0,
                    Double.MAX_VALUE,
                    Double.POSITIVE_INFINITY,
                    Double.NEGATIVE_INFINITY,
                    -Double.MIN_VALUE),
            values(decimal("9999999.99"), decimal("-9999999.99"), decimal("0.00"), null, decimal("-0.01")),
            values(decimal("99999999999999.9999"), null, decimal("-99999999999999.9999"), decimal("1.2000")),
            values(
                    decimal("9999999999999999999999999999.9999999999"),
                    decimal("-9999999999999999999999999999.9999999999"),
                    decimal("0.0000000001"),
                    null),
            values(
                    LocalDate.parse("0001-01-01"),
                    LocalDate.parse("1969-12-31"),
                    LocalDate.parse("9999-12-31"),
                    null,
                    LocalDate.parse("1582-10-15")),
            values(
                    Instant.parse("0001-01-01T00:00:00Z"),
                    Instant.parse("1969-12-31T23:59:59.999999Z"),
                    Instant.parse("9999-12-31T23:59:59.999999Z"),
                    null,
                    Instant.EPOCH),
            values(
                    LocalDateTime.parse("1900-01-01T00:00:00.000001"),
                    null,
                    LocalDateTime.parse("1969-12-31T23:59:59.999999"),
                    LocalDateTime.parse("2262-04-12T00:00:00")),
            values("", null, "ünïcödé 😀 \u0000 tab\t", "z".repeat(40), "\uFFFF", "a"),
            values(new byte[0], new byte[] {0, -1, 127}, null, new byte[] {-128})
        };
        var rows = new ArrayList<Row>();
        for (int id = 0; id < count; id++) {
            var row = new Object[values.length + 1];
            row[0] = (long) id;
            for (int column = 0; column < values.length; column++) {
                // Differs between columns, so that not the same values always meet; the last row is all null.
                Object[] choice = values[column];
                row[column + 1] =
                        id == count - 1 ? null : choice[(id * (column % 3 + 1) + id / choice.length) % choice.length];
            }
            rows.add(RowFactory.create(row));
        }
        return List.copyOf(rows);
    }

    private static BigDecimal decimal(String text) {
        return new BigDecimal(text);
    }

    private static Stream<Arguments> combinations() {
        var result = new ArrayList<Arguments>();
        for (int version : List.of(2, 3)) {
            for (Shape shape : Shape.values()) {
                for (Engine writer : Engine.values()) {
                    for (String first : List.of("merge-on-read", "copy-on-write")) {
                        result.add(Arguments.of(version, shape, writer, first));
                    }
                }
            }
        }
        return result.stream();
    }

    /** One table going through states, each of which both engines read. */
    private static final class Walk {
        private final String table;
        private final int version;
        private final boolean partitioned;
        private List<Row> model;
        private Map<Object, List<Object>> lineage = Map.of();

        Walk(String table, int version, boolean partitioned, List<Row> model) {
            this.table = table;
            this.version = version;
            this.partitioned = partitioned;
            this.model = model;
        }

        void delete(Engine engine, String mode, String condition, Predicate<Row> gone) {
            tables.setDeleteMode(table, mode);
            Set<String> dangling = LiveFiles.of(tables.table(table)).dangling();
            tables.delete(engine, table, condition);
            model = PeerTables.without(model, gone);
            check(engine + " " + mode + " " + condition);
            if (engine == Engine.CALVE) {
                assertThat(dangling)
                        .containsAll(LiveFiles.of(tables.table(table)).dangling());
            }
        }

        void check(String step) {
            String further = "_file, _pos, _spec_id" + (partitioned ? ", _partition" : "")
                    + (version >= 3 ? ", _row_id, _last_updated_sequence_number" : "");
            List<Row> found = tables.assertRows(table, further, model);
            Table now = tables.table(table);
            LiveFiles live = LiveFiles.of(now);
            live.assertSound(table + " after " + step);
            assertThat(now.currentSnapshot().summary())
                    .as("%s after %s", table, step)
                    .containsAllEntriesOf(live.totals());
            if (version >= 3) {
                var kept = PeerTables.byKey(found, "id", "_row_id", "_last_updated_sequence_number");
                assertThat(lineage.isEmpty() ? kept : lineage)
                        .as("lineage after %s", step)
                        .containsAllEntriesOf(kept);
                lineage = kept;
            }
        }
    }

    @ParameterizedTest(name = "v{0} {1} written by {2}, first deleted from by {3}")
    @MethodSource("combinations")
    void bothReadWhatEitherWroteAndDeleted(int version, Shape shape, Engine writer, String firstMode) {
        String table = "t%d_%s_%s_%s"
                .formatted(version, shape, writer, firstMode.substring(0, 4).replace('-', '_'));
        tables.spark.sql("CREATE TABLE %s (%s) USING %s%s TBLPROPERTIES ('format-version' = '%d')"
                .formatted(tables.in(writer, table), COLUMNS, writer.provider, shape.clause(), version));
        tables.append(writer, table, tables.frame(ROWS, SCHEMA).repartition(2));
        var walk = new Walk(table, version, shape != Shape.UNPARTITIONED, ROWS);
        walk.check("append by " + writer);
        String otherMode = firstMode.equals("merge-on-read") ? "copy-on-write" : "merge-on-read";
        walk.delete(writer, firstMode, "id % 5 = 1", row -> row.getLong(0) % 5 == 1);
        walk.delete(
                writer.other(),
                "merge-on-read",
                "id % 5 = 2 OR f IS NULL",
                row -> row.getLong(0) % 5 == 2 || row.isNullAt(7));
        walk.delete(writer, otherMode, "p_int <=> NULL AND id > 3", row -> row.isNullAt(1) && row.getLong(0) > 3);
        assertThat(walk.model).hasSizeBetween(3, 20);
        combinations++;
    }

    private static Stream<Arguments> versionsAndEngines() {
        return Stream.of(2, 3)
                .flatMap(version -> Arrays.stream(Engine.values()).map(engine -> Arguments.of(version, engine)));
    }

    @ParameterizedTest(name = "v{0} written by {1}")
    @MethodSource("versionsAndEngines")
    void nestedValuesSurvive(int version, Engine writer) {
        String columns = "id bigint, st struct<a: int NOT NULL, b: string, inner: struct<x: double, y: array<int>>>, "
                + "li array<string>, ls array<struct<k: int, v: decimal(12,3)>>, mp map<string, bigint>, "
                + "mm map<int, array<struct<t: timestamp>>>";
        StructType schema = StructType.fromDDL(columns);
        var rows = new ArrayList<Row>();
        for (long id = 0; id < 12; id++) {
            int n = (int) id;
            rows.add(RowFactory.create(
                    id,
                    n % 4 == 3
                            ? null
                            : RowFactory.create(
                                    n,
                                    n % 3 == 0 ? null : "s" + n,
                                    n % 5 == 4
                                            ? null
                                            : RowFactory.create(-0.0, n % 2 == 0 ? null : new Integer[] {1, null, n})),
                    n % 6 == 5 ? null : n % 6 == 4 ? new String[0] : new String[] {"", null, "x" + n},
                    n % 5 == 2
                            ? null
                            : new Row[] {
                                RowFactory.create(n, new BigDecimal("1.250")), null, RowFactory.create(null, null)
                            },
                    n % 7 == 3 ? null : n % 7 == 2 ? Map.of() : Map.of("k" + n, 1L, "", -1L),
                    n % 4 == 1 ? null : Map.of(n, new Row[] {RowFactory.create(Instant.ofEpochSecond(-n))})));
        }
        String table = "nested" + version + writer;
        tables.spark.sql("CREATE TABLE %s (%s) USING %s PARTITIONED BY (st.a) TBLPROPERTIES ('format-version' = '%d')"
                .formatted(tables.in(writer, table), columns, writer.provider, version));
        tables.append(writer, table, tables.frame(rows, schema));
        var walk = new Walk(table, version, true, tables.frame(rows, schema).collectAsList());
        walk.check("append");
        walk.delete(
                Engine.CALVE,
                "copy-on-write",
                "st.inner.x = 0 AND id % 2 = 0",
                row -> !row.isNullAt(1) && !row.getStruct(1).isNullAt(2) && row.getLong(0) % 2 == 0);
        walk.delete(
                Engine.CALVE, "merge-on-read", "st IS NULL AND id < 10", row -> row.isNullAt(1) && row.getLong(0) < 10);
        walk.delete(Engine.PEER, "copy-on-write", "id IN (5, 11)", row -> row.getLong(0) == 5 || row.getLong(0) == 11);
        walk.delete(Engine.CALVE, "copy-on-write", "id = 9", row -> row.getLong(0) == 9);
        combinations++;
    }
}
