package dev.calve.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.hadoop.HadoopCatalog;
import org.apache.iceberg.types.Types;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.api.java.UDF1;
import org.apache.spark.sql.connector.catalog.Column;
import org.apache.spark.sql.connector.catalog.Identifier;
import org.apache.spark.sql.connector.catalog.TableCatalog;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.types.DataTypes;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What Spark's statements make of namespaces and tables, and how they refuse what they cannot do. */
@Tag("iceberg-peer")
class CatalogIT {

    private static final SparkSession SPARK = SparkTestSession.spark();
    private static final Path WAREHOUSE = SparkTestSession.warehouse();

    @BeforeAll
    static void createNamespace() {
        Sql.run("CREATE NAMESPACE lake.ddl");
    }

    /** A new table's full name, without a table yet. */
    private static String name() {
        return "ddl." + Sql.unique("t");
    }

    private static String create(String columnsAndMore) {
        String table = name();
        Sql.run("CREATE TABLE lake.%s %s", table, columnsAndMore);
        return table;
    }

    private static Path folder(String table) {
        return WAREHOUSE.resolve(table.replace('.', '/'));
    }

    private static HadoopCatalog peer() {
        return new HadoopCatalog(SPARK.sessionState().newHadoopConf(), WAREHOUSE.toString());
    }

    private static Table peerTable(String table) {
        return peer().loadTable(TableIdentifier.parse(table));
    }

    @Test
    void createsTheTableThatWasAskedFor() {
        String table = create("(id BIGINT NOT NULL COMMENT 'the key', name STRING, at TIMESTAMP, s STRUCT<x: INT>)"
                + " USING calve PARTITIONED BY (bucket(8, ID), truncate(3, name), days(at), s.x)"
                + " COMMENT 'a table' TBLPROPERTIES ('k' = 'v')");

        Table theirs = peerTable(table);
        assertThat(theirs.schema().asStruct())
                .isEqualTo(Types.StructType.of(
                        Types.NestedField.required(1, "id", Types.LongType.get(), "the key"),
                        Types.NestedField.optional(2, "name", Types.StringType.get()),
                        Types.NestedField.optional(3, "at", Types.TimestampType.withZone()),
                        Types.NestedField.optional(
                                4,
                                "s",
                                Types.StructType.of(Types.NestedField.optional(5, "x", Types.IntegerType.get())))));
        assertThat(theirs.spec().fields())
                .extracting(field -> field.fieldId() + " " + field.name() + " " + field.transform())
                .containsExactly(
                        "1000 id_bucket bucket[8]",
                        "1001 name_trunc truncate[3]",
                        "1002 at_day day",
                        "1003 s.x identity");
        assertThat(theirs.properties())
                .containsEntry("k", "v")
                .containsEntry("comment", "a table")
                .containsEntry("write.parquet.compression-codec", "zstd")
                .doesNotContainKeys("provider", "location", "format-version");
        assertThat(Sql.rows("DESCRIBE lake.%s", table))
                .contains(
                        "[id,bigint,the key]",
                        "[Part 0,bucket(8, id),]",
                        "[Part 1,truncate(3, name),]",
                        "[Part 2,days(at),]",
                        "[Part 3,s.x,]");
        assertThat(Sql.rows("SHOW TBLPROPERTIES lake.%s", table))
                .contains("[format-version,2]", "[format,iceberg/parquet]", "[current-snapshot-id,none]", "[k,v]");
    }

