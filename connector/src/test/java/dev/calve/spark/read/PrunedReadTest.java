package dev.calve.spark.read;

import static dev.calve.spark.read.ParquetFixture.rows;
import static dev.calve.spark.read.ParquetFixture.values;
import static org.assertj.core.api.Assertions.assertThat;

import dev.calve.Randomly;
import dev.calve.deletes.PositionBitmap;
import dev.calve.expression.Expression;
import dev.calve.expression.Expression.Column;
import dev.calve.expression.Expression.Operator;
import dev.calve.expression.Expressions;
import dev.calve.expression.Samples;
import dev.calve.pruning.ResidualFilter;
import dev.calve.pruning.RowRanges;
import dev.calve.schema.Type;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.parquet.column.ParquetProperties.WriterVersion;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.unsafe.types.UTF8String;
import org.junit.jupiter.api.Test;

/** Pages, dictionaries and bloom filters rule out no row that matches, and what is left stands where it stood. */
class PrunedReadTest {

    private static final int TIMES = Integer.getInteger("calve.pruned.times", 50);

    @Test
    void neverLeavesOutARowThatMatches() {
        var skippedGroups = new AtomicInteger();
        var skippedRows = new AtomicInteger();
        var gaps = new AtomicInteger();
        Randomly.check(TIMES, random -> {
            var stored = new StoredRows(random, random.oneOf(WriterVersion.values()));
            var all = all(stored);
            var samples = new Samples(random);
            for (int i = 0; i < 4; i++) {
                Samples.Case sample = samples.expression(samples.spec(), 2);
                var deleted = deleted(random, stored.rows.size());
                var read = stored.read()
                        .rowGroups(ResidualFilter.of(sample.expression()))
                        .deleted(deleted)
                        .batchRows(random.oneOf(1, 7, 64, 4096));
                var positions = new ArrayList<Long>();
                try (var reader = ColumnarFileReader.open(read.build())) {
                    while (reader.next()) {
                        checkBatch(reader, all, positions);
                    }
                    skippedGroups.addAndGet(reader.counters().rowGroupsSkipped() > 0 ? 1 : 0);
                    skippedRows.addAndGet(reader.counters().rowsSkipped() > 0 ? 1 : 0);
                    gaps.addAndGet(haveGap(positions) ? 1 : 0);
                }
                for (int row = 0; row < stored.rows.size(); row++) {
                    boolean matches =
                            sample.oracle().on(stored.rows.get(row)::get).isTrue();
                    if (matches && !deleted.contains(row) && !positions.contains((long) row)) {
                        throw new AssertionError("Row %d %s of %s is missing for %s"
                                .formatted(row, stored.rows.get(row), positions, sample.expression()));
                    }
                }
                assertThat(positions).noneMatch(deleted::contains).isSorted().doesNotHaveDuplicates();
            }
        });
        assertOften(skippedGroups);
        assertOften(skippedRows);
        assertOften(gaps);
    }

