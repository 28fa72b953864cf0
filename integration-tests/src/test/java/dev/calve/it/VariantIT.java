package dev.calve.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.it.PeerTables.Engine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.Table;
import org.apache.iceberg.mapping.MappingUtil;
import org.apache.iceberg.mapping.NameMappingParser;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Variants: as Spark parses them, whoever wrote them and however they are stored. */
@Tag("iceberg-peer")
class VariantIT {

    private static final String COLUMNS =
            "id bigint, v variant, s struct<x: int, v: variant>, l array<variant>, m map<string, variant>";

    private static PeerTables tables;

    @BeforeAll
    static void start() {
        tables = new PeerTables("variants");
    }

    /** Twelve rows of objects, numbers, texts, arrays, JSON's null and nulls of every level. */
    private static String rows(int from, int to) {
        String v = "CASE id % 6 WHEN 0 THEN NULL"
                + " WHEN 1 THEN parse_json('{\"a\": ' || id || ', \"b\": {\"c\": \"t' || id || '\"}}')"
                + " WHEN 2 THEN parse_json('' || id)"
                + " WHEN 3 THEN parse_json('null')"
                + " WHEN 4 THEN parse_json('[1, \"' || repeat('long ', id) || '\", {\"a\": null}]')"
                + " ELSE parse_json('{\"a\": \"other type\", \"d\": ' || id || '.25}') END";
        return "SELECT id, " + v + " v, IF(id % 5 = 4, NULL, named_struct('x', CAST(id AS int), 'v', " + v + ")) s,"
                + " IF(id % 7 = 6, NULL, array(" + v + ", NULL, parse_json('true'))) l,"
                + " IF(id % 4 = 3, NULL, map('k', " + v + ", 'n', NULL)) m FROM range(" + from + ", " + to + ", 1, 1)";
    }

    private static String create(Engine engine, String name, String more) {
        tables.spark.sql(
                "CREATE TABLE " + tables.in(engine, name) + " (" + COLUMNS + ") USING " + engine.provider + " " + more);
        // The peer's vectorized reader fails on files with a list of variants, whichever columns it reads.
        tables.set(name, "read.parquet.vectorization.enabled", "false");
        return name;
    }

    private static List<Row> model(int to, String condition) {
        return tables.spark
                .sql("SELECT * FROM (" + rows(0, to) + ") WHERE " + condition)
                .collectAsList();
    }

    private static void assertHolds(String table, List<Row> model) {
        assertThat(PeerTables.text(model)).isEqualTo(tables.rows(Engine.CALVE, table, "*"));
    }

    @ParameterizedTest
    @CsvSource({"merge-on-read, CALVE", "copy-on-write, PEER"})
    void theyAreWrittenReadAndCopiedByBothEngines(String mode, Engine creator) {
        String table = create(
                creator,
                "both_" + creator,
                "TBLPROPERTIES ('format-version' = '3', 'write.delete.mode' = '" + mode + "')");
        tables.spark.sql("INSERT INTO " + tables.in(Engine.CALVE, table) + " " + rows(0, 30));
        tables.spark.sql("INSERT INTO " + tables.in(Engine.PEER, table) + " " + rows(30, 60));
        tables.assertRows(table, model(60, "true"));

        tables.delete(Engine.CALVE, table, "id = 7 OR id = 8");
        tables.delete(Engine.CALVE, table, "id IN (33, 34) OR v IS NULL AND id > 40");
        tables.delete(Engine.PEER, table, "id = 2");
        List<Row> left = model(60, "id NOT IN (2, 7, 8, 33, 34) AND NOT (v IS NULL AND id > 40)");
        tables.assertRows(table, left);
    }

    @Test
    void ofNewFilesValuesAndNullsAreCountedAndNoBoundsKept() {
        String table = create(Engine.CALVE, "metrics", "TBLPROPERTIES ('format-version' = '3')");
        tables.spark.sql("INSERT INTO " + tables.in(Engine.CALVE, table) + " " + rows(0, 12));

        var file = tables.table(table)
                .newScan()
                .includeColumnStats()
                .planFiles()
                .iterator()
                .next()
                .file();

        int id = tables.table(table).schema().findField("v").fieldId();
        assertThat(file.valueCounts()).containsEntry(id, 12L);
        assertThat(file.nullValueCounts()).containsEntry(id, 2L);
        assertThat(file.lowerBounds()).doesNotContainKey(id);
        assertThat(file.upperBounds()).doesNotContainKey(id);
    }

    @Test
    void theyComeWithCreateTableAsSelect() {
        String table = tables.in(Engine.CALVE, "ctas");
        tables.spark.sql(
                "CREATE TABLE " + table + " USING calve TBLPROPERTIES ('format-version' = '3') AS " + rows(0, 12));

        tables.assertRows("ctas", model(12, "true"));
        assertThat(tables.table("ctas").schema().findType("v")).hasToString("variant");
    }

