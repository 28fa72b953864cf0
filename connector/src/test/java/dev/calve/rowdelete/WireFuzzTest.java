package dev.calve.rowdelete;

import static org.assertj.core.api.Assertions.assertThat;

import dev.calve.Fuzz;
import dev.calve.Fuzz.Target;
import dev.calve.commit.CommitFixture;
import dev.calve.commit.SnapshotChange.Operation;
import dev.calve.deletes.PositionBitmap;
import dev.calve.rewrite.RewriteCounts;
import dev.calve.scan.FileTask;
import dev.calve.scan.FileTaskCodec;
import dev.calve.scan.ScanPlanner;
import dev.calve.schema.Type;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Damaged messages between driver and executors. */
class WireFuzzTest {

    private final CommitFixture table = CommitFixture.partitionedBy(Type.Simple.STRING, 3);

    private List<byte[]> tasks() throws IOException {
        var a = table.dataFile("a").in("x").ids(1, 10).build();
        var b = table.dataFile("b").in((Object) null).build();
        table.append(a, b);
        table.change(Operation.DELETE)
                .delete(table.vector("v", a))
                .delete(table.equality("e", 0, (Object) null))
                .commit();
        table.append(table.dataFile("c").in("y").build());
        var codec = new FileTaskCodec(table.metadata());
        var samples = new ArrayList<byte[]>();
        for (FileTask task : new ScanPlanner(table.storage, table.metadata(), table.head())
                .plan(CommitFixture.idAtMost(5))
                .tasks()) {
            var bytes = new ByteArrayOutputStream();
            codec.write(task, new DataOutputStream(bytes));
            samples.add(bytes.toByteArray());
        }
        return samples;
    }

    private List<byte[]> outcomes() {
        var a = table.dataFile("a").in("x").ids(1, 10).build();
        var b = table.dataFile("b").in((Object) null).build();
        var codec = new OutcomeCodec(table.metadata());
        return List.of(
                codec.toBytes(List.of()),
                codec.toBytes(
                        List.of(new Outcome.Untouched(0), new Outcome.WholeFile(1, PositionBitmap.of(0, 1L << 40)))),
                codec.toBytes(List.of(
                        new Outcome.Deletes(2, PositionBitmap.of(3), table.vector("v", a, 1L << 40, 5)),
                        new Outcome.Deletes(3, PositionBitmap.of(1, 4), table.positions("p", b)))),
                codec.toBytes(List.of(new Outcome.Rewritten(
                        5, PositionBitmap.of(6, 7, 8), List.of(a, b), new RewriteCounts(1, 2, 3_000_000_000L, 4)))));
    }

    @Test
    void messages() throws Exception {
        List<byte[]> tasks = tasks();
        Fuzz.run(
                Target.of(
                                "file-task",
                                "Use one version of Calve",
                                tasks,
                                bytes -> assertThat(new FileTaskCodec(table.metadata())
                                                .read(new DataInputStream(new ByteArrayInputStream(bytes))))
                                        .isNotNull())
                        .typed(IllegalStateException.class),
                Target.of(
                                "outcome",
                                "Use one version of Calve",
                                outcomes(),
                                bytes -> assertThat(new OutcomeCodec(table.metadata()).fromBytes(bytes))
                                        .isNotNull())
                        .typed(IllegalStateException.class));
    }
}