    /** The peer makes the same table of the same statement, ids of columns and partition fields included. */
    @Test
    void createsWhatThePeerCreates() {
        String definition = "(a INT, m MAP<STRING, STRUCT<p: INT, q: ARRAY<DATE>>>, b DECIMAL(9, 2), c TIMESTAMP_NTZ,"
                + " d BINARY, e VARCHAR(5)) USING iceberg PARTITIONED BY (bucket(4, a), years(c), truncate(10, b))"
                + " TBLPROPERTIES ('format-version' = '3', 'k' = 'v')";
        String ours = create(definition);
        String theirs = name();
        Sql.run("CREATE TABLE peer.%s %s", theirs, definition);

        assertThat(peerTable(ours).schema().asStruct())
                .isEqualTo(peerTable(theirs).schema().asStruct());
        assertThat(peerTable(ours).spec()).isEqualTo(peerTable(theirs).spec());
        assertThat(peerTable(ours).sortOrder()).isEqualTo(peerTable(theirs).sortOrder());
        assertThat(peerTable(ours).properties()).isEqualTo(peerTable(theirs).properties());
        assertThat(Sql.rows("SHOW TBLPROPERTIES lake.%s", theirs))
                .isEqualTo(Sql.rows("SHOW TBLPROPERTIES peer.%s", theirs));
        assertThat(SPARK.table("lake." + theirs).schema())
                .isEqualTo(SPARK.table("peer." + theirs).schema());
    }

    @Test
    void whatShowCreateTablePrintsCanBeRun() {
        String table = create("(id BIGINT, p INT) PARTITIONED BY (bucket(2, p)) TBLPROPERTIES ('k' = 'v')");
        String statement = SPARK.sql("SHOW CREATE TABLE lake." + table).head().getString(0);
        Sql.run("DROP TABLE lake.%s", table);
        Sql.run("%s", statement.replace("%", "%%"));

        assertThat(Sql.rows("SHOW TBLPROPERTIES lake.%s", table)).contains("[k,v]");
        assertThat(peerTable(table).spec().fields()).hasSize(1);
    }

    static Stream<Arguments> badDefinitions() {
        return Stream.of(
                Arguments.of("(id INT) USING orc", "USING orc: the provider must be 'calve' or 'iceberg'"),
                Arguments.of("(id INT) TBLPROPERTIES ('format-version' = '1')", "format-version must be 2 or 3"),
                Arguments.of(
                        "(id INT) TBLPROPERTIES ('format-version' = '9')", "format-version must be 1, 2 or 3, not '9'"),
                Arguments.of(
                        "(id INT) TBLPROPERTIES ('write.delete.mode' = 'mor')",
                        "write.delete.mode must be 'copy-on-write', 'merge-on-read' or 'adaptive', not 'mor'"),
                Arguments.of("(id INT) TBLPROPERTIES ('gc.enabled' = 'maybe')", "gc.enabled must be 'true' or 'false'"),
                Arguments.of(
                        "(id INT) TBLPROPERTIES ('write.metadata.path' = '/x')",
                        "write.metadata.path must not be set in a directory catalog"),
                Arguments.of(
                        "(id INT) TBLPROPERTIES ('encryption.key-id' = 'k')", "encryption, which is not supported"),
                Arguments.of("(id INT) LOCATION '/elsewhere'", "LOCATION of table"),
                Arguments.of("(id INT) PARTITIONED BY (years(id))", "year of 'id'"),
                Arguments.of("(id INT) PARTITIONED BY (zorder(id))", "not 'zorder(id)'"),
                Arguments.of("(id INT) PARTITIONED BY (bucket(0, id))", "positive number of buckets, not 0"),
                Arguments.of("(id INT, s STRUCT<i: INTERVAL DAY>)", "Column 's.i'"),
                Arguments.of("(id VOID) TBLPROPERTIES ('format-version' = '2')", "id"));
    }

    @ParameterizedTest
    @MethodSource("badDefinitions")
    void createsNothingOfABadDefinition(String definition, String message) {
        String table = name();

        assertThat(Sql.failure("CREATE TABLE lake.%s %s", table, definition)).contains(message);
        assertThat(Files.exists(folder(table))).isFalse();
        assertThat(Sql.failure("SELECT * FROM lake.%s", table)).contains("TABLE_OR_VIEW_NOT_FOUND");
    }

