package dev.calve.rowlevel.interleaving;

import dev.calve.Randomly;
import dev.calve.rowlevel.interleaving.Scheduler.Choices;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Ways to choose. */
final class Choosing {

    private Choosing() {}

    /** One after the other, and every answer is honest. */
    static Choices nothing() {
        return new Choices() {
            @Override
            public int actor(int options) {
                return 0;
            }

            @Override
            public int answer(String actor, int options) {
                return 0;
            }

            @Override
            public boolean skipsEqualOrders() {
                return false;
            }
        };
    }

    /** @param unlucky how many answers in 100 are not honest */
    static Choices randomly(Randomly random, int unlucky) {
        return new Choices() {
            @Override
            public int actor(int options) {
                return random.intBelow(options);
            }

            @Override
            public int answer(String actor, int options) {
                return random.percent(unlucky) ? random.intBetween(1, options - 1) : 0;
            }

            @Override
            public boolean skipsEqualOrders() {
                return false;
            }
        };
    }

    /**
     * Every combination once: runs are numbered like a counter whose digits are the choices. To be used for one run after the
     * other, as long as {@link #next} says so; the runs must depend on the choices alone.
     */
    static final class Each implements Choices {
        private final Map<String, Integer> mostUnlucky;
        private final Map<String, Integer> unlucky = new HashMap<>();
        private final List<Integer> chosen = new ArrayList<>();
        private final List<Integer> options = new ArrayList<>();
        private int depth;

        /** @param mostUnlucky how many answers of one run are not honest, at most, by actor; none for others */
        Each(Map<String, Integer> mostUnlucky) {
            this.mostUnlucky = mostUnlucky;
        }

        private int choose(int count) {
            if (depth == chosen.size()) {
                chosen.add(0);
                options.add(count);
            } else if (options.get(depth) != count) {
                throw new AssertionError("The same choices must lead to the same run, but choice " + depth + " of "
                        + chosen + " has " + count + " options instead of " + options.get(depth));
            }
            return chosen.get(depth++);
        }

        @Override
        public int actor(int count) {
            return choose(count);
        }

        @Override
        public int answer(String actor, int count) {
            if (unlucky.getOrDefault(actor, 0) >= mostUnlucky.getOrDefault(actor, 0)) {
                return 0;
            }
            int answer = choose(count);
            unlucky.merge(actor, answer > 0 ? 1 : 0, Integer::sum);
            return answer;
        }

        @Override
        public boolean skipsEqualOrders() {
            return true;
        }

        /** Moves on to the next combination; false if all have been run. */
        boolean next() {
            if (depth != chosen.size()) {
                throw new AssertionError(
                        "The same choices must lead to the same run, but it ended after " + depth + " of " + chosen);
            }
            depth = 0;
            unlucky.clear();
            for (int i = chosen.size() - 1; i >= 0; i--) {
                if (chosen.get(i) + 1 < options.get(i)) {
                    chosen.set(i, chosen.get(i) + 1);
                    return true;
                }
                chosen.remove(i);
                options.remove(i);
            }
            return false;
        }
    }
}
