package dev.calve.commit;

import static dev.calve.commit.ScriptedCommitter.Answer.REJECTED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.calve.commit.CommitOutcome.Committed;
import dev.calve.commit.SnapshotChange.Operation;
import dev.calve.expression.Expression;
import dev.calve.metadata.MetadataUpdate;
import dev.calve.metadata.TableProperties;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Who commits when several want to, and when one gives up. */
@Timeout(60)
class CommitFairnessTest {

    private static final int MOST_APPENDS = 2_000;

    private final CommitFixture table = CommitFixture.unpartitioned(3);

    /** A clock that stands still unless a test moves it. */
    private static final class Steps extends Clock {
        private final AtomicLong millis = new AtomicLong(1_000_000);

        void pass(Duration time) {
            millis.addAndGet(time.toMillis());
        }

        @Override
        public Instant instant() {
            return Instant.ofEpochMilli(millis.get());
        }

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }
    }

    private Committed commit(SnapshotChange change, Resettle resettle, Clock clock) {
        CommitFixture.Statement statement = table.statement();
        statement.wrote(change);
        return new TableCommit(table.target(), statement.statement(), clock)
                .commit(change, resettle)
                .committed()
                .orElseThrow();
    }

    /** 40 writers that may try for 30 seconds wait for a minute, and then all lose a race. */
    @Test
    void doesNotHoldTheWaitForItsTurnAgainstAWriter() throws Exception {
        table.evolve(new MetadataUpdate.SetProperties(Map.of("commit.retry.total-timeout-ms", "30000")));
        var answers = new ScriptedCommitter.Answer[40];
        java.util.Arrays.fill(answers, REJECTED);
        table.committer.answer(answers);
        var clock = new Steps();
        var writers = Executors.newFixedThreadPool(40);
        try {
            var results = new ArrayList<Future<Committed>>();
            TableQueue.inTurn(table.metadata().uuid(), () -> {
                for (int i = 0; i < 40; i++) {
                    SnapshotChange change =
                            table.appending(table.dataFile("f" + i).build());
                    results.add(writers.submit(() -> commit(change, Resettle.never(), clock)));
                }
                while (TableQueue.users(table.metadata().uuid()) < 41) {
                    Thread.sleep(1);
                }
                clock.pass(Duration.ofMinutes(1));
                return results;
            });
            int attempts = 0;
            for (Future<Committed> result : results) {
                attempts += result.get().attempts();
            }
            assertThat(attempts).isEqualTo(80);
        } finally {
            writers.shutdownNow();
        }
        assertThat(table.live().data()).hasSize(40);
    }

    @Test
    void holdsTimeOfItsOwnAgainstAWriter() {
        table.evolve(new MetadataUpdate.SetProperties(Map.of("commit.retry.total-timeout-ms", "30000")));
        var clock = new Steps();
        table.committer.answer(REJECTED);
        table.committer.beforeAll(() -> clock.pass(Duration.ofSeconds(15)));
        org.assertj.core.api.Assertions.assertThatThrownBy(
                        () -> commit(table.appending(table.dataFile("f").build()), Resettle.never(), clock))
                .isInstanceOf(CommitConflictException.class)
                .hasMessageContaining("1 times in 45000 ms");
    }

    // Where re-settling happens.

    /** Reads everything, and is stale again each time somebody appends. */
    private SnapshotChange reading(String file) {
        return table.change(Operation.OVERWRITE)
                .add(table.dataFile(file).build())
                .rule(new ConflictRule.NoNewDataMatching(Expression.Constant.TRUE))
                .build();
    }

    /** Derives the change again and tells how many threads had or wanted a turn meanwhile. */
    private final class Watched implements Resettle {
        private final boolean quick;
        private final int outrun;
        private final List<Integer> users = Collections.synchronizedList(new ArrayList<>());

        Watched(boolean quick, int outrun) {
            this.quick = quick;
            this.outrun = outrun;
        }

        @Override
        public Optional<SnapshotChange> against(TableState found, List<Conflict> conflicts, SnapshotChange change) {
            users.add(TableQueue.users(table.metadata().uuid()));
            Optional<SnapshotChange> again = Optional.of(reading("again" + users.size()));
            if (users.size() <= outrun) {
                table.append(table.dataFile("other" + users.size()).build());
            }
            return again;
        }

        @Override
        public boolean isQuick(List<Conflict> conflicts) {
            return quick;
        }
    }

    @Test
    void keepsOthersWaitingOnlyAfterThreeRoundsInVain() {
        SnapshotChange change = reading("mine");
        table.append(table.dataFile("other").build());
        var resettle = new Watched(false, 3);
        assertThat(commit(change, resettle, Clock.systemUTC()).attempts()).isEqualTo(5);
        assertThat(resettle.users).containsExactly(0, 0, 0, 1);
    }

    @Test
    void keepsOthersWaitingWhileItResettlesQuickly() {
        SnapshotChange change = reading("mine");
        table.append(table.dataFile("other").build());
        var resettle = new Watched(true, 0);
        assertThat(commit(change, resettle, Clock.systemUTC()).attempts()).isEqualTo(2);
        assertThat(resettle.users).containsExactly(1);
    }

    @Test
    void isNotStarvedByFastAppenders() throws Exception {
        var done = new AtomicBoolean();
        var begun = new AtomicLong();
        var appended = new AtomicLong();
        var appenders = Executors.newFixedThreadPool(2);
        try {
            SnapshotChange change = reading("mine");
            for (int i = 0; i < 2; i++) {
                appenders.execute(() -> {
                    while (!done.get() && begun.get() < MOST_APPENDS) {
                        table.append(
                                table.dataFile("f" + begun.incrementAndGet()).build());
                        appended.incrementAndGet();
                    }
                });
            }
            while (appended.get() == 0) {
                Thread.sleep(1);
            }
            Resettle slow = (found, conflicts, old) -> {
                SnapshotChange again = reading("again" + conflicts.size());
                long seen = appended.get();
                // Slower than the appenders, unless they have to wait.
                while (!holdsTurn() && appended.get() < Math.min(seen + 5, MOST_APPENDS)) {
                    Thread.onSpinWait();
                }
                return Optional.of(again);
            };
            assertThat(commit(change, slow, Clock.systemUTC()).attempts()).isBetween(2, 6);
        } finally {
            done.set(true);
            appenders.shutdown();
            assertThat(appenders.awaitTermination(30, java.util.concurrent.TimeUnit.SECONDS))
                    .isTrue();
        }
        assertThat(table.live().data()).isNotEmpty();
    }

    private boolean holdsTurn() {
        return TableQueue.isHeldByThisThread(table.metadata().uuid());
    }

    // How long and how often.

    @Test
    void countsRetriesOnlyIfTheTableSays() {
        RetryPolicy byTime = RetryPolicy.of(TableProperties.of(Map.of(), "db.t"));
        assertThat(byTime.allowsAnother(1_000_000, Duration.ofMinutes(29))).isTrue();
        assertThat(byTime.allowsAnother(1, Duration.ofMinutes(30))).isFalse();
        RetryPolicy byNumber = RetryPolicy.of(TableProperties.of(Map.of("commit.retry.num-retries", "2"), "db.t"));
        assertThat(byNumber.allowsAnother(2, Duration.ZERO)).isTrue();
        assertThat(byNumber.allowsAnother(3, Duration.ZERO)).isFalse();
        assertThat(byNumber.allowsAnother(1, Duration.ofMinutes(30))).isFalse();
    }

    @Test
    void waitsLongerEachTimeHalfOfItAtRandom() {
        RetryPolicy policy = RetryPolicy.of(TableProperties.of(
                Map.of("commit.retry.min-wait-ms", "100", "commit.retry.max-wait-ms", "1000"), "db.t"));
        long[] most = {100, 200, 400, 800, 1000, 1000};
        for (int attempts = 1; attempts <= most.length; attempts++) {
            var seen = new java.util.TreeSet<Long>();
            for (int i = 0; i < 200; i++) {
                seen.add(policy.wait(attempts).toMillis());
            }
            assertThat(seen.first()).isGreaterThanOrEqualTo(most[attempts - 1] / 2);
            assertThat(seen.last()).isLessThanOrEqualTo(most[attempts - 1]);
            assertThat(seen.size())
                    .as("different waits after %s attempts", attempts)
                    .isGreaterThan(10);
        }
    }
}
