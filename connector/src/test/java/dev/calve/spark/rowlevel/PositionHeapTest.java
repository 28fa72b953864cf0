package dev.calve.spark.rowlevel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.calve.commit.CommitFixture;
import dev.calve.deletes.PositionBitmap;
import dev.calve.metadata.TableMetadata;
import dev.calve.spark.wire.RowsChanged;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How much heap of the driver the rows take that go in one statement, from the tasks' messages to what is settled. */
class PositionHeapTest {

    private static final int TASKS = 10;
    private static final int ROWS_OF_TASK = 1_000_000;

    private static long used() {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 3; i++) {
            System.gc();
            Runtime runtime = Runtime.getRuntime();
            least = Math.min(least, runtime.totalMemory() - runtime.freeMemory());
        }
        return least;
    }

    /** Each task deletes rows of a file of its own, one out of so many. */
    private static RowsChanged message(int task, int oneOf, TableMetadata table) {
        var deleted = new PositionBitmap();
        for (long i = 0; i < ROWS_OF_TASK; i++) {
            deleted.add(i * oneOf);
        }
        String path = "memory:/t/data/" + task + ".parquet";
        return RowsChanged.of(
                List.of(new RowsChanged.Fragment(path, deleted, new PositionBitmap())), List.of(), new byte[0], table);
    }

    /**
     * The messages stay until the statement ends, beside the sets made of them: twice the size of the set. A set takes two bytes
     * a row where 1 of 16 rows or fewer go, a bit for each row of the file where more do.
     *
     * @param most tenths of a byte for each row that goes. 100 million rows, the worst case, are 400 MB
     */
    @ParameterizedTest
    @CsvSource({"1,1", "2,6", "4,12", "16,42", "100,45"})
    void aRowThatGoesTakesTwoBytesInTheMessageAndTwoInTheSet(int oneOf, long most) {
        TableMetadata table = CommitFixture.unpartitioned(3).metadata();
        message(0, oneOf, table);
        long before = used();
        var messages = new ArrayList<RowsChanged>();
        for (int task = 0; task < TASKS; task++) {
            messages.add(message(task, oneOf, table));
        }
        var changed = new UpdatedOnce();
        messages.forEach(message -> message.content(table).fragments().forEach(changed::add));
        Map<String, PositionBitmap> going = changed.going();
        long tenths = (used() - before) * 10 / TASKS / ROWS_OF_TASK;
        System.out.println("PositionHeapTest: 1 of " + oneOf + ": " + tenths / 10.0 + " bytes a row");
        assertThat(tenths).isLessThanOrEqualTo(most);
        assertThat(messages).hasSize(TASKS);
        assertThat(changed.updated()).isZero();
        assertThat(going.values().stream()
                        .mapToLong(PositionBitmap::cardinality)
                        .sum())
                .isEqualTo((long) TASKS * ROWS_OF_TASK);
    }
}
