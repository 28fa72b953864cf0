package dev.calve.spark.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class WriteOptionsTest {

    @Test
    void optionsStandInForPropertiesInAnyLetterCase() {
        WriteOptions options = of(Map.of(
                "Target-File-Size-Bytes",
                "1000",
                "compression-codec",
                "snappy",
                "distribution-mode",
                "none",
                "path",
                "x"));

        assertThat(options.properties())
                .containsExactlyInAnyOrderEntriesOf(Map.of(
                        "write.target-file-size-bytes", "1000",
                        "write.parquet.compression-codec", "snappy",
                        "write.distribution-mode", "none"));
        assertThat(options.summary()).isEmpty();
    }

    @Test
    void summaryEntriesKeepTheirLetterCase() {
        assertThat(of(Map.of("snapshot-property.Job", "A7")).summary()).isEqualTo(Map.of("Job", "A7"));
    }

    @ParameterizedTest
    @CsvSource({"branch, audit", "output-spec-id, 1", "mergeSchema, true", "merge-schema, true", "write-format, orc"})
    void optionsThatMustNotBeIgnoredAreRefused(String name, String value) {
        assertThatThrownBy(() -> of(Map.of(name, value)))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessage("Cannot write to lake.db.t with option '" + name + "' = '" + value
                        + "': it is not supported yet. Leave it out.");
    }

    @ParameterizedTest
    @CsvSource({"mergeSchema, false", "write-format, PARQUET", "fanout-enabled, true"})
    void optionsThatAskForWhatHappensAnywayAreAccepted(String name, String value) {
        assertThat(of(Map.of(name, value)).properties()).isEmpty();
    }

    private static WriteOptions of(Map<String, String> options) {
        return WriteOptions.of(new CaseInsensitiveStringMap(options), "lake.db.t");
    }
}
