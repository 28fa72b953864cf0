package dev.calve.scan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.calve.commit.CommitFixture;
import dev.calve.commit.SnapshotChange.Operation;
import dev.calve.expression.Expression;
import dev.calve.expression.Metrics;
import dev.calve.manifest.ContentFile;
import dev.calve.manifest.DataFile;
import dev.calve.manifest.DeleteFile;
import dev.calve.manifest.ManifestEntry;
import dev.calve.metadata.MetadataUpdate;
import dev.calve.partition.PartitionSpec;
import dev.calve.schema.Bytes;
import dev.calve.schema.Type;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FileTaskCodecTest {

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void bringsBackEverythingButColumnMetrics(int version) throws IOException {
        var table = CommitFixture.partitionedBy(Type.Simple.DOUBLE, version);
        var a = table.dataFile("a").in(Double.NaN).ids(1, 10).build();
        var b = table.dataFile("b").in((Object) null).build();
        table.append(a);
        table.append(b);
        if (version == 3) {
            table.change(Operation.DELETE)
                    .delete(table.vector("v", a))
                    .delete(table.vector("v", b, 44, 3))
                    .commit();
        } else {
            table.change(Operation.DELETE)
                    .delete(table.positions("p", a))
                    .delete(table.positionsIn("q", a))
                    .delete(table.equality("e", 0, (Object) null))
                    .commit();
        }
        table.evolve(new MetadataUpdate.AddSpec(PartitionSpec.unpartitioned(1)), new MetadataUpdate.SetDefaultSpec(-1));
        table.append(table.dataFile("c").build());
        List<FileTask> tasks = new ScanPlanner(table.storage, table.metadata(), table.head())
                .plan(CommitFixture.idAtMost(5))
                .tasks();
        assertThat(tasks).hasSize(3);
        assertThat(tasks.stream().mapToInt(task -> task.deletes().size()).sum()).isEqualTo(version == 3 ? 2 : 3);
        assertThat(tasks.stream().map(FileTask::residual)).doesNotContain(Expression.Constant.TRUE);

        var bytes = new ByteArrayOutputStream();
        var out = new DataOutputStream(bytes);
        var codec = new FileTaskCodec(table.metadata());
        for (FileTask task : tasks) {
            codec.write(task, out);
        }
        var in = new DataInputStream(new ByteArrayInputStream(bytes.toByteArray()));
        var other = new FileTaskCodec(table.metadata());
        var read = new ArrayList<FileTask>();
        for (int i = 0; i < tasks.size(); i++) {
            read.add(other.read(in));
        }
        assertThat(in.read()).isEqualTo(-1);
        assertThat(read).isEqualTo(tasks.stream().map(FileTaskCodecTest::slim).toList());
    }

    @Test
    void leavesColumnMetricsOfEqualityDeletesBehind() throws IOException {
        var table = CommitFixture.partitionedBy(Type.Simple.DOUBLE, 2);
        var plain = table.equality("e", 0, 1.0);
        var common = plain.common();
        Map<Integer, Long> counts = Map.of(CommitFixture.ID, 3L);
        Map<Integer, Bytes> bounds = Map.of(CommitFixture.ID, Bytes.copyOf(new byte[8]));
        var measured = new DeleteFile.EqualityDeletes(
                new ContentFile.Common(
                        common.path(),
                        common.format(),
                        common.specId(),
                        common.partition(),
                        new Metrics(3, counts, counts, counts, Map.of(), bounds, bounds),
                        common.fileSizeBytes(),
                        common.splitOffsets(),
                        common.sortOrderId(),
                        common.keyMetadata()),
                plain.equalityIds());
        var data = table.dataFile("a").in(1.0).build();

        var bytes = new ByteArrayOutputStream();
        new FileTaskCodec(table.metadata()).write(task(data, measured), new DataOutputStream(bytes));
        FileTask read = new FileTaskCodec(table.metadata())
                .read(new DataInputStream(new ByteArrayInputStream(bytes.toByteArray())));

        assertThat(read).isEqualTo(slim(task(data, plain)));
    }

    @Test
    void keepsTheCountsOfNansOfDataFilesAndNoOtherMetrics() throws IOException {
        var table = CommitFixture.partitionedBy(Type.Simple.DOUBLE, 2);
        var deletes = table.equality("e", 0, 1.0);
        var plain = table.dataFile("a").in(1.0).build().common();
        Map<Integer, Long> counts = Map.of(CommitFixture.ID, 3L);
        Map<Integer, Bytes> bounds = Map.of(CommitFixture.ID, Bytes.copyOf(new byte[8]));
        FileTask read = carried(
                table, task(with(plain, new Metrics(3, counts, counts, counts, counts, bounds, bounds)), deletes));
        assertThat(read.file())
                .isEqualTo(with(plain, new Metrics(3, Map.of(), Map.of(), Map.of(), counts, Map.of(), Map.of())));
    }

    private static FileTask carried(CommitFixture table, FileTask task) throws IOException {
        var bytes = new ByteArrayOutputStream();
        new FileTaskCodec(table.metadata()).write(task, new DataOutputStream(bytes));
        return new FileTaskCodec(table.metadata())
                .read(new DataInputStream(new ByteArrayInputStream(bytes.toByteArray())));
    }

    private static DataFile with(ContentFile.Common common, Metrics metrics) {
        return new DataFile(
                new ContentFile.Common(
                        common.path(),
                        common.format(),
                        common.specId(),
                        common.partition(),
                        metrics,
                        common.fileSizeBytes(),
                        common.splitOffsets(),
                        common.sortOrderId(),
                        common.keyMetadata()),
                OptionalLong.empty());
    }

    private static FileTask task(DataFile data, DeleteFile deletes) {
        return new FileTask(
                new ManifestEntry<>(ManifestEntry.Status.ADDED, 1, 1, 1, data),
                "memory:/m.avro",
                List.of(new ManifestEntry<>(ManifestEntry.Status.ADDED, 2, 2, 2, deletes)),
                Expression.Constant.TRUE,
                false);
    }

    private static FileTask slim(FileTask task) {
        var entry = task.entry();
        var common = entry.file().common();
        var file = new DataFile(
                new ContentFile.Common(
                        common.path(),
                        common.format(),
                        common.specId(),
                        common.partition(),
                        Metrics.ofCount(entry.file().recordCount()),
                        common.fileSizeBytes(),
                        common.splitOffsets(),
                        common.sortOrderId(),
                        common.keyMetadata()),
                entry.file().firstRowId());
        return new FileTask(
                new ManifestEntry<>(
                        entry.status(), entry.snapshotId(), entry.sequenceNumber(), entry.fileSequenceNumber(), file),
                task.manifest(),
                task.deletes(),
                task.residual(),
                task.everyRowMatches());
    }
}
