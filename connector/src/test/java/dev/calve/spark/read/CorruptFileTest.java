package dev.calve.spark.read;

import static dev.calve.spark.read.ParquetFixture.rows;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.Randomly;
import dev.calve.expression.Samples;
import dev.calve.io.InvalidTableException;
import dev.calve.pruning.ResidualFilter;
import dev.calve.spark.read.ParquetFixture.MemoryFile;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.parquet.column.ParquetProperties.WriterVersion;
import org.apache.spark.sql.types.DataTypes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Files with flipped bits and cut files end in an error that names the file, or are read; never in a hang or an error of
 * another kind. {@code -Dcalve.corrupt.seconds=N} goes on for longer.
 */
class CorruptFileTest {

    private static final long SECONDS = Long.getLong("calve.corrupt.seconds", 5);

    @Test
    @Timeout(600)
    void flippedBitsAndCutsEndInATypedError() {
        var refused = new AtomicInteger();
        long end = System.nanoTime() + SECONDS * 1_000_000_000L;
        while (System.nanoTime() < end) {
            Randomly.check(1, random -> {
                var stored = new StoredRows(random, random.oneOf(WriterVersion.values()));
                var whole = random.yes() ? stored.file : stored.byteStreamSplit;
                for (int i = 0; i < 20; i++) {
                    var samples = new Samples(random);
                    var read = stored.read(damaged(random, whole)).batchRows(random.oneOf(7, 4096));
                    if (random.yes()) {
                        read.rowGroups(ResidualFilter.of(
                                samples.expression(samples.spec(), 1).expression()));
                    }
                    refused.addAndGet(isRefused(read) ? 1 : 0);
                }
            });
        }
        assertThat(refused.get()).isPositive();
    }

    /** An error of any other kind fails the test. */
    private static boolean isRefused(FileRead.Builder read) {
        try {
            rows(read);
            return false;
        } catch (IOException | InvalidTableException | UnsupportedOperationException e) {
            assertThat(e).hasMessageContaining("memory:///data/a.parquet");
            return true;
        }
    }

    private static MemoryFile damaged(Randomly random, MemoryFile file) {
        byte[] bytes = file.bytes.clone();
        if (random.percent(10)) {
            bytes = Arrays.copyOf(bytes, random.intBelow(bytes.length));
        } else {
            for (int i = random.intBetween(1, 3); i > 0; i--) {
                // Half of the flips in the last quarter, where indexes and footer are.
                int at = random.yes()
                        ? random.intBelow(bytes.length)
                        : bytes.length - 1 - random.intBelow(bytes.length / 4);
                bytes[at] ^= (byte) (1 << random.intBelow(8));
            }
        }
        return new MemoryFile(file.location(), bytes);
    }

    @Test
    void noticesAFlippedBitInAPageByItsChecksum() throws IOException {
        var file = ParquetFixture.schema("required int64 id = 1;")
                .dictionary(false)
                .write(100, (group, i) -> group.append("id", (long) i));
        file.bytes[200] ^= 1;

        assertThatThrownBy(() -> rows(
                        FileRead.of(file, ParquetFixture.struct(ParquetFixture.field(1, "id", DataTypes.LongType)))))
                .isInstanceOf(InvalidTableException.class)
                .hasMessageContaining(file.location())
                .hasMessageContaining("CRC");
        assertThat(List.of(file.opened, file.closed)).containsExactly(1, 1);
    }
}
