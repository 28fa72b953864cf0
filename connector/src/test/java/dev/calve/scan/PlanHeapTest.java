package dev.calve.scan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.calve.commit.CommitFixture;
import dev.calve.expression.Expression;
import dev.calve.expression.Metrics;
import dev.calve.manifest.ContentFile;
import dev.calve.manifest.DataFile;
import dev.calve.manifest.FileFormat;
import dev.calve.partition.PartitionTuple;
import dev.calve.schema.Bytes;
import dev.calve.schema.Type;
import dev.calve.schema.ValueCodec;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** How much heap of the driver a plan of many files takes, whatever their statistics. */
class PlanHeapTest {

    private static final int FILES = 10_000;
    private static final int COLUMNS = 20;

    /** Of a path of 130 characters, which is most of it. What the README says is rounded up from this. */
    private static final long MOST_BYTES = 700;

    private static DataFile file(int number) {
        Map<Integer, Long> counts = new HashMap<>();
        Map<Integer, Long> nulls = new HashMap<>();
        Map<Integer, Bytes> bounds = new HashMap<>();
        for (int id = 1; id <= COLUMNS; id++) {
            counts.put(id, 1_000_000L + number);
            nulls.put(id, 300L + number);
            bounds.put(id, ValueCodec.encode(Type.Simple.LONG, (long) number * id));
        }
        String path = "memory:/t/data/day=2026-11-30/" + "%08d-".formatted(number) + "0".repeat(80) + "-00001.parquet";
        return new DataFile(
                new ContentFile.Common(
                        path,
                        FileFormat.PARQUET,
                        0,
                        PartitionTuple.of(number % 100),
                        new Metrics(1_000_000L + number, counts, counts, nulls, Map.of(), bounds, bounds),
                        256L << 20,
                        List.of(4L, 128L << 20),
                        OptionalInt.of(0),
                        Optional.empty()),
                OptionalLong.of(number * 1_000_000L));
    }

    private static long used() {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 4; i++) {
            System.gc();
            Runtime runtime = Runtime.getRuntime();
            least = Math.min(least, runtime.totalMemory() - runtime.freeMemory());
        }
        return least;
    }

    @Test
    void aPlannedFileTakesLittleMoreThanItsPath() {
        var table = CommitFixture.partitionedBy(Type.Simple.INT, 3);
        table.append(IntStream.range(0, FILES).mapToObj(PlanHeapTest::file).toArray(DataFile[]::new));
        var planner = new ScanPlanner(table.storage, table.metadata(), table.head());
        Expression filter = CommitFixture.idAtMost(Long.MAX_VALUE);
        planner.planToRead(filter, Set.of());
        long before = used();
        ScanPlan plan = planner.planToRead(filter, Set.of());
        long bytes = (used() - before) / FILES;
        System.out.println("PlanHeapTest: " + bytes + " bytes a planned file");
        assertThat(plan.tasks()).hasSize(FILES);
        assertThat(bytes).isBetween(100L, MOST_BYTES);
    }
}
