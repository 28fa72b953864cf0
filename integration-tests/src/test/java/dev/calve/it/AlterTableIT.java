package dev.calve.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.Table;
import org.apache.iceberg.mapping.MappingUtil;
import org.apache.iceberg.mapping.NameMappingParser;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tables whose columns are altered between inserts: the peer reads the same rows from old and new files. */
@Tag("iceberg-peer")
class AlterTableIT {

    private static final String NAMESPACE = "alter";

    private static LakeTable create(int version, String columns, String partitions) {
        return LakeTable.create(NAMESPACE, version, columns, partitions, "");
    }

    private static void alter(LakeTable table, String change) {
        Sql.run("ALTER TABLE %s %s", table.name(), change);
    }

    private static void refuses(LakeTable table, String change, String... messages) {
        List<Integer> before = table.peer().schemas().keySet().stream().toList();
        assertThat(Sql.failure("ALTER TABLE %s %s", table.name(), change))
                .as(change)
                .contains(messages);
        assertThat(table.peer().schemas().keySet()).containsExactlyElementsOf(before);
    }

    private static void assertSame(LakeTable table, String... conditions) {
        for (String condition : conditions) {
            assertThat(read(table.name(), condition))
                    .as(condition)
                    .isEqualTo(read(table.in(SparkTestSession.PEER), condition));
        }
    }

