package dev.calve.parquet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.Randomly;
import dev.calve.deletes.PositionBitmap;
import dev.calve.io.InvalidTableException;
import dev.calve.io.RequestLog.Request;
import dev.calve.manifest.ContentFile;
import dev.calve.manifest.DeleteFile;
import dev.calve.manifest.FileFormat;
import dev.calve.metadata.TableProperties;
import dev.calve.schema.Bytes;
import dev.calve.schema.Field;
import dev.calve.schema.Type;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.parquet.schema.MessageTypeParser;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class PositionDeletesTest {

    private static final int PATH = 2147483546;
    private static final int POS = 2147483545;

    private final ParquetFiles files = new ParquetFiles();

    @Test
    void theFileHasTheReservedColumnsSorted() throws IOException {
        write("d", Map.of(), new TreeMap<>(Map.of("a", PositionBitmap.of(5, 1), "b", PositionBitmap.of(0))));

        assertThat(files.footer("d").getFileMetaData().getSchema()).isEqualTo(MessageTypeParser.parseMessageType("""
                message table {
                  required binary file_path (STRING) = 2147483546;
                  required int64 pos = 2147483545;
                }
                """));
        assertThat(files.rows("d").stream().map(row -> row.getString(0, 0) + row.getLong(1, 0)))
                .containsExactly("a1", "a5", "b0");
    }

    @Test
    void aFileForOneDataFileSaysSoAndHasFullBounds() throws IOException {
        String path = "file:/warehouse/db/t/data/00000-0-0123456789abcdef-00001.parquet";
        var file = write("d", Map.of(), new TreeMap<>(Map.of(path, PositionBitmap.of(3, 300))));

        assertThat(file.referencedDataFile()).contains(path);
        assertThat(file.recordCount()).isEqualTo(2);
        var bound = Bytes.wrap(path.getBytes(StandardCharsets.UTF_8));
        assertThat(file.metrics().lowerBounds()).isEqualTo(Map.of(PATH, bound, POS, bytes("0300000000000000")));
        assertThat(file.metrics().upperBounds()).isEqualTo(Map.of(PATH, bound, POS, bytes("2c01000000000000")));
        assertThat(file.metrics().valueCounts()).isEmpty();
        assertThat(file.metrics().nullValueCounts()).isEmpty();
        assertThat(file.metrics().nanValueCounts()).isEmpty();
        assertThat(file.fileSizeBytes()).isEqualTo(files.storage.bytes("d").length);
    }

    @Test
    void aFileForSeveralDataFilesHasNoBounds() throws IOException {
        var file = write("d", Map.of(), new TreeMap<>(Map.of("a", PositionBitmap.of(1), "b", PositionBitmap.of(1))));

        assertThat(file.referencedDataFile()).isEmpty();
        assertThat(file.metrics().lowerBounds()).isEmpty();
        assertThat(file.metrics().upperBounds()).isEmpty();
        assertThat(file.recordCount()).isEqualTo(2);
    }

    @Test
    void pathsMustAscend() throws IOException {
        var writer = PositionDeleteWriter.create(files.storage, "d", settings(Map.of()), ParquetFiles.UNPARTITIONED);
        writer.delete("b", PositionBitmap.of(1));

        assertThatThrownBy(() -> writer.delete("a", PositionBitmap.of(1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'a'")
                .hasMessageContaining("'b'");
        assertThatThrownBy(() -> writer.delete("b", PositionBitmap.of(2))).isInstanceOf(IllegalArgumentException.class);
        writer.abandon();
        assertThat(files.storage.locations()).isEmpty();
    }

    @Test
    void whatWasWrittenIsReadForTheWantedFiles() {
        Randomly.check(20, randomly -> {
            var files = new ParquetFiles();
            var deleted = new TreeMap<String, PositionBitmap>();
            for (int i = randomly.intBetween(1, 10); i > 0; i--) {
                var bitmap = new PositionBitmap();
                for (int run = randomly.intBetween(1, 20); run > 0; run--) {
                    long from = randomly.longBelow(1L << 34);
                    bitmap.addRange(from, from + 1 + randomly.longBelow(30));
                }
                deleted.put("file" + i, bitmap);
            }
            var file = write(files, "d", Map.of("write.parquet.row-group-size-bytes", "300"), deleted);
            var wanted = new HashMap<>(deleted);
            wanted.keySet().removeIf(name -> randomly.yes());

            var names = new ArrayList<>(wanted.keySet());
            names.add("another");
            assertThat(PositionDeleteReader.read(files.storage, file, Set.copyOf(names)))
                    .isEqualTo(wanted);
        });
    }

    @Test
    void filesOfWritersWithoutOrderAndIdsAreRead() throws IOException {
        // Ids and names of the reserved columns, other order of columns, a row column and unsorted rows.
        var schema = ParquetFiles.schema(
                Field.optional(2147483544, "row", new Type.Struct(List.of(Field.optional(1, "id", Type.Simple.LONG)))),
                Field.optional(POS, "position", Type.Simple.LONG),
                Field.optional(PATH, "path", Type.Simple.STRING));
        files.write(
                "d",
                schema,
                ParquetFiles.settings(),
                List.of(
                        List.of(List.of(1L), 7L, "a"),
                        List.of(List.of(1L), 3L, "b"),
                        List.of(List.of(1L), 2L, "a"),
                        List.of(List.of(1L), 2L, "a"),
                        List.of(List.of(1L), 3L, "a")));

        assertThat(PositionDeleteReader.read(files.storage.input("d"), Set.of("a")))
                .isEqualTo(Map.of("a", PositionBitmap.of(2, 3, 7)));
    }

    @Test
    void rowGroupsOfOtherDataFilesAreNotRead() throws IOException {
        var deleted = new TreeMap<String, PositionBitmap>();
        for (char name = 'a'; name < 'k'; name++) {
            var bitmap = new PositionBitmap();
            // Far apart and irregular, so that a row group is large and beyond what one read fetches with the footer.
            var random = new Randomly(name);
            for (int i = 0; i < 40_000; i++) {
                bitmap.add(random.longBelow(1L << 31));
            }
            deleted.put(String.valueOf(name), bitmap);
        }
        var file = write("d", Map.of("write.parquet.row-group-size-bytes", "100000"), deleted);
        assertThat(file.common().splitOffsets()).hasSizeGreaterThan(10);

        files.storage.requests().reset();
        assertThat(PositionDeleteReader.read(files.storage, file, Set.of("e")))
                .isEqualTo(Map.of("e", deleted.get("e")));
        int some = files.storage.requests().count(Request.READ);
        files.storage.requests().reset();
        PositionDeleteReader.read(files.storage, file, deleted.keySet());
        assertThat(files.storage.requests().count(Request.READ)).isGreaterThan(2 * some);
    }

    @Test
    void aNullPositionIsACorruptFile() throws IOException {
        var schema = ParquetFiles.schema(
                Field.optional(PATH, "file_path", Type.Simple.STRING), Field.optional(POS, "pos", Type.Simple.LONG));
        files.write("d", schema, ParquetFiles.settings(), List.of(java.util.Arrays.asList("a", null)));

        assertThatThrownBy(() -> PositionDeleteReader.read(files.storage.input("d"), Set.of("a")))
                .isInstanceOf(InvalidTableException.class)
                .hasMessageContaining("d must have no nulls");
    }

    @Test
    void aDataFileIsNotTakenForDeletes() throws IOException {
        files.writeColumn(Type.Simple.INT, 1);

        assertThatThrownBy(() -> PositionDeleteReader.read(files.storage.input("f0"), Set.of("a")))
                .isInstanceOf(InvalidTableException.class)
                .hasMessageContaining("file_path");
    }

    @Test
    void bytesThatAreNotParquetAreReported() {
        files.storage.put("d", "no parquet file, but long enough".getBytes(StandardCharsets.UTF_8));

        assertThatThrownBy(() -> PositionDeleteReader.read(files.storage.input("d"), Set.of("a")))
                .isInstanceOf(InvalidTableException.class)
                .hasMessageContaining("Position deletes d");
    }

    @ParameterizedTest
    @EnumSource(
            value = FileFormat.class,
            names = {"AVRO", "ORC"})
    void otherFormatsAreRefusedByName(FileFormat format) throws IOException {
        var common = write("d", Map.of(), new TreeMap<>(Map.of("a", PositionBitmap.of(1))))
                .common();
        var file = new DeleteFile.PositionDeletes(
                new ContentFile.Common(
                        "d.other",
                        format,
                        common.specId(),
                        common.partition(),
                        common.metrics(),
                        common.fileSizeBytes(),
                        List.of(),
                        common.sortOrderId(),
                        common.keyMetadata()),
                java.util.Optional.empty());

        assertThatThrownBy(() -> PositionDeleteReader.read(files.storage, file, Set.of("a")))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("d.other")
                .hasMessageContaining(format.name());
    }

    private DeleteFile.PositionDeletes write(
            String location, Map<String, String> properties, SortedMap<String, PositionBitmap> deleted)
            throws IOException {
        return write(files, location, properties, deleted);
    }

    private static DeleteFile.PositionDeletes write(
            ParquetFiles files,
            String location,
            Map<String, String> properties,
            SortedMap<String, PositionBitmap> deleted)
            throws IOException {
        var writer =
                PositionDeleteWriter.create(files.storage, location, settings(properties), ParquetFiles.UNPARTITIONED);
        for (var entry : deleted.entrySet()) {
            writer.delete(entry.getKey(), entry.getValue());
        }
        return writer.close();
    }

    private static WriteSettings settings(Map<String, String> properties) {
        return WriteSettings.forPositionDeletes(TableProperties.of(properties, "db.t"));
    }

    private static Bytes bytes(String hex) {
        return Bytes.wrap(HexFormat.of().parseHex(hex));
    }
}
