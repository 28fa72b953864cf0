package dev.calve.commit;

import dev.calve.metadata.TableProperties;
import java.time.Duration;
import java.util.OptionalInt;
import java.util.concurrent.ThreadLocalRandom;

/**
 * How long and how often a commit is tried again after losing a race.
 *
 * @param maxRetries bounds the attempts only if the table sets it; otherwise time alone does
 */
record RetryPolicy(OptionalInt maxRetries, Duration minWait, Duration maxWait, Duration totalTimeout) {

    static RetryPolicy of(TableProperties properties) {
        return new RetryPolicy(
                properties
                        .get(TableProperties.COMMIT_NUM_RETRIES)
                        .map(OptionalInt::of)
                        .orElse(OptionalInt.empty()),
                properties.get(TableProperties.COMMIT_MIN_WAIT),
                properties.get(TableProperties.COMMIT_MAX_WAIT),
                properties.get(TableProperties.COMMIT_TOTAL_TIMEOUT));
    }

    /** Whether an attempt after {@code attempts} that failed may start {@code elapsed} after the first. */
    boolean allowsAnother(int attempts, Duration elapsed) {
        return elapsed.compareTo(totalTimeout) < 0 && (maxRetries.isEmpty() || attempts <= maxRetries.getAsInt());
    }

    /** Wait before the next attempt: doubles each time, at most {@code maxWait}, half of it random. */
    Duration wait(int attempts) {
        double doubled = minWait.toMillis() * Math.pow(2, Math.min(attempts - 1, 20));
        long bounded = (long) Math.max(1, Math.min(doubled, (double) maxWait.toMillis()));
        return Duration.ofMillis(bounded / 2 + ThreadLocalRandom.current().nextLong(bounded / 2 + 1));
    }
}
