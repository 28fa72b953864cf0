package dev.calve.spark.read;

import static dev.calve.spark.read.ParquetFixture.rows;
import static org.assertj.core.api.Assertions.assertThat;

import dev.calve.expression.Expression;
import dev.calve.expression.Metrics;
import dev.calve.io.MemoryStorage;
import dev.calve.manifest.ContentFile;
import dev.calve.manifest.DataFile;
import dev.calve.manifest.FileFormat;
import dev.calve.metadata.MetadataUpdate;
import dev.calve.metadata.MetadataUpdates;
import dev.calve.metadata.TableMetadata;
import dev.calve.partition.PartitionField;
import dev.calve.partition.PartitionSpec;
import dev.calve.partition.PartitionTuple;
import dev.calve.partition.SortOrder;
import dev.calve.partition.Transform;
import dev.calve.scan.FileTask;
import dev.calve.schema.Field;
import dev.calve.schema.Schema;
import dev.calve.schema.Type;
import dev.calve.spark.convert.SparkTypes;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** Files without the column that their identity partition is made of, as those that were added from a folder. */
class TaskReadsTest {

    private static final Schema OLD = schema(0, Type.Simple.INT, Type.Simple.FLOAT, 5);
    private static final Schema NEW = schema(1, Type.Simple.LONG, Type.Simple.DOUBLE, 5L);

    private final MemoryStorage storage = new MemoryStorage();
    private final TableMetadata table = MetadataUpdates.apply(
            MetadataUpdates.fresh(
                    OLD,
                    new PartitionSpec(
                            0,
                            List.of(
                                    new PartitionField(List.of(2), 1000, "part", Transform.IDENTITY),
                                    new PartitionField(List.of(3), 1001, "ratio", Transform.IDENTITY))),
                    SortOrder.UNSORTED,
                    "memory:///t",
                    Map.of(),
                    3,
                    1000),
            List.of(new MetadataUpdate.AddSchema(NEW, 3), new MetadataUpdate.SetCurrentSchema(1)),
            2000);

    private static Schema schema(int id, Type part, Type ratio, Object initial) {
        return new Schema(
                id,
                List.of(
                        Field.optional(1, "id", Type.Simple.INT),
                        new Field(2, "part", false, part, Optional.empty(), Optional.of(initial), Optional.of(initial)),
                        Field.optional(3, "ratio", ratio)));
    }

    private List<List<Object>> read(Schema schema, PartitionTuple partition) throws IOException {
        var file = ParquetFixture.schema("required int32 id = 1;").write(1, (group, i) -> group.append("id", 7));
        storage.put("memory:///t/a.parquet", file.bytes);
        var common = new ContentFile.Common(
                "memory:///t/a.parquet",
                FileFormat.PARQUET,
                0,
                partition,
                Metrics.ofCount(1),
                file.bytes.length,
                List.of(),
                OptionalInt.empty(),
                Optional.empty());
        var entry = KeyFixture.entry(new DataFile(common, OptionalLong.empty()), 1);
        var task = new FileTask(entry, "memory:///t/manifest", List.of(), Expression.Constant.TRUE, false);
        return rows(new TaskReads(storage, table, schema).read(task, SparkTypes.toSpark(schema)));
    }

    @Test
    void readsPartitionValuesInTheTypeThatAStateOfThePastHas() throws IOException {
        // Tuples are typed as the table is now.
        PartitionTuple partition = PartitionTuple.of(3L, 0.5d);

        assertThat(read(NEW, partition)).containsExactly(List.of(7, 3L, 0.5d));
        assertThat(read(OLD, partition)).containsExactly(List.of(7, 3, 0.5f));
    }

