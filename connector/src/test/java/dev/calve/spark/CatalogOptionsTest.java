package dev.calve.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CatalogOptionsTest {

    private static CatalogOptions options(Map<String, String> options) {
        return CatalogOptions.of("lake", new CaseInsensitiveStringMap(options));
    }

    @Test
    void needsOnlyAWarehouse() {
        CatalogOptions options = options(Map.of("warehouse", "/wh"));

        assertThat(options.warehouse()).isEqualTo("/wh");
        assertThat(options.defaultNamespace()).containsExactly("default");
        assertThat(options.tableDefaults()).isEmpty();
        assertThat(options.tableOverrides()).isEmpty();
        assertThat(options.nullableQuerySchema()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"warehouse", "hadoop", "HADOOP"})
    void knowsDirectoryCatalogsByBothNames(String type) {
        assertThat(options(Map.of("type", type, "warehouse", "/wh")).warehouse())
                .isEqualTo("/wh");
    }

    @Test
    void refusesOtherKindsOfCatalogs() {
        assertThatThrownBy(() -> options(Map.of("type", "rest", "warehouse", "/wh")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("spark.sql.catalog.lake.type must be 'warehouse' or 'hadoop'")
                .hasMessageContaining("not 'rest'");
        assertThatThrownBy(() -> options(Map.of("catalog-impl", "x.Y", "warehouse", "/wh")))
                .hasMessageContaining("spark.sql.catalog.lake.catalog-impl must not be set, but is 'x.Y'");
        assertThatThrownBy(() -> options(Map.of("uri", "http://h", "warehouse", "/wh")))
                .hasMessageContaining("spark.sql.catalog.lake.uri");
    }

    @Test
    void saysThatTheWarehouseIsMissing() {
        assertThatThrownBy(() -> options(Map.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("spark.sql.catalog.lake.warehouse must be set");
        assertThatThrownBy(() -> options(Map.of("warehouse", " "))).hasMessageContaining("missing or empty");
    }

    @Test
    void splitsTheDefaultNamespace() {
        assertThat(options(Map.of("warehouse", "/wh", "default-namespace", "a.b"))
                        .defaultNamespace())
                .isEqualTo(List.of("a", "b"));
        assertThatThrownBy(() -> options(Map.of("warehouse", "/wh", "default-namespace", "a..b")))
                .hasMessageContaining("not 'a..b'");
    }

    @Test
    void collectsPropertiesForNewTablesInTheirLetterCase() {
        CatalogOptions options = options(Map.of(
                "warehouse", "/wh", "table-default.myKey", "1", "table-override.write.delete.mode", "merge-on-read"));

        assertThat(options.tableDefaults()).isEqualTo(Map.of("myKey", "1"));
        assertThat(options.tableOverrides()).isEqualTo(Map.of("write.delete.mode", "merge-on-read"));
    }
}
