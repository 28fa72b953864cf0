package dev.calve.spark.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.catalog.LoadedTable;
import dev.calve.commit.CommitFixture;
import dev.calve.schema.Type;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
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
    @CsvSource({"output-spec-id, 1", "write-format, orc"})
    void optionsThatMustNotBeIgnoredAreRefused(String name, String value) {
        assertThatThrownBy(() -> of(Map.of(name, value)))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessage("Cannot write to lake.db.t with option '" + name + "' = '" + value
                        + "': it is not supported yet. Leave it out.");
    }

    @Test
    void aBranchMayBeNamedOnce() throws IOException {
        var table = CommitFixture.partitionedBy(Type.Simple.INT, 3);
        table.append(table.dataFile("a").in(1).build());
        var loaded = new LoadedTable("lake.db.t", table.committer.load(), table.storage, table.committer);
        var audit = new WriteOptions(Map.of(), Map.of(), Optional.of("audit"), false);

        assertThat(audit.applyTo(loaded).branch()).isEqualTo("audit");
        assertThat(audit.applyTo(loaded).head()).isEqualTo(loaded.head());
        assertThat(audit.applyTo(loaded.onBranch("audit")).branch()).isEqualTo("audit");
        assertThatThrownBy(() -> audit.applyTo(loaded.onBranch("other")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("branch 'audit'")
                .hasMessageContaining("branch 'other'");
        assertThat(of(Map.of("branch", "audit")).branch()).hasValue("audit");
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
