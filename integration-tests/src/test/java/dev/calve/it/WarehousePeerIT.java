package dev.calve.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.catalog.TableName;
import dev.calve.catalog.warehouse.WarehouseCatalog;
import dev.calve.commit.SwapOutcome;
import dev.calve.commit.SwapRequest;
import dev.calve.commit.TableState;
import dev.calve.hadoop.HadoopDirectory;
import dev.calve.hadoop.HadoopStorage;
import dev.calve.metadata.MetadataUpdate;
import dev.calve.metadata.MetadataUpdates;
import dev.calve.metadata.TableMetadata;
import dev.calve.metadata.TableMetadataJson;
import dev.calve.partition.PartitionField;
import dev.calve.partition.PartitionSpec;
import dev.calve.partition.SortOrder;
import dev.calve.partition.Transform;
import dev.calve.schema.Field;
import dev.calve.schema.Schema;
import dev.calve.schema.Type;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.NoSuchTableException;
import org.apache.iceberg.hadoop.HadoopCatalog;
import org.apache.iceberg.types.Types;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** One warehouse, two catalogs that take turns: ours and the hadoop catalog of Apache Iceberg. */
class WarehousePeerIT {

    private static final TableName OURS = new TableName(List.of("db"), "t");
    private static final TableIdentifier THEIRS = TableIdentifier.of("db", "t");

    @TempDir
    Path warehouse;

    private WarehouseCatalog catalog;
    private HadoopCatalog peer;

    @BeforeEach
    void open() {
        String location = "file:" + warehouse;
        catalog = new WarehouseCatalog(location, new HadoopDirectory(new HadoopStorage(new Configuration())));
        peer = new HadoopCatalog(new Configuration(), location);
    }

    private TableState create(int version, Map<String, String> properties) throws IOException {
        var schema = new Schema(
                0,
                List.of(Field.required(1, "id", Type.Simple.LONG), Field.optional(2, "at", Type.Simple.TIMESTAMPTZ)));
        var spec = new PartitionSpec(0, List.of(PartitionField.of(2, 1000, "at_day", Transform.Time.DAY)));
        return catalog.create(
                OURS,
                MetadataUpdates.fresh(
                        schema,
                        spec,
                        SortOrder.UNSORTED,
                        catalog.defaultLocation(OURS),
                        properties,
                        version,
                        System.currentTimeMillis()),
                UUID.randomUUID());
    }

    private TableState set(String key, String value) throws IOException {
        TableState base = catalog.load(OURS).orElseThrow();
        return ((SwapOutcome.Swapped) swap(base, key, value)).state();
    }

    private SwapOutcome swap(TableState base, String key, String value) {
        List<MetadataUpdate> updates = List.of(new MetadataUpdate.SetProperties(Map.of(key, value)));
        TableMetadata result = MetadataUpdates.apply(base.metadata(), updates, System.currentTimeMillis());
        return catalog.committer(OURS).swap(new SwapRequest(UUID.randomUUID(), base, updates, List.of(), result));
    }

    private static void append(Table table, String path) {
        table.newAppend()
                .appendFile(DataFiles.builder(table.spec())
                        .withPath(table.location() + "/data/" + path)
                        .withFileSizeInBytes(100)
                        .withRecordCount(3)
                        .withPartitionPath(table.spec().isPartitioned() ? "at_day=2026-01-01" : "")
                        .build())
                .commit();
    }

    private Path metadata(String name) {
        return warehouse.resolve("db/t/metadata").resolve(name);
    }

