package dev.calve.spark.read;

import static dev.calve.spark.read.KeyFixture.GONE;
import static dev.calve.spark.read.KeyFixture.ID;
import static dev.calve.spark.read.KeyFixture.PART;
import static dev.calve.spark.read.KeyFixture.POINT;
import static dev.calve.spark.read.KeyFixture.POINT_A;
import static dev.calve.spark.read.KeyFixture.UNPARTITIONED;
import static dev.calve.spark.read.ParquetFixture.field;
import static dev.calve.spark.read.ParquetFixture.rows;
import static dev.calve.spark.read.ParquetFixture.struct;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.Randomly;
import dev.calve.deletes.PositionBitmap;
import dev.calve.io.InvalidTableException;
import dev.calve.manifest.DataFile;
import dev.calve.manifest.DeleteFile;
import dev.calve.manifest.ManifestEntry;
import dev.calve.scan.FileTask;
import dev.calve.spark.convert.SparkTypes;
import dev.calve.spark.read.KeyFixture.Layout;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Spec: Equality Delete Files. */
class KeyDeletesTest {

    private static final StructField POS = field(2147483645, "_pos", DataTypes.LongType, false);

    private final KeyFixture table = new KeyFixture(1 << 20);

    /** What is read of a file: positions, ascending. */
    private List<Object> positions(KeyDeletes deletes, FileTask task, StructField... more) throws IOException {
        var columns = new ArrayList<>(List.of(more));
        columns.add(0, POS);
        var read = table.reads().read(task, new StructType(columns.toArray(StructField[]::new)));
        deletes.filter(task).ifPresent(read::filter);
        return rows(read).stream().map(row -> row.get(0)).toList();
    }

    private List<Object> positions(FileTask task) throws IOException {
        return positions(table.deletes(List.of(task)), task);
    }

    private static Map<Integer, Object> row(@Nullable Object... idsAndValues) {
        var row = new HashMap<Integer, Object>();
        for (int i = 0; i < idsAndValues.length; i += 2) {
            if (idsAndValues[i + 1] != null) {
                row.put((int) Objects.requireNonNull(idsAndValues[i]), Objects.requireNonNull(idsAndValues[i + 1]));
            }
        }
        return row;
    }

    private static List<Object> longs(int... values) {
        return IntStream.of(values).mapToObj(value -> (Object) (long) value).toList();
    }

    /** One file of the property's table, with what is in it. */
    private record Deletes(ManifestEntry<DeleteFile> entry, List<Integer> ids, List<Map<Integer, Object>> rows) {}

    private record Data(ManifestEntry<DataFile> entry, List<Map<Integer, Object>> rows) {}

    @Test
    void deletesExactlyTheRowsWhoseKeysAreEqual() {
        Randomly.check(120, random -> {
            var fixture = new KeyFixture(random.oneOf(0L, 3000L, 1L << 20));
            List<List<Integer>> keys = new ArrayList<>();
            for (int i = random.intBetween(1, 3); i > 0; i--) {
                keys.add(key(random));
            }
            var deletes = new ArrayList<Deletes>();
            for (int i = random.intBetween(1, 8); i > 0; i--) {
                List<Integer> ids = random.oneOf(keys);
                var columns = new HashSet<>(random.percent(80) ? ids : ids.subList(1, ids.size()));
                columns.remove(PART);
                if (columns.isEmpty()) {
                    columns.add(2);
                }
                var layout = new Layout(random.yes(), columns);
                int spec = random.intBelow(2);
                String part = random.oneOf("p", "q", null);
                List<Map<Integer, Object>> content = random.listOf(20, () -> KeyFixture.row(random));
                deletes.add(new Deletes(
                        fixture.deletes(ids, layout, content, spec, part, random.intBelow(6)),
                        ids,
                        content.stream()
                                .map(row -> seen(row, columns, spec, part))
                                .toList()));
            }
            var data = new ArrayList<Data>();
            for (int i = random.intBetween(1, 4); i > 0; i--) {
                var columns = new HashSet<>(random.listOf(13, () -> random.oneOf(KeyFixture.STORED)));
                columns.add(ID);
                int spec = random.intBelow(2);
                String part = random.oneOf("p", "q", null);
                List<Map<Integer, Object>> content = random.listOf(60, () -> KeyFixture.row(random));
                data.add(new Data(
                        fixture.data(new Layout(random.yes(), columns), content, spec, part, random.intBelow(5)),
                        content.stream()
                                .map(row -> seen(row, columns, spec, part))
                                .toList()));
            }
            List<FileTask> tasks = data.stream()
                    .map(file -> KeyFixture.task(
                            file.entry(), deletes.stream().map(Deletes::entry).toList()))
                    .toList();
            var splits = new ArrayList<FileTask>(tasks);
            splits.addAll(tasks);

            var all = fixture.deletes(splits);
            for (int i = 0; i < tasks.size(); i++) {
                PositionBitmap expected = expected(data.get(i), deletes);
                assertThat(all.deletedByKey(tasks.get(i), new PositionBitmap())).isEqualTo(expected);
                assertThat(live(fixture, random, all, tasks.get(i)))
                        .isEqualTo(alive(data.get(i).rows().size(), expected));
            }
        });
    }

