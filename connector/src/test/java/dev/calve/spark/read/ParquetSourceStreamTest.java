package dev.calve.spark.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.Randomly;
import dev.calve.spark.read.ParquetFixture.MemoryFile;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import org.apache.parquet.bytes.HeapByteBufferAllocator;
import org.apache.parquet.io.ParquetFileRange;
import org.apache.parquet.io.SeekableInputStream;
import org.junit.jupiter.api.Test;

class ParquetSourceStreamTest {

    private final MemoryFile file = new MemoryFile("memory:///a", counting(2_000_000));

    @Test
    void readsNearbyChunksTogetherAndFarOnesApart() throws IOException {
        var ranges = List.of(
                new ParquetFileRange(900_000, 1_000),
                new ParquetFileRange(1_000, 5_000),
                new ParquetFileRange(6_000 + ParquetSourceStream.GAP_BYTES, 10));

        stream(file).readVectored(ranges, HeapByteBufferAllocator.getInstance());

        assertThat(file.reads).containsExactly("1000+" + (5_010 + ParquetSourceStream.GAP_BYTES), "900000+1000");
        for (var range : ranges) {
            assertThat(range.getDataReadFuture()).isCompleted();
            ByteBuffer bytes = range.getDataReadFuture().join();
            assertThat(bytes.remaining()).isEqualTo(range.getLength());
            for (int i = 0; i < range.getLength(); i++) {
                assertThat(bytes.get()).isEqualTo(file.bytes[(int) range.getOffset() + i]);
            }
        }
    }

    @Test
    void readsTheTailOnceForAllThatLooksIntoIt() throws IOException {
        var stream = stream(file);
        var four = new byte[4];

        stream.seek(file.bytes.length - 8);
        stream.readFully(four);
        assertThat(stream.read()).isEqualTo(file.bytes[file.bytes.length - 4] & 0xff);
        stream.seek(file.bytes.length - 100_000);
        stream.readFully(ByteBuffer.allocate(50_000));

        assertThat(file.reads)
                .containsExactly(
                        (file.bytes.length - ParquetSourceStream.TAIL_BYTES) + "+" + ParquetSourceStream.TAIL_BYTES);
    }

    @Test
    void readsASmallFileWithOneRequest() throws IOException {
        var small = new MemoryFile("memory:///b", counting(10_000));
        var stream = stream(small);

        stream.seek(9_992);
        stream.readFully(new byte[8]);
        stream.seek(4);
        stream.readFully(new byte[9_000]);

        assertThat(small.reads).containsExactly("0+10000");
    }

    @Test
    void refusesToReadOrSeekBeyondTheEnd() throws IOException {
        var stream = stream(file);
        stream.seek(file.bytes.length - 3);

        assertThatThrownBy(() -> stream.readFully(new byte[4])).isInstanceOf(EOFException.class);
        assertThatThrownBy(() -> stream.seek(file.bytes.length + 1L)).isInstanceOf(EOFException.class);
        assertThatThrownBy(() -> stream.readVectored(
                        List.of(new ParquetFileRange(file.bytes.length - 3L, 4)),
                        HeapByteBufferAllocator.getInstance()))
                .isInstanceOf(EOFException.class);
        assertThat(stream.read(new byte[10])).isEqualTo(3);
        assertThat(stream.read()).isEqualTo(-1);
        assertThat(stream.read(new byte[10])).isEqualTo(-1);
    }

    @Test
    void returnsTheBytesOfTheFileForAnySequenceOfReads() {
        Randomly.check(50, random -> {
            var data = new MemoryFile("memory:///c", counting(random.intBetween(1, 400_000)));
            var stream = stream(data);
            for (int i = 0; i < 50; i++) {
                int position = random.intBelow(data.bytes.length + 1);
                int count = random.intBelow(Math.min(data.bytes.length - position, random.yes() ? 40_000 : 20) + 1);
                stream.seek(position);
                var target = random.yes() ? ByteBuffer.allocate(count + 3) : ByteBuffer.allocateDirect(count + 3);
                target.position(2).limit(2 + count);
                stream.readFully(target);

                assertThat(target.hasRemaining()).isFalse();
                assertThat(stream.getPos()).isEqualTo(position + count);
                var read = new byte[count];
                target.position(2);
                target.get(read);
                assertThat(read).isEqualTo(Arrays.copyOfRange(data.bytes, position, position + count));
            }
        });
    }

    private static SeekableInputStream stream(MemoryFile file) throws IOException {
        return new ParquetSource(file).newStream();
    }

    private static byte[] counting(int length) {
        var bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) (i * 31 + i / 251);
        }
        return bytes;
    }
}
