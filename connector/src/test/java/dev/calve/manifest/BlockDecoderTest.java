package dev.calve.manifest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.Randomly;
import dev.calve.io.InvalidTableException;
import dev.calve.schema.Bytes;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.Decoder;
import org.apache.avro.io.EncoderFactory;
import org.apache.avro.util.Utf8;
import org.junit.jupiter.api.Test;

class BlockDecoderTest {

    /** Values of every kind, in one order. */
    private record Values(
            int number, long wide, float real, double wideReal, boolean flag, String text, Bytes bytes, Bytes fixed) {

        static Values random(Randomly random) {
            long[] wides = {0, -1, 1, 63, 64, -64, -65, Long.MAX_VALUE, Long.MIN_VALUE, random.anyLong()};
            int[] numbers = {0, -1, 8191, 8192, Integer.MAX_VALUE, Integer.MIN_VALUE, (int) random.anyLong()};
            var bytes = new byte[random.intBelow(200)];
            Arrays.fill(bytes, (byte) random.anyLong());
            return new Values(
                    numbers[random.intBelow(numbers.length)],
                    wides[random.intBelow(wides.length)],
                    Float.intBitsToFloat((int) random.anyLong()),
                    random.anyLong() / 3.0,
                    random.yes(),
                    "tä€𝄞".repeat(random.intBelow(40)),
                    Bytes.wrap(bytes),
                    Bytes.wrap(new byte[] {1, 2, 3}));
        }

        void write(BinaryEncoder out) throws IOException {
            out.writeInt(number);
            out.writeLong(wide);
            out.writeFloat(real);
            out.writeDouble(wideReal);
            out.writeBoolean(flag);
            out.writeString(text);
            out.writeBytes(bytes.toBuffer());
            out.writeFixed(fixed.toArray());
            out.writeIndex(1);
            out.writeEnum(2);
        }

        List<Object> read(Decoder in) throws IOException {
            var read = new ArrayList<Object>(List.of(
                    in.readInt(),
                    in.readLong(),
                    Float.floatToRawIntBits(in.readFloat()),
                    in.readDouble(),
                    in.readBoolean(),
                    in.readString(),
                    in.readBytes(null)));
            var three = new byte[3];
            in.readFixed(three);
            read.add(ByteBuffer.wrap(three));
            read.add(in.readIndex());
            read.add(in.readEnum());
            return read;
        }
    }

    private interface Encoding {
        void write(BinaryEncoder out) throws IOException;
    }

    private static byte[] encoded(Encoding encoding) throws IOException {
        var bytes = new ByteArrayOutputStream();
        BinaryEncoder out = EncoderFactory.get().binaryEncoder(bytes, null);
        encoding.write(out);
        out.flush();
        return bytes.toByteArray();
    }

    @Test
    void readsWhatAvroWrote() {
        Randomly.check(300, random -> {
            Values values = Values.random(random);
            byte[] bytes = encoded(values::write);
            var in = BlockDecoder.of(bytes);

            assertThat(values.read(in))
                    .containsExactly(
                            values.number,
                            values.wide,
                            Float.floatToRawIntBits(values.real),
                            values.wideReal,
                            values.flag,
                            values.text,
                            values.bytes.toBuffer(),
                            values.fixed.toBuffer(),
                            1,
                            2);
            assertThat(in.isEnd()).isTrue();
            assertThat(in.position()).isEqualTo(bytes.length);
        });
    }

    @Test
    void passesOverWhatItCouldRead() throws IOException {
        byte[] bytes = encoded(out -> {
            out.writeLong(Long.MIN_VALUE);
            out.writeInt(-5);
            out.writeString(new Utf8("text"));
            out.writeBytes(new byte[300]);
            out.writeFixed(new byte[7]);
            out.writeInt(42);
        });
        var in = BlockDecoder.of(bytes);
        in.readNull();
        in.skipLong();
        in.skipLong();
        in.skipString();
        in.skipBytes();
        in.skipFixed(7);

        assertThat(in.isEnd()).isFalse();
        assertThat(in.readInt()).isEqualTo(42);
        assertThat(in.isEnd()).isTrue();
    }

    @Test
    void readsAStringAsAvrosOwnClassToo() throws IOException {
        Utf8 read = BlockDecoder.of(encoded(out -> out.writeString("ä"))).readString(null);

        assertThat((Object) read).isEqualTo(new Utf8("ä"));
    }

    /** Two items, then one, then two with their length in bytes before them. Spec of Avro: Arrays. */
    private static final byte[] ARRAY = {4, 2, 4, 2, 6, 3, 4, 8, 10, 0, 99};

    @Test
    void readsArraysInSeveralBlocks() throws IOException {
        var in = BlockDecoder.of(ARRAY);
        var items = new ArrayList<Integer>();
        for (long count = in.readArrayStart(); count > 0; count = in.arrayNext()) {
            for (long i = 0; i < count; i++) {
                items.add(in.readInt());
            }
        }

        assertThat(items).containsExactly(1, 2, 3, 4, 5);
        assertThat(in.position()).isEqualTo(10);
        in = BlockDecoder.of(ARRAY);
        assertThat(List.of(in.readMapStart(), in.readInt(), in.readInt(), in.mapNext()))
                .containsExactly(2L, 1, 2, 1L);
    }

