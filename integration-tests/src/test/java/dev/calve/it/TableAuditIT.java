package dev.calve.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.calve.commit.SnapshotChange.Operation;
import dev.calve.manifest.ContentFile;
import dev.calve.manifest.DeleteFile;
import dev.calve.manifest.ManifestEntry;
import dev.calve.manifest.ManifestEntry.Status;
import dev.calve.manifest.ManifestFile;
import dev.calve.manifest.ManifestList;
import dev.calve.manifest.ManifestTarget;
import dev.calve.manifest.ManifestWriter;
import dev.calve.metadata.MetadataUpdate;
import dev.calve.metadata.Snapshot;
import dev.calve.metadata.SnapshotRef;
import dev.calve.metadata.TableMetadata;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The audit of every test finds what it is there to find. No Spark session is needed. */
@Tag("iceberg-peer")
class TableAuditIT {

    private static final TwinFile A = TwinFile.data("a.parquet", 10, 0, 1);
    private static final TwinFile B = TwinFile.data("b.parquet", 20, 0, 2);

    @TempDir
    private Path folder;

    private TwinTable tableWithABranch(int version) {
        var table = TwinTable.create(folder, version);
        new TwinChange(table, Operation.APPEND).add(A, B).commit();
        if (version == 2) {
            new TwinChange(table, Operation.DELETE)
                    .delete(TwinFile.positions("p.parquet", A, 2))
                    .deleteKeys(new TwinFile("k.parquet", 0, List.of(2), 3, null, OptionalLong.empty()))
                    .commit();
        }
        if (version == 3) {
            new TwinChange(table, Operation.DELETE)
                    .delete(TwinFile.vector("v.puffin", A, 4, 2))
                    .commit();
        }
        new TwinChange(table, Operation.DELETE).on("other").remove(B).commit();
        return table;
    }

    private static Path metadata(TwinTable table) throws IOException {
        return TableAudit.newestMetadata(table.ourWarehouse().resolve("db/t")).orElseThrow();
    }

    private static List<String> findings(TwinTable table) throws IOException {
        return TableAudit.findings(metadata(table));
    }

    /** Changes the summary of a snapshot, 0 being the first, in the newest metadata file. */
    private static void doctor(TwinTable table, int snapshot, Consumer<ObjectNode> change) throws IOException {
        Path file = metadata(table);
        JsonNode json = new ObjectMapper().readTree(file.toFile());
        change.accept((ObjectNode) json.get("snapshots").get(snapshot).get("summary"));
        Files.write(file, new ObjectMapper().writeValueAsBytes(json));
    }

