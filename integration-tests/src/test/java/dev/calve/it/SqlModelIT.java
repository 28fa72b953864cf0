package dev.calve.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Random programs of statements of all kinds on tables that change their columns, partitioning, format and branches, compared
 * after each statement with rows in memory. {@code dev/soak} runs more of them.
 */
@Tag("iceberg-peer")
class SqlModelIT {

    private static final Logger LOG = LoggerFactory.getLogger(SqlModelIT.class);
    private static final int SEEDS = Integer.getInteger("calve.model.seeds", 2);
    private static final int STATEMENTS = Integer.getInteger("calve.model.statements", 30);

    /** All seeds run, whatever fails: what they find is not the same. */
    @Test
    void everyStatementDoesToTheTableWhatItDoesToRowsInMemory() {
        var tables = new PeerTables("model");
        var failures = new ArrayList<String>();
        long first = Long.getLong("calve.seed", System.nanoTime());
        for (long seed = first; seed < first + SEEDS; seed++) {
            var program = new ModelProgram(tables, new Randomly(seed));
            long start = System.nanoTime();
            try {
                program.run(STATEMENTS);
                LOG.info(
                        "seed {}: {} statements in {} s",
                        seed,
                        STATEMENTS,
                        (System.nanoTime() - start) / 1_000_000_000);
            } catch (Throwable e) { // Spark throws checked exceptions that its methods do not declare.
                String failure = "Seed " + seed + ", which -Dcalve.seed=" + seed
                        + " -Dcalve.model.seeds=1 repeats, left " + program + "\nafter\n"
                        + String.join(";\n", program.log()) + "\nand then\n" + Sql.messages(e);
                LOG.error(failure);
                failures.add(failure);
            }
        }
        assertThat(failures).as("failures of %d programs", SEEDS).isEmpty();
    }
}
