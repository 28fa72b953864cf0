package dev.calve.commit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.calve.commit.SnapshotChange.Operation;
import dev.calve.io.RequestLog.Request;
import dev.calve.manifest.DataFile;
import dev.calve.manifest.ManifestFile;
import dev.calve.manifest.ManifestFile.Content;
import dev.calve.scan.SnapshotManifests;
import dev.calve.schema.Type;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a commit costs in a table of many files, in requests, and what many commits leave. */
class CommitScaleTest {

    private static final int MANIFESTS = 60;
    private static final int FILES_PER_MANIFEST = 50;
    private static final int COMMITS = 1000;

    /** Appends files, a manifest of each partition at a time, and returns them. */
    private static List<DataFile> fill(CommitFixture table, int manifests, int filesPerManifest, boolean partitioned) {
        var all = new ArrayList<DataFile>();
        for (int i = 0; i < manifests; i++) {
            var files = new DataFile[filesPerManifest];
            for (int j = 0; j < filesPerManifest; j++) {
                var file = table.dataFile(i + "-" + j + ".parquet");
                files[j] = (partitioned ? file.in(i % 10) : file).build();
            }
            table.append(files);
            all.addAll(List.of(files));
        }
        return all;
    }

    private static CommitFixture table(boolean partitioned) {
        return partitioned ? CommitFixture.partitionedBy(Type.Simple.INT, 3) : CommitFixture.unpartitioned(3);
    }

    private static Set<String> opened(CommitFixture table) {
        return table.storage.requests().all().stream()
                .filter(request -> request.startsWith(Request.OPEN + " "))
                .map(request -> request.substring(Request.OPEN.name().length() + 1))
                .collect(Collectors.toSet());
    }

    private static String listOf(CommitFixture table) {
        return table.head().manifestList().orElseThrow();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void opensTheManifestThatHoldsARemovedFileAndTheListAndNothingElse(boolean partitioned) {
        CommitFixture table = table(partitioned);
        DataFile removed =
                fill(table, MANIFESTS, FILES_PER_MANIFEST, partitioned).get(1234);
        String holding = table.live().manifestOf(removed.path());
        String list = listOf(table);
        SnapshotChange change = table.change(Operation.DELETE).remove(removed).build();
        table.storage.requests().reset();

        table.commit(change);

        assertThat(opened(table)).containsExactlyInAnyOrder(holding, list);
        assertThat(table.storage.requests().count(Request.OPEN)).isEqualTo(2);
        assertThat(table.live().data()).hasSize(MANIFESTS * FILES_PER_MANIFEST - 1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void opensEveryManifestThatHoldsOneOfSeveralRemovedFilesOnce(boolean partitioned) {
        CommitFixture table = table(partitioned);
        List<DataFile> files = fill(table, MANIFESTS, FILES_PER_MANIFEST, partitioned);
        DataFile[] removed = {files.get(3), files.get(4), files.get(777), files.get(2999)};
        LiveFiles live = table.live();
        Set<String> expected = List.of(removed).stream()
                .map(file -> live.manifestOf(file.path()))
                .collect(Collectors.toSet());
        expected.add(listOf(table));
        SnapshotChange change = table.change(Operation.DELETE).remove(removed).build();
        table.storage.requests().reset();

        table.commit(change);

        assertThat(expected).hasSize(4);
        assertThat(opened(table)).isEqualTo(expected);
        assertThat(table.storage.requests().count(Request.OPEN)).isEqualTo(4);
    }

    @Test
    void opensNoManifestOfDataForAVector() {
        CommitFixture table = table(false);
        DataFile of = fill(table, MANIFESTS, FILES_PER_MANIFEST, false).get(1234);
        var seen = Removal.Known.of(of, table.live().manifestOf(of.path()));
        String list = listOf(table);
        SnapshotChange change = table.change(Operation.DELETE)
                .delete(table.vector("d.puffin", of), Optional.of(seen))
                .build();
        table.storage.requests().reset();

        table.commit(change);

        assertThat(opened(table)).containsExactly(list);
    }

    /** Every other commit is an append, so that both kinds of manifests have to be merged. */
    @Test
    void leavesAtMostAHundredManifestsAfterAThousandCommitsOfOneRow() throws IOException {
        CommitFixture table = table(false);
        List<DataFile> files = fill(table, 10, COMMITS / 20, false);

        for (int i = 0; i < COMMITS; i++) {
            if (i % 2 == 0) {
                table.append(table.dataFile("new-" + i + ".parquet").records(1).build());
            } else {
                DataFile of = files.get(i / 2);
                table.change(Operation.DELETE)
                        .delete(table.vector("d-" + i + ".puffin", of))
                        .commit();
            }
        }

        List<ManifestFile> manifests = SnapshotManifests.of(table.storage, table.head());
        assertThat(manifests).hasSizeLessThanOrEqualTo(100);
        assertThat(manifests).extracting(ManifestFile::content).contains(Content.DATA, Content.DELETES);
        assertThat(table.live().data()).hasSize(COMMITS);
        assertThat(table.live().deletes()).hasSize(COMMITS / 2);
    }
}
