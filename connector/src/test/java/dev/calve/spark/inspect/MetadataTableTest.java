package dev.calve.spark.inspect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.commit.CommitFixture;
import dev.calve.metadata.ReadState;
import dev.calve.metadata.Snapshot;
import dev.calve.schema.Type;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.catalog.TableCapability;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.connector.read.SupportsPushDownRequiredColumns;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;
import org.junit.jupiter.api.Test;

class MetadataTableTest {

    private static final String FILE =
            "record_count, file_size_in_bytes, column_sizes, value_counts, null_value_counts,"
                    + " nan_value_counts, lower_bounds, upper_bounds, key_metadata, split_offsets, equality_ids, sort_order_id,"
                    + " first_row_id, referenced_data_file, content_offset, content_size_in_bytes, readable_metrics";

    private static final String DELETES =
            "dv_count, position_delete_file_count, equality_delete_file_count, deleted_record_count";

    private final CommitFixture table = CommitFixture.partitionedBy(Type.Simple.INT, 3);
    private final ShownTable shown = new ShownTable(table);

    private Table named(String name) {
        return MetadataTable.named(shown.loaded(), shown.now(), name).orElseThrow();
    }

    private String columns(String name) {
        return String.join(", ", shown.contents(name).columns().type().fieldNames());
    }

    @Test
    void isFoundByItsNameInAnyLetterCase() {
        for (MetadataTableName name : MetadataTableName.values()) {
            assertThat(named(name.text()).name()).isEqualTo("lake.db.t." + name.text());
            assertThat(named(name.name()).name()).isEqualTo("lake.db.t." + name.text());
            assertThat(MetadataTable.isName(name.name())).isTrue();
        }
        assertThat(MetadataTableName.values()).hasSize(16);
        assertThat(MetadataTable.named(shown.loaded(), shown.now(), "file")).isEmpty();
        assertThat(MetadataTable.isName("file")).isFalse();
    }

    @Test
    void canOnlyBeRead() {
        assertThat(named("files").capabilities()).containsExactly(TableCapability.BATCH_READ);
    }

    @Test
    void showsItsOwnColumnsAfterThoseThatOthersShow() {
        assertThat(columns("snapshots"))
                .isEqualTo("committed_at, snapshot_id, parent_id, operation, manifest_list, summary");
        assertThat(columns("history")).isEqualTo("made_current_at, snapshot_id, parent_id, is_current_ancestor");
        assertThat(columns("refs"))
                .isEqualTo("name, type, snapshot_id, max_reference_age_in_ms, min_snapshots_to_keep,"
                        + " max_snapshot_age_in_ms");
        assertThat(columns("metadata_log_entries"))
                .isEqualTo("timestamp, file, latest_snapshot_id, latest_schema_id, latest_sequence_number");
        String files = "content, file_path, file_format, spec_id, partition, " + FILE;
        for (String name : List.of("files", "data_files", "delete_files")) {
            assertThat(columns(name)).isEqualTo(files + ", " + DELETES);
            assertThat(columns("all_" + name)).isEqualTo(files);
        }
        for (String name : List.of("entries", "all_entries")) {
            assertThat(columns(name))
                    .isEqualTo("status, snapshot_id, sequence_number, file_sequence_number, data_file,"
                            + " readable_metrics");
        }
        assertThat(columns("partitions"))
                .isEqualTo("partition, spec_id, record_count, file_count, total_data_file_size_in_bytes,"
                        + " position_delete_record_count, position_delete_file_count, equality_delete_record_count,"
                        + " equality_delete_file_count, last_updated_at, last_updated_snapshot_id, dv_count,"
                        + " deleted_record_count, total_record_count");
        assertThat(columns("position_deletes"))
                .isEqualTo("file_path, pos, row, partition, spec_id, delete_file_path, content_offset,"
                        + " content_size_in_bytes");
    }

    @Test
    void hasNoPartitionIfTheTableHasNone() {
        var unpartitioned = new ShownTable(CommitFixture.unpartitioned(2));
        for (String name : List.of("files", "partitions", "position_deletes", "all_data_files")) {
            assertThat(unpartitioned.contents(name).columns().type().fieldNames())
                    .as(name)
                    .doesNotContain("partition");
        }
        assertThat(unpartitioned.contents("partitions").columns().type().fieldNames())
                .doesNotContain("spec_id");
        assertThat(unpartitioned.contents("position_deletes").columns().type().fieldNames())
                .contains("spec_id")
                .doesNotContain("content_offset");
    }

