package dev.calve.catalog.warehouse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.catalog.TableExistsException;
import dev.calve.catalog.TableName;
import dev.calve.commit.TableState;
import dev.calve.io.InvalidTableException;
import dev.calve.metadata.MetadataUpdates;
import dev.calve.metadata.TableMetadata;
import dev.calve.partition.PartitionSpec;
import dev.calve.partition.SortOrder;
import dev.calve.schema.Field;
import dev.calve.schema.Schema;
import dev.calve.schema.Type;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WarehouseCatalogTest {

    private final MemoryDirectory directory = new MemoryDirectory();
    private final WarehouseCatalog catalog = new WarehouseCatalog("mem:/wh/", directory);

    private static TableName name(String dotted) {
        List<String> parts = Arrays.asList(dotted.split("\\.", -1));
        return new TableName(parts.subList(0, parts.size() - 1), parts.get(parts.size() - 1));
    }

    private static TableMetadata metadata(String location, Map<String, String> properties) {
        return MetadataUpdates.fresh(
                new Schema(0, List.of(Field.required(1, "id", Type.Simple.LONG))),
                PartitionSpec.unpartitioned(0),
                SortOrder.UNSORTED,
                location,
                properties,
                2,
                1000);
    }

    private TableState create(String table) throws IOException {
        return create(table, Map.of());
    }

    private TableState create(String table, Map<String, String> properties) throws IOException {
        return catalog.create(
                name(table), metadata(catalog.defaultLocation(name(table)), properties), UUID.randomUUID());
    }

    @Test
    void listsNamespacesAndTablesApart() throws IOException {
        catalog.createNamespace(List.of("a", "empty"));
        create("a.t1");
        create("a.b.t2");
        create("top");

        assertThat(catalog.namespaces(List.of())).containsExactly(List.of("a"));
        assertThat(catalog.namespaces(List.of("a"))).containsExactly(List.of("a", "b"), List.of("a", "empty"));
        assertThat(catalog.namespaces(List.of("a", "t1"))).isEmpty();
        assertThat(catalog.namespaces(List.of("nowhere"))).isEmpty();
        assertThat(catalog.tables(List.of())).containsExactly(name("top"));
        assertThat(catalog.tables(List.of("a"))).containsExactly(name("a.t1"));
        assertThat(catalog.tables(List.of("a", "b"))).containsExactly(name("a.b.t2"));
        assertThat(catalog.tables(List.of("nowhere"))).isEmpty();
        assertThat(catalog.namespaceExists(List.of("a"))).isTrue();
        assertThat(catalog.namespaceExists(List.of("a", "t1"))).isFalse();
        assertThat(catalog.namespaceExists(List.of("nowhere"))).isFalse();
        assertThat(catalog.defaultLocation(name("a.b.t2"))).isEqualTo("mem:/wh/a/b/t2");
    }

    @Test
    void aNamespaceIsCreatedOnceAndDroppedWhenEmpty() throws IOException {
        catalog.createNamespace(List.of("a"));
        assertThatThrownBy(() -> catalog.createNamespace(List.of("a")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("already exists");
        create("a.t");
        assertThatThrownBy(() -> catalog.dropNamespace(List.of("a")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("must be empty, but holds [t]");
        assertThat(catalog.drop(name("a.t"))).isTrue();
        assertThat(catalog.dropNamespace(List.of("a"))).isTrue();
        assertThat(catalog.dropNamespace(List.of("a"))).isFalse();
    }

    @Test
    void nothingIsCreatedInsideATable() throws IOException {
        create("a.t");
        assertThatThrownBy(() -> create("a.t.metadata"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("a.t is a table");
        assertThatThrownBy(() -> catalog.createNamespace(List.of("a", "t", "n")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("a.t is a table");
    }

    @Test
    void aTableIsCreatedOnce() throws IOException {
        TableState first = create("a.t");
        assertThatThrownBy(() -> create("a.t"))
                .isInstanceOf(TableExistsException.class)
                .hasMessageContaining("a.t");
        assertThat(catalog.load(name("a.t"))).contains(first);
        assertThat(catalog.load(name("a.u"))).isEmpty();
    }

    @Test
    void aTableLivesInItsDefaultLocation() {
        assertThatThrownBy(() -> catalog.create(name("a.t"), metadata("mem:/else/t", Map.of()), UUID.randomUUID()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("must be mem:/wh/a/t")
                .hasMessageContaining("not mem:/else/t");
        assertThat(directory.locations()).isEmpty();
    }

    @Test
    void droppingRemovesTheFolder() throws IOException {
        create("a.t");
        directory.put("mem:/wh/a/t/data/f.parquet", "x");
        create("a.u");
        assertThat(catalog.drop(name("a.t"))).isTrue();
        assertThat(catalog.drop(name("a.t"))).isFalse();
        assertThat(directory.locations()).allMatch(location -> location.startsWith("mem:/wh/a/u/"));
        assertThat(directory.isDirectory("mem:/wh/a/t")).isFalse();
        create("a.t");
    }

    @Test
    void removesTheEmptyFoldersOfATableThatWasNotCreated() throws IOException {
        catalog.createNamespace(List.of("a"));
        directory.makeDirectories("mem:/wh/a/t/data/p=1");
        directory.makeDirectories("mem:/wh/a/t/metadata");
        catalog.removeTraces(name("a.t"));
        assertThat(catalog.namespaces(List.of("a"))).isEmpty();

        directory.put("mem:/wh/a/t/data/p=1/f.parquet", "x");
        catalog.removeTraces(name("a.t"));
        assertThat(directory.locations()).containsExactly("mem:/wh/a/t/data/p=1/f.parquet");

        create("a.u");
        directory.makeDirectories("mem:/wh/a/u/data");
        catalog.removeTraces(name("a.u"));
        assertThat(directory.isDirectory("mem:/wh/a/u/data")).isTrue();
    }

    @Test
    void droppingIsRefusedWhereFilesMayBeShared() throws IOException {
        TableState state = create("a.t", Map.of("gc.enabled", "false"));
        assertThatThrownBy(() -> catalog.drop(name("a.t")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("gc.enabled");
        assertThat(catalog.load(name("a.t"))).contains(state);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "..", ".", ".hidden", "a/b", "a\\b", "file:x", "a\u0000b", "a\nb"})
    void refusesNamesThatAreNoFolders(String bad) {
        var table = new TableName(List.of("a"), bad);
        var inBad = new TableName(List.of(bad), "t");
        for (TableName each : List.of(table, inBad)) {
            assertThatThrownBy(() -> catalog.load(each)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> catalog.drop(each)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> catalog.committer(each)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> catalog.create(each, metadata("mem:/wh/a/" + bad, Map.of()), UUID.randomUUID()))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("'" + bad + "'");
        }
        assertThatThrownBy(() -> catalog.createNamespace(List.of(bad))).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> catalog.dropNamespace(List.of(bad))).isInstanceOf(IllegalArgumentException.class);
        assertThat(directory.locations()).isEmpty();
    }

    @Test
    void aTableIsLoadedByItsFolder() throws IOException {
        TableState state = create("a.t");
        assertThat(WarehouseCatalog.loadPath("mem:/wh/a/t", directory)).contains(state);
        assertThat(WarehouseCatalog.loadPath("mem:/wh/a/t/", directory)).contains(state);
        assertThat(WarehouseCatalog.loadPath("mem:/wh/a", directory)).isEmpty();
    }

    @Test
    void aTableOfAnotherKindOfCatalogIsNotGuessedAt() {
        directory.put("mem:/x/t/metadata/00003-9c12d441.metadata.json", "{}");
        assertThatThrownBy(() -> WarehouseCatalog.loadPath("mem:/x/t", directory))
                .isInstanceOf(InvalidTableException.class)
                .hasMessageContaining("mem:/x/t")
                .hasMessageContaining("catalog it belongs to");
    }

    @Test
    void aWarehouseNeedsAPlace() {
        assertThatThrownBy(() -> new WarehouseCatalog(" ", directory)).isInstanceOf(IllegalArgumentException.class);
    }
}
