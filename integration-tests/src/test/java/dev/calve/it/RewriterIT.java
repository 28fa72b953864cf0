package dev.calve.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.calve.it.PeerTables.Engine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.types.Conversions;
import org.apache.iceberg.types.Types;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.parquet.hadoop.util.HadoopInputFile;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Files that copy-on-write statements rewrite chunk by chunk, read back by both engines and looked into with parquet-java. */
@Tag("iceberg-peer")
class RewriterIT {

    private static final String COLUMNS =
            "id bigint NOT NULL, i int, s string, f float, d double, n decimal(20, 3), day date, at timestamp, b binary, "
                    + "st struct<a: bigint, l: array<string>>, ls array<struct<x: double, y: string>>, "
                    + "m map<string, array<double>>";

    /** Rows of every shape: nulls at every level, empty lists, both zeros, NaN, values short and long. */
    private static final String ROWS = "SELECT id, IF(id % 11 = 0, NULL, CAST(id % 7 AS INT)) AS i, "
            + "IF(id % 5 = 0, NULL, IF(id % 3000 = 1, repeat('long', 2000), 's' || id)) AS s, "
            + "CAST(CASE id % 6 WHEN 0 THEN 0.0F WHEN 1 THEN -0.0F WHEN 2 THEN float('NaN') WHEN 3 THEN NULL ELSE id END AS FLOAT) AS f, "
            + "CASE id % 5 WHEN 0 THEN 0.0D WHEN 1 THEN -0.0D WHEN 2 THEN NULL ELSE id / 3 END AS d, "
            + "IF(id % 9 = 0, NULL, CAST(id * 1000003 AS DECIMAL(20, 3))) AS n, date_add(date'1960-01-01', CAST(id AS INT)) AS day, "
            + "timestamp_micros(id * 1000000007 - 900000000) AS at, IF(id % 4 = 0, NULL, CAST('b' || id % 50 AS BINARY)) AS b, "
            + "IF(id % 3 = 0, NULL, named_struct('a', IF(id % 2 = 0, NULL, id), 'l', CASE id % 5 WHEN 0 THEN NULL "
            + "WHEN 1 THEN array() ELSE array('p' || id, NULL) END)) AS st, "
            + "CASE id % 4 WHEN 0 THEN NULL WHEN 1 THEN array() ELSE array(named_struct('x', double('NaN'), 'y', NULL), NULL, "
            + "named_struct('x', -0.0D, 'y', 'y' || id)) END AS ls, "
            + "CASE id % 5 WHEN 0 THEN NULL WHEN 1 THEN map() ELSE map('k' || id % 3, array(id / 7, NULL), 'other', NULL) END AS m "
            + "FROM range(0, 10000, 1, 1)";

    private static final String LINEAGE = "_row_id, _last_updated_sequence_number";

    private static PeerTables tables;
    private static List<Row> rows;

    @BeforeAll
    static void start() {
        tables = new PeerTables("rewriter");
        rows = tables.spark.sql(ROWS).collectAsList();
    }

    private static void create(String table, int version, Engine writer, String codec, String pages) {
        tables.spark.sql("CREATE TABLE %s (%s) USING %s TBLPROPERTIES ('format-version'='%d', %s)"
                .formatted(
                        tables.in(writer, table),
                        COLUMNS,
                        writer.provider,
                        version,
                        "'write.delete.mode'='copy-on-write', 'write.parquet.row-group-size-bytes'='40000', "
                                + "'write.parquet.bloom-filter-enabled.column.s'='true', "
                                + "'write.parquet.page-row-limit'='700', 'write.parquet.dict-size-bytes'='4000', "
                                + "'write.parquet.compression-codec'='" + codec + "', 'write.parquet.page-version'='"
                                + pages + "'"));
        tables.append(writer, table, tables.spark.sql(ROWS).coalesce(1));
    }

    @ParameterizedTest
    @CsvSource({"2,CALVE,zstd,v1", "2,PEER,gzip,v2", "3,CALVE,snappy,v2", "3,PEER,lz4,v1"})
    void rowsThatStayAreTheSameInBothEngines(int version, Engine writer, String codec, String pages)
            throws IOException {
        String table = "t%d_%s_%s_%s".formatted(version, writer, codec, pages).toLowerCase(java.util.Locale.ROOT);
        create(table, version, writer, codec, pages);
        String further = version == 3 ? LINEAGE : "";
        Map<Object, List<Object>> lineage = version == 3
                ? PeerTables.byKey(tables.assertSame(table, "id, " + LINEAGE), "id", LINEAGE.split(", "))
                : Map.of();
        // What is encoded again need not be encoded as what is copied.
        tables.set(table, "write.parquet.compression-codec", "zstd", "write.parquet.page-version", "v1");

        DataFile before = only(table);
        assertThat(footer(before)).hasSizeGreaterThan(3);
        Predicate<Row> gone = row -> row.getLong(0) / 1000 == 7;
        tables.delete(Engine.CALVE, table, "id BETWEEN 7000 AND 7999");
        List<Row> kept = PeerTables.without(rows, gone);
        assertRewritten(table, further, kept, lineage, before);

        // Now its lineage is stored, and so are row groups of two writers.
        before = only(table);
        gone = gone.or(row -> row.getLong(0) % 4999 == 3);
        tables.delete(Engine.CALVE, table, "id % 4999 = 3");
        kept = PeerTables.without(rows, gone);
        assertRewritten(table, further, kept, lineage, before);

        assertFiltersFindTheirRows(table, kept);
    }

