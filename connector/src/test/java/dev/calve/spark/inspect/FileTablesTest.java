package dev.calve.spark.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import dev.calve.commit.CommitFixture;
import dev.calve.commit.SnapshotChange.Operation;
import dev.calve.metadata.MetadataUpdate;
import dev.calve.metadata.Snapshot;
import dev.calve.metadata.SnapshotRef;
import dev.calve.partition.PartitionField;
import dev.calve.partition.PartitionSpec;
import dev.calve.partition.Transform;
import dev.calve.schema.Type;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FileTablesTest {

    private static ShownTable shown(CommitFixture table) {
        return new ShownTable(table);
    }

    @Test
    void tablesWithoutASnapshotAreEmpty() throws IOException {
        ShownTable table = shown(CommitFixture.partitionedBy(Type.Simple.INT, 2));
        for (MetadataTableName name : MetadataTableName.values()) {
            if (name != MetadataTableName.METADATA_LOG_ENTRIES) {
                assertThat(table.rows(name.text())).as(name.text()).isEmpty();
                assertThat(table.contents(name.text()).estimatedRows()).isZero();
            }
        }
        assertThat(table.rows("metadata_log_entries", "file", "latest_snapshot_id"))
                .containsExactly("[memory:/t/metadata/v1.metadata.json, null]");
    }

    @Test
    void entriesShowWhatWasRemovedAndFilesDoNot() throws IOException {
        var table = CommitFixture.partitionedBy(Type.Simple.INT, 2);
        var a = table.dataFile("a").in(1).build();
        table.append(a, table.dataFile("b").in(2).build());
        Snapshot first = table.head();
        table.change(Operation.DELETE).remove(a).commit();

        assertThat(shown(table).rows("files", "file_path", "partition", "record_count"))
                .containsExactly("[b, [2], 10]");
        assertThat(shown(table).rows("entries", "status", "sequence_number", "data_file").stream()
                        .map(row -> row.replaceAll("(\\[\\d, \\d, \\[\\d, \\w).*", "$1")))
                .containsExactly("[0, 1, [0, b", "[2, 1, [0, a");
        assertThat(shown(table).rows("files", Optional.of(first), "file_path")).containsExactly("[a]", "[b]");
        assertThat(shown(table).rows("all_data_files", "file_path")).containsExactly("[a]", "[b]", "[b]");
        assertThat(shown(table).rows("all_manifests")).hasSize(2);
        assertThat(shown(table).rows("manifests", "existing_data_files_count", "deleted_data_files_count"))
                .containsExactly("[1, 1]");
    }

    @Test
    void rowsNeedNoColumns() throws IOException {
        var table = CommitFixture.unpartitioned(2);
        table.append(table.dataFile("a").build(), table.dataFile("b").build());
        for (String name : List.of("files", "entries", "all_files")) {
            assertThat(shown(table).rows(name)).containsExactly("[]", "[]");
        }
        for (String name : List.of("snapshots", "partitions", "manifests", "refs", "history")) {
            assertThat(shown(table).rows(name)).as(name).containsExactly("[]");
        }
    }

    @Test
    void boundsAreValuesOfTheirColumns() throws IOException {
        var table = CommitFixture.unpartitioned(2);
        table.append(table.dataFile("a").ids(-7, 300).build());
        // id: size, values, nulls, NaNs, bounds; part is not known.
        assertThat(shown(table).rows("files", "readable_metrics", "nan_value_counts"))
                .containsExactly("[[[null, 10, 0, null, -7, 300], [null, null, null, null, null, null]], null]");
    }

    @Test
    void eachDataFileTellsItsDeletes() throws IOException {
        var table = CommitFixture.partitionedBy(Type.Simple.INT, 2);
        var a = table.dataFile("a").in(1).build();
        var b = table.dataFile("b").in(1).build();
        var c = table.dataFile("c").in(2).build();
        var d = table.dataFile("d").in(3).build();
        table.append(a, b, c, d);
        table.change(Operation.DELETE).delete(table.positions("of-a", a)).commit();
        table.change(Operation.DELETE).delete(table.positionsIn("in-2", c)).commit();
        String[] columns = {
            "file_path", "dv_count", "position_delete_file_count", "equality_delete_file_count", "deleted_record_count"
        };
        List<String> known = List.of(
                "[a, 0, 1, 0, 2]",
                "[b, 0, 0, 0, 0]",
                "[c, 0, 1, 0, null]",
                "[d, 0, 0, 0, 0]",
                "[in-2, null, null, null, null]",
                "[of-a, null, null, null, null]");
        assertThat(shown(table).rows("files", columns)).isEqualTo(known);
        assertThat(shown(table).rows("data_files", columns)).isEqualTo(known.subList(0, 4));
        assertThat(shown(table).rows("delete_files", columns)).isEqualTo(known.subList(4, 6));
        assertThat(shown(table)
                        .rows(
                                "partitions",
                                "partition",
                                "record_count",
                                "position_delete_file_count",
                                "dv_count",
                                "deleted_record_count",
                                "total_record_count"))
                .containsExactly("[[1], 20, 1, 0, 2, 18]", "[[2], 10, 1, 0, null, null]", "[[3], 10, 0, 0, 0, 10]");

        table.change(Operation.DELETE).delete(table.equality("keys", 0, 3)).commit();
        table.append(table.dataFile("e").in(3).build());
        assertThat(shown(table).rows("data_files", columns))
                .contains("[d, 0, 0, 1, null]")
                .contains("[e, 0, 0, 0, 0]");
        assertThat(shown(table).rows("partitions", "partition", "equality_delete_record_count", "total_record_count"))
                .containsExactly("[[1], 0, 18]", "[[2], 0, null]", "[[3], 3, null]");
    }

    @Test
    void vectorsAreCounted() throws IOException {
        var table = CommitFixture.partitionedBy(Type.Simple.INT, 3);
        var a = table.dataFile("a").in(1).build();
        var b = table.dataFile("b").in(1).build();
        table.append(a, b);
        table.change(Operation.DELETE)
                .delete(table.vector("v", a, 4, 3))
                .delete(table.vector("v", b, 44, 4))
                .commit();
        assertThat(shown(table).rows("data_files", "file_path", "dv_count", "deleted_record_count"))
                .containsExactly("[a, 1, 3]", "[b, 1, 4]");
        assertThat(shown(table).rows("delete_files", "referenced_data_file", "content_offset", "record_count"))
                .containsExactly("[a, 4, 3]", "[b, 44, 4]");
        assertThat(shown(table)
                        .rows(
                                "partitions",
                                "file_count",
                                "position_delete_record_count",
                                "position_delete_file_count",
                                "dv_count",
                                "deleted_record_count",
                                "total_record_count"))
                .containsExactly("[2, 7, 2, 2, 7, 13]");
    }

    /** Values are those of the fields of all specs; equal values of two specs are still two partitions. */
    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void partitionsOfSeveralSpecsAreWidened(int version) throws IOException {
        var table = CommitFixture.partitionedBy(Type.Simple.INT, version);
        table.append(table.dataFile("a").in(1).build());
        table.append(table.dataFile("b").in(1).records(5).build());
        var wider = new PartitionSpec(
                1,
                List.of(
                        PartitionField.of(CommitFixture.PART, 1000, "part", Transform.IDENTITY),
                        PartitionField.of(CommitFixture.ID, 1001, "id_bucket", new Transform.Bucket(8))));
        table.evolve(new MetadataUpdate.AddSpec(wider), new MetadataUpdate.SetDefaultSpec(-1));
        table.append(
                table.dataFile("c").in(1, 4).build(),
                table.dataFile("d").in(1, null).build());
        Snapshot last = table.head();

        assertThat(shown(table).rows("files", "file_path", "spec_id", "partition"))
                .containsExactly("[a, 0, [1, null]]", "[b, 0, [1, null]]", "[c, 1, [1, 4]]", "[d, 1, [1, null]]");
        assertThat(shown(table)
                        .rows(
                                "partitions",
                                "partition",
                                "spec_id",
                                "record_count",
                                "file_count",
                                "last_updated_snapshot_id"))
                .hasSize(3)
                .contains("[[1, 4], 1, 10, 1, " + last.id() + "]", "[[1, null], 1, 10, 1, " + last.id() + "]")
                .anyMatch(row -> row.startsWith("[[1, null], 0, 15, 2, "));
    }

    @Test
    void manifestsAreReadOnceHoweverManySnapshotsListThem() throws IOException {
        var table = CommitFixture.unpartitioned(2);
        for (int i = 0; i < 4; i++) {
            table.append(table.dataFile("f" + i).build());
        }
        assertThat(shown(table).rows("all_files", "file_path")).containsExactly("[f0]", "[f1]", "[f2]", "[f3]");
        assertThat(shown(table).rows("all_manifests", "reference_snapshot_id")).hasSize(10);
        assertThat(shown(table).contents("all_files").estimatedRows()).isEqualTo(4);
    }

    @Test
    void historyTellsWhatIsAnAncestorOfTheCurrentSnapshot() throws IOException {
        var table = CommitFixture.unpartitioned(2);
        table.append(table.dataFile("a").build());
        Snapshot first = table.head();
        table.append(table.dataFile("b").build());
        Snapshot second = table.head();
        table.evolve(new MetadataUpdate.SetSnapshotRef(SnapshotRef.MAIN, SnapshotRef.branch(first.id())));

        assertThat(shown(table).rows("history", "snapshot_id", "parent_id", "is_current_ancestor"))
                .containsExactlyInAnyOrder(
                        "[" + first.id() + ", null, true]",
                        "[" + second.id() + ", " + first.id() + ", false]",
                        "[" + first.id() + ", null, true]");
        assertThat(shown(table).rows("refs", "name", "type", "snapshot_id"))
                .containsExactly("[main, BRANCH, " + first.id() + "]");
        assertThat(shown(table).rows("snapshots", "snapshot_id", "operation")).hasSize(2);
    }
}
