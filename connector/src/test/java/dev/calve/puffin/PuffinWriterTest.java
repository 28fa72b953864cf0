package dev.calve.puffin;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.io.MemoryStorage;
import dev.calve.io.RequestLog.Request;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class PuffinWriterTest {

    private static final String FILE = "memory:/t/a.puffin";

    private final MemoryStorage storage = new MemoryStorage();

    @Test
    void writesThePeersEmptyFile() throws IOException {
        try (var writer = PuffinWriter.create(storage, FILE, "")) {
            assertThat(writer.finish()).isEqualTo(32);
            assertThat(writer.footerSize()).isEqualTo(28);
        }

        assertThat(HexFormat.of().formatHex(storage.bytes(FILE)))
                .isEqualTo("50464131" + "50464131" + "7b22626c6f6273223a5b5d7d" + "0c000000" + "00000000" + "50464131");
    }

    @Test
    void writesThePeersUncompressedSample() throws IOException {
        try (var writer = PuffinWriter.create(storage, FILE, "Test 1234")) {
            var first = writer.add(spec("some-blob", 1), PuffinSamples.FIRST);
            var second = writer.add(spec("some-other-blob", 2), PuffinSamples.SECOND);
            assertThat(writer.finish()).isEqualTo(355);

            assertThat(first.offset()).isEqualTo(4);
            assertThat(first.length()).isEqualTo(9);
            assertThat(second.offset()).isEqualTo(13);
            assertThat(second.length()).isEqualTo(83);
            assertThat(writer.blobs()).containsExactly(first, second);
        }

        assertThat(storage.bytes(FILE)).isEqualTo(PuffinSamples.uncompressed());
    }

    @Test
    void compressesOnlyBlobsThatAskForIt() throws IOException {
        var content = "x".repeat(10_000).getBytes(UTF_8);
        try (var writer = PuffinWriter.create(storage, FILE, "test")) {
            var compressed =
                    writer.add(new BlobSpec("a", List.of(), 1, 1, Optional.of("zstd"), Map.of("k", "v")), content);
            assertThat(compressed.length()).isLessThan(1000);
            assertThat(writer.add(spec("b", 1), content).length()).isEqualTo(10_000);
            writer.finish();
        }

        try (var reader = PuffinReader.open(storage.input(FILE))) {
            assertThat(reader.blobs().get(0).compressionCodec()).contains("zstd");
            assertThat(reader.blobs().get(0).properties()).isEqualTo(Map.of("k", "v"));
            assertThat(reader.read(reader.blobs().get(0))).isEqualTo(content);
            assertThat(reader.blobs().get(1).compressionCodec()).isEmpty();
            assertThat(reader.read(reader.blobs().get(1))).isEqualTo(content);
        }
    }

    @Test
    void keepsTheOrderOfProperties() throws IOException {
        var properties = new LinkedHashMap<String, String>();
        for (String name : List.of("z", "a", "m", "b", "y")) {
            properties.put(name, "1");
        }
        try (var writer = PuffinWriter.create(storage, FILE, "test")) {
            writer.add(new BlobSpec("a", List.of(), 1, 1, Optional.empty(), properties), new byte[1]);
            writer.finish();
        }

        assertThat(new String(storage.bytes(FILE), UTF_8))
                .contains("\"properties\":{\"z\":\"1\",\"a\":\"1\",\"m\":\"1\",\"b\":\"1\",\"y\":\"1\"}");
    }

    @Test
    void refusesOtherCodecs() throws IOException {
        try (var writer = PuffinWriter.create(storage, FILE, "test")) {
            var spec = new BlobSpec("a", List.of(), 1, 1, Optional.of("lz4"), Map.of());
            assertThatThrownBy(() -> writer.add(spec, new byte[1]))
                    .isInstanceOf(UnsupportedOperationException.class)
                    .hasMessageContaining("not with 'lz4'");
        }
    }

    @Test
    void leavesAnExistingFileAlone() {
        storage.put(FILE, new byte[] {7});

        assertThatThrownBy(() -> PuffinWriter.create(storage, FILE, "test"))
                .isInstanceOf(FileAlreadyExistsException.class);
        assertThat(storage.bytes(FILE)).containsExactly(7);
    }

    @Test
    void isNotFinishedWhenClosingFails() throws IOException {
        storage.requests().failOn(Request.CLOSE, 1);
        try (var writer = PuffinWriter.create(storage, FILE, "test")) {
            assertThatThrownBy(writer::finish).isInstanceOf(IOException.class);
            assertThatThrownBy(writer::footerSize).isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void leavesNoPuffinFileWhenItIsClosedUnfinished() throws IOException {
        var writer = PuffinWriter.create(storage, FILE, "test");
        writer.add(spec("a", 1), new byte[100]);
        writer.close();
        writer.close();

        assertThatThrownBy(writer::finish).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> writer.add(spec("b", 1), new byte[1])).isInstanceOf(IllegalStateException.class);
        assertThat(storage.requests().count(Request.CLOSE)).isZero();
        assertThat(storage.bytes(FILE)).hasSize(104);
    }

    private static BlobSpec spec(String type, int field) {
        return new BlobSpec(type, List.of(field), 2, 1, Optional.empty(), Map.of());
    }
}