    private static List<Integer> key(Randomly random) {
        var ids = new HashSet<Integer>();
        for (int i = random.intBetween(1, 4); i > 0; i--) {
            ids.add(random.percent(15) ? (Integer) PART : random.oneOf(KeyFixture.STORED));
        }
        return ids.stream().sorted().toList();
    }

    /** The row as the file shows it: columns that are not stored are null, or the partition's. */
    private static Map<Integer, Object> seen(
            Map<Integer, Object> row, Set<Integer> columns, int spec, @Nullable String part) {
        var seen = new HashMap<>(row);
        seen.keySet().retainAll(columns);
        if (spec != UNPARTITIONED && part != null) {
            seen.put(PART, part);
        }
        return seen;
    }

    private static PositionBitmap expected(Data data, List<Deletes> deletes) {
        var expected = new PositionBitmap();
        List<ManifestEntry<DeleteFile>> applying = KeyFixture.task(
                        data.entry(), deletes.stream().map(Deletes::entry).toList())
                .deletes();
        for (Deletes delete : deletes) {
            if (applying.contains(delete.entry())) {
                for (int i = 0; i < data.rows().size(); i++) {
                    Map<Integer, Object> row = data.rows().get(i);
                    if (delete.rows().stream()
                            .anyMatch(key ->
                                    delete.ids().stream().allMatch(id -> Objects.equals(key.get(id), row.get(id))))) {
                        expected.add(i);
                    }
                }
            }
        }
        return expected;
    }

    private static List<Object> live(KeyFixture fixture, Randomly random, KeyDeletes deletes, FileTask task)
            throws IOException {
        StructType schema = SparkTypes.toSpark(fixture.table.schema());
        var columns = new ArrayList<>(random.listOf(3, () -> random.oneOf(schema.fields())));
        var distinct = new ArrayList<>(new LinkedHashSet<>(columns));
        distinct.add(0, POS);
        var read = fixture.reads()
                .read(task, new StructType(distinct.toArray(StructField[]::new)))
                .batchRows(random.intBetween(1, 20));
        deletes.filter(task).ifPresent(read::filter);
        return rows(read).stream().map(row -> row.get(0)).toList();
    }

    private static List<Object> alive(int rows, PositionBitmap deleted) {
        return IntStream.range(0, rows)
                .filter(i -> !deleted.contains(i))
                .mapToObj(i -> (Object) (long) i)
                .toList();
    }

    @Test
    void nullEqualsNullAndNanEqualsNanButZerosDiffer() throws IOException {
        List<Map<Integer, Object>> content =
                List.of(row(), row(10, 0.0), row(10, -0.0), row(10, Double.NaN), row(10, 1.0));
        var data = table.data(Layout.ALL, content, UNPARTITIONED, null, 1);

        for (int i = 0; i < content.size(); i++) {
            var delete = table.deletes(
                    List.of(10), new Layout(false, Set.of(10)), List.of(content.get(i)), UNPARTITIONED, null, 2);
            int deleted = i;
            assertThat(positions(KeyFixture.task(data, List.of(delete))))
                    .isEqualTo(longs(
                            IntStream.range(0, 5).filter(at -> at != deleted).toArray()));
        }
    }

    @Test
    void aNullStructHasNullKeys() throws IOException {
        var data = table.data(
                Layout.ALL,
                List.of(row(ID, 1L), row(POINT, true), row(POINT, true, POINT_A, 3L)),
                UNPARTITIONED,
                null,
                1);
        var delete = table.deletes(
                List.of(POINT_A), new Layout(true, Set.of(POINT_A)), List.of(row(POINT, true)), UNPARTITIONED, null, 2);

        assertThat(positions(KeyFixture.task(data, List.of(delete)))).isEqualTo(longs(2));
    }

    @Test
    void fieldsDroppedSinceAreStillKeys() throws IOException {
        var data = table.data(Layout.ALL, List.of(row(GONE, 1), row(GONE, 2)), UNPARTITIONED, null, 1);
        var since = table.data(new Layout(true, Set.of(ID)), List.of(row(ID, 1L)), UNPARTITIONED, null, 1);
        var delete = table.deletes(
                List.of(GONE), new Layout(true, Set.of(GONE)), List.of(row(GONE, 1)), UNPARTITIONED, null, 2);

        assertThat(positions(KeyFixture.task(data, List.of(delete)))).isEqualTo(longs(1));
        assertThat(positions(KeyFixture.task(since, List.of(delete)))).isEqualTo(longs(0));
    }