    /** Filters trust the metrics, indexes, dictionaries and bloom filters of the new file. */
    private static void assertFiltersFindTheirRows(String table, List<Row> kept) {
        Map<String, Predicate<Row>> conditions = Map.of(
                "s = 's4321'", row -> "s4321".equals(row.getString(2)),
                "id = 7500", row -> row.getLong(0) == 7500,
                "id > 9990", row -> row.getLong(0) > 9990,
                "f IS NULL AND id < 50", row -> row.isNullAt(3) && row.getLong(0) < 50);
        conditions.forEach((condition, matches) -> {
            List<String> expected =
                    PeerTables.text(kept.stream().filter(matches).toList());
            for (Engine engine : Engine.values()) {
                assertThat(PeerTables.text(tables.spark
                                .sql("SELECT * FROM " + tables.in(engine, table) + " WHERE " + condition)
                                .collectAsList()))
                        .as("%s of %s", condition, engine)
                        .isEqualTo(expected);
            }
        });
    }

    private static void assertRewritten(
            String table, String further, List<Row> kept, Map<Object, List<Object>> lineage, DataFile before)
            throws IOException {
        List<Row> found = tables.assertRows(table, further, kept);
        if (!further.isEmpty()) {
            Map<Object, List<Object>> now = PeerTables.byKey(found, "id", LINEAGE.split(", "));
            assertThat(now).hasSize(kept.size());
            now.forEach((id, values) -> assertThat(values).as("row %s", id).isEqualTo(lineage.get(id)));
        }
        DataFile after = only(table);
        LiveFiles live = LiveFiles.of(tables.table(table));
        live.assertSound(table);
        assertThat(tables.table(table).currentSnapshot().summary()).containsAllEntriesOf(live.totals());
        assertThat(copiedRowGroups(before, after))
                .isGreaterThan(1)
                .isLessThan(footer(after).size());
        assertMetrics(after, kept);
    }

    /** Row groups of the new file whose chunks, lineage apart, are byte by byte those of the old one. */
    private static int copiedRowGroups(DataFile before, DataFile after) throws IOException {
        int copied = 0;
        var old = new HashSet<Integer>();
        for (BlockMetaData block : footer(before)) {
            old.add(Arrays.hashCode(content(before, block)));
        }
        for (BlockMetaData block : footer(after)) {
            copied += old.contains(Arrays.hashCode(content(after, block))) ? 1 : 0;
        }
        return copied;
    }

    private static byte[] content(DataFile file, BlockMetaData block) throws IOException {
        var columns = block.getColumns().stream()
                .filter(chunk -> !chunk.getPath().toDotString().startsWith("_"))
                .toList();
        var last = columns.get(columns.size() - 1);
        byte[] all = Files.readAllBytes(LakeTable.path(file.location()));
        return Arrays.copyOfRange(
                all,
                Math.toIntExact(columns.get(0).getStartingPos()),
                Math.toIntExact(last.getStartingPos() + last.getTotalSize()));
    }

    private static List<BlockMetaData> footer(DataFile file) throws IOException {
        Path path = LakeTable.path(file.location());
        try (var reader = ParquetFileReader.open(
                HadoopInputFile.fromPath(new org.apache.hadoop.fs.Path(path.toUri()), new Configuration(false)))) {
            return reader.getRowGroups();
        }
    }

    /** Counts are those of the rows or missing, bounds hold. */
    private static void assertMetrics(DataFile file, List<Row> kept) {
        assertThat(file.recordCount()).isEqualTo(kept.size());
        for (int column = 0; column < 9; column++) {
            int index = column;
            assertThat(file.valueCounts()).containsEntry(column + 1, (long) kept.size());
            assertThat(file.nullValueCounts())
                    .containsEntry(
                            column + 1,
                            kept.stream().filter(row -> row.isNullAt(index)).count());
        }
        assertThat(file.nanValueCounts().getOrDefault(5, 0L)).isZero();
        Long nans = file.nanValueCounts().get(4);
        if (nans != null) {
            assertThat(nans)
                    .isEqualTo(kept.stream()
                            .filter(row -> !row.isNullAt(3) && Float.isNaN(row.getFloat(3)))
                            .count());
        }
        assertThat((Long) Conversions.fromByteBuffer(
                        Types.LongType.get(), file.lowerBounds().get(1)))
                .isZero();
        assertThat((Long) Conversions.fromByteBuffer(
                        Types.LongType.get(), file.upperBounds().get(1)))
                .isEqualTo(kept.get(kept.size() - 1).getLong(0));
        assertThat(file.splitOffsets()).hasSizeGreaterThan(3);
    }

    private static DataFile only(String table) {
        List<DataFile> live = LiveFiles.of(tables.table(table)).data();
        assertThat(live).hasSize(1);
        return live.get(0);
    }

    @Test
    void filesOfAnOlderSchemaAreWrittenRowByRowOnceAndCopiedThen() throws IOException {
        create("evolved", 3, Engine.CALVE, "zstd", "v1");
        tables.spark.sql("ALTER TABLE " + tables.in(Engine.CALVE, "evolved") + " ADD COLUMN more int DEFAULT 5");
        tables.delete(Engine.CALVE, "evolved", "id = 77");
        DataFile between = only("evolved");
        tables.delete(Engine.CALVE, "evolved", "id = 88");
        assertThat(copiedRowGroups(between, only("evolved"))).isGreaterThan(1);
        List<Row> kept = PeerTables.without(rows, row -> row.getLong(0) == 77 || row.getLong(0) == 88);
        List<Row> found = tables.assertSame("evolved", "*, " + LINEAGE);
        assertThat(found)
                .hasSize(kept.size())
                .allSatisfy(row -> assertThat(row.<Integer>getAs("more")).isEqualTo(5));
        Map<Object, List<Object>> lineage = PeerTables.byKey(found, "id", "_row_id");
        assertThat(lineage).allSatisfy((id, rowId) -> assertThat(rowId).isEqualTo(List.of(id)));
    }
}
