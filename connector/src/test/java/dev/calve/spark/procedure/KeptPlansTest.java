package dev.calve.spark.procedure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class KeptPlansTest {

    private Instant now = Instant.EPOCH;

    private final Clock clock = new Clock() {
        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }

        @Override
        public Instant instant() {
            return now;
        }
    };

    private final List<Runnable> later = new ArrayList<>();
    private final KeptPlans<String> plans = new KeptPlans<>(clock, 2, 100, later::add);

    private void assertGone(String id) {
        assertThatThrownBy(() -> plans.take(id))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("There is no plan '" + id + "'")
                .hasMessageContaining("plan_delete");
    }

    @Test
    void aPlanIsTakenOnce() {
        String id = plans.keep("db.t", "plan", 10);
        assertThat(plans.find(id).table()).isEqualTo("db.t");
        assertThat(plans.take(id)).isEqualTo("plan");
        assertGone(id);
        assertGone("unknown");
    }

    @Test
    void aPlanIsKeptForAnHour() {
        String id = plans.keep("db.t", "plan", 10);
        now = now.plus(Duration.ofMinutes(60));
        assertThat(plans.find(id).plan()).isEqualTo("plan");
        now = now.plusMillis(1);
        assertGone(id);
    }

    @Test
    void aPlanGoesByItselfWhenItIsOld() {
        plans.keep("db.t", "plan", 10);
        assertThat(later).hasSize(1);
        later.get(0).run();
        assertThat(plans.count()).isEqualTo(1);
        now = now.plus(Duration.ofMinutes(60)).plusMillis(1);
        later.get(0).run();
        assertThat(plans.count()).isZero();
    }

    @Test
    void theOldestMakesRoom() {
        String first = plans.keep("db.t", "first", 10);
        String second = plans.keep("db.t", "second", 10);
        String third = plans.keep("db.t", "third", 10);
        assertGone(first);
        // Not by number, but by size.
        String large = plans.keep("db.t", "large", 95);
        assertGone(second);
        assertGone(third);
        assertThat(plans.take(large)).isEqualTo("large");
        assertThatThrownBy(() -> plans.keep("db.t", "too large", 101))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("101 bytes");
    }
}
