package dev.calve.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.data.GenericRecord;
import org.apache.iceberg.data.parquet.GenericParquetWriter;
import org.apache.iceberg.hadoop.HadoopCatalog;
import org.apache.iceberg.parquet.Parquet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tables that are damaged and statements that cannot be: the message says what and where, and nothing changes. {@link CrashIT}
 * has what fails on the way to the disk.
 */
class BadInputIT {

    private static final String NAMESPACE = SparkTestSession.LAKE + ".bad";

    /** A table with every kind of file, which each test damages and repairs. */
    private static final String TABLE = NAMESPACE + ".t";

    private static final List<Long> IDS = List.of(1L, 3L, 4L, 5L, 6L);

    @BeforeAll
    static void create() {
        Sql.run("CREATE NAMESPACE " + NAMESPACE);
        Sql.run(
                "CREATE TABLE %s (id bigint, text string) USING calve PARTITIONED BY (truncate(1, text))"
                        + " TBLPROPERTIES ('format-version'='3', 'write.delete.mode'='merge-on-read')",
                TABLE);
        Sql.run("INSERT INTO %s SELECT /*+ COALESCE(1) */ id, 'one' FROM range(1, 4)", TABLE);
        Sql.run("INSERT INTO %s SELECT /*+ COALESCE(1) */ id, 'two' FROM range(4, 7)", TABLE);
        Sql.run("DELETE FROM %s WHERE id = 2", TABLE);
    }

    @AfterEach
    void isAsGoodAsBefore() {
        assertThat(Sql.longs("SELECT id FROM " + TABLE)).isEqualTo(IDS);
    }

    private static Path folder() {
        return SparkTestSession.warehouse().resolve("bad/t");
    }

    private static Path metadataFile() {
        return folder().resolve("metadata/v4.metadata.json");
    }

    private static Path local(String location) {
        return Path.of(location.startsWith("file:") ? URI.create(location).getPath() : location);
    }

    private static Path fileNamedBy(String peerQuery) {
        String row = Sql.rows(peerQuery).get(0);
        return local(row.substring(1, row.length() - 1));
    }

    /** A kind of file and where the table's current one is. */
    enum Kind {
        METADATA,
        MANIFEST_LIST,
        DATA_MANIFEST,
        DELETE_MANIFEST,
        PUFFIN,
        PARQUET;

        Path file() {
            return switch (this) {
                case METADATA -> metadataFile();
                case MANIFEST_LIST ->
                    fileNamedBy("SELECT manifest_list FROM peer.bad.t.snapshots WHERE operation = 'delete'");
                // The first of the two, which has the rows the DELETE selects; partitions rule the other out.
                case DATA_MANIFEST ->
                    fileNamedBy("SELECT path FROM peer.bad.t.manifests JOIN peer.bad.t.snapshots"
                            + " ON added_snapshot_id = snapshot_id WHERE parent_id IS NULL");
                case DELETE_MANIFEST -> fileNamedBy("SELECT path FROM peer.bad.t.manifests WHERE content = 1");
                case PUFFIN -> fileNamedBy("SELECT file_path FROM peer.bad.t.delete_files");
                // The one with the deletes, which a DELETE of row 3 has to read.
                case PARQUET -> fileNamedBy("SELECT DISTINCT _file FROM lake.bad.t WHERE text = 'one'");
            };
        }
    }

    /** What can have happened to a file. */
    enum Damage {
        MISSING,
        EMPTY,
        CUT,
        /** A vector is found without the footer, so half a Puffin file may still have all of it. */
        CUT_SHORT,
        GARBAGE;

        void apply(Path file) throws IOException {
            byte[] content = Files.readAllBytes(file);
            switch (this) {
                case MISSING -> Files.delete(file);
                case EMPTY -> Files.write(file, new byte[0]);
                case CUT -> Files.write(file, Arrays.copyOf(content, content.length / 2));
                case CUT_SHORT -> Files.write(file, Arrays.copyOf(content, 20));
                case GARBAGE -> Files.writeString(file, "Service temporarily unavailable. ".repeat(40));
            }
        }
    }

