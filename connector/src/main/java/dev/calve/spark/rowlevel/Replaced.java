package dev.calve.spark.rowlevel;

import dev.calve.commit.ConflictRule;
import dev.calve.expression.Expression;
import dev.calve.expression.PartitionFilter;
import dev.calve.metadata.TableMetadata;
import dev.calve.partition.PartitionTuple;
import dev.calve.scan.FileTask;
import dev.calve.scan.PartitionSummaries;
import dev.calve.spark.wire.PartitionsOfSpec;
import java.util.Set;
import java.util.stream.Collectors;

/** Which rows an overwrite replaces, whatever files they are in. */
sealed interface Replaced {

    /** What to say about a file by its metadata. */
    enum Coverage {
        NONE,
        /** Only its rows tell. */
        PERHAPS,
        ALL
    }

    /** TRUE for every row that is replaced, perhaps for more. */
    Expression filter();

    /**
     * How much of a file goes.
     *
     * @param task one that a plan with the filter lists
     */
    Coverage of(FileTask task);

    /**
     * Finds the rows that go from a file that goes in part.
     *
     * @param found the table as it is when rows are looked for
     */
    RowCondition condition(TableMetadata found);

    /** Files of others that would have held rows to replace. */
    ConflictRule additions();

    /** Whether it is all there is, so that nothing has to be looked for. */
    boolean isEverything();

    /** Rows a condition selects. */
    record Selected(SelectedRows rows) implements Replaced {

        @Override
        public Expression filter() {
            return rows.converted().expression();
        }

        @Override
        public Coverage of(FileTask task) {
            return rows.converted().exact() && task.everyRowMatches() ? Coverage.ALL : Coverage.PERHAPS;
        }

        @Override
        public RowCondition condition(TableMetadata found) {
            return rows.condition();
        }

        @Override
        public ConflictRule additions() {
            return new ConflictRule.NoNewDataMatching(filter());
        }

        @Override
        public boolean isEverything() {
            return rows.areAll();
        }
    }

    /**
     * The rows of partitions of one spec. Where a file of another spec holds some, its partition or statistics may prove that it
     * holds no others; else every row is asked for its partition, because that is what the partition of a row is: a function of the
     * row, not of the file it came with.
     */
    record Partitions(int specId, Set<PartitionTuple> tuples, PartitionFilter partitions, TableMetadata typed)
            implements Replaced {

        public Partitions {
            tuples = Set.copyOf(tuples);
        }

        /** @param table the new rows are written for; its default spec divides them */
        static Partitions of(TableMetadata table, Set<PartitionTuple> tuples) {
            return new Partitions(
                    table.defaultSpecId(), tuples, PartitionFilter.of(table.schema(), table.spec(), tuples), table);
        }

        /** The same once columns may have been promoted. */
        Partitions in(TableMetadata found) {
            Set<PartitionTuple> promoted = tuples.stream()
                    .map(tuple -> PartitionSummaries.promoted(found, specId, tuple))
                    .collect(Collectors.toSet());
            return new Partitions(specId, promoted, partitions, found);
        }

        @Override
        public Expression filter() {
            return partitions.expression();
        }

        @Override
        public Coverage of(FileTask task) {
            if (task.file().specId() == specId) {
                PartitionTuple tuple =
                        PartitionSummaries.promoted(typed, specId, task.file().partition());
                return tuples.contains(tuple) ? Coverage.ALL : Coverage.NONE;
            }
            return partitions.exact() && task.everyRowMatches() ? Coverage.ALL : Coverage.PERHAPS;
        }

        @Override
        public RowCondition condition(TableMetadata found) {
            return new PartitionCondition(
                    PartitionsOfSpec.of(found, specId, in(found).tuples()));
        }

        @Override
        public ConflictRule additions() {
            return new ConflictRule.NoNewDataIn(specId, tuples, filter());
        }

        @Override
        public boolean isEverything() {
            return false;
        }
    }
}
