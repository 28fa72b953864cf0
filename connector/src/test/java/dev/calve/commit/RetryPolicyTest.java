package dev.calve.commit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.calve.metadata.TableProperties;
import java.time.Duration;
import java.util.HashMap;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RetryPolicyTest {

    private static final Duration SOON = Duration.ofMillis(1);

    private static RetryPolicy policy(String... namesAndValues) {
        var properties = new HashMap<String, String>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            properties.put("commit.retry." + namesAndValues[i], namesAndValues[i + 1]);
        }
        return RetryPolicy.of(TableProperties.of(Map.copyOf(properties), "db.t"));
    }

    @Test
    void allowsAsManyRetriesAsTheTableSays() {
        RetryPolicy two = policy("num-retries", "2");

        assertThat(two.allowsAnother(1, SOON)).isTrue();
        assertThat(two.allowsAnother(2, SOON)).isTrue();
        assertThat(two.allowsAnother(3, SOON)).isFalse();
        assertThat(policy("num-retries", "0").allowsAnother(1, SOON)).isFalse();
    }

    @Test
    void allowsAnyNumberOfRetriesIfTheTableDoesNotSay() {
        assertThat(policy().allowsAnother(1_000_000, Duration.ofMinutes(29))).isTrue();
    }

    @Test
    void beginsNoAttemptOnceTheTimeIsOver() {
        RetryPolicy brief = policy("total-timeout-ms", "1000", "num-retries", "5");

        assertThat(brief.allowsAnother(1, Duration.ofMillis(999))).isTrue();
        assertThat(brief.allowsAnother(1, Duration.ofSeconds(1))).isFalse();
        assertThat(brief.allowsAnother(1, Duration.ofMillis(1001))).isFalse();
        assertThat(policy().allowsAnother(1, Duration.ofMinutes(31))).isFalse();
    }

    /** Columns: attempts so far, the shortest and the longest wait before the next one. */
    @ParameterizedTest
    @CsvSource({"1, 50, 100", "2, 100, 200", "3, 200, 400", "4, 400, 800", "5, 500, 1000", "1000, 500, 1000"})
    void waitsTwiceAsLongEachTimeUpToTheLongestWaitHalfOfItAtRandom(int attempts, long least, long most) {
        RetryPolicy policy = policy("min-wait-ms", "100", "max-wait-ms", "1000");

        LongSummaryStatistics waits = LongStream.range(0, 20_000)
                .map(i -> policy.wait(attempts).toMillis())
                .summaryStatistics();

        // That one of at most 501 equally likely values is never drawn has a chance of less than 1 in 10^17.
        assertThat(waits.getMin()).isEqualTo(least);
        assertThat(waits.getMax()).isEqualTo(most);
    }

    @Test
    void neverWaitsLongerThanTheLongestWaitEvenIfTheFirstIsLonger() {
        RetryPolicy policy = policy("min-wait-ms", "100", "max-wait-ms", "10");

        for (int i = 0; i < 1000; i++) {
            assertThat(policy.wait(1)).isBetween(Duration.ofMillis(5), Duration.ofMillis(10));
        }
    }

    @Test
    void waitsNotAtAllIfTheTableSaysSo() {
        assertThat(policy("min-wait-ms", "0", "max-wait-ms", "0").wait(1)).isZero();
    }
}
