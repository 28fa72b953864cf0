package dev.calve.spark.write;

import dev.calve.commit.ConflictRule;
import dev.calve.commit.Statement;
import java.util.List;
import java.util.OptionalLong;

/**
 * What others must not have changed when rows are appended that depend on rows of the same table.
 *
 * @param ofMerge whether a MERGE appends, which leaves no snapshot if it has no rows
 * @param read the snapshot they were computed from; empty if the table had none
 * @param isolation that asks for the rules
 */
public record AppendRules(boolean ofMerge, OptionalLong read, Statement.Isolation isolation, List<ConflictRule> rules) {

    public AppendRules {
        rules = List.copyOf(rules);
    }
}