    @Test
    void readsADeleteFileOnceATaskAndNotAgainWhileItIsHeld() throws IOException {
        var delete =
                table.deletes(List.of(ID), new Layout(true, Set.of(ID)), List.of(row(ID, 1L)), UNPARTITIONED, null, 9);
        var other =
                table.deletes(List.of(2), new Layout(true, Set.of(2)), List.of(row(2, "x")), UNPARTITIONED, null, 9);
        var tasks = new ArrayList<FileTask>();
        for (int i = 0; i < 20; i++) {
            tasks.add(KeyFixture.task(
                    table.data(Layout.ALL, List.of(row(ID, 1L), row(ID, 2L)), UNPARTITIONED, null, i % 9),
                    List.of(delete, other)));
        }

        for (int i = 0; i < 3; i++) {
            var deletes = table.deletes(tasks);
            for (FileTask task : tasks) {
                assertThat(positions(deletes, task)).isEqualTo(longs(1));
            }
        }

        assertThat(opened(delete)).isEqualTo(1);
        assertThat(opened(other)).isEqualTo(1);
    }

    private long opened(ManifestEntry<DeleteFile> delete) {
        return table.storage.requests().all().stream()
                .filter(request -> request.equals("OPEN " + delete.file().path()))
                .count();
    }

    @Test
    void readsNoDeleteFileBeforeItIsNeeded() throws IOException {
        var delete =
                table.deletes(List.of(ID), new Layout(true, Set.of(ID)), List.of(row(ID, 1L)), UNPARTITIONED, null, 9);
        var task = KeyFixture.task(table.data(Layout.ALL, List.of(row()), UNPARTITIONED, null, 1), List.of(delete));

        table.deletes(List.of(task));

        assertThat(table.storage.requests().all()).isEmpty();
    }

    @Test
    void namesABadDeleteFile() throws IOException {
        var data = table.data(Layout.ALL, List.of(row(ID, 1L)), UNPARTITIONED, null, 1);
        var good =
                table.deletes(List.of(ID), new Layout(true, Set.of(ID)), List.of(row(ID, 1L)), UNPARTITIONED, null, 9);
        byte[] bytes = table.storage.bytes(good.file().path());
        byte[] flipped = bytes.clone();
        Arrays.fill(flipped, 0, flipped.length / 3, (byte) 0x55);

        refused(data, keyed(bytes, List.of(77)), "no schema");
        refused(data, keyed(bytes, List.of(POINT)), "primitive");
        refused(data, keyed(Arrays.copyOf(bytes, bytes.length / 2), List.of(ID)), "cannot be read");
        refused(data, keyed(new byte[0], List.of(ID)), "cannot be read");
        refused(data, keyed(flipped, List.of(ID)), "cannot be read");
        // The file's column is an int64, the field's type is a text.
        refused(data, keyed(retyped(), List.of(2)), "stored as INT64");
        table.storage.delete(good.file().path());
        refused(data, good, "missing");
    }

    private ManifestEntry<DeleteFile> keyed(byte[] bytes, List<Integer> ids) {
        return KeyFixture.entry(new DeleteFile.EqualityDeletes(table.put(bytes, 1, UNPARTITIONED, null), ids), 9);
    }

    private static byte[] retyped() throws IOException {
        return ParquetFixture.schema("optional int64 name = 2;").write(1, (group, i) -> group.append("name", 1L)).bytes;
    }

    private void refused(ManifestEntry<DataFile> data, ManifestEntry<DeleteFile> delete, String why) {
        var task = KeyFixture.task(data, List.of(delete));
        assertThatThrownBy(() -> positions(task))
                .isInstanceOf(InvalidTableException.class)
                .hasMessageContaining("quality delete file " + delete.file().path())
                .hasMessageContaining(why);
    }

    @Test
    void countsRowsOfAReadWithoutColumns() throws IOException {
        var data = table.data(Layout.ALL, List.of(row(ID, 1L), row(ID, 2L), row(ID, 3L)), UNPARTITIONED, null, 1);
        var delete =
                table.deletes(List.of(ID), new Layout(false, Set.of(ID)), List.of(row(ID, 2L)), UNPARTITIONED, null, 2);
        var task = KeyFixture.task(data, List.of(delete));
        var read = table.reads().read(task, struct());
        table.deletes(List.of(task)).filter(task).ifPresent(read::filter);

        assertThat(rows(read)).hasSize(2).containsOnly(List.of());
    }
}
