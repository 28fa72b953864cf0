package dev.calve.spark.read;

import static org.assertj.core.api.Assertions.assertThat;

import dev.calve.scan.ScanPlan;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.apache.spark.sql.connector.metric.CustomMetric;
import org.apache.spark.sql.connector.metric.CustomTaskMetric;
import org.junit.jupiter.api.Test;

class ScanMetricsTest {

    /** Spark's UI makes them by their class names, and finds the values by the metrics' names. */
    @Test
    void sparkCanMakeEachAnew() throws Exception {
        var plan = new ScanPlan(List.of(), 1, 2, 3, 4, 5);
        CustomTaskMetric[] ofPlan = ScanMetrics.ofPlan(plan, 0, Duration.ofMillis(7));
        CustomTaskMetric[] ofTask = ScanMetrics.ofTask(new ReadCounters(1, 2, 3, 4, 5, 6));
        List<String> told = Stream.concat(Arrays.stream(ofPlan), Arrays.stream(ofTask))
                .map(CustomTaskMetric::name)
                .toList();
        assertThat(Arrays.stream(ScanMetrics.all()).map(CustomMetric::name))
                .containsExactlyElementsOf(told)
                .doesNotHaveDuplicates();
        for (CustomMetric metric : ScanMetrics.all()) {
            Object made =
                    Class.forName(metric.getClass().getName()).getConstructor().newInstance();
            assertThat(((CustomMetric) made).name()).isEqualTo(metric.name());
            assertThat(((CustomMetric) made).aggregateTaskMetrics(new long[] {1, 2}))
                    .isEqualTo("3");
            assertThat(metric.description()).isNotEmpty();
        }
        assertThat(Arrays.stream(ofPlan).map(CustomTaskMetric::value)).containsExactly(1L, 2L, 0L, 5L, 0L, 0L, 0L, 7L);
        assertThat(Arrays.stream(ofTask).map(CustomTaskMetric::value)).containsExactly(1L, 2L, 3L, 4L, 5L, 6L);
    }
}
