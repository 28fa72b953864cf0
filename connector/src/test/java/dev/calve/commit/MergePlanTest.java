package dev.calve.commit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.calve.Randomly;
import dev.calve.manifest.ManifestFile;
import dev.calve.manifest.ManifestFile.Content;
import dev.calve.metadata.TableProperties;
import dev.calve.schema.Bytes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class MergePlanTest {

    private static final long TARGET = 1_000;

    private int count;

    private ManifestFile manifest(long length) {
        return manifest(length, 0, Content.DATA);
    }

    private ManifestFile manifest(long length, int specId, Content content) {
        return new ManifestFile(
                "memory:/m" + count++,
                length,
                specId,
                content,
                1,
                1,
                1,
                ManifestFile.Counts.of(1, 0, 0, 1, 0, 0),
                Optional.empty(),
                Optional.empty(),
                OptionalLong.empty());
    }

    private List<ManifestFile> manifests(long... lengths) {
        var manifests = new ArrayList<ManifestFile>();
        for (long length : lengths) {
            manifests.add(manifest(length));
        }
        return manifests;
    }

    private static List<List<Long>> planned(List<ManifestFile> listed, Map<String, String> properties) {
        var all = new HashMap<>(Map.of(
                "commit.manifest.target-size-bytes", Long.toString(TARGET), "commit.manifest.min-count-to-merge", "3"));
        all.putAll(properties);
        return MergePlan.of(listed, TableProperties.of(all, "t")).stream()
                .map(bin -> bin.stream().map(ManifestFile::length).toList())
                .toList();
    }

    private static List<List<Long>> planned(List<ManifestFile> listed) {
        return planned(listed, Map.of());
    }

    @Test
    void joinsOnceThereAreEnough() {
        assertThat(planned(manifests(10, 11))).isEmpty();
        assertThat(planned(manifests(10, 11, 12))).containsExactly(List.of(10L, 11L, 12L));
    }

    @Test
    void joinsAHundredUnlessThePropertySaysOtherwise() {
        var manifests = new ArrayList<>(
                Collections.nCopies(99, 0).stream().map(zero -> manifest(10)).toList());
        var properties = TableProperties.of(Map.of(), "t");
        assertThat(MergePlan.of(manifests, properties)).isEmpty();
        manifests.add(manifest(10));
        assertThat(MergePlan.of(manifests, properties))
                .hasSize(1)
                .first()
                .satisfies(bin -> assertThat(bin).hasSize(100));
    }

    @Test
    void joinsNothingWhenTurnedOff() {
        assertThat(planned(manifests(10, 11, 12, 13), Map.of("commit.manifest-merge.enabled", "false")))
                .isEmpty();
    }

    @Test
    void countsManifestsOfAllSpecsAndContentsButKeepsThemApart() {
        var listed = List.of(
                manifest(10, 1, Content.DATA),
                manifest(20, 0, Content.DATA),
                manifest(11, 1, Content.DATA),
                manifest(21, 0, Content.DATA),
                manifest(30, 1, Content.DELETES),
                manifest(31, 1, Content.DELETES));
        assertThat(planned(listed, Map.of("commit.manifest.min-count-to-merge", "6")))
                .containsExactlyInAnyOrder(List.of(10L, 11L), List.of(20L, 21L), List.of(30L, 31L));
        assertThat(planned(listed, Map.of("commit.manifest.min-count-to-merge", "7")))
                .isEmpty();
    }

    @Test
    void neverJoinsOneAlone() {
        assertThat(planned(
                        List.of(
                                manifest(10, 0, Content.DATA),
                                manifest(10, 1, Content.DATA),
                                manifest(10, 2, Content.DATA)),
                        Map.of("commit.manifest.min-count-to-merge", "1")))
                .isEmpty();
    }

    @Test
    void packsFromTheOldestOnUpToTheTargetSize() {
        assertThat(planned(manifests(300, 301, 302, 303, 304)))
                .as("the oldest three fill a bin; of the others there are fewer")
                .containsExactly(List.of(302L, 303L, 304L));
        assertThat(planned(manifests(400, 401, 402)))
                .as("the newest bin is the one left under-filled")
                .containsExactly(List.of(401L, 402L));
    }

    @Test
    void leavesThoseOfHalfTheTargetSizeAlone() {
        assertThat(planned(manifests(500, 10, 900, 11, 2_000, 12))).containsExactly(List.of(10L, 11L, 12L));
        assertThat(planned(manifests(500, 10, 11, 900))).as("two small ones").isEmpty();
    }

    @Test
    void leavesALargeOneAloneUntilTheSmallOnesAreAQuarterOfIt() {
        assertThat(planned(manifests(10, 10, 10, 10, 161))).containsExactly(List.of(10L, 10L, 10L, 10L));
        assertThat(planned(manifests(10, 10, 10, 10, 160))).containsExactly(List.of(10L, 10L, 10L, 10L, 160L));
        assertThat(planned(manifests(300, 10, 10, 10)))
                .as("wherever it stands")
                .containsExactly(List.of(10L, 10L, 10L));
    }

    @Test
    void leavesEncryptedOnesAlone() {
        ManifestFile plain = manifest(10);
        var encrypted = new ManifestFile(
                "memory:/secret",
                plain.length(),
                plain.specId(),
                plain.content(),
                1,
                1,
                1,
                plain.counts(),
                Optional.empty(),
                Optional.of(Bytes.copyOf(new byte[] {1})),
                OptionalLong.empty());
        assertThat(planned(List.of(plain, encrypted, manifest(11), manifest(12))))
                .containsExactly(List.of(10L, 11L, 12L));
    }

    /** However sizes fall: bins are of one kind, within the target size, in list order, and something is joined when much is due. */
    @Test
    void keepsItsPromisesForAnyList() {
        Randomly.check(300, random -> {
            var listed = new ArrayList<ManifestFile>();
            int size = random.intBetween(0, 60);
            for (int i = 0; i < size; i++) {
                listed.add(manifest(
                        random.intBetween(1, (int) TARGET * 2),
                        random.intBelow(2),
                        random.yes() ? Content.DATA : Content.DELETES));
            }
            List<List<ManifestFile>> bins = MergePlan.of(
                    listed,
                    TableProperties.of(
                            Map.of(
                                    "commit.manifest.target-size-bytes",
                                    Long.toString(TARGET),
                                    "commit.manifest.min-count-to-merge",
                                    "2"),
                            "t"));
            var seen = new HashSet<ManifestFile>();
            for (List<ManifestFile> bin : bins) {
                assertThat(bin).hasSizeGreaterThan(1).allSatisfy(manifest -> {
                    assertThat(seen.add(manifest)).isTrue();
                    assertThat(manifest.specId()).isEqualTo(bin.get(0).specId());
                    assertThat(manifest.content()).isEqualTo(bin.get(0).content());
                    assertThat(manifest.length()).isLessThan(TARGET / 2);
                });
                assertThat(bin.stream().mapToLong(ManifestFile::length).sum()).isLessThanOrEqualTo(TARGET);
                assertThat(bin.stream().map(listed::indexOf).toList()).isSorted();
            }
            assertThat(bins.stream()
                            .map(bin -> bin.get(0).specId() + " " + bin.get(0).content())
                            .toList())
                    .as("one bin per spec and content")
                    .doesNotHaveDuplicates();
        });
    }
}