    /** Something a test does while a file is damaged. */
    private interface Look {
        void at(Path file) throws IOException;
    }

    /** Changes a file, and puts it back whatever happens. */
    private static void damaged(Path file, Look damage, Look look) throws IOException {
        byte[] good = Files.readAllBytes(file);
        try {
            damage.at(file);
            var before = FolderState.of(folder());
            look.at(file);
            assertThat(FolderState.of(folder())).as("nothing changed").isEqualTo(before);
        } finally {
            Files.write(file, good);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "METADATA,EMPTY",
        "METADATA,CUT",
        "METADATA,GARBAGE",
        "MANIFEST_LIST,MISSING",
        "MANIFEST_LIST,EMPTY",
        "MANIFEST_LIST,CUT",
        "MANIFEST_LIST,GARBAGE",
        "DATA_MANIFEST,MISSING",
        "DATA_MANIFEST,EMPTY",
        "DATA_MANIFEST,CUT",
        "DATA_MANIFEST,GARBAGE",
        "DELETE_MANIFEST,MISSING",
        "DELETE_MANIFEST,EMPTY",
        "DELETE_MANIFEST,CUT",
        "DELETE_MANIFEST,GARBAGE",
        "PUFFIN,MISSING",
        "PUFFIN,EMPTY",
        "PUFFIN,CUT_SHORT",
        "PUFFIN,GARBAGE",
        "PARQUET,MISSING",
        "PARQUET,EMPTY",
        "PARQUET,CUT",
        "PARQUET,GARBAGE",
    })
    void aDamagedFileIsNamedAndNothingChanges(Kind kind, Damage damage) throws IOException {
        damaged(kind.file(), damage::apply, file -> {
            String name = file.getFileName().toString();
            assertThat(Sql.failure("SELECT * FROM " + TABLE)).contains(name);
            // 'text' is not in the metrics' reach of a decision, so the file has to be read.
            assertThat(Sql.failure("DELETE FROM %s WHERE id %% 3 = 0 AND text = 'one'", TABLE))
                    .contains(name);
            if (kind == Kind.METADATA || kind == Kind.MANIFEST_LIST) {
                assertThat(Sql.failure("INSERT INTO %s VALUES (9, 'new')", TABLE))
                        .contains(name);
            }
        });
    }

    @Test
    void withoutMetadataThereIsNoTable() throws IOException {
        String table = NAMESPACE + "." + Sql.unique("gone");
        Sql.run("CREATE TABLE %s (id bigint) USING calve", table);
        Path folder = SparkTestSession.warehouse().resolve("bad/" + table.substring(NAMESPACE.length() + 1));
        Files.delete(folder.resolve("metadata/v1.metadata.json"));
        var before = FolderState.of(folder);
        assertThat(Sql.failure("SELECT * FROM " + table)).contains("TABLE_OR_VIEW_NOT_FOUND");
        assertThat(Sql.failure("INSERT INTO %s VALUES (1)", table)).contains("TABLE_OR_VIEW_NOT_FOUND");
        assertThat(FolderState.of(folder)).isEqualTo(before);
    }

    @Test
    void aVectorWithAWrongChecksumIsRefused() throws IOException {
        damaged(
                Kind.PUFFIN.file(),
                file -> {
                    byte[] content = Files.readAllBytes(file);
                    // Header 4, length 4, magic 4: this is in the middle of the bitmaps, before the checksum at their
                    // end.
                    content[4 + 4 + 4 + 12] ^= 0x10;
                    Files.write(file, content);
                },
                file -> {
                    String name = file.getFileName().toString();
                    assertThat(Sql.failure("SELECT * FROM " + TABLE)).contains(name, "CRC");
                    assertThat(Sql.failure("DELETE FROM %s WHERE id = 3", TABLE))
                            .contains(name, "CRC");
                });
    }

    private static Look replacing(String old, String replacement) {
        return file -> {
            String text = Files.readString(file);
            assertThat(text).contains(old);
            Files.writeString(file, text.replace(old, replacement));
        };
    }