    @ParameterizedTest
    @CsvSource({"2,none", "2,gzip", "3,none", "3,gzip"})
    void bothReadAndCommitInTurns(int version, String codec) throws IOException {
        create(version, Map.of("write.metadata.compression-codec", codec, "turn", "0"));
        Table theirs = peer.loadTable(THEIRS);
        assertThat(theirs.properties()).containsEntry("turn", "0");
        assertThat(theirs.schema().findField("at").type()).isEqualTo(Types.TimestampType.withZone());
        assertThat(theirs.spec().fields()).hasSize(1);

        for (int turn = 1; turn <= 6; turn += 2) {
            set("turn", "" + turn);
            theirs.refresh();
            assertThat(theirs.properties()).containsEntry("turn", "" + turn);

            append(theirs, turn + ".parquet");
            theirs.updateProperties().set("turn", "" + (turn + 1)).commit();
            TableMetadata ours = catalog.load(OURS).orElseThrow().metadata();
            assertThat(ours.property("turn")).contains("" + (turn + 1));
            assertThat(ours.currentSnapshotId())
                    .hasValue(theirs.currentSnapshot().snapshotId());
            assertThat(ours.lastSequenceNumber())
                    .isEqualTo(theirs.currentSnapshot().sequenceNumber());
            assertThat(ours.uuid()).isEqualTo(theirs.uuid().toString());
            assertThat(ours.currentSnapshot().orElseThrow().operation()).contains("append");
        }
        // 1 by us, then three turns of one commit by us and two by them; each metadata file remembers all before it.
        TableState last = catalog.load(OURS).orElseThrow();
        assertThat(last.metadataLocation()).contains("/v10.");
        assertThat(last.metadata().metadataLog()).hasSize(9);
        assertThat(peer.loadTable(THEIRS).history()).hasSize(3);
    }

    @ParameterizedTest
    @ValueSource(strings = {"none", "gzip"})
    void weCommitToWhatThePeerCreated(String codec) throws IOException {
        var schema = new org.apache.iceberg.Schema(Types.NestedField.required(1, "id", Types.LongType.get()));
        Table theirs = peer.buildTable(THEIRS, schema)
                .withProperty("write.metadata.compression-codec", codec)
                .create();
        append(theirs, "a.parquet");
        assertThat(catalog.tables(List.of("db"))).containsExactly(OURS);

        TableState state = set("by", "us");
        assertThat(state.metadataLocation())
                .endsWith(codec.equals("gzip") ? "/v3.gz.metadata.json" : "/v3.metadata.json");
        Table again = new HadoopCatalog(new Configuration(), "file:" + warehouse).loadTable(THEIRS);
        assertThat(again.properties()).containsEntry("by", "us");
        assertThat(again.currentSnapshot().snapshotId())
                .isEqualTo(theirs.currentSnapshot().snapshotId());
    }

    @Test
    void weSeeAndWriteEveryKeyOfThePeersMetadata() throws IOException {
        var schema = new org.apache.iceberg.Schema(
                Types.NestedField.required(1, "id", Types.LongType.get()),
                Types.NestedField.optional(
                        2,
                        "tags",
                        Types.MapType.ofOptional(
                                3, 4, Types.StringType.get(), Types.ListType.ofRequired(5, Types.DateType.get()))),
                Types.NestedField.optional(6, "amount", Types.DecimalType.of(9, 2)));
        Table theirs = peer.buildTable(THEIRS, schema)
                .withProperty("format-version", "3")
                .create();
        append(theirs, "a.parquet");
        theirs.updateSchema().addColumn("more", Types.StringType.get(), "doc").commit();
        theirs.updateSpec()
                .addField(org.apache.iceberg.expressions.Expressions.bucket("id", 16))
                .commit();
        theirs.replaceSortOrder().desc("amount").commit();
        theirs.manageSnapshots()
                .createTag("tag", theirs.currentSnapshot().snapshotId())
                .setMaxRefAgeMs("tag", 1_000_000)
                .createBranch("branch", theirs.currentSnapshot().snapshotId())
                .setMinSnapshotsToKeep("branch", 3)
                .commit();
        theirs.refresh();

        TableState ours = catalog.load(OURS).orElseThrow();
        String file = ours.metadataLocation().substring("file:".length());
        byte[] written = Files.readAllBytes(Path.of(file));
        assertThat(new String(TableMetadataJson.print(ours.metadata(), "v.metadata.json"), StandardCharsets.UTF_8))
                .isEqualTo(new String(written, StandardCharsets.UTF_8));
        assertThat(ours.metadata().refs()).containsOnlyKeys("main", "tag", "branch");
    }

