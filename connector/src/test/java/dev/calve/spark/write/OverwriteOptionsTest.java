package dev.calve.spark.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.metadata.TableProperties.IsolationLevel;
import java.util.Map;
import java.util.OptionalLong;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class OverwriteOptionsTest {

    private static OverwriteOptions of(String... options) {
        var map = new java.util.HashMap<String, String>();
        for (int i = 0; i < options.length; i += 2) {
            map.put(options[i], options[i + 1]);
        }
        return OverwriteOptions.of(new CaseInsensitiveStringMap(map));
    }

    @Test
    void nothingIsSaidUnlessAsked() {
        OverwriteOptions none = of("compression-codec", "zstd");
        assertThat(none.dynamic()).isEmpty();
        assertThat(none.isolation()).isEmpty();
        assertThat(none.validateFrom()).isEmpty();
        none.requireNone("t");
    }

    @Test
    void bothNamesOfTheModeAreKnown() {
        assertThat(of("Overwrite-Mode", "Dynamic").dynamic()).contains(true);
        assertThat(of("partitionOverwriteMode", "STATIC").dynamic()).contains(false);
        assertThat(of("partitionOverwriteMode", "static", "overwrite-mode", "static")
                        .dynamic())
                .contains(false);
        assertThatThrownBy(() -> of("partitionOverwriteMode", "static", "overwrite-mode", "dynamic"))
                .hasMessageContaining("contradict");
    }

    @Test
    void aSnapshotToCompareWithMeansComparing() {
        assertThat(of("validate-from-snapshot-id", "7").isolation()).contains(IsolationLevel.SERIALIZABLE);
        OverwriteOptions both = of("validate-from-snapshot-id", "7", "isolation-level", "SNAPSHOT");
        assertThat(both.isolation()).contains(IsolationLevel.SNAPSHOT);
        assertThat(both.validateFrom()).isEqualTo(OptionalLong.of(7));
        assertThatThrownBy(() -> both.requireNone("t"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'validate-from-snapshot-id'");
    }

    @ParameterizedTest
    @CsvSource({"overwrite-mode, replace", "isolation-level, none", "validate-from-snapshot-id, head"})
    void otherValuesAreRefused(String name, String value) {
        assertThatThrownBy(() -> OverwriteOptions.of(new CaseInsensitiveStringMap(Map.of(name, value))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'" + name + "' must be")
                .hasMessageContaining("not '" + value + "'");
    }
}