    @Test
    void passesOverBlocksOfAnArrayThatSayTheirLength() throws IOException {
        var in = BlockDecoder.of(ARRAY);
        assertThat(in.skipArray()).isEqualTo(2);
        in.skipFixed(2);
        assertThat(in.skipArray()).isEqualTo(1);
        in.skipFixed(1);
        assertThat(in.skipMap()).isZero();
        assertThat(in.position()).isEqualTo(10);
        assertThat(BlockDecoder.of(ARRAY).skipMap()).isEqualTo(2);
    }

    /** Avro does not ask for the shortest form of a number, and its own library reads the longer ones. */
    @Test
    void readsNumbersThatAreEncodedLongerThanNeedBe() throws IOException {
        byte[] zeroThenSeven = {(byte) 0x80, (byte) 0x80, 0, (byte) 0x8e, 0};
        var in = BlockDecoder.of(zeroThenSeven);
        assertThat(List.of(in.readLong(), in.readLong())).containsExactly(0L, 7L);
        assertThat(in.isEnd()).isTrue();

        in = BlockDecoder.of(zeroThenSeven);
        in.skipLong();
        assertThat(in.readInt()).isEqualTo(7);
    }

    @Test
    void noticesWhereverTheBytesEnd() {
        Randomly.check(5, random -> {
            Values values = Values.random(random);
            byte[] bytes = encoded(values::write);
            for (int length = 0; length < bytes.length; length++) {
                var in = BlockDecoder.of(bytes, 0, length);
                assertThatThrownBy(() -> values.read(in)).isInstanceOf(EOFException.class);
            }
        });
        assertThatThrownBy(() -> BlockDecoder.of(new byte[] {-1}).skipLong()).isInstanceOf(EOFException.class);
        assertThatThrownBy(() -> BlockDecoder.of(new byte[] {4, 1}).skipBytes()).isInstanceOf(EOFException.class);
        assertThatThrownBy(() -> BlockDecoder.of(new byte[] {1, 98}).skipArray())
                .isInstanceOf(EOFException.class);
    }

    /** Otherwise a damaged count of items that take no bytes would keep a reader busy for ever. */
    @Test
    void anArrayHasNoMoreItemsThanBytes() throws IOException {
        for (long count : new long[] {4, -4, Long.MAX_VALUE}) {
            byte[] array = encoded(out -> {
                out.writeLong(count);
                if (count < 0) {
                    out.writeLong(3);
                }
                out.writeFixed(new byte[3]);
            });
            assertThatThrownBy(() -> BlockDecoder.of(array).readArrayStart()).isInstanceOf(EOFException.class);
            if (count > 0) {
                assertThatThrownBy(() -> BlockDecoder.of(array).skipArray()).isInstanceOf(EOFException.class);
            }
        }
        byte[] three = encoded(out -> {
            out.writeLong(3);
            out.writeFixed(new byte[3]);
        });
        assertThat(BlockDecoder.of(three).readArrayStart()).isEqualTo(3);
    }

    @Test
    void refusesBytesThatEncodeNothing() throws IOException {
        byte[] endless = {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 1};
        byte[] wide = encoded(out -> out.writeLong(1L + Integer.MAX_VALUE));
        byte[] negative = encoded(out -> out.writeLong(-1));
        byte[] lowest = encoded(out -> out.writeLong(Long.MIN_VALUE));

        assertThatThrownBy(() -> BlockDecoder.of(endless).readLong()).isInstanceOf(InvalidTableException.class);
        assertThatThrownBy(() -> BlockDecoder.of(endless).skipLong()).isInstanceOf(InvalidTableException.class);
        assertThatThrownBy(() -> BlockDecoder.of(wide).readInt()).isInstanceOf(InvalidTableException.class);
        assertThatThrownBy(() -> BlockDecoder.of(negative).readString()).isInstanceOf(InvalidTableException.class);
        assertThatThrownBy(() -> BlockDecoder.of(negative).skipBytes()).isInstanceOf(InvalidTableException.class);
        var start = BlockDecoder.of(Arrays.copyOf(lowest, lowest.length + 1));
        assertThatThrownBy(start::readArrayStart).isInstanceOf(ArithmeticException.class);
    }

    @Test
    void decodesPartOfABuffer() throws IOException {
        byte[] bytes = {9, 2, 4, 6, 9};
        ByteBuffer part = ByteBuffer.wrap(bytes, 0, 4).slice(1, 3);
        part.get();
        var in = BlockDecoder.of(part);

        assertThat(in.readInt()).isEqualTo(2);
        assertThat(in.copy(1, in.position())).containsExactly(2, 4);
        assertThat(in.readInt()).isEqualTo(3);
        assertThat(in.isEnd()).isTrue();
        assertThatThrownBy(in::readInt).isInstanceOf(EOFException.class);
    }
}
