package dev.calve.tools;

import static org.assertj.core.api.Assertions.assertThat;

import dev.calve.it.SparkTestSession;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every kind of file of a table that Apache Iceberg wrote, so that what is printed is not our own output. */
@Tag("iceberg-peer")
class InspectIT {

    private static final String TABLE = SparkTestSession.PEER + ".inspected.t";

    private static Path folder;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @BeforeAll
    static void deleteThreeOfTenRows() {
        var spark = SparkTestSession.spark();
        spark.sql(
                "CREATE TABLE " + TABLE + " (id BIGINT, part STRING) USING iceberg PARTITIONED BY (part) TBLPROPERTIES"
                        + " ('format-version' = '3', 'write.delete.mode' = 'merge-on-read')");
        spark.sql("INSERT INTO " + TABLE + " SELECT /*+ COALESCE(1) */ id, 'p' FROM range(0, 10, 1, 1) ORDER BY id");
        spark.sql("DELETE FROM " + TABLE + " WHERE id IN (2, 3, 7)");
        folder = SparkTestSession.warehouse().resolve("inspected/t");
    }

    @Test
    void aFolderPrintsWhatIsLiveAndTheNewestMetadata() {
        String text = inspect(folder);

        assertThat(text)
                .contains("live data files: 1, with 10 rows")
                .contains("live deletion vectors: 1 in 1 Puffin files; other delete files: 0; positions: 3")
                .contains("v3.metadata.json")
                .contains("\"format-version\" : 3");
    }

    @Test
    void metadataIsPrintedZippedOrNot(@TempDir Path temporary) throws IOException {
        Path zipped = temporary.resolve("v3.gz.metadata.json");
        try (var gzip = new java.util.zip.GZIPOutputStream(Files.newOutputStream(zipped))) {
            Files.copy(folder.resolve("metadata/v3.metadata.json"), gzip);
        }

        assertThat(inspect(zipped)).startsWith("Table metadata, gzip ").contains("\"format-version\" : 3");
    }

    @Test
    void aManifestListPrintsItsManifests() {
        String text = inspect(newest("snap-", ".avro"));

        assertThat(text)
                .startsWith("Manifest list ")
                .contains("DATA ")
                .contains("DELETES ")
                .contains("1/0/0  10/0/0");
    }

    @Test
    void manifestsPrintTheirEntriesWithBoundsAsValues() {
        String all = files("-m", ".avro").map(this::inspect).reduce("", String::concat);

        assertThat(all)
                .contains("Manifest of DATA ")
                .contains("partition part=p")
                .containsPattern("1 +id +\\d+ +10 +0 +\\? +0 +9")
                .contains("Manifest of DELETES ")
                .contains("ADDED DeletionVector ")
                .contains("3 records");
    }

    @Test
    void aPuffinFilePrintsThePositionsOfItsVectors() {
        assertThat(inspect(newest("", ".puffin")))
                .contains("blob 0: deletion-vector-v1 at 4,")
                .contains("3 positions in 2 ranges from 2 to 7: 2-3, 7");
    }

    @Test
    void aParquetFilePrintsItsFooter() {
        assertThat(inspect(newest("", ".parquet"))).startsWith("Parquet file ").contains("row group 0: 10 rows");
    }

    @Test
    void everythingElseIsRefusedNamingWhatItIsNot(@TempDir Path temporary) throws IOException {
        Path text = Files.writeString(temporary.resolve("v1.metadata.json"), "text");
        Path json = Files.writeString(temporary.resolve("v2.metadata.json"), "{}");

        assertThat(refusal(text)).contains("v1.metadata.json' must be").contains("begins with bytes 74657874");
        assertThat(refusal(json)).contains("must be table metadata, but is JSON without 'format-version'");
        assertThat(refusal(temporary)).contains("must be a table's");
        assertThat(refusal(temporary.resolve("nothing"))).contains("there is nothing");
    }

    @Test
    void aCorruptFileIsAFailure(@TempDir Path temporary) throws IOException {
        byte[] puffin = Files.readAllBytes(newest("", ".puffin"));
        puffin[10] ^= 1;
        Path corrupt = Files.write(temporary.resolve("a.puffin"), puffin);

        assertThat(refusal(corrupt)).contains("Vector in").contains("a.puffin");
    }

    private String inspect(Path path) {
        out.reset();
        int code = run(path);
        assertThat(err.toString(StandardCharsets.UTF_8)).isEmpty();
        assertThat(code).isZero();
        return out.toString(StandardCharsets.UTF_8);
    }

    private String refusal(Path path) {
        err.reset();
        assertThat(run(path)).isEqualTo(1);
        assertThat(err.toString(StandardCharsets.UTF_8).lines()).hasSize(1);
        return err.toString(StandardCharsets.UTF_8);
    }

    private int run(Path path) {
        return Inspect.run(
                new String[] {path.toString()},
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8));
    }

    private static Path newest(String prefix, String suffix) {
        List<Path> found = files("", suffix)
                .filter(path -> path.getFileName().toString().startsWith(prefix))
                .toList();
        assertThat(found).isNotEmpty();
        return found.get(found.size() - 1);
    }

    /** Files of the table in the order they were written. */
    private static Stream<Path> files(String infix, String suffix) {
        try (Stream<Path> found = Files.walk(folder)) {
            return found
                    .filter(path -> path.toString().endsWith(suffix)
                            && !path.getFileName().toString().startsWith(".")
                            && path.getFileName().toString().contains(infix))
                    .sorted(java.util.Comparator.comparing(path -> path.toFile().lastModified()))
                    .toList()
                    .stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
