package dev.calve.deletes;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.Randomly;
import dev.calve.io.InvalidTableException;
import dev.calve.io.MemoryStorage;
import dev.calve.io.RequestLog.Request;
import dev.calve.puffin.PuffinReader;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class VectorFileTest {

    private static final String FILE = "memory:/t/data/deletes.puffin";
    private static final String DATA = "memory:/t/data/a.parquet";

    /** The reference implementation's vector of positions 1, 3, 5, 7, 9. */
    private static final String VECTOR =
            "0000002ad1d339640100000000000000000000003a30000001000000000004001000000001000300050007000900b3fb20be";

    private final MemoryStorage storage = new MemoryStorage();

    @Test
    void writesTheBytesTheSpecificationGives() throws IOException {
        try (var writer = VectorFileWriter.create(storage, FILE, "test 1")) {
            assertThat(writer.add(DATA, PositionBitmap.of(1, 3, 5, 7, 9)))
                    .isEqualTo(new VectorSlice(FILE, 4, 50, DATA, 5));
            assertThat(writer.finish()).isEqualTo(storage.bytes(FILE).length);
        }

        var footer = "{\"blobs\":[{\"type\":\"deletion-vector-v1\",\"fields\":[2147483645],\"snapshot-id\":-1,"
                + "\"sequence-number\":-1,\"offset\":4,\"length\":50,\"properties\":{\"referenced-data-file\":\"" + DATA
                + "\",\"cardinality\":\"5\"}}],\"properties\":{\"created-by\":\"test 1\"}}";
        var hex = HexFormat.of();
        assertThat(hex.formatHex(storage.bytes(FILE)))
                .isEqualTo("50464131" + VECTOR + "50464131" + hex.formatHex(footer.getBytes(UTF_8))
                        + String.format("%02x", footer.length() & 0xff)
                        + String.format("%02x", footer.length() >> 8)
                        + "0000" + "00000000" + "50464131");
    }

    @Test
    void readsAVectorInOneReadAndWithoutAFooter() throws IOException {
        storage.put(FILE, HexFormat.of().parseHex("00000000" + VECTOR));

        var positions = VectorFile.read(storage.input(FILE), 4, 50, 5);

        assertThat(positions).isEqualTo(PositionBitmap.of(1, 3, 5, 7, 9));
        assertThat(storage.requests().all()).containsExactly("OPEN " + FILE, "READ " + FILE);
    }

    @Test
    void findsEachOfManyVectors() {
        Randomly.check(20, random -> {
            var memory = new MemoryStorage();
            var expected = new HashMap<String, PositionBitmap>();
            var slices = new ArrayList<VectorSlice>();
            long length;
            try (var writer = VectorFileWriter.create(memory, FILE, "test")) {
                for (int i = random.intBelow(30); i >= 0; i--) {
                    var positions = PositionBitmap.of(random.longBelow(1L << random.intBetween(1, 33)));
                    long from = random.intBelow(100_000);
                    positions.addRange(from, from + random.intBelow(10_000));
                    expected.put("file-" + i, positions.copy());
                    slices.add(writer.add("file-" + i, positions));
                }
                length = writer.finish();
            }

            assertThat(memory.bytes(FILE)).hasSize((int) length);
            for (VectorSlice slice : slices) {
                assertThat(VectorFile.read(memory, slice)).isEqualTo(expected.get(slice.referencedDataFile()));
            }
            try (var reader = PuffinReader.open(memory.input(FILE))) {
                assertThat(reader.blobs()).hasSameSizeAs(slices);
                for (int i = 0; i < slices.size(); i++) {
                    var blob = reader.blobs().get(i);
                    var slice = slices.get(i);
                    assertThat(List.of(blob.offset(), blob.length()))
                            .isEqualTo(List.of(slice.contentOffset(), slice.contentSizeInBytes()));
                    assertThat(blob.properties())
                            .isEqualTo(Map.of(
                                    "referenced-data-file",
                                    slice.referencedDataFile(),
                                    "cardinality",
                                    Long.toString(slice.cardinality())));
                }
            }
        });
    }

    @Test
    void readsAVectorThatStartsItsFile() throws IOException {
        storage.put(FILE, HexFormat.of().parseHex(VECTOR));

        assertThat(VectorFile.read(storage.input(FILE), 0, 50, 5)).isEqualTo(PositionBitmap.of(1, 3, 5, 7, 9));
    }

    @Test
    void refusesAnOffsetOrSizeThatNoFileHas() {
        storage.put(FILE, HexFormat.of().parseHex("00000000" + VECTOR));
        for (long[] slice : new long[][] {{-1, 50}, {4, -1}, {4, Integer.MAX_VALUE}}) {
            assertThatThrownBy(() -> VectorFile.read(storage.input(FILE), slice[0], slice[1], 5))
                    .isInstanceOf(InvalidTableException.class)
                    .hasMessageEndingWith("but are " + slice[0] + " and " + slice[1] + ".");
        }
        assertThat(storage.requests().count(Request.READ)).isZero();
        assertThatThrownBy(() -> VectorFile.read(storage.input(FILE), 4, 0, 5))
                .hasMessageEndingWith("it must have at least 20 bytes, but has 0.");
    }

    @Test
    void takesNoSliceThatCannotHoldAPosition() {
        assertThat(new VectorSlice(FILE, 0, 1, DATA, 1).cardinality()).isEqualTo(1);
        for (long[] slice : new long[][] {{-1, 1, 1}, {0, 0, 1}, {0, 1, 0}}) {
            assertThatThrownBy(() -> new VectorSlice(FILE, slice[0], slice[1], DATA, slice[2]))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(DATA)
                    .hasMessageEndingWith("not " + slice[0] + ", " + slice[1] + " and " + slice[2] + ".");
        }
    }

    @Test
    void tellsHowLongTheFileIsSoFar() throws IOException {
        try (var writer = VectorFileWriter.create(storage, FILE, "test")) {
            assertThat(writer.position()).isEqualTo(4);
            writer.add(DATA, PositionBitmap.of(1, 3, 5, 7, 9));
            assertThat(writer.position()).isEqualTo(54);
        }
    }

    @Test
    void leavesAFileNobodyReadsWhenClosedUnfinished() throws IOException {
        var writer = VectorFileWriter.create(storage, FILE, "test");
        writer.add(DATA, PositionBitmap.of(1));
        writer.close();
        writer.close();

        assertThat(storage.requests().count(Request.CLOSE)).isZero();
        assertThatThrownBy(() -> PuffinReader.open(storage.input(FILE))).isInstanceOf(InvalidTableException.class);
        assertThatThrownBy(() -> writer.add("b", PositionBitmap.of(1))).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void refusesASecondVectorForADataFile() throws IOException {
        try (var writer = VectorFileWriter.create(storage, FILE, "test")) {
            writer.add(DATA, PositionBitmap.of(1));
            assertThatThrownBy(() -> writer.add(DATA, PositionBitmap.of(2)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(DATA);
        }
    }

    @Test
    void refusesAVectorWithoutPositions() throws IOException {
        try (var writer = VectorFileWriter.create(storage, FILE, "test")) {
            assertThatThrownBy(() -> writer.add(DATA, new PositionBitmap()))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("must have positions");
        }
    }

    @Test
    void namesFileAndRangeOfACorruptVector() {
        storage.put(FILE, HexFormat.of().parseHex("00000000" + VECTOR));

        for (var slice : List.of(
                new VectorSlice(FILE, 3, 50, DATA, 5),
                new VectorSlice(FILE, 4, 49, DATA, 5),
                new VectorSlice(FILE, 5, 50, DATA, 5),
                new VectorSlice(FILE, 1000, 50, DATA, 5),
                new VectorSlice(FILE, 4, 50, DATA, 6),
                new VectorSlice(FILE, 4, 1L << 31, DATA, 5))) {
            assertThatThrownBy(() -> VectorFile.read(storage, slice))
                    .isInstanceOf(InvalidTableException.class)
                    .hasMessageStartingWith("Deletion vector at " + FILE + "[" + slice.contentOffset() + ", "
                            + (slice.contentOffset() + slice.contentSizeInBytes()) + ") is corrupt: ");
        }
    }

    @Test
    void failsWhenTheFileIsGone() {
        assertThatThrownBy(() -> VectorFile.read(storage, new VectorSlice(FILE, 4, 50, DATA, 5)))
                .isInstanceOf(FileNotFoundException.class);
    }

    @Test
    void passesOnAFailureToWrite() throws IOException {
        try (var writer = VectorFileWriter.create(storage, FILE, "test")) {
            storage.requests().failOn(Request.WRITE, 1);
            assertThatThrownBy(() -> writer.add(DATA, PositionBitmap.of(1)))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("Injected");
        }
        assertThat(storage.requests().count(Request.CLOSE)).isZero();
    }
}
