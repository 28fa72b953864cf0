package dev.calve.parquet;

import static dev.calve.parquet.ParquetFiles.schema;
import static dev.calve.parquet.ParquetFiles.settings;
import static org.assertj.core.api.Assertions.assertThat;

import dev.calve.metadata.MetricsMode;
import dev.calve.partition.SortOrder;
import dev.calve.partition.Transform;
import dev.calve.schema.Field;
import dev.calve.schema.Schema;
import dev.calve.schema.Type;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ColumnModesTest {

    private static final MetricsMode SIXTEEN = new MetricsMode.Truncate(16);

    @Test
    void allColumnsOfANarrowSchemaGetTruncatedBounds() {
        var modes = ColumnModes.of(wide(100), settings(), SortOrder.UNSORTED);

        assertThat(modes).hasSize(100).allSatisfy((id, mode) -> assertThat(mode).isEqualTo(SIXTEEN));
    }

    @Test
    void onlyTheFirstColumnsOfAWideSchemaGetMetrics() {
        var modes = ColumnModes.of(wide(150), settings(), SortOrder.UNSORTED);

        assertThat(modes).containsOnlyKeys(IntStream.rangeClosed(1, 100).boxed().toArray(Integer[]::new));
    }

    @Test
    void topLevelColumnsComeBeforeThoseOfStructs() {
        var schema = schema(
                Field.optional(1, "s", new Type.Struct(List.of(Field.optional(4, "x", Type.Simple.INT)))),
                Field.optional(2, "a", Type.Simple.INT),
                Field.optional(3, "b", Type.Simple.INT));
        var limit = settings("write.metadata.metrics.max-inferred-column-defaults", "2");

        assertThat(ColumnModes.of(schema, limit, SortOrder.UNSORTED)).containsOnlyKeys(2, 3);
    }

    @Test
    void anExplicitDefaultIsForAllColumns() {
        var modes = ColumnModes.of(wide(150), settings("write.metadata.metrics.default", "full"), SortOrder.UNSORTED);

        assertThat(modes).hasSize(150).allSatisfy((id, mode) -> assertThat(mode).isEqualTo(new MetricsMode.Full()));
    }

    @Test
    void sortedColumnsKeepBoundsUnlessTheirOwnModeSaysOtherwise() {
        var order = new SortOrder(1, List.of(term(1), term(2)));
        var modes = ColumnModes.of(
                wide(3),
                settings(
                        "write.metadata.metrics.default", "counts",
                        "write.metadata.metrics.column.c2", "none"),
                order);

        assertThat(modes).containsEntry(1, SIXTEEN);
        assertThat(modes).containsEntry(2, new MetricsMode.None());
        assertThat(modes).containsEntry(3, new MetricsMode.Counts());
    }

    private static SortOrder.Term term(int id) {
        return new SortOrder.Term(
                new Transform.Identity(), List.of(id), SortOrder.Direction.ASC, SortOrder.NullOrder.NULLS_FIRST);
    }

    private static Schema wide(int columns) {
        return new Schema(
                0,
                IntStream.rangeClosed(1, columns)
                        .mapToObj(i -> Field.optional(i, "c" + i, Type.Simple.INT))
                        .toList());
    }
}
