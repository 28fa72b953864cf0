package dev.calve.parquet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.luben.zstd.Zstd;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.parquet.bytes.BytesInput;
import org.apache.parquet.hadoop.CodecFactory;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ZstdPagesTest {

    private final CodecFactory parquet = new CodecFactory(new Configuration(false), 0);
    private final ZstdPages pages = new ZstdPages(parquet.getDecompressor(CompressionCodecName.ZSTD));

    @AfterEach
    void release() {
        pages.release();
        parquet.release();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 1000, 1 << 20, (8 << 20) + 1})
    void returnsWhatParquetJavaCompressed(int size) throws IOException {
        byte[] plain = plain(size);
        BytesInput stored = parquet.getCompressor(CompressionCodecName.ZSTD).compress(BytesInput.from(plain));

        assertThat(bytes(pages.decompress(BytesInput.from(bytes(stored)), size)))
                .isEqualTo(plain);
    }

    @Test
    void readsBytesInTheMiddleOfABufferAndInSeveralBuffers() throws IOException {
        byte[] plain = plain(5000);
        byte[] stored = Zstd.compress(plain);
        var around = new byte[stored.length + 20];
        System.arraycopy(stored, 0, around, 7, stored.length);
        ByteBuffer middle = ByteBuffer.wrap(around, 7, stored.length).slice();
        ByteBuffer direct = ByteBuffer.allocateDirect(stored.length).put(stored).flip();
        ByteBuffer head = ByteBuffer.wrap(stored, 0, 100);
        ByteBuffer rest = ByteBuffer.wrap(stored, 100, stored.length - 100);

        for (BytesInput bytes :
                List.of(BytesInput.from(middle), BytesInput.from(direct), BytesInput.from(List.of(head, rest)))) {
            assertThat(bytes(pages.decompress(bytes, plain.length))).isEqualTo(plain);
        }
        assertThat(head.position()).isZero();
    }

    @Test
    void readsAPageOfSeveralFrames() throws IOException {
        byte[] plain = plain(3000);
        byte[] first = Zstd.compress(Arrays.copyOf(plain, 1000));
        byte[] second = Zstd.compress(Arrays.copyOfRange(plain, 1000, 3000));

        assertThat(bytes(pages.decompress(BytesInput.concat(BytesInput.from(first), BytesInput.from(second)), 3000)))
                .isEqualTo(plain);
    }

    @Test
    void answersAsParquetJavaWhereTheHeaderIsWrong() throws IOException {
        byte[] plain = plain(3000);
        byte[] stored = Zstd.compress(plain);

        assertThat(bytes(pages.decompress(BytesInput.from(stored), 2000))).isEqualTo(Arrays.copyOf(plain, 2000));
        assertThatThrownBy(() -> pages.decompress(BytesInput.from(stored), 3001))
                .isInstanceOf(IOException.class);
    }

    @Test
    void failsWithAnExceptionForAnythingElse() {
        var random = new Random(7);
        byte[] stored = Zstd.compress(plain(3000));
        for (int i = 0; i < 1000; i++) {
            byte[] corrupt = i % 2 == 0 ? Arrays.copyOf(stored, random.nextInt(stored.length)) : new byte[i];
            if (i % 2 == 1) {
                random.nextBytes(corrupt);
            }
            assertThatThrownBy(() -> pages.decompress(BytesInput.from(corrupt), 3000))
                    .as("case %d", i)
                    .isInstanceOf(IOException.class);
        }
    }

    @Test
    void canBeReleasedAtAnyTime() throws IOException {
        byte[] plain = plain(100);
        BytesInput stored = BytesInput.from(Zstd.compress(plain));
        pages.release();
        pages.decompress(stored, 100);
        pages.release();
        pages.release();

        assertThat(bytes(pages.decompress(stored, 100))).isEqualTo(plain);
    }

    private static byte[] bytes(BytesInput input) throws IOException {
        return input.toInputStream().readAllBytes();
    }

    /** Half of it compresses, half does not. */
    private static byte[] plain(int size) {
        var bytes = new byte[size];
        new Random(size).nextBytes(bytes);
        Arrays.fill(bytes, 0, size / 2, (byte) 7);
        return bytes;
    }
}