    @Test
    void theyNeedFormatVersion3AndCannotPartition() {
        assertThatThrownBy(() -> create(Engine.CALVE, "two", "TBLPROPERTIES ('format-version' = '2')"))
                .hasMessageContaining("'v' of type variant needs format version 3");
        assertThatThrownBy(() ->
                        create(Engine.CALVE, "three", "PARTITIONED BY (v) TBLPROPERTIES ('format-version' = '3')"))
                .hasMessageContaining("v")
                .hasMessageMatching("(?is).*variant.*");
        assertThatThrownBy(() -> create(
                        Engine.CALVE, "four", "PARTITIONED BY (bucket(4, v)) TBLPROPERTIES ('format-version' = '3')"))
                .hasMessageContaining("v")
                .hasMessageMatching("(?is).*variant.*");
    }

    @Test
    void thePeersShreddedOnesAreRead() {
        String table = create(
                Engine.PEER,
                "shredded",
                "TBLPROPERTIES ('format-version' = '3', 'write.parquet.shred-variants' = 'true',"
                        + " 'write.delete.mode' = 'copy-on-write')");
        tables.spark.sql("INSERT INTO " + tables.in(Engine.PEER, table) + " SELECT id, v, s, l, m FROM (" + rows(0, 60)
                + ") WHERE id % 6 IN (0, 1, 5)");
        List<Row> model = model(60, "id % 6 IN (0, 1, 5)");
        assertThat(storedColumns(table)).anyMatch(path -> path.contains("typed_value"));

        assertHolds(table, model);
        tables.delete(Engine.CALVE, table, "id = 7");
        tables.assertRows(table, model(60, "id % 6 IN (0, 1, 5) AND id <> 7"));
    }

    @ParameterizedTest
    @ValueSource(strings = "false")
    void sparksOwnFilesAreReadShreddedOrNot(String shredded) throws IOException {
        String table = create(Engine.PEER, "spark_" + shredded, "TBLPROPERTIES ('format-version' = '3')");
        Table peer = tables.table(table);
        peer.updateProperties()
                .set("schema.name-mapping.default", NameMappingParser.toJson(MappingUtil.create(peer.schema())))
                .commit();
        Path folder = SparkTestSession.warehouse().resolve("variants_of_spark_" + shredded);
        tables.spark.conf().set("spark.sql.variant.writeShredding.enabled", shredded);
        try {
            tables.spark.sql(rows(0, 60)).write().parquet(folder.toString());
        } finally {
            tables.spark.conf().unset("spark.sql.variant.writeShredding.enabled");
        }
        var append = peer.newAppend();
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file :
                    files.filter(path -> path.toString().endsWith(".parquet")).toList()) {
                append.appendFile(DataFiles.builder(peer.spec())
                        .withPath("file:" + file)
                        .withFormat("parquet")
                        .withFileSizeInBytes(Files.size(file))
                        .withRecordCount(60)
                        .build());
            }
        }
        append.commit();

        assertThat(storedColumns(table).stream().anyMatch(path -> path.contains("typed_value")))
                .isEqualTo(Boolean.parseBoolean(shredded));
        assertHolds(table, model(60, "true"));
        assertThat(tables.rows(Engine.CALVE, table, "id, s.v"))
                .isEqualTo(PeerTables.text(tables.spark
                        .sql("SELECT id, s.v FROM (" + rows(0, 60) + ")")
                        .collectAsList()));
        for (String condition : List.of(
                "try_variant_get(v, '$.a', 'int') > 20",
                "variant_get(v, '$.b.c', 'string') = 't31'",
                "variant_get(v, '$.a', 'string') = 'other type'",
                "try_variant_get(v, '$.a', 'int') IS NULL",
                "variant_get(s.v, '$.d', 'decimal(9,2)') < 20",
                "is_variant_null(v)",
                "variant_get(m['k'], '$[0]', 'int') = 1")) {
            assertThat(PeerTables.text(tables.spark
                            .sql("SELECT * FROM " + tables.in(Engine.CALVE, table) + " WHERE " + condition)
                            .collectAsList()))
                    .as(condition)
                    .isEqualTo(PeerTables.text(model(60, condition)))
                    .isNotEmpty();
        }
        tables.delete(Engine.CALVE, table, "try_variant_get(v, '$.a', 'int') > 20");
        assertHolds(table, model(60, "NOT coalesce(try_variant_get(v, '$.a', 'int') > 20, false)"));
    }

    /** Paths of the leaf columns of a table's only data file. */
    private static List<String> storedColumns(String table) {
        var file = tables.table(table).newScan().planFiles().iterator().next().file();
        try (var reader = org.apache.parquet.hadoop.ParquetFileReader.open(
                new org.apache.parquet.io.LocalInputFile(Path.of(file.location().replaceFirst("^file:", ""))))) {
            return reader.getFileMetaData().getSchema().getPaths().stream()
                    .map(path -> String.join(".", path))
                    .toList();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
