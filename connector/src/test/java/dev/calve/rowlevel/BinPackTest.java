package dev.calve.rowlevel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.expression.Expression;
import dev.calve.expression.Metrics;
import dev.calve.manifest.ContentFile;
import dev.calve.manifest.DataFile;
import dev.calve.manifest.DeleteFile;
import dev.calve.manifest.FileFormat;
import dev.calve.manifest.ManifestEntry;
import dev.calve.partition.PartitionTuple;
import dev.calve.scan.FileTask;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class BinPackTest {

    private static final BinPack PACK = new BinPack(100, 75, 180, 5, Integer.MAX_VALUE, 0.3, false);

    private final List<FileTask> tasks = new ArrayList<>();

    private void file(String name, long size, int partition, DeleteFile... deletes) {
        tasks.add(new FileTask(
                entry(new DataFile(common(name, size, 10, partition), OptionalLong.empty())),
                "m",
                List.of(deletes).stream().map(BinPackTest::entry).toList(),
                Expression.Constant.TRUE,
                true));
    }

    private static ContentFile.Common common(String name, long size, long records, int partition) {
        return new ContentFile.Common(
                name,
                FileFormat.PARQUET,
                partition < 0 ? 1 : 0,
                PartitionTuple.of(partition),
                Metrics.ofCount(records),
                size,
                List.of(),
                OptionalInt.empty(),
                Optional.empty());
    }

    private static <F extends ContentFile> ManifestEntry<F> entry(F file) {
        return new ManifestEntry<>(ManifestEntry.Status.ADDED, 1, 1, 1, file);
    }

    private static DeleteFile vector(String of, long positions) {
        return new DeleteFile.DeletionVector(common("v.puffin", 50, positions, 0), of, 4, 20);
    }

    private List<List<String>> groups(BinPack pack) {
        return pack.groups(tasks).stream()
                .map(group -> group.stream().map(task -> task.file().path()).toList())
                .toList();
    }

    @Test
    void joinsSmallFilesOfOnePartitionIfThereAreEnough() {
        for (int i = 0; i < 4; i++) {
            file("a" + i, 10, 1);
        }
        file("fits", 90, 1);
        assertThat(groups(PACK)).isEmpty();
        file("b", 10, 2);
        assertThat(groups(PACK)).isEmpty();
        file("a4", 10, 1);
        assertThat(groups(PACK)).containsExactly(List.of("a0", "a1", "a2", "a3", "a4"));
        assertThat(groups(new BinPack(100, 75, 180, 2, 9, 0.3, false)))
                .containsExactly(List.of("a0", "a1", "a2", "a3", "a4"));
    }

    @Test
    void joinsFewFilesThatFillANewOne() {
        file("a", 60, 1);
        file("b", 60, 1);
        assertThat(groups(PACK)).containsExactly(List.of("a", "b"));
    }

    @Test
    void cutsManyFilesIntoBinsOfAboutTheTargetSize() {
        for (int i = 0; i < 30; i++) {
            file("f" + i, 10, 1);
        }
        assertThat(groups(PACK))
                .hasSize(3)
                .allSatisfy(group -> assertThat(group).hasSize(10));
    }

    @Test
    void takesFilesThatAreTooLargeOrHaveManyDeletesAlone() {
        file("large", 181, 1);
        file("deleted", 100, 2, vector("deleted", 3));
        file("fine", 100, 3, vector("fine", 2));
        assertThat(groups(PACK)).containsExactly(List.of("large"), List.of("deleted"));
        assertThat(groups(new BinPack(100, 75, 180, 5, 1, 1, false)))
                .containsExactly(List.of("large"), List.of("deleted"), List.of("fine"));
    }

    @Test
    void takesAllFilesIfAskedTo() {
        file("a", 100, 1);
        file("b", 100, 2);
        assertThat(groups(PACK)).isEmpty();
        assertThat(groups(new BinPack(100, 75, 180, 5, 9, 0.3, true))).containsExactly(List.of("a"), List.of("b"));
    }

    @Test
    void keepsFilesOfDifferentSpecsApart() {
        for (int i = 0; i < 5; i++) {
            file("a" + i, 10, 7);
            file("b" + i, 10, -7);
        }
        assertThat(groups(PACK)).hasSize(2);
    }

    @Test
    void refusesSizesThatContradictEachOther() {
        assertThatThrownBy(() -> new BinPack(100, 101, 180, 5, 9, 0.3, false))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("101, 100 and 180");
        assertThatThrownBy(() -> new BinPack(100, 75, 100, 5, 9, 0.3, false))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new BinPack(100, 75, 180, 0, 9, 0.3, false))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new BinPack(100, 75, 180, 1, 9, Double.NaN, false))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