    @Test
    void aTableIsCreatedOnce() {
        String table = create("(id INT)");
        FolderState before = FolderState.of(folder(table));

        assertThat(Sql.failure("CREATE TABLE lake.%s (other STRING)", table)).contains("TABLE_OR_VIEW_ALREADY_EXISTS");
        assertThat(Sql.failure("CREATE TABLE lake.%s AS SELECT 1 AS id", table))
                .contains("TABLE_OR_VIEW_ALREADY_EXISTS");
        Sql.run("CREATE TABLE IF NOT EXISTS lake.%s (other STRING)", table);
        assertThat(FolderState.of(folder(table))).isEqualTo(before);
    }

    @Test
    void namesOfNamespacesAndTablesAreListed() {
        String namespace = Sql.unique("ns");
        Sql.run("CREATE NAMESPACE lake.%s.inner", namespace);
        Sql.run("CREATE TABLE lake.%s.one (id INT)", namespace);
        Sql.run("CREATE TABLE lake.%s.inner.two (id INT)", namespace);

        assertThat(Sql.rows("SHOW NAMESPACES IN lake")).contains("[" + namespace + "]", "[ddl]");
        assertThat(Sql.rows("SHOW NAMESPACES IN lake.%s", namespace)).containsExactly("[" + namespace + ".inner]");
        assertThat(Sql.rows("SHOW TABLES IN lake.%s", namespace)).containsExactly("[" + namespace + ",one,false]");
        assertThat(Sql.failure("CREATE NAMESPACE lake.%s", namespace)).contains("SCHEMA_ALREADY_EXISTS");
        Sql.run("CREATE NAMESPACE IF NOT EXISTS lake.%s", namespace);
        assertThat(Sql.failure("SHOW TABLES IN lake.nowhere")).contains("SCHEMA_NOT_FOUND");
        assertThat(Sql.failure("DROP NAMESPACE lake.nowhere")).contains("SCHEMA_NOT_FOUND");
        assertThat(Sql.failure("CREATE TABLE lake.%s.one.inside (id INT)", namespace))
                .contains("is a table");
    }

