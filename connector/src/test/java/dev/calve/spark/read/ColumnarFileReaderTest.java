package dev.calve.spark.read;

import static dev.calve.spark.read.ParquetFixture.column;
import static dev.calve.spark.read.ParquetFixture.field;
import static dev.calve.spark.read.ParquetFixture.rows;
import static dev.calve.spark.read.ParquetFixture.struct;
import static dev.calve.spark.read.ParquetFixture.values;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.Randomly;
import dev.calve.deletes.PositionBitmap;
import dev.calve.expression.Expression;
import dev.calve.expression.Expressions;
import dev.calve.io.InvalidTableException;
import dev.calve.pruning.ResidualFilter;
import dev.calve.pruning.RowRanges;
import dev.calve.schema.Type;
import dev.calve.spark.read.ParquetFixture.MemoryFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.apache.parquet.column.ParquetProperties.WriterVersion;
import org.apache.parquet.example.data.simple.SimpleGroup;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ColumnarFileReaderTest {

    private static final StructField ID = field(1, "id", DataTypes.LongType, false);
    private static final StructField POS = field(2147483645, "_pos", DataTypes.LongType, false);
    private static final StructField ROW_ID = field(2147483540, "_row_id", DataTypes.LongType);
    private static final StructField LAST_UPDATED =
            field(2147483539, "_last_updated_sequence_number", DataTypes.LongType);

    @Test
    void thisSparkHasWhatReadingNeeds() {
        ColumnarFileReader.verifySpark();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 100, 4096})
    void countsPositionsOverAllRowGroups(int batchRows) throws IOException {
        var file = ids(1000, 64);

        var read = rows(FileRead.of(file, struct(POS, ID)).batchRows(batchRows));

        assertThat(read).isEqualTo(expect(0, 1000, i -> List.of(i, i)));
    }

    @Test
    void readsEachRowOnceWhateverTheSplits() throws IOException {
        var file = ids(1000, 50);
        for (int size : new int[] {97, 333, 1000, file.bytes.length / 2, file.bytes.length}) {
            var read = new ArrayList<List<Object>>();
            for (int start = 0; start < file.bytes.length; start += size) {
                read.addAll(rows(FileRead.of(file, struct(ID, POS)).range(start, start + size)));
            }

            assertThat(read).as("split size %s", size).isEqualTo(expect(0, 1000, i -> List.of(i, i)));
        }
    }

    @Test
    void choosesRowGroupsByTheByteInTheirMiddle() throws IOException {
        var file = ids(100, 50);
        long middle;
        try (var reader = ColumnarFileReader.open(FileRead.of(file, struct(ID)).build())) {
            var block = reader.footer().getBlocks().get(1);
            middle = block.getStartingPos() + block.getCompressedSize() / 2;
        }

        assertThat(column(FileRead.of(file, struct(POS)).range(0, middle))).hasSize(50);
        assertThat(column(FileRead.of(file, struct(POS)).range(0, middle + 1))).hasSize(100);
        assertThat(column(FileRead.of(file, struct(POS)).range(middle, middle + 1)))
                .isEqualTo(longs(50, 100));
    }

    @Test
    void keepsPositionsWhenRowGroupsAreRuledOut() throws IOException {
        var file = ids(500, 100);

        var read = rows(FileRead.of(file, struct(POS, ID))
                .rowGroups(group ->
                        group.block().getRowIndexOffset() == 300 ? RowRanges.all(group.rows()) : RowRanges.NONE));

        assertThat(read).isEqualTo(expect(300, 400, i -> List.of(i, i)));
    }

    @Test
    void hidesDeletedRowsInEverySplit() throws IOException {
        var file = ids(5000, 64);
        var deleted = new PositionBitmap();
        IntStream.range(0, 5000).filter(i -> i % 7 == 3).forEach(deleted::add);
        var expected = expect(0, 5000, i -> List.of(i, i));
        expected.removeIf(row -> (long) row.get(0) % 7 == 3);

        var inOne = rows(FileRead.of(file, struct(ID, POS)).deleted(deleted));
        var inSplits = new ArrayList<List<Object>>();
        for (int start = 0; start < file.bytes.length; start += 800) {
            inSplits.addAll(
                    rows(FileRead.of(file, struct(ID, POS)).deleted(deleted).range(start, start + 800)));
        }

        assertThat(inOne).isEqualTo(expected);
        assertThat(inSplits).isEqualTo(expected);
    }

    @Test
    void showsUntouchedBatchesAsTheyWereDecodedAndLeavesOutEmptyOnes() throws IOException {
        var file = ids(400, 400);
        var deleted = new PositionBitmap();
        deleted.addRange(100, 200);
        deleted.add(399);

        var sizes = new ArrayList<String>();
        try (var reader = ColumnarFileReader.open(
                FileRead.of(file, struct(ID)).deleted(deleted).batchRows(100).build())) {
            while (reader.next()) {
                sizes.add(reader.positionInAll(0) + ":" + reader.batch().numRows() + "/"
                        + reader.allRows().numRows()
                        + (reader.batch() == reader.allRows() ? " as decoded" : ""));
                int last = reader.batch().numRows() - 1;
                assertThat(reader.positionOf(last))
                        .isEqualTo(reader.batch().getRow(last).getLong(0));
                int lastOfAll = reader.allRows().numRows() - 1;
                assertThat(reader.allRows().getRow(lastOfAll).getLong(0)).isEqualTo(reader.positionInAll(lastOfAll));
            }
        }

        assertThat(sizes).containsExactly("0:100/100 as decoded", "200:100/100 as decoded", "300:99/100");
    }

    @Test
    void readsNothingOfARowGroupWhoseRowsAreAllDeleted() throws IOException {
        var file = largeIds(60_000, 20_000);
        var deleted = new PositionBitmap();
        deleted.addRange(0, 40_000);

        assertThat(column(FileRead.of(file, struct(ID)).deleted(deleted))).isEqualTo(longs(40_000, 60_000));
        assertThat(file.reads).hasSize(2);
        assertThat(Long.parseLong(file.reads.get(1).replaceAll("\\+.*", ""))).isGreaterThan(file.bytes.length / 2);
    }

    @Test
    void hidesExactlyTheDeletedRowsForAnyLayout() {
        Randomly.check(25, random -> {
            int rows = random.intBetween(0, 600);
            var file = nested(rows, random.intBetween(1, 200), random.intBetween(1, 50));
            var deleted = new PositionBitmap();
            int one = random.intBetween(1, 30);
            int deletes = random.intBelow(rows + 1);
            for (int i = 0; i < deletes; i++) {
                deleted.add((long) random.intBelow(rows) / one * one);
            }
            var read = new ArrayList<List<Object>>();
            int middle = random.intBelow(file.bytes.length);
            int batchRows = random.intBetween(1, 100);
            for (var range : List.of(List.of(0, middle), List.of(middle, file.bytes.length))) {
                read.addAll(rows(FileRead.of(file, nestedColumns())
                        .range(range.get(0), range.get(1))
                        .deleted(deleted)
                        .batchRows(batchRows)));
            }

            var expected = new ArrayList<List<Object>>();
            for (int i = 0; i < rows; i++) {
                if (!deleted.contains(i)) {
                    expected.add(nestedRow(i));
                }
            }
            assertThat(read).isEqualTo(expected);
        });
    }

    @Test
    void fillsConstantsWithoutAskingTheFile() throws IOException {
        var partition = struct(
                field(1000, "day", DataTypes.IntegerType),
                field(1001, "city", DataTypes.StringType),
                field(1002, "none", DataTypes.LongType));
        var columns = struct(
                field(2147483646, "_file", DataTypes.StringType, false),
                field(2147483643, "_spec_id", DataTypes.IntegerType, false),
                field(2147483642, "_partition", partition),
                field(1, "id", DataTypes.LongType),
                POS);
        var deleted = PositionBitmap.of(0, 2);

        var read = rows(FileRead.of(ids(4, 2), columns)
                .constant(0, UTF8String.fromString("memory:///data/a.parquet"))
                .constant(1, 3)
                .constant(2, new GenericInternalRow(new Object[] {17, UTF8String.fromString("Graz"), null}))
                .constant(3, null)
                .deleted(deleted));

        var city = Arrays.asList(17, "Graz", null);
        assertThat(read)
                .containsExactly(
                        Arrays.asList("memory:///data/a.parquet", 3, city, null, 1L),
                        Arrays.asList("memory:///data/a.parquet", 3, city, null, 3L));
    }

    @Test
    void countsRowsWithoutReadingAnyColumn() throws IOException {
        var file = largeIds(60_000, 20_000);
        long rows = 0;

        try (var reader = ColumnarFileReader.open(FileRead.of(file, struct(POS)).build())) {
            while (reader.next()) {
                rows += reader.batch().numRows();
            }
            assertThat(reader.rowsInFile()).isEqualTo(60_000);
        }

        assertThat(rows).isEqualTo(60_000);
        assertThat(file.reads).as("only the footer").hasSize(1);
    }

    @Test
    void opensTheFileOnceAndReadsEachRowGroupOnce() throws IOException {
        var file = largeIds(60_000, 20_000);

        rows(FileRead.of(file, struct(ID)));

        assertThat(file.opened).isEqualTo(1);
        assertThat(file.closed).isEqualTo(1);
        assertThat(file.reads).as("the footer and three row groups").hasSize(4);
    }

    @Test
    void readsTheFooterOnceForSeveralRanges() throws IOException {
        var file = largeIds(60_000, 20_000);
        int third = file.bytes.length / 3;

        var read = column(FileRead.of(file, struct(ID)).range(0, third).range(2L * third, file.bytes.length));

        assertThat(read).hasSize(40_000).isEqualTo(both(longs(0, 20_000), longs(40_000, 60_000)));
        assertThat(file.opened).isEqualTo(1);
        assertThat(file.reads).as("the footer and two row groups").hasSize(3);
    }

    @Test
    void readsOnlyTheWantedPagesAndCountsThem() throws IOException {
        var file = ParquetFixture.schema("required int64 id = 1; required int64 other = 2;")
                .rowsPerGroup(200_000)
                .pageRows(1_000)
                .dictionary(false)
                .write(200_000, (group, i) -> group.append("id", (long) i).append("other", -(long) i));
        var id = new Expression.Column(1, Type.Simple.LONG, true);
        var filter = ResidualFilter.of(Expressions.equal(id, 150_123L));

        try (var reader =
                ColumnarFileReader.open(FileRead.of(file, struct(ID, POS, field(2, "other", DataTypes.LongType)))
                        .rowGroups(filter)
                        .build())) {
            assertThat(reader.next()).isTrue();
            assertThat(reader.batch().numRows()).isEqualTo(1_000);
            assertThat(reader.positionOf(123)).isEqualTo(150_123);
            assertThat(values(reader.batch().getRow(123), reader.columns()))
                    .isEqualTo(List.of(150_123L, 150_123L, -150_123L));
            assertThat(reader.next()).isFalse();
            assertThat(reader.counters().rowsSkipped()).isEqualTo(199_000);
            assertThat(reader.counters().requests())
                    .isEqualTo(file.reads.size())
                    .isLessThanOrEqualTo(3);
            assertThat(reader.counters().bytesRead()).isLessThan(file.bytes.length / 10);
        }
    }

    private static List<Object> both(List<Object> first, List<Object> second) {
        var both = new ArrayList<>(first);
        both.addAll(second);
        return both;
    }

    @Test
    void givesRowIdsByPositionUnlessStored() throws IOException {
        var file = ParquetFixture.schema("required int64 id = 1; optional int64 _row_id = 2147483540;"
                        + " optional int64 _last_updated_sequence_number = 2147483539;")
                .rowsPerGroup(100)
                .write(1500, (group, i) -> {
                    group.append("id", (long) i);
                    if (i % 3 == 0) {
                        group.append("_row_id", 7L + i).append("_last_updated_sequence_number", 4L);
                    }
                });

        var read = rows(FileRead.of(file, struct(ID, ROW_ID, LAST_UPDATED))
                .lineage(10_000, 9)
                .deleted(PositionBitmap.of(1, 700)));

        var expected = expect(0, 1500, i -> i % 3 == 0 ? List.of(i, 7 + i, 4L) : List.of(i, 10_000 + i, 9L));
        expected.removeIf(row -> row.get(0).equals(1L) || row.get(0).equals(700L));
        assertThat(read).isEqualTo(expected);
    }

    @Test
    void givesRowIdsOfFilesThatStoreNone() throws IOException {
        var read = rows(FileRead.of(ids(1500, 99), struct(LAST_UPDATED, ROW_ID)).lineage(1_000, 5));

        assertThat(read).isEqualTo(expect(0, 1500, i -> List.of(5L, 1_000 + i)));
    }

    @Test
    void givesNoLineageForFilesWithoutFirstRowId() throws IOException {
        var file = ParquetFixture.schema("required int64 id = 1; optional int64 _row_id = 2147483540;")
                .write(2, (group, i) -> group.append("id", (long) i).append("_row_id", 5L));

        assertThat(rows(FileRead.of(file, struct(ID, ROW_ID, LAST_UPDATED))))
                .containsExactly(Arrays.asList(0L, null, null), Arrays.asList(1L, null, null));
    }

    @Test
    void readsFilesWithoutRows() throws IOException {
        var file = ids(0, 10);

        assertThat(rows(FileRead.of(file, struct(ID, POS)))).isEmpty();
        assertThat(rows(FileRead.of(file, struct(ID)).deleted(PositionBitmap.of(3))))
                .isEmpty();
        assertThat(rows(FileRead.of(ids(10, 5), struct(ID)).range(0, 0))).isEmpty();
    }

    @Test
    void refusesWhatIsNotParquet() {
        var text = new MemoryFile("memory:///x.csv", "a,b,c\n1,2,3\n4,5,6\n".getBytes(StandardCharsets.UTF_8));
        var nothing = new MemoryFile("memory:///empty", new byte[0]);

        for (var file : List.of(text, nothing)) {
            assertThatThrownBy(() -> ColumnarFileReader.open(
                            FileRead.of(file, struct(ID)).build()))
                    .isInstanceOf(InvalidTableException.class)
                    .hasMessageContaining(file.location());
            assertThat(file.closed).isEqualTo(file.opened);
        }
    }

    @Test
    void readsDeltaEncodedTextThatStandsBesideOtherColumns() throws IOException {
        var file = ParquetFixture.schema("required int64 id = 1; required binary s (STRING) = 2;")
                .version(WriterVersion.PARQUET_2_0)
                .dictionary(false)
                .write(100, (group, i) -> group.append("id", (long) i).append("s", "value " + i));

        var read = rows(FileRead.of(file, struct(ID, field(2, "s", DataTypes.StringType))));

        assertThat(read).isEqualTo(expect(0, 100, i -> List.of(i, "value " + i)));
    }

    @Test
    void saysWhichFileIsCorrupt() throws IOException {
        var file = ParquetFixture.schema("required binary s (STRING) = 1;")
                .dictionary(false)
                .write(1000, (group, i) -> group.append("s", "value " + i));
        Arrays.fill(file.bytes, 60, 600, (byte) 0xff);

        assertThatThrownBy(() -> rows(FileRead.of(file, struct(field(1, "s", DataTypes.StringType)))))
                .hasMessageContaining(file.location());
    }

    private static MemoryFile ids(int rows, int rowsPerGroup) throws IOException {
        return ParquetFixture.schema("required int64 id = 1;")
                .rowsPerGroup(rowsPerGroup)
                .write(rows, (group, i) -> group.append("id", (long) i));
    }

    private static MemoryFile largeIds(int rows, int rowsPerGroup) throws IOException {
        return ParquetFixture.schema("required int64 id = 1;")
                .rowsPerGroup(rowsPerGroup)
                .dictionary(false)
                .write(rows, (group, i) -> group.append("id", (long) i));
    }

    private static StructType nestedColumns() {
        return struct(
                POS,
                field(2, "text", DataTypes.StringType),
                field(3, "point", struct(field(4, "x", DataTypes.LongType), field(5, "new", DataTypes.IntegerType))),
                field(6, "list", DataTypes.createArrayType(DataTypes.IntegerType)),
                field(8, "map", DataTypes.createMapType(DataTypes.StringType, DataTypes.LongType)));
    }

    private static MemoryFile nested(int rows, int rowsPerGroup, int pageRows) throws IOException {
        return ParquetFixture.schema("optional binary text (STRING) = 2;"
                        + " optional group point = 3 { optional int32 x = 4; }"
                        + " optional group list (LIST) = 6 { repeated group list { optional int32 element = 7; } }"
                        + " optional group map (MAP) = 8 { repeated group key_value {"
                        + " required binary key (STRING) = 9; optional int64 value = 10; } }")
                .rowsPerGroup(rowsPerGroup)
                .pageRows(pageRows)
                .write(rows, (group, i) -> fillNested((SimpleGroup) group, i));
    }

    private static void fillNested(SimpleGroup group, int i) {
        if (i % 5 != 0) {
            group.append("text", "t" + i % 11);
        }
        if (i % 3 != 0) {
            var point = group.addGroup("point");
            if (i % 4 != 0) {
                point.append("x", i);
            }
        }
        if (i % 7 != 0) {
            var list = group.addGroup("list");
            for (int j = 0; j < i % 6; j++) {
                var element = list.addGroup("list");
                if (j != 2) {
                    element.append("element", i + j);
                }
            }
        }
        if (i % 8 != 0) {
            var map = group.addGroup("map");
            for (int j = 0; j < i % 4; j++) {
                map.addGroup("key_value").append("key", "k" + j).append("value", (long) i);
            }
        }
    }

    private static List<Object> nestedRow(int i) {
        var list = new ArrayList<Object>();
        for (int j = 0; j < i % 6; j++) {
            list.add(j == 2 ? null : i + j);
        }
        var map = new java.util.LinkedHashMap<Object, Object>();
        for (int j = 0; j < i % 4; j++) {
            map.put("k" + j, (long) i);
        }
        return Arrays.asList(
                (long) i,
                i % 5 == 0 ? null : "t" + i % 11,
                i % 3 == 0 ? null : Arrays.asList(i % 4 == 0 ? null : (Object) (long) i, null),
                i % 7 == 0 ? null : list,
                i % 8 == 0 ? null : map);
    }

    private interface Row {
        List<Object> at(long i);
    }

    private static List<List<Object>> expect(long from, long to, Row row) {
        var result = new ArrayList<List<Object>>();
        for (long i = from; i < to; i++) {
            result.add(row.at(i));
        }
        return result;
    }

    private static List<Object> longs(long from, long to) {
        return new ArrayList<>(LongStream.range(from, to).boxed().toList());
    }
}
