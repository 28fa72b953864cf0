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

    @Test
    void readsANullPartitionAsNullAndNotAsTheInitialDefault() throws IOException {
        assertThat(read(NEW, PartitionTuple.of(null, 0.5d))).containsExactly(Arrays.asList(7, null, 0.5d));
    }
}
