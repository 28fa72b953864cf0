package dev.calve.spark.read;

import static dev.calve.spark.read.ParquetFixture.field;
import static dev.calve.spark.read.ParquetFixture.rows;
import static dev.calve.spark.read.ParquetFixture.struct;
import static org.assertj.core.api.Assertions.assertThat;

import dev.calve.deletes.PositionBitmap;
import dev.calve.spark.read.ParquetFixture.MemoryFile;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongPredicate;
import java.util.stream.IntStream;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.junit.jupiter.api.Test;

class RowFilterTest {

    private static final StructField POS = field(2147483645, "_pos", DataTypes.LongType, false);
    private static final StructField DELETED = field(2147483644, "_deleted", DataTypes.BooleanType, false);
    private static final StructField ID = field(1, "id", DataTypes.LongType);
    private static final StructField A = field(3, "a", DataTypes.LongType);
    private static final StructField B = field(4, "b", DataTypes.StringType);

    /** Row i holds id i and point (10 i, "b" i). */
    private static MemoryFile file(int rows) throws IOException {
        return ParquetFixture.schema("optional int64 id = 1; optional group point = 2 { optional int64 a = 3;"
                        + " optional binary b (STRING) = 4; }")
                .rowsPerGroup(100)
                .write(
                        rows,
                        (group, i) -> group.append("id", (long) i)
                                .addGroup("point")
                                .append("a", 10L * i)
                                .append("b", "b" + i));
    }

    private static StructField point(StructField... fields) {
        return field(2, "point", struct(fields));
    }

    /** Keeps rows by the long in the only column, or in the only field of the struct that is the only column. */
    private record Keep(StructType columns, LongPredicate wanted) implements RowFilter {
        @Override
        public Rows over(List<ColumnVector> vectors, int batchRows) {
            assertThat(vectors).hasSize(1);
            ColumnVector values = vectors.get(0).dataType() instanceof StructType
                    ? vectors.get(0).getChild(0)
                    : vectors.get(0);
            assertThat(values.dataType()).isEqualTo(DataTypes.LongType);
            return (rows, count) -> {
                int[] kept = IntStream.of(rows)
                        .limit(count)
                        .filter(row -> wanted.test(values.getLong(row)))
                        .toArray();
                System.arraycopy(kept, 0, rows, 0, kept.length);
                return kept.length;
            };
        }
    }

    @Test
    void seesColumnsThatAreNotWanted() throws IOException {
        var read = rows(FileRead.of(file(250), struct(POS))
                .filter(new Keep(struct(ID), id -> id % 100 == 42))
                .batchRows(64));

        assertThat(read).isEqualTo(List.of(List.of(42L), List.of(142L), List.of(242L)));
    }

    @Test
    void seesOtherFieldsOfAWantedStruct() throws IOException {
        var filter = new Keep(struct(point(A)), a -> a == 1000 || a == 70);

        assertThat(rows(FileRead.of(file(250), struct(point(B), ID)).filter(filter)))
                .isEqualTo(List.of(List.of(List.of("b7"), 7L), List.of(List.of("b100"), 100L)));
        assertThat(rows(FileRead.of(file(250), struct(point(B, A))).filter(filter)))
                .isEqualTo(List.of(List.of(List.of("b7", 70L)), List.of(List.of("b100", 1000L))));
    }

    @Test
    void showsNoMoreOfAStructThanIsWanted() throws IOException {
        var read = FileRead.of(file(10), struct(point(B)))
                .filter(new Keep(struct(point(A)), a -> true))
                .build();

        try (var reader = ColumnarFileReader.open(read)) {
            assertThat(reader.next()).isTrue();
            assertThat(reader.batch().numCols()).isEqualTo(1);
            assertThat(reader.batch().column(0).dataType()).isEqualTo(struct(B));
        }
    }

    @Test
    void comesOnTopOfDeletedPositionsAndPassesOnBatchesWithoutAHit() throws IOException {
        var sizes = new ArrayList<String>();
        var read = FileRead.of(file(400), struct(ID))
                .deleted(PositionBitmap.of(5, 150))
                .filter(new Keep(struct(ID), id -> id != 6 && id != 150 && id < 300))
                .build();

        try (var reader = ColumnarFileReader.open(read)) {
            while (reader.next()) {
                sizes.add(reader.positionInAll(0) + ":" + reader.batch().numRows()
                        + (reader.batch() == reader.allRows() ? " as decoded" : ""));
                for (int i = 0; i < reader.batch().numRows(); i++) {
                    assertThat(reader.batch().column(0).getLong(i)).isEqualTo(reader.positionOf(i));
                }
            }
        }

        assertThat(sizes).containsExactly("0:98", "100:99", "200:100 as decoded");
    }

    @Test
    void showsDeletedRowsMarked() throws IOException {
        var deleted = new PositionBitmap();
        deleted.addRange(0, 100);
        deleted.add(120);

        var read = rows(FileRead.of(file(150), struct(DELETED, ID))
                .deleted(deleted)
                .filter(new Keep(struct(point(A)), a -> a % 1300 != 0))
                .batchRows(32)
                .showDeleted());

        assertThat(read).hasSize(150);
        var marked = read.stream()
                .filter(row -> (boolean) row.get(0))
                .map(row -> row.get(1))
                .toList();
        assertThat(marked).hasSize(102).contains(0L, 99L, 120L, 130L).doesNotContain(100L, 131L);
    }

    @Test
    void marksNothingWhereOnlyLiveRowsAreShown() throws IOException {
        var read = rows(FileRead.of(file(150), struct(DELETED)).deleted(PositionBitmap.of(3)));

        assertThat(read).hasSize(149).containsOnly(Arrays.asList(false));
    }
}