    /** Field 11 in struct 10, 14 in the elements of 12, 18 in the values of 15, and structs 20 and 23 whole. */
    private static Schema nested() {
        return new Schema(
                1,
                List.of(
                        Field.optional(10, "s", struct(Field.optional(19, "x", Type.Simple.FLOAT), sure(11, 5L))),
                        Field.optional(
                                12,
                                "l",
                                new Type.ListOf(
                                        13,
                                        false,
                                        struct(sure(14, "new"), Field.optional(30, "x", Type.Simple.FLOAT)))),
                        Field.optional(
                                15,
                                "m",
                                new Type.MapOf(
                                        16,
                                        Type.Simple.STRING,
                                        17,
                                        false,
                                        struct(Field.optional(31, "x", Type.Simple.FLOAT), sure(18, 7L)))),
                        new Field(
                                20,
                                "whole",
                                false,
                                struct(
                                        sure(21, 9L),
                                        Field.optional(22, "none", Type.Simple.INT),
                                        Field.optional(23, "inner", struct(sure(24, 1L)))),
                                Optional.empty(),
                                Optional.of(Map.of()),
                                Optional.of(Map.of()))));
    }

    private static Type.Struct struct(Field... fields) {
        return new Type.Struct(List.of(fields));
    }

    /** A field with an initial default. */
    private static Field sure(int id, Object initial) {
        Type type = initial instanceof Long ? Type.Simple.LONG : Type.Simple.STRING;
        return new Field(id, "f" + id, false, type, Optional.empty(), Optional.of(initial), Optional.of(initial));
    }

    /** Spec: Default values. */
    @Test
    void fieldsThatStructsLackHaveTheirInitialDefaultWhereTheStructIsNotNull() throws IOException {
        String stored = "optional group s = 10 { optional float x = 19; }"
                + "optional group l (LIST) = 12 { repeated group list { optional group element = 13 {"
                + " optional float x = 30; } } }"
                + "optional group m (MAP) = 15 { repeated group key_value { required binary key (STRING) = 16;"
                + " optional group value = 17 { optional float x = 31; } } }";
        for (boolean byRows : new boolean[] {false, true}) {
            var fixture = ParquetFixture.schema(stored).rowsPerGroup(2);
            var file = (byRows ? fixture.byteStreamSplit() : fixture).write(3, (group, i) -> {
                if (i == 1) {
                    return;
                }
                group.addGroup("s").append("x", (float) i);
                var list = group.addGroup("l");
                list.addGroup("list").addGroup("element").append("x", (float) i);
                list.addGroup("list");
                list.addGroup("list").addGroup("element");
                var map = group.addGroup("m");
                map.addGroup("key_value").append("key", "a").addGroup("value").append("x", (float) i);
                map.addGroup("key_value").append("key", "b");
            });
            storage.put("memory:///t/n.parquet", file.bytes);
            TableMetadata fresh = MetadataUpdates.apply(
                    MetadataUpdates.fresh(
                            OLD, new PartitionSpec(0, List.of()), SortOrder.UNSORTED, "memory:///t", Map.of(), 3, 1000),
                    List.of(new MetadataUpdate.AddSchema(nested(), 31), new MetadataUpdate.SetCurrentSchema(1)),
                    2000);
            var common = new ContentFile.Common(
                    "memory:///t/n.parquet",
                    FileFormat.PARQUET,
                    0,
                    PartitionTuple.of(),
                    Metrics.ofCount(3),
                    file.bytes.length,
                    List.of(),
                    OptionalInt.empty(),
                    Optional.empty());
            var entry = KeyFixture.entry(new DataFile(common, OptionalLong.empty()), 1);
            var task = new FileTask(entry, "memory:///t/manifest", List.of(), Expression.Constant.TRUE, false);
            var read = new TaskReads(storage, fresh, nested()).read(task, SparkTypes.toSpark(nested()));

            List<Object> whole = Arrays.asList(9L, null, null);
            for (int row : new int[] {0, 2}) {
                float x = row;
                Map<Object, Object> map = new HashMap<>();
                map.put("a", List.of(x, 7L));
                map.put("b", null);
                assertThat(rows(read).get(row))
                        .as("row %d, value by value: %s", row, byRows)
                        .containsExactly(
                                List.of(x, 5L),
                                Arrays.asList(List.of("new", x), null, Arrays.asList("new", null)),
                                map,
                                whole);
            }
            assertThat(rows(read).get(1)).containsExactly(null, null, null, whole);
        }
    }

    @Test
    void readsANullPartitionAsNullAndNotAsTheInitialDefault() throws IOException {
        assertThat(read(NEW, PartitionTuple.of(null, 0.5d))).containsExactly(Arrays.asList(7, null, 0.5d));
    }
}
