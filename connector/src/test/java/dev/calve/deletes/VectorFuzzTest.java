package dev.calve.deletes;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.calve.Damage;
import dev.calve.Fuzz;
import dev.calve.Fuzz.Target;
import dev.calve.Randomly;
import dev.calve.io.MemoryStorage;
import dev.calve.puffin.BlobMetadata;
import dev.calve.puffin.BlobSpec;
import dev.calve.puffin.PuffinReader;
import dev.calve.puffin.PuffinWriter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;

/** Damaged Puffin files, deletion vectors and bitmaps, lengths and checksums set right where they would hide the damage. */
class VectorFuzzTest {

    private static final String FILE = "memory:/t/data/deletes.puffin";
    private static final String WHERE = "Deletion vector at " + FILE + "[4, 54)";

    private static PositionBitmap positions(Randomly random) {
        var positions = new PositionBitmap();
        for (int i = random.intBelow(5); i >= 0; i--) {
            long base = random.longBelow(1L << random.intBetween(1, 35));
            switch (random.intBelow(3)) {
                case 0 -> positions.addRange(base, base + random.intBetween(1, 200_000));
                case 1 -> random.listOf(100, () -> random.intBelow(100_000)).forEach(p -> positions.add(base + p));
                default -> {
                    for (int p = 0; p < 20_000; p += random.intBetween(1, 4)) {
                        positions.add(base + p);
                    }
                }
            }
        }
        return positions;
    }

    private static List<byte[]> bitmaps() {
        var bitmaps = new ArrayList<byte[]>();
        for (int seed = 0; seed < 30; seed++) {
            var positions = positions(new Randomly(seed));
            if (seed % 2 == 0) {
                positions.runOptimize();
            }
            bitmaps.add(positions.toBytes());
        }
        return bitmaps;
    }

    /** What is accepted is a set like any other. */
    private static void use(PositionBitmap positions) {
        assertThat(PositionBitmap.fromBytes(positions.toBytes())).isEqualTo(positions);
        assertThat(positions.cardinalityInRange(0, PositionBitmap.MAX_POSITION + 1))
                .isEqualTo(positions.cardinality());
    }

    private static byte[] vector(byte[] bitmap) {
        var buffer = ByteBuffer.allocate(bitmap.length + 12);
        buffer.putInt(bitmap.length + 4).putInt(0xD1D3_3964).put(bitmap);
        var crc = new CRC32();
        crc.update(buffer.array(), 4, bitmap.length + 4);
        return buffer.putInt((int) crc.getValue()).array();
    }

    @Test
    void vectors() throws Exception {
        List<byte[]> bitmaps = bitmaps();
        Fuzz.run(
                Target.of("bitmap", "Position bitmap of ", bitmaps, bytes -> use(PositionBitmap.fromBytes(bytes))),
                Target.of(
                                "vector",
                                WHERE,
                                bitmaps.stream().map(VectorFuzzTest::vector).toList(),
                                bytes -> use(DeletionVectorCodec.decode(bytes, WHERE)))
                        .damaged((random, samples) -> random.percent(20)
                                ? Damage.bytes(random, samples)
                                : vector(Damage.bytes(random, bitmaps))));
    }

    private static byte[] puffin(int seed) throws IOException {
        var random = new Randomly(seed);
        var storage = new MemoryStorage();
        try (var writer = PuffinWriter.create(storage, FILE, "test")) {
            for (int i = random.intBelow(4); i >= 0; i--) {
                writer.add(
                        new BlobSpec(
                                "deletion-vector-v1",
                                List.of(i),
                                -1,
                                -1,
                                random.yes() ? Optional.of("zstd") : Optional.empty(),
                                Map.of("cardinality", "" + i)),
                        vector(positions(random).toBytes()));
            }
            writer.finish();
        }
        return storage.bytes(FILE);
    }

    /** The footer's JSON damaged, and its length the right one. */
    private static byte[] withDamagedFooter(Randomly random, byte[] file) {
        var buffer = ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN);
        int length = buffer.getInt(file.length - 12);
        int start = file.length - 12 - length;
        byte[] json = Damage.json(random, List.of(Arrays.copyOfRange(file, start, start + length)));
        var result = ByteBuffer.allocate(start + json.length + 12).order(ByteOrder.LITTLE_ENDIAN);
        result.put(file, 0, start).put(json).putInt(json.length).putInt(0);
        return result.put("PFA1".getBytes(UTF_8)).array();
    }

    private static void readPuffin(byte[] bytes) throws IOException {
        var storage = new MemoryStorage().put(FILE, bytes);
        try (var reader = PuffinReader.open(storage.input(FILE))) {
            for (BlobMetadata blob : reader.blobs()) {
                byte[] content = reader.read(blob);
                if (blob.compressionCodec().equals(Optional.empty())) {
                    use(VectorFile.read(
                            storage.input(FILE),
                            blob.offset(),
                            blob.length(),
                            DeletionVectorCodec.decode(content, FILE).cardinality()));
                }
            }
        }
    }

    @Test
    void puffinFiles() throws Exception {
        var files = new ArrayList<byte[]>();
        for (int seed = 0; seed < 20; seed++) {
            files.add(puffin(seed));
        }
        Fuzz.run(Target.of("puffin", FILE, files, VectorFuzzTest::readPuffin)
                .damaged((random, samples) -> random.yes()
                        ? Damage.bytes(random, samples)
                        : withDamagedFooter(random, random.oneOf(samples))));
    }
}
