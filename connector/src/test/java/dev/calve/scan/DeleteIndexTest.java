package dev.calve.scan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.commit.CommitFixture;
import dev.calve.io.InvalidTableException;
import dev.calve.manifest.ContentFile;
import dev.calve.manifest.DataFile;
import dev.calve.manifest.DeleteFile;
import dev.calve.manifest.ManifestEntry;
import dev.calve.manifest.ManifestEntry.Status;
import dev.calve.metadata.MetadataUpdate;
import dev.calve.partition.PartitionSpec;
import dev.calve.schema.Type;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Spec: Scan Planning, delete scope. */
class DeleteIndexTest {

    private final CommitFixture table = CommitFixture.partitionedBy(Type.Simple.DOUBLE, 3);
    private final DataFile file = table.dataFile("a").in(1.0).build();
    private DeleteIndex index;

    @BeforeEach
    void start() {
        // Spec 1 is unpartitioned: equality deletes of it reach every partition.
        table.evolve(new MetadataUpdate.AddSpec(PartitionSpec.unpartitioned(1)), new MetadataUpdate.SetDefaultSpec(-1));
        index = new DeleteIndex(table.metadata());
    }

    private static <F extends ContentFile> ManifestEntry<F> at(long sequenceNumber, F file) {
        return new ManifestEntry<>(Status.ADDED, 1, sequenceNumber, sequenceNumber, file);
    }

    private void add(long sequenceNumber, DeleteFile deletes) {
        index.add(at(sequenceNumber, deletes));
    }

    private List<String> of(long sequenceNumber, DataFile data) {
        return index.of(at(sequenceNumber, data)).stream()
                .map(entry -> entry.file().path().replaceAll(".*/", ""))
                .toList();
    }

    @Test
    void appliesPositionDeletesOfTheSameCommitAndLater() {
        add(4, table.positions("older", file));
        add(5, table.positions("same", file));
        add(6, table.positions("later", file));
        add(4, table.positionsIn("wide-older", file));
        add(5, table.positionsIn("wide-same", file));
        assertThat(of(5, file)).containsExactly("same", "later", "wide-same");
    }

    @Test
    void appliesEqualityDeletesOfLaterCommitsOnly() {
        add(5, table.equality("same", 0, 1.0));
        add(6, table.equality("later", 0, 1.0));
        add(5, table.equality("global-same", 1));
        add(6, table.equality("global-later", 1));
        assertThat(of(5, file)).containsExactly("later", "global-later");
    }

    @Test
    void appliesDeletesOfThePartitionOnly() {
        var elsewhere = table.dataFile("b").spec(0).in(2.0).build();
        add(6, table.positions("of-b", elsewhere));
        add(6, table.positionsIn("wide-b", elsewhere));
        add(6, table.equality("keys-b", 0, 2.0));
        add(6, table.equality("global", 1));
        assertThat(of(5, file)).containsExactly("global");
        assertThat(of(5, elsewhere)).containsExactly("of-b", "wide-b", "keys-b", "global");
    }

    @Test
    void neverTakesPartitionsOfDifferentSpecsForEqual() {
        var unpartitioned = table.dataFile("c").build();
        assertThat(unpartitioned.specId()).isEqualTo(1);
        add(6, table.positionsIn("wide-c", unpartitioned));
        assertThat(of(5, file)).isEmpty();
        assertThat(of(5, unpartitioned)).containsExactly("wide-c");
    }

    @Test
    void findsPartitionsOfNaNAndNullButTellsTheZerosApart() {
        var nan = table.dataFile("nan").spec(0).in(Double.NaN).build();
        var none = table.dataFile("null").spec(0).in((Object) null).build();
        var zero = table.dataFile("zero").spec(0).in(0.0).build();
        var negative = table.dataFile("-zero").spec(0).in(-0.0).build();
        add(6, table.positionsIn("in-nan", nan));
        add(6, table.positionsIn("in-null", none));
        add(6, table.positionsIn("in-zero", zero));
        assertThat(of(5, nan)).containsExactly("in-nan");
        assertThat(of(5, none)).containsExactly("in-null");
        assertThat(of(5, zero)).containsExactly("in-zero");
        assertThat(of(5, negative)).isEmpty();
    }

    @Test
    void hidesPositionDeletesBehindAVectorButNoEqualityDeletes() {
        add(6, table.positions("p", file));
        add(6, table.positionsIn("wide", file));
        add(7, table.equality("keys", 0, 1.0));
        add(6, table.vector("v", file));
        assertThat(of(5, file)).containsExactly("v", "keys");
    }

    @Test
    void appliesAVectorOfTheSameCommit() {
        add(5, table.vector("v", file));
        assertThat(of(5, file)).containsExactly("v");
    }

    @Test
    void refusesTwoVectorsForOneFile() {
        add(6, table.vector("v", file, 4, 1));
        var second = table.vector("v", file, 44, 1);
        assertThatThrownBy(() -> add(7, second))
                .isInstanceOf(InvalidTableException.class)
                .hasMessageContaining(file.path())
                .hasMessageContaining("v@4")
                .hasMessageContaining("v@44");
    }

    @Test
    void refusesAVectorOlderThanItsFile() {
        add(4, table.vector("v", file));
        assertThatThrownBy(() -> of(5, file))
                .isInstanceOf(InvalidTableException.class)
                .hasMessageContaining("must not be older");
    }

    @Test
    void refusesDeletesOfOneFileThatLieInAnotherPartition() {
        var sameFileElsewhere = table.dataFile("a").spec(0).in(2.0).build();
        add(6, table.vector("v", sameFileElsewhere));
        assertThatThrownBy(() -> of(5, file))
                .isInstanceOf(InvalidTableException.class)
                .hasMessageContaining("must lie in the partition");
        index = new DeleteIndex(table.metadata());
        add(6, table.positions("p", sameFileElsewhere));
        assertThatThrownBy(() -> of(5, file))
                .isInstanceOf(InvalidTableException.class)
                .hasMessageContaining("must lie in the partition");
    }

    @Test
    void findsNothingInATableWithoutDeletes() {
        assertThat(index.isEmpty()).isTrue();
        assertThat(of(5, file)).isEmpty();
    }
}