    /** No annotation is needed, and so none can be forgotten. */
    @Test
    void runsAfterEveryTestClass() {
        assertThat(WarehouseAudit.watches(TableAuditIT.class)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void findsNothingInASoundTable(int version) throws IOException {
        assertThat(findings(tableWithABranch(version))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "total-data-files",
                "total-delete-files",
                "total-records",
                "total-files-size",
                "total-position-deletes",
                "total-equality-deletes"
            })
    void findsEveryTotalThatIsWrong(String key) throws IOException {
        TwinTable table = tableWithABranch(2);
        doctor(table, 1, summary -> summary.put(key, "" + (summary.get(key).asLong() + 1)));
        assertThat(findings(table))
                .singleElement()
                .asString()
                .startsWith("branch main: " + key + " must be ")
                .contains("by a recount");
    }

    @Test
    void findsAWrongTotalOfAnyBranch() throws IOException {
        TwinTable table = tableWithABranch(3);
        doctor(table, 2, summary -> summary.put("total-records", "11"));
        assertThat(findings(table)).containsExactly("branch other: total-records must be 10 by a recount, but is 11");
    }

    @Test
    void asksForNoTotalThatAnEarlierWriterLeftOut() throws IOException {
        TwinTable table = tableWithABranch(3);
        doctor(table, 1, summary -> summary.remove("total-records"));
        assertThat(findings(table)).isEmpty();
    }

    @Test
    void namesTheTableAndLooksAtEachStateOnce() throws IOException {
        TwinTable table = tableWithABranch(2);
        doctor(table, 1, summary -> summary.put("total-data-files", "7"));
        assertThat(WarehouseAudit.findings(table.ourWarehouse()))
                .containsExactly("table db.t, branch main: total-data-files must be 2 by a recount, but is 7");
        assertThat(WarehouseAudit.findings(table.ourWarehouse())).isEmpty();
        new TwinChange(table, Operation.APPEND)
                .add(TwinFile.data("c.parquet", 1, 0, 1))
                .commit();
        assertThat(WarehouseAudit.findings(table.ourWarehouse()))
                .containsExactly("table db.t, branch main: total-data-files must be 3 by a recount, but is 8");
    }

    @Test
    void findsATableWhoseManifestsAreGone() throws IOException {
        TwinTable table = tableWithABranch(2);
        String list =
                table.ours().currentSnapshot().orElseThrow().manifestList().orElseThrow();
        Files.delete(Path.of(list.replaceFirst("^file:", "")));
        assertThat(WarehouseAudit.findings(table.ourWarehouse()))
                .singleElement()
                .asString()
                .startsWith("table db.t cannot be read");
        assertThat(Files.exists(metadata(table))).isTrue();
    }

    @Test
    void leavesOutWhatATestDamagedOnPurpose() throws IOException {
        TwinTable table = tableWithABranch(2);
        doctor(table, 1, summary -> summary.put("total-data-files", "7"));
        WarehouseAudit.leaveOut(table.ourWarehouse().resolve("db/t"));
        assertThat(WarehouseAudit.findings(table.ourWarehouse())).isEmpty();
    }

    @Test
    void findsASecondVectorOfADataFile() throws IOException {
        assertThat(brokenTable(entry(A, 1, 0), vector(A, A, 2), vector(A, A, 3)))
                .anyMatch(finding -> finding.endsWith("a.parquet has two vectors"));
    }

    @Test
    void findsAVectorWithoutItsDataFile() throws IOException {
        assertThat(brokenTable(entry(A, 1, 0), vector(A, B, 2)))
                .anyMatch(finding -> finding.endsWith("b.parquet, which is not live"));
    }

    @Test
    void findsAVectorInAnotherPartition() throws IOException {
        assertThat(brokenTable(entry(A, 1, 0), vector(B, A, 2)))
                .anyMatch(finding -> finding.contains("but its data file"))
                .anyMatch(finding -> finding.contains("\"part\": 2"));
    }

    @Test
    void findsAVectorThatIsOlderThanItsDataFile() throws IOException {
        assertThat(brokenTable(entry(A, 5, 0), vector(A, A, 2)))
                .anyMatch(finding -> finding.contains("has number 1, but its data file"));
    }

    @Test
    void findsAVectorOfMoreRowsThanThereAre() throws IOException {
        assertThat(brokenTable(entry(A, 1, 0), vector(A, A, 11)))
                .anyMatch(finding -> finding.contains("deletes 11 of the 10 rows"));
    }

    @Test
    void findsADataFileThatIsLiveTwice() throws IOException {
        assertThat(brokenTable(entry(A, 1, 0), entry(A, 1, 100)))
                .anyMatch(finding -> finding.endsWith("a.parquet is live twice"));
    }

    @Test
    void findsARowIdThatIsGivenTwice() throws IOException {
        assertThat(brokenTable(entry(A, 1, 0), entry(B, 1, 9)))
                .anyMatch(finding -> finding.endsWith("begins with row id 9, but ids below 10 are taken"));
        assertThat(brokenTable(entry(A, 1, 0), entry(B, 1, 10))).isEmpty();
    }

    /** An entry as a broken writer may write it. */
    private record Broken(TwinFile file, TwinFile of, long sequenceNumber, OptionalLong firstRowId) {}

    private static Broken entry(TwinFile file, long sequenceNumber, long firstRowId) {
        return new Broken(file, null, sequenceNumber, OptionalLong.of(firstRowId));
    }

    private static Broken vector(TwinFile where, TwinFile of, long cardinality) {
        var vector = new TwinFile("v.puffin", 0, where.partition(), cardinality, of, OptionalLong.of(4 + cardinality));
        return new Broken(vector, of, 1, OptionalLong.empty());
    }

    /** What is found in a table that a writer without checks gave these live entries. */
    private List<String> brokenTable(Broken... entries) throws IOException {
        var table = TwinTable.create(folder.resolve("" + System.nanoTime()), 3);
        TableMetadata metadata = table.ours();
        var manifests = new ArrayList<ManifestFile>();
        for (Broken broken : entries) {
            boolean isData = broken.of() == null;
            ManifestFile.Content content = isData ? ManifestFile.Content.DATA : ManifestFile.Content.DELETES;
            String location = metadata.location() + "/metadata/m" + manifests.size() + ".avro";
            ContentFile file = isData
                    ? broken.file().ourData(metadata).withFirstRowId(broken.firstRowId())
                    : broken.file().ourPositions(metadata);
            assertThat(isData || file instanceof DeleteFile.DeletionVector).isTrue();
            try (var writer = new ManifestWriter(new ManifestTarget(
                    table.storage(),
                    location,
                    3,
                    metadata.schema(),
                    metadata.spec(0),
                    metadata.partitionType(0),
                    9,
                    content,
                    "gzip"))) {
                writer.existing(new ManifestEntry<>(Status.EXISTING, 9, broken.sequenceNumber(), 1, file));
                manifests.add(writer.finish());
            }
        }
        String list = metadata.location() + "/metadata/snap-9-1-x.avro";
        var written = ManifestList.write(table.storage(), list, 3, 9, OptionalLong.empty(), 6, 0, manifests);
        table.evolve(
                theirs -> {},
                new MetadataUpdate.AddSnapshot(new Snapshot(
                        9,
                        OptionalLong.empty(),
                        6,
                        System.currentTimeMillis(),
                        Optional.of("append"),
                        Map.of(),
                        Optional.of(list),
                        List.of(),
                        OptionalInt.of(0),
                        OptionalLong.of(0),
                        OptionalLong.of(written.nextRowId()),
                        Map.of())),
                new MetadataUpdate.SetSnapshotRef("main", SnapshotRef.branch(9)));
        return findings(table);
    }
}
