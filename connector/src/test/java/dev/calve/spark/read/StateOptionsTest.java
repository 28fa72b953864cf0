package dev.calve.spark.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.metadata.ReadPoint;
import dev.calve.scan.AppendRange;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;
import org.junit.jupiter.api.Test;

class StateOptionsTest {

    private static StateOptions options(String... pairs) {
        var map = new java.util.HashMap<String, String>(Map.of("split-size", "1000"));
        for (int i = 0; i < pairs.length; i += 2) {
            map.put(pairs[i], pairs[i + 1]);
        }
        return StateOptions.of(new CaseInsensitiveStringMap(map));
    }

    @Test
    void eachOptionAsksForItsState() {
        assertThat(options()).isEqualTo(new StateOptions(Optional.empty(), Optional.empty()));
        assertThat(options("Snapshot-ID", "7").point()).contains(new ReadPoint.AtSnapshot(7));
        assertThat(options("as-of-timestamp", " 1700000000123 ").point())
                .contains(new ReadPoint.AsOf(1_700_000_000_123L));
        assertThat(options("branch", "audit").point()).contains(new ReadPoint.OfBranch("audit"));
        assertThat(options("tag", "v1").point()).contains(new ReadPoint.AtTag("v1"));
        assertThat(options("versionAsOf", "7").point()).contains(new ReadPoint.Version("7"));
        assertThat(options("timestampAsOf", "2024-01-31T12:00:00.001999Z").point())
                .contains(new ReadPoint.AsOf(1_706_702_400_001L));
        assertThat(options("timestampAsOf", "1969-12-31T23:59:59.999999Z").point())
                .contains(new ReadPoint.AsOf(-1));
    }

    @Test
    void aRangeHasAStartAndMayHaveAnEnd() {
        assertThat(options("start-snapshot-id", "5").appends())
                .contains(new AppendRange(Optional.of(new AppendRange.SnapshotId(5)), Optional.empty()));
        assertThat(options("start-snapshot-id", "5", "end-snapshot-id", "6").appends())
                .contains(new AppendRange(
                        Optional.of(new AppendRange.SnapshotId(5)), Optional.of(new AppendRange.SnapshotId(6))));
        assertThat(options("start-timestamp", "5", "end-snapshot-id", "6", "branch", "b"))
                .isEqualTo(new StateOptions(
                        Optional.of(new ReadPoint.OfBranch("b")),
                        Optional.of(new AppendRange(
                                Optional.of(new AppendRange.Time(5)), Optional.of(new AppendRange.SnapshotId(6))))));
    }

    @Test
    void optionsThatContradictEachOtherAreRefused() {
        assertThatThrownBy(() -> options("snapshot-id", "7", "tag", "v1"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'snapshot-id' and 'tag'");
        assertThatThrownBy(() -> options("branch", "b", "versionAsOf", "7")).hasMessageContaining("contradict");
        assertThatThrownBy(() -> options("start-snapshot-id", "7", "start-timestamp", "7"))
                .hasMessageContaining("'start-snapshot-id' and 'start-timestamp'");
        assertThatThrownBy(() -> options("start-snapshot-id", "7", "tag", "v1"))
                .hasMessageContaining("'start-snapshot-id' and 'tag'");
        assertThatThrownBy(() -> options("end-snapshot-id", "7"))
                .hasMessageContaining("set 'start-snapshot-id'")
                .hasMessageContaining("'snapshot-id' instead");
        assertThatThrownBy(() -> options("end-timestamp", "7")).hasMessageContaining("'as-of-timestamp' instead");
    }

    @Test
    void valuesThatMeanNothingAreRefused() {
        assertThatThrownBy(() -> options("snapshot-id", "main"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'snapshot-id'")
                .hasMessageContaining("'main'");
        assertThatThrownBy(() -> options("as-of-timestamp", "2024-01-31")).hasMessageContaining("whole number");
        assertThatThrownBy(() -> options("timestampAsOf", "yesterday"))
                .hasMessageContaining("'yesterday'")
                .hasMessageContaining("as-of-timestamp");
    }
}
