package dev.calve.rewrite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.deletes.PositionBitmap;
import dev.calve.expression.Metrics;
import dev.calve.manifest.ContentFile;
import dev.calve.manifest.DataFile;
import dev.calve.manifest.FileFormat;
import dev.calve.manifest.ManifestEntry;
import dev.calve.metadata.MetadataUpdates;
import dev.calve.metadata.TableMetadata;
import dev.calve.partition.PartitionSpec;
import dev.calve.partition.PartitionTuple;
import dev.calve.partition.SortOrder;
import dev.calve.schema.Field;
import dev.calve.schema.Schema;
import dev.calve.schema.Type;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class RewrittenTest {

    private static final TableMetadata TABLE = MetadataUpdates.fresh(
            new Schema(0, List.of(Field.required(1, "id", Type.Simple.LONG))),
            PartitionSpec.unpartitioned(0),
            SortOrder.UNSORTED,
            "file:/t",
            Map.of(),
            3,
            1000);

    private static DataFile file(String path, long rows) {
        return new DataFile(
                new ContentFile.Common(
                        path,
                        FileFormat.PARQUET,
                        0,
                        PartitionTuple.EMPTY,
                        Metrics.ofCount(rows),
                        100,
                        List.of(4L),
                        OptionalInt.empty(),
                        Optional.empty()),
                OptionalLong.empty());
    }

    private static Source source(String path, long rows, long... gone) {
        return new Source(
                new ManifestEntry<>(ManifestEntry.Status.ADDED, 1, 1, 1, file(path, rows)), PositionBitmap.of(gone));
    }

    private static final List<Source> SOURCES =
            List.of(source("a", 5, 1, 2, 9), source("none", 2, 0, 1), source("b", 4, 3));

    @Test
    void rowsThatStayFollowEachOtherThroughTheOutputs() {
        PositionMap map = new Rewritten(SOURCES, List.of(file("x", 2), file("y", 4)), RewriteCounts.NONE).positions();
        assertThat(map.sources()).containsExactlyInAnyOrder("a", "none", "b");
        assertThat(map.map("a", PositionBitmap.of(0, 1, 2, 3, 4)))
                .isEqualTo(Map.of("x", PositionBitmap.of(0, 1), "y", PositionBitmap.of(0)));
        assertThat(map.map("a", PositionBitmap.of(4))).isEqualTo(Map.of("y", PositionBitmap.of(0)));
        assertThat(map.map("none", PositionBitmap.of(0, 1))).isEmpty();
        assertThat(map.map("b", PositionBitmap.of(0, 2, 3))).isEqualTo(Map.of("y", PositionBitmap.of(1, 3)));
    }

    @Test
    void everyRowThatStaysIsInAnOutputAndNoOther() {
        for (long rows : new long[] {3, 5}) {
            List<DataFile> files = List.of(file("x", 2), file("y", rows));
            assertThatThrownBy(() -> new Rewritten(SOURCES, files, RewriteCounts.NONE))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("must have 6 rows, not " + (2 + rows));
            assertThatThrownBy(() -> PositionMap.inOrder(SOURCES, files)).isInstanceOf(IllegalArgumentException.class);
        }
        assertThatThrownBy(() -> PositionMap.inOrder(SOURCES, List.of(file("x", 6), file("y", 1))))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void comesBackFromExecutorsAsItWas() {
        var rewritten =
                new Rewritten(SOURCES, List.of(file("x", 2), file("y", 4)), new RewriteCounts(1, 2, 3_000_000_000L, 4));
        var codec = new RewrittenCodec(TABLE);
        var entries = SOURCES.stream().map(Source::entry).toList();
        assertThat(codec.fromBytes(codec.toBytes(rewritten), entries)).isEqualTo(rewritten);
        assertThatThrownBy(() -> codec.fromBytes(codec.toBytes(rewritten), entries.subList(0, 2)))
                .isInstanceOf(IllegalStateException.class);
    }
}
