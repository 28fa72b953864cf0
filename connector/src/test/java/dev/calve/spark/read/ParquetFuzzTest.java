package dev.calve.spark.read;

import static dev.calve.spark.read.ParquetFixture.rows;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.Damage;
import dev.calve.Fuzz;
import dev.calve.Fuzz.Target;
import dev.calve.Randomly;
import dev.calve.expression.Samples;
import dev.calve.io.InvalidTableException;
import dev.calve.manifest.DeleteFile;
import dev.calve.pruning.ResidualFilter;
import dev.calve.spark.read.KeyFixture.Layout;
import dev.calve.spark.read.ParquetFixture.MemoryFile;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.parquet.column.ParquetProperties.WriterVersion;
import org.apache.spark.sql.types.DataTypes;
import org.junit.jupiter.api.Test;

/** Damaged Parquet files, as data, with and without a filter that looks into indexes and dictionaries, and as equality deletes. */
class ParquetFuzzTest {

    private static final int FILES = 24;

    /** A page of 64 MiB is never doubted, and is copied. */
    private static final long MOST_BYTES = 256L << 20;

    private final List<StoredRows> stored = new ArrayList<>();

    /** A file behind the number of what knows how to read it. */
    private static byte[] numbered(int number, byte[] file) {
        var result = new byte[file.length + 1];
        result[0] = (byte) number;
        System.arraycopy(file, 0, result, 1, file.length);
        return result;
    }

    private static byte[] file(byte[] numbered) {
        return Arrays.copyOfRange(numbered, 1, numbered.length);
    }

    private static byte[] damagedButTheNumber(Randomly random, List<byte[]> samples) {
        byte[] sample = random.oneOf(samples);
        var files = List.of(file(sample), file(sample), file(random.oneOf(samples)));
        return numbered(sample[0], Damage.bytes(random, random.percent(95) ? files.subList(0, 2) : files));
    }

    /** What else can be chosen follows from the bytes, so that they are read the same way again. */
    private void readData(byte[] numbered) throws IOException {
        var random = new Randomly(Arrays.hashCode(numbered));
        var file = new MemoryFile("memory:///data/a.parquet", file(numbered));
        var read = stored.get(numbered[0]).read(file).batchRows(random.oneOf(7, 4096));
        if (random.yes()) {
            var samples = new Samples(random);
            read.rowGroups(
                    ResidualFilter.of(samples.expression(samples.spec(), 1).expression()));
        }
        rows(read);
    }

    /** The first delete file that a fixture has, of all layouts and several keys. */
    private static final List<List<Integer>> KEYS =
            List.of(List.of(1), List.of(2, 3), List.of(4, 5, 6), List.of(7, 8, 9, 10), KeyFixture.STORED);

    private static byte[] deletes(int number) throws IOException {
        var random = new Randomly(number);
        var fixture = new KeyFixture(1 << 20);
        List<Map<Integer, Object>> rows = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            rows.add(KeyFixture.row(random));
        }
        var layout = new Layout(number % 2 == 0, Layout.ALL.columns());
        var entry = fixture.deletes(KEYS.get(number % KEYS.size()), layout, rows, KeyFixture.UNPARTITIONED, null, 5);
        return fixture.storage.bytes(entry.file().path());
    }

    private static void readDeletes(byte[] numbered) throws IOException {
        var fixture = new KeyFixture(1 << 20);
        DeleteFile file = new DeleteFile.EqualityDeletes(
                fixture.put(file(numbered), 30, KeyFixture.UNPARTITIONED, null), KEYS.get(numbered[0] % KEYS.size()));
        var data = fixture.data(Layout.ALL, List.of(KeyFixture.row(new Randomly(1))), 0, "x", 1);
        var task = KeyFixture.task(data, List.of(KeyFixture.entry(file, 5)));
        assertThat(fixture.deletes(List.of(task)).filter(task)).isPresent();
    }

    @Test
    void dataAndEqualityDeletes() throws Exception {
        var data = new ArrayList<byte[]>();
        var deletes = new ArrayList<byte[]>();
        for (int i = 0; i < FILES; i++) {
            var rows =
                    new StoredRows(new Randomly(i), i % 2 == 0 ? WriterVersion.PARQUET_1_0 : WriterVersion.PARQUET_2_0);
            stored.add(rows);
            data.add(numbered(i, rows.file.bytes));
            data.add(numbered(i, rows.byteStreamSplit.bytes));
            deletes.add(numbered(i, deletes(i)));
        }
        Fuzz.run(
                Target.of("data", "memory:///data/a.parquet", data, this::readData)
                        .damaged(ParquetFuzzTest::damagedButTheNumber)
                        .mostBytes(MOST_BYTES),
                Target.of("equality-deletes", "memory:///t/0.parquet", deletes, ParquetFuzzTest::readDeletes)
                        .damaged(ParquetFuzzTest::damagedButTheNumber)
                        .mostBytes(MOST_BYTES));
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
