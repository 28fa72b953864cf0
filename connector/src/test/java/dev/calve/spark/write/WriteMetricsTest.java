package dev.calve.spark.write;

import static org.assertj.core.api.Assertions.assertThat;

import dev.calve.commit.CommitReport;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.apache.spark.sql.connector.metric.CustomMetric;
import org.apache.spark.sql.connector.metric.CustomTaskMetric;
import org.junit.jupiter.api.Test;

class WriteMetricsTest {

    private static final CommitReport REPORT = new CommitReport(
            7,
            "overwrite",
            Map.of("calve.rows-deleted", "2", "calve.rows-updated", "3", "added-dvs", "1"),
            4,
            5,
            Duration.ofMillis(6));

    /** Spark's UI makes them by their class names, and finds the values by the metrics' names. */
    @Test
    void sparkCanMakeEachAnew() throws Exception {
        assertThat(Arrays.stream(WriteMetrics.all()).map(CustomMetric::name))
                .containsExactlyElementsOf(Arrays.stream(WriteMetrics.of(Optional.of(REPORT)))
                        .map(CustomTaskMetric::name)
                        .toList())
                .doesNotHaveDuplicates()
                .hasSameSizeAs(CommitReport.Count.values());
        for (CustomMetric metric : WriteMetrics.all()) {
            Object made =
                    Class.forName(metric.getClass().getName()).getConstructor().newInstance();
            assertThat(((CustomMetric) made).name()).isEqualTo(metric.name());
            assertThat(metric.description()).isNotEmpty();
        }
    }

    @Test
    void tellsWhatTheCommitCounted() {
        Map<String, Long> told = Arrays.stream(WriteMetrics.of(Optional.of(REPORT)))
                .collect(Collectors.toMap(CustomTaskMetric::name, CustomTaskMetric::value));
        assertThat(told)
                .containsEntry("rowsMatched", 5L)
                .containsEntry("rowsDeleted", 2L)
                .containsEntry("rowsInserted", 0L)
                .containsEntry("deletionVectorsAdded", 1L)
                .containsEntry("attempts", 4L)
                .containsEntry("conflictsResolved", 5L);
        assertThat(WriteMetrics.of(Optional.empty())).isEmpty();
    }
}