    /** As those of columns that were added since, without and with an initial default. */
    @Test
    void columnsThatAFileLacksRuleItOut() throws IOException {
        var file = ParquetFixture.schema("required int32 id = 1; optional group s = 4 { optional int32 x = 5; }")
                .pageRows(10)
                .write(100, (group, i) -> group.append("id", i));
        var columns = ParquetFixture.struct(ParquetFixture.field(1, "id", DataTypes.IntegerType));
        var id = new Column(1, Type.Simple.INT, true);
        var none = new Column(2, Type.Simple.LONG, false);
        var text = new Column(3, Type.Simple.STRING, false);
        var inner = new Column(6, Type.Simple.INT, false);
        Map<Expression, Integer> left = new LinkedHashMap<>();
        left.put(Expressions.comparison(none, Operator.GREATER, 5L), 0);
        left.put(Expressions.not(Expressions.equal(none, 5L)), 0);
        left.put(Expressions.isNull(none), 100);
        left.put(Expressions.equal(text, "old"), 100);
        left.put(Expressions.equal(text, "new"), 0);
        left.put(Expressions.not(Expressions.isNull(text)), 100);
        left.put(Expressions.equal(inner, 7), 100);
        left.put(Expressions.isNull(inner), 100);
        left.put(Expressions.comparison(inner, Operator.LESS, 7), 0);
        left.put(Expressions.or(Expressions.equal(id, 35), Expressions.equal(none, 5L)), 10);
        left.forEach((filter, rows) -> {
            var read = FileRead.of(file, columns)
                    .absentValue(3, UTF8String.fromString("old"))
                    .absentValue(6, 7)
                    .rowGroups(ResidualFilter.of(filter));
            try {
                assertThat(rows(read)).as("%s", filter).hasSize(rows);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    @Test
    void readsExactlyTheRowsThatAreAskedFor() {
        var partly = new AtomicInteger();
        Randomly.check(TIMES / 2, random -> {
            var version = random.oneOf(WriterVersion.values());
            var stored = new StoredRows(random, version);
            var all = all(stored);
            boolean byRows = stored.hasFloats() && random.yes();
            var wanted = new ArrayList<Long>();
            int one = random.intBetween(1, 40);
            var read = stored.read(byRows ? stored.byteStreamSplit : stored.file)
                    .batchRows(random.oneOf(1, 7, 64, 4096))
                    .rowGroups(group -> {
                        var rows = new RowRanges.Builder();
                        for (int i = 0; i < group.rows(); i++) {
                            if (random.intBelow(one) == 0) {
                                rows.add(i, i + 1L);
                                wanted.add(group.block().getRowIndexOffset() + i);
                            }
                        }
                        return rows.build();
                    });
            var positions = new ArrayList<Long>();
            try (var reader = ColumnarFileReader.open(read.build())) {
                while (reader.next()) {
                    checkBatch(reader, all, positions);
                }
                assertThat(reader.counters().filesDecodedByRows()).isEqualTo(byRows && !wanted.isEmpty() ? 1 : 0);
                partly.addAndGet(reader.counters().rowsSkipped() > 0 ? 1 : 0);
            }
            if (version == WriterVersion.PARQUET_1_0) {
                assertThat(positions).isEqualTo(wanted);
            } else {
                assertThat(positions).containsAll(wanted);
            }
        });
        assertOften(partly);
    }

    private static void checkBatch(ColumnarFileReader reader, List<List<Object>> all, List<Long> positions) {
        for (int i = 0; i < reader.batch().numRows(); i++) {
            List<Object> row = values(reader.batch().getRow(i), reader.columns());
            long position = reader.positionOf(i);
            positions.add(position);
            if (!row.equals(all.get((int) position))) {
                throw new AssertionError(
                        "At position " + position + " stands " + row + ", not " + all.get((int) position));
            }
        }
    }

    private static List<List<Object>> all(StoredRows stored) throws IOException {
        List<List<Object>> all = rows(stored.read());
        for (int i = 0; i < stored.rows.size(); i++) {
            assertThat(all.get(i).subList(0, 4)).isEqualTo(StoredRows.expected(i));
        }
        assertThat(all).hasSameSizeAs(stored.rows);
        return all;
    }

    private static PositionBitmap deleted(Randomly random, int rows) throws IOException {
        var deleted = new PositionBitmap();
        if (random.yes()) {
            for (int i = random.intBelow(rows + 1); i > 0; i--) {
                deleted.add(random.intBelow(rows));
            }
        }
        return deleted;
    }

    private static boolean haveGap(List<Long> positions) {
        return !positions.isEmpty() && positions.get(positions.size() - 1) - positions.get(0) + 1 != positions.size();
    }

    /** A property that is never put to the test holds of nothing. */
    private static void assertOften(AtomicInteger count) {
        if (Long.getLong("calve.seed") == null) {
            assertThat(count.get()).isGreaterThan(TIMES / 20);
        }
    }
}
