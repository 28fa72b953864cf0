package dev.calve.commit;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.calve.commit.SnapshotChange.Operation;
import dev.calve.metadata.MetadataUpdate;
import dev.calve.metadata.MetadataUpdates;
import dev.calve.metadata.TableMetadata;
import dev.calve.metadata.TableMetadataJson;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a commit leaves of the metadata it does not change, and what upgrades change. */
class CarriedMetadataTest {

    /** The table with further content in its metadata file, as another writer would leave it. */
    private static void add(CommitFixture table, String... keysAndJson) throws IOException {
        var mapper = new ObjectMapper();
        var json = (ObjectNode) mapper.readTree(TableMetadataJson.print(table.metadata(), "v1.metadata.json"));
        for (int i = 0; i < keysAndJson.length; i += 2) {
            json.set(keysAndJson[i], mapper.readTree(keysAndJson[i + 1]));
        }
        TableMetadata parsed = TableMetadataJson.parse(mapper.writeValueAsBytes(json), "v1.metadata.json");
        table.committer.replace(old -> parsed);
    }

    private static JsonNode json(TableMetadata metadata) throws IOException {
        return new ObjectMapper().readTree(TableMetadataJson.print(metadata, "v2.metadata.json"));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void keepsStatisticsAndWhatItDoesNotKnow(int version) throws IOException {
        var table = CommitFixture.unpartitioned(version);
        var a = table.dataFile("a").build();
        table.append(a);
        long snapshot = table.head().id();
        String statistics = ("[{'snapshot-id':%d,'statistics-path':'memory:/s.puffin','file-size-in-bytes':413,"
                        + "'file-footer-size-in-bytes':42,'blob-metadata':[{'type':'ndv','snapshot-id':%d,"
                        + "'sequence-number':1,'fields':[1],'properties':{'ndv':'5'}}],'more':[1]}]")
                .formatted(snapshot, snapshot)
                .replace('\'', '"');
        String partitions = "[{'snapshot-id':%d,'statistics-path':'memory:/p.parquet','file-size-in-bytes':43}]"
                .formatted(snapshot)
                .replace('\'', '"');
        add(table, "statistics", statistics, "partition-statistics", partitions, "of-tomorrow", "{\"x\":[1,2]}");
        table.append(table.dataFile("b").build());
        table.change(Operation.DELETE).remove(a).commit();
        JsonNode written = json(table.metadata());
        assertThat(written.get("statistics")).isEqualTo(new ObjectMapper().readTree(statistics));
        assertThat(written.get("partition-statistics")).isEqualTo(new ObjectMapper().readTree(partitions));
        assertThat(written.get("of-tomorrow")).isEqualTo(new ObjectMapper().readTree("{\"x\":[1,2]}"));
    }

    @Test
    void aCommitChangesNothingButSnapshotsAndTheirRef() {
        var table = CommitFixture.unpartitioned(3);
        table.append(table.dataFile("a").build());
        TableMetadata before = table.metadata();
        table.append(table.dataFile("b").build());
        TableMetadata after = table.metadata();
        assertThat(after)
                .usingRecursiveComparison()
                .ignoringFields(
                        "lastSequenceNumber",
                        "lastUpdatedMillis",
                        "currentSnapshotId",
                        "nextRowId",
                        "refs",
                        "snapshots",
                        "snapshotLog")
                .isEqualTo(before);
        assertThat(after.lastSequenceNumber()).isEqualTo(before.lastSequenceNumber() + 1);
        assertThat(after.nextRowId())
                .isEqualTo(before.nextRowId() + table.head().addedRows().orElseThrow());
        assertThat(after.snapshots().subList(0, 1)).isEqualTo(before.snapshots());
        assertThat(after.snapshotLog().subList(0, 1)).isEqualTo(before.snapshotLog());
        assertThat(after.lastUpdatedMillis()).isGreaterThanOrEqualTo(before.lastUpdatedMillis());
    }

    @Test
    void aTableIsUpgradedBetweenCommits() {
        var table = CommitFixture.unpartitioned(1);
        var a = table.dataFile("a").build();
        table.append(a);
        assertThat(table.head().sequenceNumber()).isZero();
        table.upgradeTo(2);
        assertThat(table.metadata().lastSequenceNumber()).isZero();
        var b = table.dataFile("b").build();
        table.append(b);
        assertThat(table.head().sequenceNumber()).isEqualTo(1);
        assertThat(table.live().data("a").sequenceNumber()).isZero();
        assertThat(table.live().data("b").sequenceNumber()).isEqualTo(1);

        table.upgradeTo(3);
        assertThat(table.metadata().nextRowId()).isZero();
        assertThat(table.head().firstRowId()).isEmpty();
        table.append(table.dataFile("c").records(5).build());
        assertThat(table.head().firstRowId()).hasValue(0);
        assertThat(table.head().addedRows()).hasValue(25);
        assertThat(table.metadata().nextRowId()).isEqualTo(25);
        assertThat(table.live().data("c").file().firstRowId()).hasValue(0);
        table.change(Operation.DELETE).delete(table.vector("v", a)).commit();
        table.change(Operation.DELETE).remove(a, b).commit();
        assertThat(table.live().data()).hasSize(1);
        assertThat(table.metadata().nextRowId()).isGreaterThanOrEqualTo(25);
    }

    /** Nothing an append writes depends on the version it was made for, but its manifests do. */
    @ParameterizedTest
    @CsvSource({"1, 2", "1, 3", "2, 3"})
    void anAppendThatMeetsAnUpgradeIsWrittenAnew(int from, int to) {
        var table = CommitFixture.unpartitioned(from);
        table.append(table.dataFile("a").build());
        table.committer.beforeSwap(() -> table.upgradeTo(to));
        table.append(table.dataFile("b").build());
        assertThat(table.live().data()).hasSize(2);
        assertThat(table.live().data("b").sequenceNumber()).isEqualTo(from == 1 ? 1 : 2);
        assertThat(table.live().data("b").file().firstRowId().isPresent()).isEqualTo(to == 3);
    }

    /** Position delete files must not be added to a v3 table, so the guard is asked at every attempt. */
    @Test
    void deletesThatMeetAnUpgradeAreSettledAgain() {
        var table = CommitFixture.unpartitioned(2);
        var a = table.dataFile("a").build();
        table.append(a);
        SnapshotChange ofVersionTwo =
                table.change(Operation.DELETE).delete(table.positions("p", a)).build();
        table.committer.beforeSwap(() -> table.upgradeTo(3));
        table.statement().commit(ofVersionTwo, (found, conflicts, change) -> {
            assertThat(conflicts).singleElement().isInstanceOf(Conflict.FormatChanged.class);
            assertThat(found.metadata().formatVersion()).isEqualTo(3);
            return Optional.of(
                    table.change(Operation.DELETE).delete(table.vector("v", a)).build());
        });
        assertThat(table.live().deletes().keySet()).containsExactly("memory:/t/data/v@4");
        assertThat(table.head().summary()).containsEntry("added-dvs", "1");
        assertThat(table.storage.locations()).doesNotContain("memory:/t/data/p");
    }

    @Test
    void aClockThatIsBehindMovesNoTimeBack() {
        var table = CommitFixture.unpartitioned(2);
        table.append(table.dataFile("a").build());
        long future = System.currentTimeMillis() + 3_600_000;
        table.committer.replace(
                old -> MetadataUpdates.apply(old, List.of(new MetadataUpdate.SetProperties(Map.of("k", "v"))), future));
        table.append(table.dataFile("b").build());
        assertThat(table.metadata().lastUpdatedMillis()).isGreaterThanOrEqualTo(future);
        assertThat(table.head().timestampMillis()).isGreaterThanOrEqualTo(future);
        assertThat(table.metadata().snapshotLog())
                .extracting(TableMetadata.SnapshotLogEntry::timestampMillis)
                .isSorted();
    }

    @Test
    void historyIsWhatMainWentThrough() {
        var table = CommitFixture.unpartitioned(2);
        for (String name : List.of("a", "b", "c")) {
            table.append(table.dataFile(name).build());
        }
        assertThat(table.metadata().snapshotLog())
                .extracting(TableMetadata.SnapshotLogEntry::snapshotId)
                .isEqualTo(table.metadata().snapshots().stream()
                        .map(snapshot -> snapshot.id())
                        .toList());
        assertThat(table.metadata().currentSnapshotId())
                .hasValue(table.metadata().snapshotLog().get(2).snapshotId());
    }
}