    @Test
    void aNamespaceHasNoPropertiesAndIsDroppedEmptyOrWithAllThatIsInIt() {
        String namespace = Sql.unique("ns");
        assertThat(Sql.failure("CREATE NAMESPACE lake.%s COMMENT 'x'", namespace))
                .contains("namespaces of a directory catalog have no properties");
        assertThat(Files.exists(WAREHOUSE.resolve(namespace))).isFalse();
        Sql.run("CREATE NAMESPACE lake.%s", namespace);
        assertThat(Sql.failure("ALTER NAMESPACE lake.%s SET PROPERTIES ('a' = 'b')", namespace))
                .contains("have no properties");
        Sql.run("CREATE TABLE lake.%s.t (id INT)", namespace);

        assertThat(Sql.failure("DROP NAMESPACE lake.%s", namespace)).contains("SCHEMA_NOT_EMPTY");
        assertThat(Sql.count("lake." + namespace + ".t")).isZero();
        Sql.run("DROP NAMESPACE lake.%s CASCADE", namespace);
        assertThat(Files.exists(WAREHOUSE.resolve(namespace))).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " PURGE"})
    void droppingATableDeletesItsFolder(String purge) {
        String table = create("(id INT)");
        Sql.run("INSERT INTO lake.%s VALUES (1)", table);
        Sql.run("DROP TABLE lake.%s%s", table, purge);

        assertThat(Files.exists(folder(table))).isFalse();
        assertThat(Sql.failure("DROP TABLE lake.%s%s", table, purge)).contains("TABLE_OR_VIEW_NOT_FOUND");
        Sql.run("DROP TABLE IF EXISTS lake.%s%s", table, purge);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " PURGE"})
    void aTableThatSharesFilesIsNotDropped(String purge) {
        String table = create("(id INT) TBLPROPERTIES ('gc.enabled' = 'false')");
        Sql.run("INSERT INTO lake.%s VALUES (1)", table);
        FolderState before = FolderState.of(folder(table));

        assertThat(Sql.failure("DROP TABLE lake.%s%s", table, purge)).contains("gc.enabled is false");
        assertThat(FolderState.of(folder(table))).isEqualTo(before);
    }

    @Test
    void aTableMadeOfAQueryAppearsWithItsRows() {
        String table = name();
        Sql.run(
                "CREATE TABLE lake.%s USING calve PARTITIONED BY (k) AS SELECT id, CAST(id %% 3 AS INT) AS k"
                        + " FROM range(100)",
                table);

        assertThat(Sql.count("lake." + table)).isEqualTo(100);
        assertThat(Sql.count("peer." + table)).isEqualTo(100);
        assertThat(peerTable(table).schema().findField("id").isOptional()).isTrue();
        assertThat(FolderState.of(folder(table)).files().keySet())
                .contains("metadata/v1.metadata.json", "metadata/version-hint.text")
                .doesNotContain("metadata/v2.metadata.json");
        Table theirs = peerTable(table);
        assertThat(theirs.snapshots()).hasSize(1);
        assertThat(theirs.history()).hasSize(1);
        assertThat(LiveFiles.of(theirs).data()).hasSize(3);
    }

    @Test
    void dataFramesCreateAndAppend() throws Exception {
        String table = name();
        SPARK.range(5).write().saveAsTable("lake." + table);
        SPARK.range(5, 8).write().mode("append").saveAsTable("lake." + table);
        SPARK.range(8, 10).writeTo("lake." + table).append();
        String other = name();
        SPARK.range(3)
                .writeTo("lake." + other)
                .using("iceberg")
                .tableProperty("format-version", "3")
                .create();

        assertThat(Sql.longs("SELECT id FROM lake.%s", table)).containsExactly(0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L);
        assertThat(Sql.rows("SHOW TBLPROPERTIES lake.%s ('format-version')", other))
                .containsExactly("[format-version,3]");
        assertThat(Sql.count("peer." + other)).isEqualTo(3);
    }

    @Test
    void aQueryThatFailsLeavesNoTableAndNoFile() {
        String table = name();

        assertThat(Sql.failure(
                        "CREATE TABLE lake.%s PARTITIONED BY (k) AS SELECT id, id %% 2 AS k,"
                                + " IF(id = 999, raise_error('broken row'), 'x') AS s FROM range(0, 1000, 1, 4)",
                        table))
                .contains("broken row");
        assertThat(Files.exists(folder(table))).isFalse();
        assertThat(Sql.rows("SHOW NAMESPACES IN lake.ddl")).isEmpty();
    }

    /** The table appears while the query runs: theirs stays, and none of our files does. */
    @Test
    void aTableThatSomebodyElseCreatesMeanwhileStaysAsItIs() {
        String table = name();
        SPARK.udf()
                .register("create_meanwhile", (UDF1<String, String>) CatalogIT::createMeanwhile, DataTypes.StringType);

        assertThat(Sql.failure(
                        "CREATE TABLE lake.%s AS SELECT create_meanwhile('%s') AS id FROM range(0, 10, 1, 1)",
                        table, table))
                .contains("already exists");
        assertThat(Sql.rows("DESCRIBE lake.%s", table)).contains("[theirs,string,null]");
        assertThat(FolderState.of(folder(table)).files().keySet())
                .containsExactlyInAnyOrder("metadata/v1.metadata.json", "metadata/version-hint.text");
    }

    /** Runs in a task, which in a local session shares the driver's catalog. */
    @SuppressWarnings("deprecation") // the form that every Spark has
    private static String createMeanwhile(String table) throws Exception {
        var lake = (TableCatalog) SPARK.sessionState().catalogManager().catalog("lake");
        var identifier = Identifier.of(new String[] {"ddl"}, table.substring("ddl.".length()));
        if (!lake.tableExists(identifier)) {
            lake.createTable(
                    identifier,
                    new Column[] {Column.create("theirs", DataTypes.StringType)},
                    new Transform[0],
                    Map.of());
        }
        return table;
    }

    static Stream<Arguments> laterStatements() {
        return Stream.of(
                Arguments.of("ALTER TABLE lake.%s RENAME TO lake.ddl.renamed", "Cannot rename table"),
                Arguments.of("ALTER TABLE lake.%s SET TBLPROPERTIES ('sort-order' = 'id')", "tells the table's state"),
                Arguments.of(
                        "ALTER TABLE lake.%s SET TBLPROPERTIES ('write.update.mode' = 'x', 'good' = 'y')",
                        "write.update.mode must be"),
                Arguments.of("ALTER TABLE lake.%s SET TBLPROPERTIES ('format-version' = '1')", "can only be raised"),
                Arguments.of("SELECT * FROM lake.%s VERSION AS OF 1", "there is no such state"),
                Arguments.of("SELECT * FROM lake.%s WITH (`snapshot-id` = 1)", "there is no such state"));
    }

    @ParameterizedTest
    @MethodSource("laterStatements")
    void refusesWhatIsNotSupportedAndChangesNothing(String statement, String message) {
        String table = create("(id INT, s STRING)");
        Sql.run("INSERT INTO lake.%s VALUES (1, 'ab')", table);

        assertUnchanged(table, statement.formatted(table), message);
    }

    private static void assertUnchanged(String table, String statement, String message) {
        FolderState before = FolderState.of(folder(table));

        assertThat(Sql.failure("%s", statement)).containsIgnoringCase(message);
        assertThat(FolderState.of(folder(table))).isEqualTo(before);
    }

    @Test
    void propertiesAreSetAndRemovedAndTheFormatIsUpgraded() {
        String table = create("(id BIGINT) TBLPROPERTIES ('old' = '1')");
        Sql.run("INSERT INTO lake.%s SELECT /*+ COALESCE(1) */ id FROM range(3)", table);
        Sql.run(
                "ALTER TABLE lake.%s SET TBLPROPERTIES ('write.delete.mode' = 'merge-on-read', 'format-version' = '3')",
                table);
        Sql.run("ALTER TABLE lake.%s UNSET TBLPROPERTIES ('old')", table);

        assertThat(Sql.rows("SHOW TBLPROPERTIES lake.%s", table))
                .contains("[write.delete.mode,merge-on-read]", "[format-version,3]")
                .doesNotContain("[old,1]");
        assertThat(peerTable(table).properties())
                .containsEntry("write.delete.mode", "merge-on-read")
                .doesNotContainKeys("old", "format-version");
        Sql.run("DELETE FROM lake.%s WHERE id = 1", table);
        assertThat(Sql.longs("SELECT id FROM peer.%s", table)).containsExactly(0L, 2L);
        assertThat(LiveFiles.of(peerTable(table)).vectors()).isEqualTo(1);
        FolderState before = FolderState.of(folder(table));
        Sql.run("ALTER TABLE lake.%s SET TBLPROPERTIES ('write.delete.mode' = 'merge-on-read')", table);
        assertThat(FolderState.of(folder(table))).isEqualTo(before);
    }

    @ParameterizedTest
    @ValueSource(strings = {"TRUNCATE TABLE lake.%s", "DELETE FROM lake.%s", "DELETE FROM lake.%s WHERE true"})
    void removesAllRows(String statement) {
        String table = create("(id BIGINT, p INT) PARTITIONED BY (p)");
        Sql.run("INSERT INTO lake.%s SELECT id, CAST(id %% 2 AS INT) FROM range(10)", table);
        Sql.run(statement, table);

        assertThat(Sql.count("lake." + table)).isZero();
        assertThat(Sql.count("peer." + table)).isZero();
        assertThat(peerTable(table).currentSnapshot().operation()).isEqualTo("delete");
        FolderState before = FolderState.of(folder(table));
        Sql.run(statement, table);
        assertThat(FolderState.of(folder(table))).isEqualTo(before);
    }

    @Test
    void aTableOfTheFirstVersionIsReadAppendedToAndDeletedFrom() {
        String table = name();
        Sql.run(
                "CREATE TABLE peer.%s (id BIGINT, p INT) USING iceberg PARTITIONED BY (p)"
                        + " TBLPROPERTIES ('format-version' = '1')",
                table);
        Sql.run("INSERT INTO peer.%s VALUES (1, 0), (2, 1)", table);
        Sql.run("INSERT INTO lake.%s VALUES (3, 0), (4, 1)", table);
        Sql.run("DELETE FROM lake.%s WHERE id = 3 OR id = 2", table);

        assertThat(Sql.longs("SELECT id FROM lake.%s", table)).containsExactly(1L, 4L);
        assertThat(Sql.longs("SELECT id FROM peer.%s", table)).containsExactly(1L, 4L);
        assertThat(Sql.rows("SHOW TBLPROPERTIES lake.%s ('format-version')", table))
                .containsExactly("[format-version,1]");
        Sql.run("ALTER TABLE lake.%s SET TBLPROPERTIES ('write.delete.mode' = 'merge-on-read')", table);
        Sql.run("INSERT INTO lake.%s SELECT /*+ COALESCE(1) */ id + 100, 0 FROM range(3)", table);
        assertUnchanged(
                table, "DELETE FROM lake." + table + " WHERE id = 101", "'merge-on-read' needs format version 2 or 3");
    }

    @Test
    void aTableIsReadByItsFolderAndNotWritten() {
        String table = create("(id BIGINT)");
        Sql.run("INSERT INTO lake.%s VALUES (1), (2)", table);
        String path = folder(table).toString();

        assertThat(SPARK.read().format("calve").load(path).where("id > 1").count())
                .isEqualTo(1);
        assertThat(SPARK.read().format("calve").load(path + "/").select("_pos").count())
                .isEqualTo(2);
        assertThat(SPARK.read().format("calve").load("file:" + path).schema().simpleString())
                .isEqualTo("struct<id:bigint>");
        FolderState before = FolderState.of(folder(table));
        assertThatThrownBy(() -> SPARK.range(1)
                        .toDF("id")
                        .write()
                        .format("calve")
                        .mode("append")
                        .save(path))
                .hasMessageContaining("Cannot write to the table at " + path)
                .hasMessageContaining("loaded by path can only be read");
        assertThat(FolderState.of(folder(table))).isEqualTo(before);
        assertThatThrownBy(() -> SPARK.read().format("calve").load(WAREHOUSE + "/nowhere"))
                .hasMessageContaining("There is no table at '" + WAREHOUSE + "/nowhere'");
        assertThatThrownBy(() -> SPARK.read().format("calve").load()).hasMessageContaining("must be given one path");
        assertThatThrownBy(() -> SPARK.read()
                        .format("calve")
                        .option("snapshot-id", "1")
                        .load(path)
                        .count())
                .hasMessageContaining("at snapshot 1: there is no such state");
    }

    @Test
    void metadataColumnsFollowTheFormatVersion() {
        String second = create("(id BIGINT)");
        String third = create("(id BIGINT) TBLPROPERTIES ('format-version' = '3')");
        Sql.run("INSERT INTO lake.%s VALUES (7)", third);

        assertThat(Sql.rows("SELECT _pos, _spec_id, _row_id, _last_updated_sequence_number FROM lake.%s", third))
                .containsExactly("[0,0,0,1]");
        assertThat(Sql.failure("SELECT _row_id FROM lake.%s", second)).contains("_row_id");
    }

    @Test
    void aDataFrameSeesWhatWasCommittedAfterItWasBuilt() {
        String table = create("(id BIGINT)");
        var frame = SPARK.table("lake." + table);
        Sql.run("INSERT INTO peer.%s VALUES (1)", table);

        assertThat(frame.count()).isEqualTo(1);
    }

    @Test
    void writesRefreshACachedTable() {
        String table = create("(id BIGINT)");
        Sql.run("INSERT INTO lake.%s VALUES (1)", table);
        Sql.run("CACHE TABLE lake.%s", table);
        Sql.run("INSERT INTO lake.%s VALUES (2), (3)", table);
        assertThat(Sql.count("lake." + table)).isEqualTo(3);
        Sql.run("DELETE FROM lake.%s WHERE id = 2", table);
        assertThat(Sql.count("lake." + table)).isEqualTo(2);
        Sql.run("INSERT INTO peer.%s VALUES (4)", table);
        assertThat(Sql.count("lake." + table)).as("cached until refreshed").isEqualTo(2);
        Sql.run("REFRESH TABLE lake.%s", table);
        assertThat(Sql.count("lake." + table)).isEqualTo(3);
        Sql.run("UNCACHE TABLE lake.%s", table);
    }

    @Test
    void aColumnThatSparkCannotHoldIsNamedAndTheTableCanStillBeDropped() {
        String table = name();
        peer().createTable(
                        TableIdentifier.parse(table),
                        new Schema(
                                Types.NestedField.optional(1, "id", Types.LongType.get()),
                                Types.NestedField.optional(2, "shape", Types.GeometryType.crs84())),
                        PartitionSpec.unpartitioned(),
                        Map.of("format-version", "3"));

        assertThat(Sql.rows("SELECT id FROM lake.%s", table)).isEmpty();
        assertThat(Sql.failure("SELECT shape FROM lake.%s", table))
                .contains("'shape'")
                .contains("geometry");
        Sql.run("DROP TABLE lake.%s", table);
        assertThat(Files.exists(folder(table))).isFalse();
    }

    @Test
    void aNullIsNotWrittenIntoAColumnThatForbidsIt() {
        String table = create("(id BIGINT NOT NULL, s STRUCT<x: INT NOT NULL>)");
        FolderState before = FolderState.of(folder(table));

        assertThat(Sql.failure("INSERT INTO lake.%s SELECT CAST(NULL AS BIGINT), NULL", table))
                .contains("NULL");
        assertThat(Sql.snapshot("lake." + table)).isEqualTo("none");
        assertThat(FolderState.of(folder(table))).isEqualTo(before);
    }

    @Test
    void namesTheOptionThatIsWrong() {
        for (List<String> wrong : List.of(
                List.of("type", "rest", "must be 'warehouse' or 'hadoop'"),
                List.of("type", "hadoop", "warehouse must be set"))) {
            String catalog = Sql.unique("wrong");
            String key = "spark.sql.catalog." + catalog;
            SPARK.conf().set(key, "dev.calve.spark.CalveCatalog");
            SPARK.conf().set(key + "." + wrong.get(0), wrong.get(1));
            try {
                assertThat(Sql.failure("SHOW NAMESPACES IN %s", catalog))
                        .contains(key)
                        .contains(wrong.get(2));
            } finally {
                SPARK.conf().unset(key);
                SPARK.conf().unset(key + "." + wrong.get(0));
            }
        }
    }

    @Test
    void namesWithoutANamespaceAreLookedForInTheDefaultOne() {
        String catalog = Sql.unique("defaults");
        String key = "spark.sql.catalog." + catalog;
        SPARK.conf().set(key, "dev.calve.spark.CalveCatalog");
        SPARK.conf().set(key + ".warehouse", WAREHOUSE.toString());
        SPARK.conf().set(key + ".default-namespace", "ddl");
        SPARK.conf().set(key + ".table-default.write.delete.mode", "merge-on-read");
        String before = SPARK.catalog().currentCatalog();
        try {
            String table = Sql.unique("t");
            Sql.run("USE %s", catalog);
            Sql.run("CREATE TABLE %s (id INT)", table);
            assertThat(Sql.rows("SHOW TBLPROPERTIES lake.ddl.%s ('write.delete.mode')", table))
                    .containsExactly("[write.delete.mode,merge-on-read]");
        } finally {
            SPARK.catalog().setCurrentCatalog(before);
        }
    }
}
