package dev.calve.manifest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.io.InvalidTableException;
import dev.calve.io.MemoryStorage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.Deflater;
import org.apache.avro.Schema;
import org.apache.avro.file.CodecFactory;
import org.apache.avro.file.DataFileWriter;
import org.apache.avro.generic.GenericDatumWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AvroBlocksTest {

    private static final String LOCATION = "memory:/a.avro";
    private static final byte[] MARKER = "0123456789abcdef".getBytes(java.nio.charset.StandardCharsets.US_ASCII);

    private final MemoryStorage storage = new MemoryStorage();

    /** Writes texts with Avro's own library, a block for each count of them. */
    private static byte[] file(CodecFactory codec, List<List<String>> blocks) throws IOException {
        var bytes = new ByteArrayOutputStream();
        try (var out = new DataFileWriter<String>(new GenericDatumWriter<>())) {
            out.setCodec(codec);
            out.create(Schema.create(Schema.Type.STRING), bytes, MARKER);
            for (List<String> block : blocks) {
                for (String text : block) {
                    out.append(text);
                }
                out.sync();
            }
        }
        return bytes.toByteArray();
    }

    private List<String> read(byte[] file) throws IOException {
        storage.put(LOCATION, file);
        var texts = new ArrayList<String>();
        try (AvroInput<String> in =
                AvroInput.open("File", storage.input(LOCATION), opened -> BlockDecoder::readString)) {
            while (in.hasNext()) {
                texts.add(in.next());
            }
        }
        return texts;
    }

    @ParameterizedTest
    @ValueSource(strings = {"null", "deflate", "snappy", "zstandard"})
    void readsBlocksOfEveryCodecThatManifestsHave(String codec) throws IOException {
        String large = "large ".repeat(100_000);
        byte[] file = file(
                CodecFactory.fromString(codec), List.of(List.of("a", "b"), List.of(), List.of(large), List.of("c")));

        assertThat(read(file)).containsExactly("a", "b", large, "c");
    }

    @ParameterizedTest
    @ValueSource(strings = {"null", "deflate"})
    void readsAFileWithoutBlocks(String codec) throws IOException {
        assertThat(read(file(CodecFactory.fromString(codec), List.of()))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"null", "deflate"})
    void noticesEveryTruncationThatIsNotAtTheEndOfABlock(String codec) throws IOException {
        byte[] one = file(CodecFactory.fromString(codec), List.of(List.of("a", "b")));
        byte[] two = file(CodecFactory.fromString(codec), List.of(List.of("a", "b"), List.of("c")));
        int header = file(CodecFactory.fromString(codec), List.of()).length;
        for (int length = 0; length < two.length; length++) {
            byte[] cut = Arrays.copyOf(two, length);
            if (length == header || length == one.length) {
                assertThat(read(cut)).isEqualTo(length == header ? List.of() : List.of("a", "b"));
            } else {
                assertThatThrownBy(() -> read(cut))
                        .as("%s bytes", length)
                        .isInstanceOf(InvalidTableException.class)
                        .hasMessageContaining(LOCATION);
            }
        }
    }

    /** A file whose only block has this head and content. */
    private static byte[] deflated(long[] head, byte[] content, byte[] marker) throws IOException {
        return block("deflate", head, content, marker);
    }

    private static byte[] block(String codec, long[] head, byte[] content, byte[] marker) throws IOException {
        var bytes = new ByteArrayOutputStream();
        bytes.write(file(CodecFactory.fromString(codec), List.of()));
        var out = org.apache.avro.io.EncoderFactory.get().directBinaryEncoder(bytes, null);
        for (long number : head) {
            out.writeLong(number);
        }
        bytes.write(content);
        bytes.write(marker);
        return bytes.toByteArray();
    }

    /** Avro itself would allocate as much as the numbers say. */
    @ParameterizedTest
    @ValueSource(strings = {"null", "snappy", "zstandard"})
    void believesNoBlockThatItIsLargerThanTheFile(String codec) throws IOException {
        assertRefused(block(codec, new long[] {1, 1_500_000_000}, new byte[30], MARKER), "must fit into the file");
        assertRefused(block(codec, new long[] {1, -30}, new byte[30], MARKER), "must fit into the file");
    }

    @Test
    void believesNoSnappyBlockThatItBecomesLargerThanItCan() throws IOException {
        byte[] content = {-1, -1, -1, -1, 5, 0, 0, 0, 0, 0};

        assertRefused(block("snappy", new long[] {1, content.length}, content, MARKER), "said to hold 1610612735");
    }

    private static byte[] deflate(byte[] content) {
        return deflate(content, new Deflater(6, true));
    }

    private static byte[] zlib(byte[] content) {
        return deflate(content, new Deflater(6));
    }

    private static byte[] deflate(byte[] content, Deflater deflater) {
        deflater.setInput(content);
        deflater.finish();
        var out = new byte[100];
        int length = deflater.deflate(out);
        deflater.end();
        return Arrays.copyOf(out, length);
    }

    private void assertRefused(byte[] file, String why) {
        assertThatThrownBy(() -> read(file))
                .isInstanceOf(InvalidTableException.class)
                .hasMessageContaining(LOCATION)
                .hasMessageContaining(why);
    }

    /** As Apache Iceberg for Python and other Avro libraries of Python do: {@code zlib.compress(data)[2:-1]}. */
    @Test
    void readsBlocksWithWhatPythonLeavesOfTheChecksum() throws IOException {
        byte[] content = zlib(new byte[] {2, 'a'});
        byte[] written = Arrays.copyOfRange(content, 2, content.length - 1);

        assertThat(read(deflated(new long[] {1, written.length}, written, MARKER)))
                .containsExactly("a");
    }

    /** As Apache Iceberg for Python writes the list of a table without files. */
    @Test
    void readsABlockWithoutRecords() throws IOException {
        byte[] content = zlib(new byte[0]);
        byte[] written = Arrays.copyOfRange(content, 2, content.length - 1);
        byte[] empty = deflated(new long[] {0, written.length}, written, MARKER);
        byte[] some = deflated(new long[] {1, 4}, deflate(new byte[] {2, 'a'}), MARKER);
        int header = file(CodecFactory.deflateCodec(1), List.of()).length;
        byte[] both = Arrays.copyOf(empty, empty.length + some.length - header);
        System.arraycopy(some, header, both, empty.length, some.length - header);

        assertThat(read(empty)).isEmpty();
        assertThat(read(both)).containsExactly("a");
    }

    @Test
    void refusesBlocksThatAreNotWhatTheySay() throws IOException {
        byte[] content = deflate(new byte[] {2, 'a'});
        int size = content.length;
        byte[] shorter = Arrays.copyOf(content, size - 1);

        assertThat(read(deflated(new long[] {1, size}, content, MARKER))).containsExactly("a");
        assertRefused(deflated(new long[] {1, size}, content, new byte[16]), "marker");
        assertRefused(deflated(new long[] {0, size}, content, MARKER), "0 records must be empty");
        assertRefused(deflated(new long[] {-1, size}, content, MARKER), "-1 records");
        assertRefused(deflated(new long[] {1, -1}, content, MARKER), "-1 bytes");
        assertRefused(deflated(new long[] {2, size}, content, MARKER), "not end it");
        assertRefused(deflated(new long[] {1, Long.MAX_VALUE}, content, MARKER), "where a block ends");
        assertRefused(deflated(new long[] {1, size - 1}, shorter, MARKER), "ends early");
        assertRefused(deflated(new long[] {1, 3}, new byte[] {7, 7, 7}, MARKER), "inflated");
        assertRefused(deflated(new long[] {1, 0}, new byte[0], MARKER), "ends early");
    }
}
