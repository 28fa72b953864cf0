package dev.calve.rowlevel.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.calve.Randomly;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Programs of statements, evolutions, branches and interrupted statements, each step compared with rows in memory.
 * {@code -Dcalve.model.seeds=N} runs more of them, {@code -Dcalve.model.steps=N} longer ones, {@code -Dcalve.seed=N} the one that
 * failed; the steps a failure names are the shortest beginning of its program that fails.
 */
class RowLevelModelTest {

    private static final Logger LOG = LoggerFactory.getLogger(RowLevelModelTest.class);
    private static final int SEEDS = Integer.getInteger("calve.model.seeds", 50);
    private static final int STEPS = Integer.getInteger("calve.model.steps", 60);

    private final TreeMap<String, Integer> endings = new TreeMap<>();

    @Test
    void everyStepDoesToTheTableWhatItDoesToRowsInMemory() {
        Randomly.check(SEEDS, random -> {
            var program = new Program(random, endings);
            for (int i = 0; i < STEPS; i++) {
                program.step();
            }
        });
        LOG.info("{} programs of {} steps ended {}", SEEDS, STEPS, endings);
        if (Long.getLong("calve.seed") == null) {
            assertThat(endings)
                    .as("what must have happened for this to prove anything")
                    .containsKeys(
                            "DELETE interrupted COMMITTED",
                            "UPDATE interrupted COMMITTED",
                            "UPDATE interrupted REFUSED",
                            "MERGE interrupted COMMITTED",
                            "OVERWRITE interrupted COMMITTED",
                            "COMPACT interrupted COMMITTED",
                            "COMPACT interrupted REFUSED",
                            "REPARTITION COMMITTED",
                            "DELETE_ACROSS COMMITTED",
                            "DELETE_KEYS interrupted COMMITTED");
        }
    }
}
