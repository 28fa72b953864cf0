package dev.calve.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.calve.metadata.MetadataUpdate;
import dev.calve.metadata.MetadataUpdates;
import dev.calve.metadata.Requirement;
import dev.calve.partition.PartitionField;
import dev.calve.partition.PartitionSpec;
import dev.calve.partition.SortOrder;
import dev.calve.partition.Transform;
import dev.calve.schema.Field;
import dev.calve.schema.Schema;
import dev.calve.schema.Type;
import java.io.IOException;
import java.time.Clock;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class MetadataCommitTest {

    private final Table table = new Table();

    /** A table in memory whose next swaps end as the test says; without a script they succeed. */
    private static final class Table implements Committer {

        private final Deque<SwapOutcome> script = new ArrayDeque<>();
        private final List<List<MetadataUpdate>> swaps = new ArrayList<>();
        private boolean swapsAnyway;
        private boolean throwsAnyway;
        private boolean failsWhenInterrupted;
        private TableState state = new TableState(
                MetadataUpdates.fresh(
                        new Schema(0, List.of(Field.required(1, "id", Type.Simple.LONG))),
                        PartitionSpec.unpartitioned(0),
                        SortOrder.UNSORTED,
                        "mem:/t",
                        Map.of("commit.retry.min-wait-ms", "1", "commit.retry.num-retries", "2"),
                        2,
                        1000),
                "v1");

        @Override
        public TableState load() throws IOException {
            if (failsWhenInterrupted && Thread.currentThread().isInterrupted()) {
                throw new java.nio.channels.ClosedByInterruptException();
            }
            return state;
        }

        @Override
        public SwapOutcome swap(SwapRequest request) {
            swaps.add(request.updates());
            assertThat(request.base()).isEqualTo(state);
            assertThat(request.requirements())
                    .containsExactly(new Requirement.TableUuid(state.metadata().uuid()));
            SwapOutcome scripted = script.poll();
            if (scripted == null || swapsAnyway) {
                state = new TableState(request.result(), "v" + (swaps.size() + 1));
            }
            if (throwsAnyway) {
                throw new IllegalStateException("a bug in the catalog");
            }
            return scripted == null ? new SwapOutcome.Swapped(state) : scripted;
        }
    }

    private TableState set(String value) throws IOException {
        String uuid = table.state.metadata().uuid();
        return new MetadataCommit(UUID.randomUUID(), "db.t", uuid, table, Clock.systemUTC())
                .commit(found -> found.property("k").filter(value::equals).isPresent()
                        ? List.of()
                        : List.of(new MetadataUpdate.SetProperties(Map.of("k", value))));
    }

    @Test
    void swapsTheChangedMetadata() throws IOException {
        assertThat(set("1").metadata().property("k")).contains("1");
        assertThat(table.swaps).hasSize(1);
    }

    @Test
    void commitsNothingIfThereIsNothingToChange() throws IOException {
        set("1");

        assertThat(set("1")).isEqualTo(table.state);
        assertThat(table.swaps).hasSize(1);
    }

    @Test
    void derivesTheChangeAnewAfterALostRace() throws IOException {
        table.script.add(new SwapOutcome.Rejected("somebody was first"));

        assertThat(set("1").metadata().property("k")).contains("1");
        assertThat(table.swaps).hasSize(2);
    }

    @Test
    void givesUpWhenAllRetriesAreLost() {
        for (int i = 0; i < 3; i++) {
            table.script.add(new SwapOutcome.Rejected("somebody was first"));
        }

        assertThatThrownBy(() -> set("1"))
                .isInstanceOf(CommitConflictException.class)
                .hasMessageContaining("lost the race against other writers 3 times")
                .hasMessageContaining("somebody was first");
        assertThat(table.state.metadata().property("k")).isEmpty();
    }

    @Test
    void takesAChangeThatCannotBeMadeTwiceForASuccess() throws IOException {
        table.script.add(new SwapOutcome.Unknown(new IOException("answer lost")));
        table.swapsAnyway = true;
        String uuid = table.state.metadata().uuid();
        TableState changed = new MetadataCommit(UUID.randomUUID(), "db.t", uuid, table, Clock.systemUTC())
                .commit(found -> {
                    assertThat(found.spec().isUnpartitioned())
                            .as("not partitioned by it yet")
                            .isTrue();
                    return List.of(
                            new MetadataUpdate.AddSpec(new PartitionSpec(
                                    -1, List.of(PartitionField.of(1, 1000, "id", Transform.IDENTITY)))),
                            new MetadataUpdate.SetDefaultSpec(-1));
                });

        assertThat(changed).isEqualTo(table.state);
        assertThat(changed.metadata().spec().isUnpartitioned()).isFalse();
        assertThat(table.swaps).hasSize(1);
    }

    @Test
    void takesATableThatIsAsItShouldBeForASuccess() throws IOException {
        table.script.add(new SwapOutcome.Unknown(new IOException("answer lost")));
        table.swapsAnyway = true;

        assertThat(set("1").metadata().property("k")).contains("1");
        assertThat(table.swaps).hasSize(1);
    }

    @Test
    void saysThatNobodyKnowsIfTheAnswerIsLostAndTheChangeIsNotThere() {
        table.script.add(new SwapOutcome.Unknown(new IOException("answer lost")));

        assertThatThrownBy(() -> set("1"))
                .isInstanceOf(CommitStateUnknownException.class)
                .hasMessageContaining("db.t")
                .hasMessageContaining("answer lost");
    }

    @Test
    void saysWhatItDoesNotKnowAsFieldsToo() {
        table.script.add(new SwapOutcome.Unknown(new IOException("answer lost")));

        var unknown = catchThrowableOfType(CommitStateUnknownException.class, () -> set("1"));
        assertThat(unknown)
                .hasMessage(
                        "Cannot tell whether a change of metadata was committed to db.t: java.io.IOException: answer"
                                + " lost. Look at the table before running it again.");
        assertThat(unknown.table()).isEqualTo("db.t");
        assertThat(unknown.command()).isEqualTo("a change of metadata");
        assertThat(unknown.snapshotId()).isEmpty();
    }

    @Test
    void looksAtTheTableAfterACatalogThatThrew() throws IOException {
        table.throwsAnyway = true;
        assertThat(set("1").metadata().property("k")).contains("1");
        assertThat(table.swaps).hasSize(1);
    }

    @Test
    void looksAtTheTableInAnInterruptedThread() throws IOException {
        table.script.add(new SwapOutcome.Unknown(new IOException("interrupted")));
        table.swapsAnyway = true;
        String uuid = table.state.metadata().uuid();
        table.failsWhenInterrupted = true;
        try {
            var commit = new MetadataCommit(UUID.randomUUID(), "db.t", uuid, table, Clock.systemUTC());
            assertThat(commit.commit(found -> {
                                if (found.property("k").isPresent()) {
                                    return List.of();
                                }
                                Thread.currentThread().interrupt();
                                return List.of(new MetadataUpdate.SetProperties(Map.of("k", "1")));
                            })
                            .metadata()
                            .property("k"))
                    .contains("1");
        } finally {
            assertThat(Thread.interrupted()).isTrue();
        }
    }

    @Test
    void changesNothingWhenInterruptedBetweenAttempts() {
        table.script.add(new SwapOutcome.Rejected("somebody was first"));
        Thread.currentThread().interrupt();
        try {
            assertThatThrownBy(() -> set("1"))
                    .isInstanceOf(java.io.UncheckedIOException.class)
                    .hasMessageContaining("nothing was changed");
        } finally {
            assertThat(Thread.interrupted()).isTrue();
        }
        assertThat(table.state.metadata().property("k")).isEmpty();
    }

    @Test
    void refusesATableThatWasCreatedAnew() {
        assertThatThrownBy(() -> new MetadataCommit(UUID.randomUUID(), "db.t", "other-uuid", table, Clock.systemUTC())
                        .commit(found -> List.of()))
                .isInstanceOf(CommitConflictException.class)
                .hasMessageContaining("dropped and created again");
    }
}
