package dev.calve.spark.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import dev.calve.manifest.ManifestFile;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ManifestPartTest {

    private static ManifestFile manifest(int number, long length, long files, OptionalLong firstRowId) {
        var unknown = OptionalLong.empty();
        return new ManifestFile(
                "memory:/m" + number,
                length,
                number % 3,
                number % 2 == 0 ? ManifestFile.Content.DATA : ManifestFile.Content.DELETES,
                number + 10L,
                number,
                number + 100L,
                new ManifestFile.Counts(OptionalLong.of(files), unknown, unknown, unknown, unknown, unknown),
                Optional.empty(),
                Optional.empty(),
                firstRowId);
    }

    private static ManifestFile withoutCounts(ManifestFile manifest) {
        var unknown = OptionalLong.empty();
        return new ManifestFile(
                manifest.path(),
                manifest.length(),
                manifest.specId(),
                manifest.content(),
                manifest.sequenceNumber(),
                manifest.minSequenceNumber(),
                manifest.addedSnapshotId(),
                new ManifestFile.Counts(unknown, unknown, unknown, unknown, unknown, unknown),
                manifest.partitions(),
                manifest.keyMetadata(),
                manifest.firstRowId());
    }

    @Test
    void arrivesAsItWasSentButForCounts() {
        List<ManifestFile> manifests =
                List.of(manifest(0, 7, 1, OptionalLong.of(0)), manifest(5, 1L << 40, 2, OptionalLong.empty()));
        var part = new ManifestPart(manifests, 3, 9);
        assertThat(ManifestPart.fromBytes(part.toBytes()))
                .isEqualTo(new ManifestPart(
                        manifests.stream().map(ManifestPartTest::withoutCounts).toList(), 3, 9));
    }

    @Test
    void snapshotsArriveAsTheyWereSent() {
        var part = new SnapshotPart(List.of(
                new SnapshotPart.Place(5, Optional.of("memory:/list"), List.of()),
                new SnapshotPart.Place(-6, Optional.empty(), List.of("memory:/a", "memory:/b"))));
        assertThat(SnapshotPart.fromBytes(part.toBytes())).isEqualTo(part);
    }

    @Test
    void manifestsAreGroupedSoThatEverybodyHasWork() {
        List<ManifestFile> manifests = IntStream.range(0, 40)
                .mapToObj(i -> manifest(i, 1L << 20, 1, OptionalLong.empty()))
                .toList();
        for (int parallelism : new int[] {1, 2, 8, 100}) {
            List<ManifestPart> parts = ManifestContents.parts(manifests, parallelism);
            assertThat(parts.stream().flatMap(part -> part.manifests().stream()))
                    .isEqualTo(manifests);
            assertThat(parts.size()).isBetween(Math.min(40, parallelism), 40);
            assertThat(parts).allMatch(part -> part.manifests().size() <= 8);
        }
        assertThat(ManifestContents.parts(List.of(), 4)).isEmpty();
        // Small ones are not worth a task each.
        List<ManifestFile> small = IntStream.range(0, 30)
                .mapToObj(i -> manifest(i, 7_000, 1, OptionalLong.empty()))
                .toList();
        assertThat(ManifestContents.parts(small, 16)).hasSize(1);
    }

    @Test
    void deleteFilesAreDealtOut() {
        List<ManifestPart> parts = ManifestContents.deleteParts(
                List.of(manifest(1, 7, 200, OptionalLong.empty()), manifest(3, 7, 0, OptionalLong.empty())));
        assertThat(parts).extracting(ManifestPart::slice).containsExactly(0, 1, 2, 3, 0);
        assertThat(parts).extracting(ManifestPart::slices).containsExactly(4, 4, 4, 4, 1);
    }
}