    @Test
    void anUnknownFormatVersionIsRefused() throws IOException {
        damaged(metadataFile(), replacing("\"format-version\":3", "\"format-version\":4"), file -> {
            for (String statement :
                    List.of("SELECT * FROM %s", "INSERT INTO %s VALUES (9, 'new')", "DELETE FROM %s WHERE id = 3")) {
                assertThat(Sql.failure(statement, TABLE))
                        .contains(
                                "format-version must be 1 to 3, not 4",
                                file.getFileName().toString());
            }
        });
        assertThat(Sql.failure(
                        "CREATE TABLE %s.v4 (id bigint) USING calve TBLPROPERTIES ('format-version'='4')", NAMESPACE))
                .contains("format-version must be 1, 2 or 3, not '4'");
    }

    @Test
    void anUnknownTransformCanBeReadButNotWritten() throws IOException {
        damaged(metadataFile(), replacing("\"truncate[1]\"", "\"zorder[1]\""), file -> {
            assertThat(Sql.longs("SELECT id FROM " + TABLE)).isEqualTo(IDS);
            assertThat(Sql.failure("INSERT INTO %s VALUES (9, 'new')", TABLE)).contains("zorder[1]", TABLE);
        });
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "write.delete.mode|mor|write.delete.mode must be 'copy-on-write', 'merge-on-read' or 'adaptive', not 'mor'",
                "write.target-file-size-bytes|big|write.target-file-size-bytes must be a positive whole number of bytes",
                "write.format.default|orc|'orc'",
                "write.parquet.compression-codec|zip|write.parquet.compression-codec must be",
                "commit.retry.total-timeout-ms|-1|commit.retry.total-timeout-ms must be",
            })
    void aBadPropertyIsRefusedWhenItIsSet(String property, String value, String message) {
        var before = FolderState.of(folder());
        String list = "'%s'='%s'".formatted(property, value);
        assertThat(Sql.failure("CREATE TABLE %s.p (id bigint) USING calve TBLPROPERTIES (%s)", NAMESPACE, list))
                .contains(message);
        assertThat(SparkTestSession.warehouse().resolve("bad/p")).doesNotExist();
        assertThat(Sql.failure("ALTER TABLE %s SET TBLPROPERTIES (%s)", TABLE, list))
                .contains(message);
        assertThat(FolderState.of(folder())).isEqualTo(before);
    }

    @Test
    void aBadPropertyThatAnotherEngineSetIsRefusedWhenItMatters() throws IOException {
        damaged(metadataFile(), replacing("\"merge-on-read\"", "\"sometimes\""), file -> {
            assertThat(Sql.longs("SELECT id FROM " + TABLE)).isEqualTo(IDS);
            assertThat(Sql.failure("DELETE FROM %s WHERE id = 3", TABLE))
                    .contains(
                            "write.delete.mode must be 'copy-on-write', 'merge-on-read' or 'adaptive', not 'sometimes'",
                            TABLE);
        });
    }

    @Test
    void aNamespaceThatIsNoneIsRefused() {
        var before = FolderState.of(SparkTestSession.warehouse());
        assertThat(Sql.failure("SELECT * FROM lake.nowhere.t")).contains("TABLE_OR_VIEW_NOT_FOUND", "nowhere");
        assertThat(Sql.failure("SHOW TABLES IN lake.nowhere")).contains("SCHEMA_NOT_FOUND", "nowhere");
        assertThat(Sql.failure("DROP NAMESPACE lake.nowhere")).contains("SCHEMA_NOT_FOUND", "nowhere");
        assertThat(Sql.failure("CREATE NAMESPACE lake.bad")).contains("SCHEMA_ALREADY_EXISTS", "bad");
        assertThat(Sql.failure("DROP NAMESPACE lake.bad")).contains("SCHEMA_NOT_EMPTY", "bad");
        // Below a table there is no place for another.
        assertThat(Sql.failure("CREATE TABLE %s.below (id bigint) USING calve", TABLE))
                .contains("bad.t is a table");
        assertThat(Sql.failure("CREATE NAMESPACE %s.below", TABLE)).contains("bad.t is a table");
        assertThat(Sql.failure("CREATE TABLE lake.bad.`..` (id bigint) USING calve"))
                .contains("must be a folder's name");
        assertThat(Sql.failure("CREATE TABLE lake.`a/b`.t (id bigint) USING calve"))
                .contains("must be a folder's name");
        assertThat(FolderState.of(SparkTestSession.warehouse())).isEqualTo(before);
    }

    @Test
    void aTableIsCreatedOnce() {
        var before = FolderState.of(SparkTestSession.warehouse());
        assertThat(Sql.failure("CREATE TABLE %s (other int) USING calve", TABLE))
                .contains("TABLE_OR_VIEW_ALREADY_EXISTS");
        assertThat(Sql.failure("CREATE TABLE %s USING calve AS SELECT 1 AS other", TABLE))
                .contains("TABLE_OR_VIEW_ALREADY_EXISTS");
        Sql.run("CREATE TABLE IF NOT EXISTS %s (other int) USING calve", TABLE);
        assertThat(FolderState.of(SparkTestSession.warehouse())).isEqualTo(before);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "PARTITIONED BY (nope)|nope",
                "PARTITIONED BY (bucket(0, id))|bucket",
                "PARTITIONED BY (days(text))|by day of 'text'",
                "LOCATION '/elsewhere'|LOCATION",
                "TBLPROPERTIES ('format-version'='1')|format-version must be 2 or 3 for a new table",
            })
    void aTableThatCannotBeIsNotCreated(String clause, String message) {
        var before = FolderState.of(SparkTestSession.warehouse());
        assertThat(Sql.failure("CREATE TABLE %s.never (id bigint, text string) USING calve %s", NAMESPACE, clause))
                .containsIgnoringCase(message);
        assertThat(Sql.failure("CREATE TABLE %s.never USING orc AS SELECT 1 AS id", NAMESPACE))
                .contains("orc");
        assertThat(FolderState.of(SparkTestSession.warehouse())).isEqualTo(before);
    }

    @Test
    void aSchemeThatCannotPublishIsRefusedAtCreate() {
        var conf = SparkTestSession.spark().conf();
        conf.set("fs.gs.impl", FaultyFileSystem.class.getName());
        conf.set("spark.sql.catalog.elsewhere", "dev.calve.spark.CalveCatalog");
        conf.set("spark.sql.catalog.elsewhere.warehouse", "gs://bucket" + folder());
        var before = FolderState.of(SparkTestSession.warehouse());
        assertThat(Sql.failure("CREATE TABLE elsewhere.ns.t (id bigint) USING calve"))
                .contains("scheme 'gs'");
        assertThat(FolderState.of(SparkTestSession.warehouse())).isEqualTo(before);
    }

    @ParameterizedTest
    @EnumSource(Torn.class)
    void whatATornWriterLeftDoesNotDisturb(Torn torn) throws IOException {
        String name = Sql.unique("torn");
        String table = NAMESPACE + "." + name;
        Sql.run("CREATE TABLE %s (id bigint) USING calve", table);
        Sql.run("INSERT INTO %s VALUES (1)", table);
        Path metadata = SparkTestSession.warehouse().resolve("bad/" + name + "/metadata");
        byte[] newest = Files.readAllBytes(metadata.resolve("v2.metadata.json"));
        Files.write(metadata.resolve(torn.fileName), Arrays.copyOf(newest, newest.length / 2));

        assertThat(Sql.longs("SELECT id FROM " + table)).containsExactly(1L);
        Sql.run("INSERT INTO %s VALUES (2)", table);
        Sql.run("DELETE FROM %s WHERE id = 1", table);
        assertThat(Sql.longs("SELECT id FROM " + table)).containsExactly(2L);
        assertThat(Sql.longs("SELECT id FROM peer.bad." + name)).containsExactly(2L);
    }

    /** Temporary files as Calve and the peer name them. */
    enum Torn {
        OURS("3f0e8a1c-1111-2222-3333-444455556666-v3-metadata-json.tmp"),
        THEIRS("3f0e8a1c-1111-2222-3333-444455556666.metadata.json");

        private final String fileName;

        Torn(String fileName) {
            this.fileName = fileName;
        }
    }

    @Test
    void aTornVersionIsAnErrorAndNotAReasonToGoBack() throws IOException {
        String name = Sql.unique("half");
        String table = NAMESPACE + "." + name;
        Sql.run("CREATE TABLE %s (id bigint) USING calve", table);
        Sql.run("INSERT INTO %s VALUES (1)", table);
        Path metadata = SparkTestSession.warehouse().resolve("bad/" + name + "/metadata");
        byte[] newest = Files.readAllBytes(metadata.resolve("v2.metadata.json"));
        Path torn = metadata.resolve("v3.metadata.json");
        Files.write(torn, Arrays.copyOf(newest, newest.length / 2));
        var before = FolderState.of(metadata);
        assertThat(Sql.failure("SELECT * FROM " + table)).contains("v3.metadata.json");
        assertThat(Sql.failure("INSERT INTO %s VALUES (2)", table)).contains("v3.metadata.json");
        assertThat(FolderState.of(metadata)).isEqualTo(before);
        Files.delete(torn);
        assertThat(Sql.longs("SELECT id FROM " + table)).containsExactly(1L);
    }

    @ParameterizedTest
    @ValueSource(strings = {"copy-on-write", "merge-on-read"})
    void aMissingEqualityDeleteFileIsNamedAndNotOverlooked(String mode) {
        String name = Sql.unique("equality");
        String table = NAMESPACE + "." + name;
        Sql.run(
                "CREATE TABLE %s (id bigint, text string) USING calve TBLPROPERTIES ('write.delete.mode'='%s')",
                table, mode);
        Sql.run("INSERT INTO %s SELECT /*+ COALESCE(1) */ id, 'old' FROM range(1, 6)", table);
        deleteByEquality(name, 2L, 3L);
        Sql.run("INSERT INTO %s SELECT /*+ COALESCE(1) */ id, 'new' FROM range(2, 4)", table);
        assertThat(Sql.rows("SELECT * FROM peer.bad." + name))
                .containsExactly("[1,old]", "[2,new]", "[3,new]", "[4,old]", "[5,old]");

        Path folder = SparkTestSession.warehouse().resolve("bad/" + name);
        delete(folder.resolve("data/equality-deletes.parquet"));
        var before = FolderState.of(folder);
        assertThat(Sql.failure("SELECT * FROM " + table)).contains("equality-deletes.parquet is missing");
        assertThat(Sql.failure("SELECT text FROM " + table)).contains("equality-deletes.parquet is missing");
        assertThat(Sql.failure("DELETE FROM %s WHERE id = 4", table)).contains("equality-deletes.parquet is missing");
        assertThat(FolderState.of(folder)).isEqualTo(before);
        // Files the equality delete does not apply to can be read and changed.
        String others = "text > 'nea' AND text < 'nez'";
        Sql.run("DELETE FROM %s WHERE id = 2 AND %s", table, others);
        assertThat(Sql.rows("SELECT * FROM " + table + " WHERE " + others)).containsExactly("[3,new]");
    }

    private static void delete(Path file) {
        try {
            Files.delete(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void deleteByEquality(String name, long... ids) {
        Table table = new HadoopCatalog(
                        SparkTestSession.spark().sessionState().newHadoopConf(),
                        SparkTestSession.warehouse().toString())
                .loadTable(TableIdentifier.of("bad", name));
        var schema = table.schema().select("id");
        var file = table.io().newOutputFile(table.location() + "/data/equality-deletes.parquet");
        try {
            var writer = Parquet.writeDeletes(file)
                    .forTable(table)
                    .rowSchema(schema)
                    .createWriterFunc(GenericParquetWriter::create)
                    .equalityFieldIds(schema.findField("id").fieldId())
                    .overwrite()
                    .<GenericRecord>buildEqualityWriter();
            try (writer) {
                for (long id : ids) {
                    writer.write(GenericRecord.create(schema).copy(Map.of("id", id)));
                }
            }
            table.newRowDelta().addDeletes(writer.toDeleteFile()).commit();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
