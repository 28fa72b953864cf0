package dev.calve.parquet;

import static dev.calve.parquet.ParquetFiles.settings;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.metadata.TableProperties;
import dev.calve.metadata.TableProperties.ParquetCompression;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WriteSettingsTest {

    @Test
    void deletesTakeTheirOwnPropertiesFirst() {
        var deletes = WriteSettings.forPositionDeletes(TableProperties.of(
                Map.of(
                        "write.parquet.compression-codec", "snappy",
                        "write.parquet.page-size-bytes", "77",
                        "write.delete.parquet.compression-codec", "gzip",
                        "write.delete.target-file-size-bytes", "1000"),
                "db.t"));

        assertThat(deletes.pages().compression()).isEqualTo(ParquetCompression.GZIP);
        assertThat(deletes.pages().pageSizeBytes()).isEqualTo(77);
        assertThat(deletes.targetFileSizeBytes()).isEqualTo(1_000);
    }

    @ParameterizedTest
    @CsvSource({
        "write.parquet.bloom-filter-enabled.column.a, yes",
        "write.parquet.bloom-filter-fpp.column.a, 1.5",
        "write.parquet.bloom-filter-ndv.column.a, many",
        "write.parquet.bloom-filter-max-bytes, 0",
        "write.parquet.stats-enabled.column.a, 1",
        "write.parquet.row-group-size-bytes, 32 MB",
        "write.metadata.metrics.column.a, truncated",
    })
    void namesThePropertyWhoseValueIsWrong(String name, String value) {
        assertThatThrownBy(() -> settings(name, value))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(name)
                .hasMessageContaining("'" + value + "'");
    }
}
