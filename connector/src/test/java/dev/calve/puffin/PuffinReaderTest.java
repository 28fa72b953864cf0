package dev.calve.puffin;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.io.InvalidTableException;
import dev.calve.io.MemoryStorage;
import dev.calve.io.RequestLog.Request;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class PuffinReaderTest {

    private static final String FILE = "memory:/t/a.puffin";

    private final MemoryStorage storage = new MemoryStorage();

    @Test
    void readsThePeersEmptyFile() throws IOException {
        storage.put(FILE, puffin("", "{\"blobs\":[]}"));

        try (var reader = PuffinReader.open(storage.input(FILE))) {
            assertThat(reader.blobs()).isEmpty();
            assertThat(reader.properties()).isEmpty();
            assertThat(reader.footerSize()).isEqualTo(28);
        }
    }

    @Test
    void readsThePeersUncompressedSample() throws IOException {
        storage.put(FILE, PuffinSamples.uncompressed());

        try (var reader = PuffinReader.open(storage.input(FILE))) {
            assertThat(reader.properties()).isEqualTo(Map.of("created-by", "Test 1234"));
            assertThat(reader.blobs())
                    .containsExactly(
                            new BlobMetadata("some-blob", List.of(1), 2, 1, 4, 9, Optional.empty(), Map.of()),
                            new BlobMetadata("some-other-blob", List.of(2), 2, 1, 13, 83, Optional.empty(), Map.of()));
            assertThat(reader.read(reader.blobs().get(0))).isEqualTo(PuffinSamples.FIRST);
            assertThat(reader.read(reader.blobs().get(1))).isEqualTo(PuffinSamples.SECOND);
        }
    }

    @Test
    void readsThePeersCompressedSample() throws IOException {
        storage.put(FILE, PuffinSamples.compressed());

        try (var reader = PuffinReader.open(storage.input(FILE))) {
            assertThat(reader.footerSize()).isEqualTo(314);
            assertThat(reader.blobs())
                    .containsExactly(
                            new BlobMetadata("some-blob", List.of(1), 2, 1, 4, 22, Optional.of("zstd"), Map.of()),
                            new BlobMetadata(
                                    "some-other-blob", List.of(2), 2, 1, 26, 77, Optional.of("zstd"), Map.of()));
            assertThat(reader.read(reader.blobs().get(0))).isEqualTo(PuffinSamples.FIRST);
            assertThat(reader.read(reader.blobs().get(1))).isEqualTo(PuffinSamples.SECOND);
        }
    }

    @Test
    void spendsTwoReadsOnASmallFooterAndOneOnABlob() throws IOException {
        storage.put(FILE, PuffinSamples.uncompressed());

        try (var reader = PuffinReader.open(storage.input(FILE, 355))) {
            assertThat(storage.requests().count(Request.READ)).isEqualTo(2);
            reader.read(reader.blobs().get(0));
        }

        assertThat(storage.requests().count(Request.READ)).isEqualTo(3);
        assertThat(storage.requests().count(Request.OPEN)).isEqualTo(1);
        assertThat(storage.requests().count(Request.LENGTH)).isZero();
    }

    @Test
    void readsAFooterThatIsLargerThanTheFirstRead() throws IOException {
        var value = "v".repeat(100_000);
        storage.put(FILE, puffin("abc", "{\"blobs\":[],\"properties\":{\"k\":\"" + value + "\"}}"));

        try (var reader = PuffinReader.open(storage.input(FILE))) {
            assertThat(reader.properties()).isEqualTo(Map.of("k", value));
        }
    }

    @Test
    void ignoresFieldsItDoesNotKnow() throws IOException {
        storage.put(
                FILE,
                puffin(
                        "abc",
                        "{\"new\":1,\"blobs\":[{\"type\":\"t\",\"fields\":[],\"snapshot-id\":-1,\"sequence-number\":-1,"
                                + "\"offset\":5,\"length\":2,\"new\":{},\"compression-codec\":null,\"properties\":null}]}"));

        try (var reader = PuffinReader.open(storage.input(FILE))) {
            assertThat(reader.read(reader.blobs().get(0))).isEqualTo("bc".getBytes(UTF_8));
        }
    }

    @Test
    void refusesMetadataThatIsNotAsSpecified() {
        var good = "{\"type\":\"t\",\"fields\":[1],\"snapshot-id\":2,\"sequence-number\":1,\"offset\":4,\"length\":3}";
        assertRefused("{\"blobs\":[" + good + "]", "must be JSON");
        assertRefused("{\"blobs\":[" + good + "]} x", "must be JSON");
        assertRefused("{\"blobs\":[],\"blobs\":[]}", "must be JSON");
        assertRefused("", "'blobs' must be an array, but is missing");
        assertRefused("[]", "'blobs' must be an array, but is missing");
        assertRefused("{\"blobs\":{}}", "'blobs' must be an array, but is {}");
        assertRefused(blobs(good.replace("\"t\"", "7")), "'type' must be a string, but is 7");
        assertRefused(blobs(good.replace("\"t\"", "\"\"")), "'type' must be a name, but is ''");
        assertRefused(blobs(good.replace("[1]", "[\"1\"]")), "'fields' must hold field ids, but holds \"1\"");
        assertRefused(blobs(good.replace("[1]", "[9999999999]")), "'fields' must hold field ids");
        assertRefused(
                blobs(good.replace("\"snapshot-id\":2,", "")), "'snapshot-id' must be a 64-bit number, but is missing");
        assertRefused(blobs(good.replace("number\":1", "number\":1.5")), "'sequence-number' must be a 64-bit number");
        assertRefused(
                blobs(good.replace("offset\":4", "offset\":3")), "between 4 and 7, but one has offset 3 and length 3");
        assertRefused(
                blobs(good.replace("length\":3", "length\":4")), "between 4 and 7, but one has offset 4 and length 4");
        assertRefused(blobs(good.replace("length\":3", "length\":-1")), "length -1");
        assertRefused(blobs(good.replace("offset\":4", "offset\":9223372036854775807")), "offset 9223372036854775807");
        assertRefused(blobs(good.replace("3}", "3,\"properties\":[]}")), "'properties' must be an object, but is []");
        assertRefused(blobs(good.replace("3}", "3,\"properties\":{\"a\":1}}")), "'a' must be a string, but is 1");
        assertRefused(blobs(good.replace("3}", "3,\"compression-codec\":1}")), "'compression-codec' must be a string");
    }

    @Test
    void refusesEveryTruncation() {
        var whole = PuffinSamples.uncompressed();
        for (int length = 0; length < whole.length; length++) {
            storage.put(FILE, Arrays.copyOf(whole, length));
            assertThatThrownBy(() -> PuffinReader.open(storage.input(FILE)))
                    .as("%s bytes", length)
                    .isInstanceOf(InvalidTableException.class)
                    .hasMessageContaining(FILE);
        }
    }

    @Test
    void refusesAFileThatIsShorterThanItsManifestSays() {
        storage.put(FILE, PuffinSamples.uncompressed());

        assertThatThrownBy(() -> PuffinReader.open(storage.input(FILE, 400)))
                .isInstanceOf(InvalidTableException.class)
                .hasMessageContaining("must have at least 400 bytes");
    }

    @Test
    void refusesDamagedFraming() {
        assertDamaged(0, 'X', "its start must be 50464131, but is 58464131");
        assertDamaged(96, 'X', "its start of the footer must be 50464131");
        assertDamaged(354, 'X', "its end must be 50464131, but is 50464158");
        assertDamaged(346, 0x80, "its payload must fit into the file's 355 bytes, but is said to have -2147483405");
        assertDamaged(344, 0x10, "its payload must fit into the file's 355 bytes");
        assertDamaged(347, 2, "its flags must be 0 or 1, but are 2");
        assertDamaged(350, 1, "its flags must be 0 or 1, but are 16777216");
    }

    @Test
    void namesLz4WhenItRefusesAFooter() {
        var bytes = PuffinSamples.uncompressed();
        bytes[347] = 1;
        storage.put(FILE, bytes);

        assertThatThrownBy(() -> PuffinReader.open(storage.input(FILE)))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessage("LZ4 compression of Puffin footers is not supported: " + FILE + " has one.");
    }

    @Test
    void refusesCodecsByName() throws IOException {
        storage.put(FILE, PuffinSamples.compressed());
        try (var reader = PuffinReader.open(storage.input(FILE))) {
            assertThatThrownBy(() -> reader.read(withCodec(reader.blobs().get(0), "lz4")))
                    .isInstanceOf(UnsupportedOperationException.class)
                    .hasMessageContaining("LZ4");
            assertThatThrownBy(() -> reader.read(withCodec(reader.blobs().get(0), "snappy")))
                    .isInstanceOf(InvalidTableException.class)
                    .hasMessageContaining("[4, 26)")
                    .hasMessageContaining("but has 'snappy'");
        }
    }

    @Test
    void refusesDamagedFrames() throws IOException {
        // The frame of the second blob ends in a checksum, so every damage shows.
        for (int at = 26; at < 103; at++) {
            var bytes = PuffinSamples.compressed();
            bytes[at] ^= 0x40;
            storage.put(FILE, bytes);
            try (var reader = PuffinReader.open(storage.input(FILE))) {
                assertThatThrownBy(() -> reader.read(reader.blobs().get(1)))
                        .as("byte %s", at)
                        .isInstanceOf(InvalidTableException.class)
                        .hasMessageContaining("Puffin blob 'some-other-blob' at " + FILE + "[26, 103) is corrupt");
            }
        }
    }

    @Test
    void allocatesNothingForASizeThatCannotBe() throws IOException {
        // The header of a frame without checksum that states 2^31 - 17 bytes, then an empty last block.
        var frame = HexFormat.of().parseHex("28b52ffd" + "a0" + "efffff7f" + "010000");
        try (var writer = PuffinWriter.create(storage, FILE, "test")) {
            writer.add(new BlobSpec("a", List.of(), 1, 1, Optional.empty(), Map.of()), frame);
            writer.finish();
        }
        try (var reader = PuffinReader.open(storage.input(FILE))) {
            assertThatThrownBy(() -> reader.read(withCodec(reader.blobs().get(0), "zstd")))
                    .isInstanceOf(InvalidTableException.class)
                    .hasMessageContaining("a size from 0 to 393216, but states 2147483631");
        }
    }

    @Test
    void refusesAFrameOfNoBytes() throws IOException {
        try (var writer = PuffinWriter.create(storage, FILE, "test")) {
            writer.add(new BlobSpec("a", List.of(), 1, 1, Optional.empty(), Map.of()), new byte[0]);
            writer.finish();
        }
        try (var reader = PuffinReader.open(storage.input(FILE))) {
            assertThatThrownBy(() -> reader.read(withCodec(reader.blobs().get(0), "zstd")))
                    .isInstanceOf(InvalidTableException.class)
                    .hasMessageContaining(FILE)
                    .hasMessageContaining("has no bytes");
        }
    }

    @Test
    void refusesBytesBehindAFrame() throws IOException {
        storage.put(FILE, PuffinSamples.compressed());
        try (var reader = PuffinReader.open(storage.input(FILE))) {
            var first = reader.blobs().get(0);
            var both = new BlobMetadata("both", List.of(), 1, 1, 4, 99, first.compressionCodec(), Map.of());
            assertThatThrownBy(() -> reader.read(both))
                    .isInstanceOf(InvalidTableException.class)
                    .hasMessageContaining("Puffin blob 'both' at " + FILE + "[4, 103) is corrupt");
        }
    }

    @Test
    void failsWhenTheFileIsGone() {
        assertThatThrownBy(() -> PuffinReader.open(storage.input(FILE))).isInstanceOf(FileNotFoundException.class);
    }

    private void assertRefused(String json, String message) {
        storage.put(FILE, puffin("abc", json));
        assertThatThrownBy(() -> PuffinReader.open(storage.input(FILE)))
                .as(json)
                .isInstanceOf(InvalidTableException.class)
                .hasMessageContaining("Footer of Puffin file " + FILE + " is corrupt")
                .hasMessageContaining(message);
    }

    private void assertDamaged(int at, int value, String message) {
        var bytes = PuffinSamples.uncompressed();
        bytes[at] = (byte) value;
        storage.put(FILE, bytes);
        assertThatThrownBy(() -> PuffinReader.open(storage.input(FILE)))
                .isInstanceOf(InvalidTableException.class)
                .hasMessageContaining(FILE)
                .hasMessageContaining(message);
    }

    private static String blobs(String blob) {
        return "{\"blobs\":[" + blob + "]}";
    }

    private static BlobMetadata withCodec(BlobMetadata blob, String codec) {
        return new BlobMetadata(
                blob.type(),
                blob.fields(),
                blob.snapshotId(),
                blob.sequenceNumber(),
                blob.offset(),
                blob.length(),
                Optional.of(codec),
                blob.properties());
    }

    private static byte[] puffin(String blobs, String json) {
        byte[] payload = json.getBytes(UTF_8);
        var buffer =
                ByteBuffer.allocate(8 + blobs.length() + payload.length + 12).order(ByteOrder.LITTLE_ENDIAN);
        buffer.put("PFA1".getBytes(UTF_8)).put(blobs.getBytes(UTF_8));
        buffer.put("PFA1".getBytes(UTF_8))
                .put(payload)
                .putInt(payload.length)
                .putInt(0)
                .put("PFA1".getBytes(UTF_8));
        return buffer.array();
    }
}
