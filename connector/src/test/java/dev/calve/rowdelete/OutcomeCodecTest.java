package dev.calve.rowdelete;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.commit.CommitFixture;
import dev.calve.deletes.PositionBitmap;
import dev.calve.rewrite.RewriteCounts;
import dev.calve.schema.Type;
import java.util.List;
import org.junit.jupiter.api.Test;

class OutcomeCodecTest {

    @Test
    void bringsBackEveryKindOfOutcome() {
        var table = CommitFixture.partitionedBy(Type.Simple.DOUBLE, 3);
        var a = table.dataFile("a").in(Double.NaN).ids(1, 10).build();
        var b = table.dataFile("b").in((Object) null).build();
        List<Outcome> outcomes = List.of(
                new Outcome.Untouched(0),
                new Outcome.WholeFile(Integer.MAX_VALUE, PositionBitmap.of(0, 1L << 40)),
                new Outcome.Deletes(2, PositionBitmap.of(3), table.vector("v", a, 1L << 40, 5)),
                new Outcome.Deletes(3, PositionBitmap.of(1, 4), table.positions("p", b)),
                new Outcome.Deletes(4, PositionBitmap.of(5), table.positionsIn("q", b)),
                new Outcome.Rewritten(
                        5, PositionBitmap.of(6, 7, 8), List.of(a, b), new RewriteCounts(1, 2, 3_000_000_000L, 4)));
        byte[] bytes = new OutcomeCodec(table.metadata()).toBytes(outcomes);
        assertThat(new OutcomeCodec(table.metadata()).fromBytes(bytes)).isEqualTo(outcomes);
    }

    @Test
    void bringsBackNoOutcomes() {
        var codec = new OutcomeCodec(CommitFixture.unpartitioned(2).metadata());
        assertThat(codec.fromBytes(codec.toBytes(List.of()))).isEmpty();
    }

    @Test
    void saysWhatToDoAboutBytesOfAnotherVersion() {
        var codec = new OutcomeCodec(CommitFixture.unpartitioned(2).metadata());
        for (byte[] bytes : List.of(new byte[] {0, 0, 0, 1}, new byte[] {127, 0, 0, 0, 1, 2, 3, 4, -1, -1, -1, -1})) {
            assertThatThrownBy(() -> codec.fromBytes(bytes))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("Use one version of Calve on the driver and all executors");
        }
    }
}
