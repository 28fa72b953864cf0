package dev.calve.manifest;

import static dev.calve.manifest.ManifestFixture.SNAPSHOT;
import static dev.calve.manifest.ManifestFixture.entry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.io.InvalidTableException;
import java.io.IOException;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class InheritanceTest {

    private final ManifestFixture fixture = new ManifestFixture();

    /** Columns: status code, manifest's number, stored numbers; expected numbers, x for a refusal. Empty is null. */
    @ParameterizedTest
    @CsvSource({
        "1, 9,  ,  , 9, 9",
        "1, 9, 4,  , 4, 9",
        "1, 9, 4, 5, 4, 5",
        "1, 0,  ,  , 0, 0",
        "0, 9, 4, 5, 4, 5",
        "0, 0,  ,  , 0, 0",
        "0, 9,  ,  , x, x",
        "0, 9, 4,  , x, x",
        "2, 9, 4, 5, 4, 5",
        "2, 0,  ,  , 0, 0",
        "2, 9,  ,  , -1, -1",
        "2, 9, 4,  , 4, -1",
    })
    void inheritsSequenceNumbers(
            int status,
            long manifestNumber,
            @Nullable Long data,
            @Nullable Long file,
            String expectedData,
            String expectedFile)
            throws IOException {
        ManifestFile manifest = stored(manifestNumber, status, null, data, file);

        if (expectedData.equals("x")) {
            assertThatThrownBy(() -> ManifestReader.readData(fixture.storage, manifest))
                    .isInstanceOf(InvalidTableException.class)
                    .hasMessageContaining(manifest.path())
                    .hasMessageContaining("sequence_number");
            return;
        }
        assertThat(ManifestReader.readData(fixture.storage, manifest))
                .singleElement()
                .satisfies(entry -> {
                    assertThat(entry.sequenceNumber()).isEqualTo(Long.parseLong(expectedData));
                    assertThat(entry.fileSequenceNumber()).isEqualTo(Long.parseLong(expectedFile));
                });
    }

    @Test
    void inheritsTheSnapshotThatAddedTheManifest() throws IOException {
        assertThat(ManifestReader.readData(fixture.storage, stored(9, 1, null, null, null)))
                .singleElement()
                .satisfies(entry -> assertThat(entry.snapshotId()).isEqualTo(SNAPSHOT));
        assertThat(ManifestReader.readData(fixture.storage, stored(9, 1, 5L, null, null)))
                .singleElement()
                .satisfies(entry -> assertThat(entry.snapshotId()).isEqualTo(5));
    }

    /** A manifest with one entry that holds exactly these values. */
    private ManifestFile stored(
            long manifestNumber, int status, @Nullable Long snapshot, @Nullable Long data, @Nullable Long file)
            throws IOException {
        ManifestFile model = fixture.dataManifest(2, writer -> writer.added(fixture.data("a", 1)));
        byte[] edited = fixture.edited(model.path(), record -> {
            record.put("status", status);
            record.put("snapshot_id", snapshot);
            record.put("sequence_number", data);
            record.put("file_sequence_number", file);
        });
        return fixture.foreign(edited, ManifestFile.Content.DATA, manifestNumber);
    }

    private ManifestFile mixed() throws IOException {
        return fixture.dataManifest(3, writer -> {
            writer.added(fixture.data("a", 10).withFirstRowId(OptionalLong.of(555)));
            writer.deleted(entry(1, 1, 1, fixture.data("b", 1000)));
            writer.existing(entry(1, 1, 1, fixture.data("c", 100).withFirstRowId(OptionalLong.of(7))));
            writer.existing(entry(1, 1, 1, fixture.data("d", 20)));
            writer.deleted(entry(1, 1, 1, fixture.data("e", 1000).withFirstRowId(OptionalLong.of(3))));
            writer.added(fixture.data("f", 5));
        });
    }

    @Test
    void givesRowIdsInOrderToLiveFilesWithoutOne() throws IOException {
        ManifestFile manifest = mixed().withSequenceNumbers(2, 1).withFirstRowId(5000);

        assertThat(ManifestReader.readData(fixture.storage, manifest))
                .extracting(entry -> entry.file().path() + " " + entry.file().firstRowId())
                .containsExactly(
                        "a OptionalLong[5000]",
                        "b OptionalLong.empty",
                        "c OptionalLong[7]",
                        "d OptionalLong[5010]",
                        "e OptionalLong[3]",
                        "f OptionalLong[5030]");
    }

    @Test
    void givesTheSameRowIdsWhenFilesAreSkipped() throws IOException {
        ManifestFixture partitioned = ManifestFixture.partitionedBy(dev.calve.schema.Type.Simple.INT);
        ManifestFile manifest = partitioned
                .dataManifest(3, writer -> {
                    writer.added(partitioned.data("a", 10, 1));
                    writer.added(partitioned.data("b", 20, 2));
                    writer.added(partitioned.data("c", 30, 1));
                })
                .withSequenceNumbers(2, 2)
                .withFirstRowId(100);
        var selection =
                Selection.live().inPartitions(tuple -> tuple.value(0).get().equals(2));

        assertThat(ManifestReader.readData(partitioned.storage, manifest, selection))
                .extracting(entry -> entry.file().path() + " " + entry.file().firstRowId())
                .containsExactly("b OptionalLong[110]");
    }

    @Test
    void forgetsRowIdsOfACommittedManifestThatHasNone() throws IOException {
        ManifestFile manifest = mixed().withSequenceNumbers(2, 1);

        assertThat(ManifestReader.readData(fixture.storage, manifest))
                .allSatisfy(entry -> assertThat(entry.file().firstRowId()).isEmpty());
    }

    @Test
    void keepsRowIdsOfAManifestThatNobodyCommittedYet() throws IOException {
        assertThat(ManifestReader.readData(fixture.storage, mixed()))
                .extracting(entry -> entry.file().firstRowId())
                .containsExactlyElementsOf(List.of(
                        OptionalLong.empty(),
                        OptionalLong.empty(),
                        OptionalLong.of(7),
                        OptionalLong.empty(),
                        OptionalLong.of(3),
                        OptionalLong.empty()));
    }

    @Test
    void readsVersion1AsSequenceNumberZero() throws IOException {
        ManifestFile manifest = fixture.dataManifest(1, writer -> {
            writer.added(fixture.data("a", 1));
            writer.existing(entry(5, 0, 0, fixture.data("b", 1)));
        });

        assertThat(ManifestReader.readData(fixture.storage, manifest.withSequenceNumbers(0, 0)))
                .extracting(
                        entry -> entry.snapshotId() + " " + entry.sequenceNumber() + " " + entry.fileSequenceNumber())
                .containsExactly(SNAPSHOT + " 0 0", "5 0 0");
    }
}