    @Test
    void refusesAStateIfItShowsAllOfThem() {
        table.append(table.dataFile("a").in(1).build());
        ReadState past = shown.at(table.head());
        for (MetadataTableName name : MetadataTableName.values()) {
            if (name.isOfOneSnapshot()) {
                assertThat(MetadataTable.named(shown.loaded(), past, name.text()))
                        .isPresent();
            } else {
                assertThatThrownBy(() -> MetadataTable.named(shown.loaded(), past, name.text()))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessage("Cannot read lake.db.t." + name.text() + " at snapshot "
                                + table.head().id()
                                + ": it shows the whole table as it is now, not one of its states. Read it without asking"
                                + " for a state and filter its rows.");
            }
        }
    }

    @Test
    void equalsWhatShowsTheSameOfTheSameState() {
        table.append(table.dataFile("a").in(1).build());
        Snapshot first = table.head();
        Table files = named("files");
        assertThat(files).isEqualTo(named("FILES")).hasSameHashCodeAs(named("FILES"));
        assertThat(files).isNotEqualTo(named("data_files"));
        table.append(table.dataFile("b").in(1).build());
        assertThat(files).isNotEqualTo(named("files"));
        assertThat(MetadataTable.named(shown.loaded(), shown.at(first), "files"))
                .isEqualTo(Optional.of(files));
    }

    @Test
    void readsTheStateThatOptionsAskFor() {
        table.append(table.dataFile("a").in(1).build());
        Snapshot first = table.head();
        table.append(table.dataFile("b").in(1).build());
        var options = new CaseInsensitiveStringMap(Map.of("Snapshot-Id", Long.toString(first.id())));
        var files = (MetadataTable) named("files");
        var past = (MetadataTable)
                MetadataTable.named(shown.loaded(), shown.at(first), "files").orElseThrow();
        var none = new CaseInsensitiveStringMap(Map.of());

        assertThat(files.newScanBuilder(options).build())
                .isEqualTo(past.newScanBuilder(none).build())
                .isNotEqualTo(files.newScanBuilder(none).build());
        assertThat(past.newScanBuilder(options).build())
                .isEqualTo(past.newScanBuilder(none).build());
        var newest = new CaseInsensitiveStringMap(
                Map.of("snapshot-id", Long.toString(table.head().id())));
        assertThatThrownBy(() -> past.newScanBuilder(newest))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("Ask for one state.");
        assertThatThrownBy(() -> ((MetadataTable) named("refs")).newScanBuilder(options))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("shows the whole table as it is now");
        var appends = new CaseInsensitiveStringMap(Map.of("start-snapshot-id", Long.toString(first.id())));
        assertThatThrownBy(() -> files.newScanBuilder(appends))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("Cannot read what was appended to lake.db.t.files");
        var unknown = new CaseInsensitiveStringMap(Map.of("branch", "nobody"));
        assertThatThrownBy(() -> files.newScanBuilder(unknown))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("nobody");
    }

    private static Scan scan(Table table, String... columns) {
        var builder = ((MetadataTable) table).newScanBuilder(new CaseInsensitiveStringMap(Map.of()));
        var wanted = new StructType();
        for (String column : columns) {
            wanted = wanted.add(((MetadataTable) table).schema().apply(column));
        }
        ((SupportsPushDownRequiredColumns) builder).pruneColumns(wanted);
        return builder.build();
    }

    @Test
    void isScannedForTheWantedColumns() {
        assertThat(scan(named("files"), "record_count", "file_path")
                        .readSchema()
                        .fieldNames())
                .containsExactly("record_count", "file_path");
        assertThat(scan(named("files"), "file_path"))
                .isEqualTo(scan(named("files"), "file_path"))
                .hasSameHashCodeAs(scan(named("files"), "file_path"))
                .isNotEqualTo(scan(named("files"), "content"))
                .isNotEqualTo(scan(named("data_files"), "file_path"));
        assertThat(scan(named("files"), "content").description())
                .isEqualTo("Calve scan of lake.db.t.files [snapshot none]");
        assertThat(scan(named("refs"), "name").description()).isEqualTo("Calve scan of lake.db.t.refs");
    }

    @Test
    void prunesStructsToTheWantedFields() {
        Columns<?> files = shown.contents("entries").columns();
        var wanted = new StructType()
                .add(
                        "data_file",
                        new StructType()
                                .add("partition", new StructType().add("part", "int"))
                                .add("content", "int"))
                .add("readable_metrics", new StructType().add("id", new StructType().add("lower_bound", "bigint")));
        assertThat(files.select(wanted).type().simpleString())
                .isEqualTo("struct<data_file:struct<partition:struct<part:int>,content:int>,"
                        + "readable_metrics:struct<id:struct<lower_bound:bigint>>>");
        assertThatThrownBy(() -> files.select(new StructType().add("stat", "int")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("Column 'stat' must be one of [status, snapshot_id, sequence_number, file_sequence_number,"
                        + " data_file, readable_metrics].");
    }
}