    @Test
    void aHintIsReadableForBothWithAndWithoutAChecksumFile() throws IOException {
        create(2, Map.of());
        Table theirs = peer.loadTable(THEIRS);
        theirs.updateProperties().set("by", "them").commit();
        assertThat(metadata(".version-hint.text.crc")).exists();
        assertThat(metadata(".v2.metadata.json.crc")).exists();
        assertThat(catalog.load(OURS).orElseThrow().metadata().property("by")).contains("them");

        set("by", "us");
        assertThat(metadata(".version-hint.text.crc")).doesNotExist();
        assertThat(Files.readString(metadata("version-hint.text"))).isEqualTo("3");
        // Through the peer's own, checksumming file system.
        var path = new org.apache.hadoop.fs.Path("file:" + metadata("version-hint.text"));
        try (var in = path.getFileSystem(new Configuration()).open(path)) {
            assertThat(in.readAllBytes()).isEqualTo("3".getBytes(StandardCharsets.US_ASCII));
        }
        assertThat(new HadoopCatalog(new Configuration(), "file:" + warehouse)
                        .loadTable(THEIRS)
                        .properties())
                .containsEntry("by", "us");
    }

    @Test
    void whoIsSlowerLosesOrTriesAgain() throws IOException {
        TableState stale = create(2, Map.of());
        Table theirs = peer.loadTable(THEIRS);
        theirs.updateProperties().set("by", "them").commit();
        assertThat(swap(stale, "also", "us")).isInstanceOf(SwapOutcome.Rejected.class);
        set("also", "us");

        // The peer's table is stale now; it refreshes and keeps what we did.
        theirs.updateProperties().set("by", "them again").commit();
        assertThat(catalog.load(OURS).orElseThrow().metadata().properties())
                .containsEntry("also", "us")
                .containsEntry("by", "them again");
    }

    @Test
    void ourLoserSeesThePeersOtherSpelling() throws IOException {
        TableState stale = create(2, Map.of());
        peer.loadTable(THEIRS)
                .updateProperties()
                .set("write.metadata.compression-codec", "gzip")
                .commit();
        assertThat(metadata("v2.gz.metadata.json")).exists();
        assertThat(swap(stale, "by", "us")).isInstanceOf(SwapOutcome.Rejected.class);
        assertThat(metadata("v2.metadata.json")).doesNotExist();
    }

    @Test
    void namespacesAndDroppedTablesAreTheSameForBoth() throws IOException {
        create(2, Map.of());
        peer.createNamespace(Namespace.of("x", "y"));
        catalog.createNamespace(List.of("z"));
        assertThat(catalog.namespaces(List.of())).containsExactly(List.of("db"), List.of("x"), List.of("z"));
        assertThat(peer.listNamespaces())
                .containsExactlyInAnyOrder(Namespace.of("db"), Namespace.of("x"), Namespace.of("z"));
        assertThat(catalog.namespaces(List.of("x"))).containsExactly(List.of("x", "y"));
        assertThat(peer.listTables(Namespace.of("db"))).containsExactly(THEIRS);

        assertThat(catalog.drop(OURS)).isTrue();
        assertThatThrownBy(() -> peer.loadTable(THEIRS)).isInstanceOf(NoSuchTableException.class);
        peer.createTable(
                THEIRS, new org.apache.iceberg.Schema(Types.NestedField.required(1, "id", Types.LongType.get())));
        assertThat(catalog.load(OURS)).isPresent();
        assertThat(peer.dropTable(THEIRS)).isTrue();
        assertThat(catalog.load(OURS)).isEmpty();
        assertThat(catalog.dropNamespace(List.of("db"))).isTrue();
        assertThat(peer.namespaceExists(Namespace.of("db"))).isFalse();
    }
}
