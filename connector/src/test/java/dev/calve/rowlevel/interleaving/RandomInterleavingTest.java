package dev.calve.rowlevel.interleaving;

import dev.calve.Randomly;
import dev.calve.metadata.TableProperties.IsolationLevel;
import dev.calve.rowlevel.interleaving.Work.Kind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Three to five writers on a random table, each any kind with any rows and isolation level, in a random order of steps; any
 * request may get an answer that is not the honest one. {@code -Dcalve.interleavings.rounds=N} runs more rounds,
 * {@code -Dcalve.seed=N} the one that failed.
 */
class RandomInterleavingTest {

    private static final Logger LOG = LoggerFactory.getLogger(RandomInterleavingTest.class);
    private static final int ROUNDS = Integer.getInteger("calve.interleavings.rounds", 400);
    private static final int IDS = 14;

    private final Map<Kind, TreeMap<String, Integer>> endings = new EnumMap<>(Kind.class);

    @Test
    void anyOrderOfAnyWritersLeavesWhatASerialOrderWould() {
        Randomly.check(ROUNDS, random -> new Round(random).run());
        LOG.info("{} rounds ended {}", ROUNDS, endings);
    }

    private final class Round {
        private final Randomly random;
        private final int version;
        private final boolean partitioned;
        private int writers;

        Round(Randomly random) {
            this.random = random;
            this.version = random.intBetween(2, 3);
            this.partitioned = random.yes();
        }

        void run() throws IOException {
            int withBounds = random.oneOf(0, 50, 100);
            var works = new ArrayList<Work>();
            for (int i = random.intBetween(0, 3); i > 0; i--) {
                works.add(append());
            }
            for (int i = random.intBetween(0, 2); i > 0; i--) {
                works.add(random.percent(70) ? rowLevel() : Work.compact(name(), whole()));
                if (version == 2 && random.percent(30)) {
                    works.add(Work.deleteAcross(name(), where()));
                }
            }
            var options = new Table.Options(
                    version, partitioned, () -> random.percent(withBounds), random.oneOf(2, 3, 100), random.yes());
            Start start = Start.after(Table.create(options), works);
            works.clear();
            for (int i = random.intBetween(3, 5); i > 0; i--) {
                works.add(any());
            }
            int unlucky = random.oneOf(0, 5, 20);
            start.run(works, Choosing.randomly(random, unlucky))
                    .clients()
                    .forEach(client -> endings.computeIfAbsent(client.work().kind(), kind -> new TreeMap<>())
                            .merge(client.ending().getClass().getSimpleName(), 1, Integer::sum));
        }

        private String name() {
            return "w" + ++writers;
        }

        private Work any() {
            int kind = random.intBelow(100);
            if (kind < 55) {
                return rowLevel();
            }
            if (kind < 60) {
                return version == 2 ? Work.deleteAcross(name(), where()) : rowLevel();
            }
            if (kind < 70) {
                return append();
            }
            if (kind < 80) {
                return Work.compact(name(), partitioned && random.yes() ? part() : Where.everything());
            }
            if (kind < 84) {
                return overwrite();
            }
            if (kind < 90) {
                return Work.readAndOverwrite(name(), whole());
            }
            if (kind < 95) {
                return Work.upsert(name(), values());
            }
            return version == 2 && random.percent(70) ? Work.upgrade(name()) : Work.setProperty(name());
        }

        private Work append() {
            return Work.append(name(), values());
        }

        private Work overwrite() {
            Where where = whole();
            var values = new TreeMap<>(values());
            values.keySet().removeIf(id -> random.percent(30) || !where.holds().test(new Row("", id, 0)));
            return Work.overwrite(name(), where, values);
        }

        private Work rowLevel() {
            Work work = switch (random.intBelow(6)) {
                case 0, 1 -> Work.delete(name(), where());
                case 2 -> Work.update(name(), where(), 1 + random.intBelow(100));
                case 3 -> Work.update(name(), few(), 1 + random.intBelow(100));
                case 4 -> Work.derive(name(), few(), where());
                default -> Work.merge(name(), values(), random.intBelow(150));
            };
            Work at = work.at(random.percent(70) ? IsolationLevel.SERIALIZABLE : IsolationLevel.SNAPSHOT);
            return random.percent(35) ? at.rewriting() : at;
        }

        private Where where() {
            return switch (random.intBelow(8)) {
                case 0 -> part();
                case 1 -> Where.valueAtLeast(random.intBelow(200));
                case 2 -> random.percent(30) ? Where.everything() : Where.valueAtLeast(random.intBelow(100));
                default -> few();
            };
        }

        private Where few() {
            Set<Long> ids = new HashSet<>();
            for (int i = random.intBetween(1, 3); i > 0; i--) {
                ids.add(random.longBelow(IDS));
            }
            return Where.ids(ids);
        }

        private Where part() {
            return Where.part(random.intBelow(2));
        }

        /** What files can be told apart by: a partition, or everything in a table without. */
        private Where whole() {
            return partitioned ? part() : Where.everything();
        }

        private Map<Long, Long> values() {
            var values = new TreeMap<Long, Long>();
            for (int i = random.intBetween(1, 6); i > 0; i--) {
                values.put(random.longBelow(IDS), random.longBelow(150));
            }
            return values;
        }
    }
}