    private static List<String> read(String table, String condition) {
        return PeerTables.text(SparkTestSession.spark()
                .sql("SELECT * FROM " + table + " WHERE " + condition)
                .collectAsList());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void oldAndNewFilesAreReadRightAfterEachStep(int version) {
        LakeTable table = create(
                version,
                "id bigint, p int, f float, d decimal(9,2), s struct<x: int, y: string>,"
                        + " l array<struct<p: int, q: string>>, m map<string, struct<v: float, w: int>>",
                "p");
        table.insert("VALUES (1, 1, 1.5, 1.25, struct(10, 'y1'), array(struct(100, 'q1')), map('k', struct(0.5, 7))),"
                + " (2, null, null, null, null, null, null),"
                + " (3, 3, 3.5, 3.25, struct(null, null), array(null, struct(null, null)), map('k', null))");
        String[] steps = {
            "ADD COLUMN e string COMMENT 'new' FIRST",
            "ADD COLUMNS (s.z bigint FIRST, l.element.r int, m.value.u struct<a: int>)",
            "RENAME COLUMN s.x TO ex",
            "RENAME COLUMN p TO part",
            "ALTER COLUMN part TYPE bigint",
            "ALTER COLUMN f TYPE double",
            "ALTER COLUMN d TYPE decimal(12,2)",
            "ALTER COLUMN l.element.p TYPE bigint",
            "ALTER COLUMN m.value.v TYPE double",
            "ALTER COLUMN d FIRST",
            "ALTER COLUMN s.z AFTER ex",
            "DROP COLUMNS s.y, l.element.q, m.value.w, e",
            "ADD COLUMNS (s.y string, e int)",
        };
        String part = "p";
        for (String step : steps) {
            alter(table, step);
            part = step.startsWith("RENAME COLUMN p ") ? "part" : part;
            table.insert("SELECT * FROM " + table.name() + " WHERE id = 1 AND " + part + " = 1 LIMIT 1");
            assertSame(table, "true", "id = 1", part + " = 1", part + " IS NULL", part + " > 1");
        }

        assertThat(table.rows("id, d, part, f, s, l, m, e"))
                .contains(
                        "[3,3.25,3,3.5,[null,null,null],ArraySeq(null, [null,null]),Map(k -> null),null]",
                        "[2,null,null,null,null,null,null,null]");
        assertThat(table.rows("s.ex, s.y, e").stream().distinct())
                .as("a column that is added again under an old name is another column")
                .containsExactlyInAnyOrder("[10,null,null]", "[null,null,null]");
        assertSame(table, "f = 1.5", "f >= 3.5", "d < 2", "s.ex = 10", "s.ex IS NULL", "s.z IS NULL", "e IS NOT NULL");
        assertThat(Sql.rows("SELECT part, count(*) FROM %s GROUP BY part", table.name()))
                .contains("[1," + (steps.length + 1) + "]", "[3,1]", "[null,1]");

        table.delete("part = 3");
        table.delete("f = 1.5 AND id = 2");
        assertSame(table, "true");
        assertThat(table.longs("id", "part IS NULL OR part = 3")).containsExactly(2L);
    }

    @Test
    void defaultsFillOldRowsAndNewOnes() {
        LakeTable table = create(3, "id bigint, a int DEFAULT 40 + 2, b string", "");
        table.insert("(id) VALUES (1)").insert("VALUES (2, DEFAULT, 'b')").insert("(b, id) VALUES ('c', 3)");
        assertThat(table.rows("*")).containsExactly("[1,42,null]", "[2,42,b]", "[3,42,c]");
        assertThat(table.peer().schema().findField("a").writeDefault()).isEqualTo(42);
        assertThat(table.peer().schema().findField("a").initialDefault()).isNull();

        alter(
                table,
                "ADD COLUMNS (i int DEFAULT 7, l bigint NOT NULL DEFAULT 8, f float DEFAULT 1.5, g double DEFAULT 2.5,"
                        + " t string DEFAULT 'it''s', dt date DEFAULT DATE '2024-02-29', de decimal(9,2) DEFAULT 1.25,"
                        + " ts timestamp DEFAULT TIMESTAMP '2024-10-27 00:30:00.123456Z',"
                        + " tn timestamp_ntz DEFAULT TIMESTAMP_NTZ '2024-10-27 00:30:00', bo boolean DEFAULT true,"
                        + " bi binary DEFAULT X'00ff', n int DEFAULT NULL, s struct<x: int>)");
        alter(table, "ADD COLUMN s.y int DEFAULT 5");
        assertThat(table.rows("id, i, l, f, g, t, dt, de, ts, tn, bo, hex(bi), n, s"))
                .hasSize(3)
                .allMatch(row -> row.endsWith(",7,8,1.5,2.5,it's,2024-02-29,1.25,2024-10-27 00:30:00.123456,"
                        + "2024-10-27T00:30,true,00FF,null,null]"));
        assertSame(
                table,
                "true",
                "i = 7",
                "i <> 7",
                "i IS NULL",
                "i IS NOT NULL",
                "l > 7",
                "t = 'it''s'",
                "ts < now()",
                "dt = DATE '2024-02-29'",
                "n IS NULL",
                "bo");
        assertThat(table.longs("id", "i = 7 AND t LIKE 'it%' AND de = 1.25")).containsExactly(1L, 2L, 3L);
        assertThat(table.longs("id", "i <> 7 OR l IS NULL")).isEmpty();
        assertThat(Sql.rows("SELECT count(i), min(i), max(l) FROM %s", table.name()))
                .containsExactly("[3,7,8]");

        table.insert("(id, s) VALUES (4, struct(1, 2))");
        alter(table, "ALTER COLUMN i SET DEFAULT 70");
        table.insert("(id) VALUES (5)");
        alter(table, "ALTER COLUMN i DROP DEFAULT");
        alter(table, "ALTER COLUMN i TYPE bigint");
        table.insert("(id) VALUES (6)");
        assertThat(table.rows("id, a, i, l"))
                .containsExactly(
                        "[1,42,7,8]", "[2,42,7,8]", "[3,42,7,8]", "[4,42,7,8]", "[5,42,70,8]", "[6,42,null,8]");
        assertSame(table, "true", "i = 7", "i IS NULL", "i = 70");
        table.delete("i = 7 AND id = 2");
        assertThat(table.longs("id", "i = 7")).containsExactly(1L, 3L, 4L);
        assertSame(table, "true");

        assertThat(Sql.rows("DESCRIBE EXTENDED %s", table.name())).contains("[a,int,42]", "[l,bigint,8L]");
        String copy = "lake." + NAMESPACE + "." + Sql.unique("copy");
        Sql.run("CREATE TABLE %s USING iceberg AS SELECT * FROM %s", copy, table.name());
        assertThat(read(copy, "true")).isEqualTo(read(table.name(), "true"));
    }

    @Test
    void defaultsOfFieldsInsideStructsFillOldRows() {
        LakeTable table =
                create(3, "id bigint, s struct<x: int>, l array<struct<x: int>>, m map<string, struct<x: int>>", "");
        table.insert("VALUES (1, struct(1), array(struct(2), null), map('a', struct(3), 'b', null)),"
                + " (2, null, null, null), (3, struct(null), array(), map())");
        alter(table, "ADD COLUMN s.y int DEFAULT 5");
        alter(table, "ADD COLUMN l.element.y string DEFAULT 'e'");
        alter(table, "ADD COLUMN m.value.y double DEFAULT 1.5");
        assertThat(table.rows("id, s.y, l.y, map_values(m).y"))
                .containsExactly(
                        "[1,5,ArraySeq(e, null),ArraySeq(1.5, null)]",
                        "[2,null,null,null]",
                        "[3,5,ArraySeq(),ArraySeq()]");
        table.insert("VALUES (4, struct(1, 6), array(struct(2, 'f')), map('a', struct(3, 2.5)))");
        assertSame(table, "true", "s.y = 5", "s.y IS NULL", "s.y > 5", "s.y <> 5", "get(l, 0).y = 'e'", "m['a'].y > 1");
        table.delete("s.y = 5 AND s.x IS NULL");
        assertThat(table.longs("id", "true")).containsExactly(1L, 2L, 4L);
        assertSame(table, "true");
    }

    @Test
    void refusesWhatTheFormatDoesNotAllowAndChangesNothing() {
        LakeTable table = create(
                2, "id bigint NOT NULL, p string, i int, s struct<x: int>, m map<struct<k: int>, int>", "bucket(4, p)");
        refuses(table, "DROP COLUMN p", "Cannot drop column 'p'", "partition field 'p_bucket'");
        refuses(table, "ADD COLUMN r int NOT NULL", "existing rows have no value for a NOT NULL column");
        refuses(table, "ALTER COLUMN i TYPE double", "Cannot change the type of column 'i' to double: it is int");
        refuses(table, "DROP COLUMN s.x", "only field of its struct");
        refuses(table, "ADD COLUMN m.key.z int", "keys of maps cannot change");
        refuses(table, "ADD COLUMN e int DEFAULT 5", "field 'e' with a default value needs format version 3");
        refuses(table, "ALTER COLUMN i SET DEFAULT 5", "field 'i' with a default value needs format version 3");
        refuses(table, "ADD COLUMN I int", "already exists");
        refuses(table, "CLUSTER BY (id)", "the table format has no clustering keys");
        refuses(table, "RENAME TO lake.alter.other", "Cannot rename table");
        refuses(table, "SET LOCATION 'file:/elsewhere'", "location");
        assertThat(Sql.failure("CREATE TABLE lake.%s.no (c int DEFAULT 5) USING iceberg", NAMESPACE))
                .contains("field 'c' with a default value needs format version 3");
        assertThat(Sql.failure(
                        "CREATE TABLE lake.%s.no (c timestamp DEFAULT current_timestamp()) USING iceberg"
                                + " TBLPROPERTIES ('format-version' = '3')",
                        NAMESPACE))
                .contains("one value for all rows");

        alter(table, "SET TBLPROPERTIES ('format-version' = '3')");
        alter(table, "ALTER COLUMN id DROP NOT NULL");
        alter(table, "ADD COLUMN e int DEFAULT 5");
        assertThat(table.peer().schema().findField("id").isOptional()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void anyNameNamesAColumn(boolean caseSensitive) {
        var conf = SparkTestSession.spark().conf();
        conf.set("spark.sql.caseSensitive", String.valueOf(caseSensitive));
        try {
            List<String> names =
                    List.of("a.b", "a b", "a-b", "1st", "from", "a`b", "MiXed", "grün", "名", "%41", "_file");
            for (String name : names) {
                String column = "`" + name.replace("`", "``") + "`";
                String other = caseSensitive ? column : switchCase(column);
                LakeTable table = create(2, "id bigint, " + column + " int, st struct<" + column + ": int>", column);
                table.insert("VALUES (1, 1, struct(1)), (2, 2, struct(2)), (3, null, null)");
                assertThat(table.rows(other)).containsExactly("[1]", "[2]", "[null]");
                assertThat(table.longs("id", other + " = 1")).containsExactly(1L);
                assertThat(table.longs("id", "st." + other + " > 1")).containsExactly(2L);
                table.delete(other + " = 2 AND st." + other + " = 2");
                alter(table, "ALTER COLUMN " + other + " TYPE bigint");
                alter(table, "ALTER COLUMN st." + other + " COMMENT 'c'");
                alter(table, "RENAME COLUMN st." + other + " TO `new.name`");
                alter(table, "ADD COLUMN `x." + name.replace("`", "``") + "` int AFTER " + other);
                assertThat(table.rows("id, " + column + ", st.`new.name`")).containsExactly("[1,1,1]", "[3,null,null]");
                if (!name.equals("_file")) { // The peer refuses to read a table with such a column.
                    assertSame(table, "true", other + " = 1", other + " IS NULL");
                }
                table.insert("VALUES (4, 4, 4, struct(4))");
                table.delete("`x." + name.replace("`", "``") + "` = 4");
                assertThat(table.longs("id", "true")).containsExactly(1L, 3L);
                if (name.equals("_file")) { // It hides where rows are stored.
                    assertThat(Sql.failure("UPDATE %s SET id = 5 WHERE id = 1", table.name()))
                            .contains("UPDATE TABLE");
                } else {
                    Sql.run("UPDATE %s SET %s = 7, st.`new.name` = 8 WHERE %s = 1", table.name(), other, other);
                    assertThat(table.rows("id, " + column + ", st.`new.name`"))
                            .containsExactly("[1,7,8]", "[3,null,null]");
                }
            }
            if (caseSensitive) {
                LakeTable table = create(2, "id bigint, c int", "");
                alter(table, "ADD COLUMN C int");
                table.insert("VALUES (1, 2, 3), (2, 3, 2)");
                assertThat(table.longs("id", "C = 3")).containsExactly(1L);
                assertThat(table.longs("id", "c = 3")).containsExactly(2L);
                table.delete("C = 3");
                assertThat(table.rows("*")).containsExactly("[2,3,2]");
            }
        } finally {
            conf.unset("spark.sql.caseSensitive");
        }
    }

    private static String switchCase(String name) {
        String upper = name.toUpperCase(java.util.Locale.ROOT);
        return upper.equals(name) ? name.toLowerCase(java.util.Locale.ROOT) : upper;
    }

    @Test
    void filesWithoutIdsAreReadByTheNamesTheirColumnsHad() {
        LakeTable table = create(2, "id bigint, a int, s struct<x: int>, gone int", "");
        Path folder = table.folder().resolve("foreign");
        SparkTestSession.spark()
                .sql("SELECT 1L AS id, 2 AS a, struct(3 AS x) AS s, 4 AS gone")
                .coalesce(1)
                .write()
                .parquet("file:" + folder);
        Table peer = table.peer();
        peer.updateProperties()
                .set("schema.name-mapping.default", NameMappingParser.toJson(MappingUtil.create(peer.schema())))
                .commit();
        Path file;
        try (Stream<Path> files = java.nio.file.Files.list(folder)) {
            file = files.filter(path -> path.toString().endsWith(".parquet"))
                    .findFirst()
                    .orElseThrow();
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
        peer.newAppend()
                .appendFile(DataFiles.builder(peer.spec())
                        .withPath("file:" + file)
                        .withFileSizeInBytes(file.toFile().length())
                        .withRecordCount(1)
                        .build())
                .commit();

        alter(table, "RENAME COLUMN a TO b");
        alter(table, "RENAME COLUMN s.x TO y");
        alter(table, "DROP COLUMN gone");
        alter(table, "ADD COLUMN gone int");
        alter(table, "ADD COLUMN a int");
        alter(table, "ALTER COLUMN b TYPE bigint");
        assertSame(table, "true", "b = 2", "a IS NULL");
    }
}
