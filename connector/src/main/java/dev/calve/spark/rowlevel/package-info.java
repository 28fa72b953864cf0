/**
 * Row-level statements in Spark: which tasks run, how a row is judged, how surviving rows are written, what is committed.
 *
 * <p>{@code rowdelete} settles files without knowing Spark; here is what it asks for: {@link
 * dev.calve.spark.rowlevel.ConditionMatcher} and {@link dev.calve.spark.rowlevel.SurvivorCopy}.
 *
 * <pre>
 * DELETE WHERE p: plan files (driver) -> one stage: match, settle -> RowChange -> commit; after a conflict what others
 *                 deleted from is settled again, else the statement is planned anew
 * UPDATE, MERGE,  Spark's plan: row-level scan -> ... -> PositionDeltaWriter: places of rows that go, files of rows that come
 * other DELETEs:  -> (PositionDeltaBatch, driver) settle, here or in one stage -> RowChange -> commit
 * INSERT OVERWRITE: write new files -> plan what is replaced -> the same stage for files covered in part -> Overwrite -> commit;
 *                 after a conflict it is planned anew, unless it is isolated
 * counted DELETE: plan files -> one stage: match, write nothing -> DeletePlan, some time later: settle what was counted -> commit
 * DELETE by key:  write the keys, look at no row -> commit
 * </pre>
 *
 * <ul>
 *   <li>The plan is made on the newest snapshot when the statement runs, not on the one its analysis saw, because that saves
 *       conflicts and the statement reads nothing else.
 *   <li>An overwrite plans after its rows are written, because what it replaces is what is there when it commits. One whose query
 *       reads its target, or that is given an isolation level, is planned on the snapshot read, because it must not drop what it
 *       has not seen.
 *   <li>A dynamic overwrite replaces the rows of a partition, not its files: a row in a file of another spec is asked for the
 *       partition it belongs to now, because nobody who reads the table sees the difference.
 *   <li>Only the condition's columns are decoded to find rows, because that is most of a delete's work.
 *   <li>Copy-on-write is no pipeline of its own: rows that stay are copied when places are settled, so they cross no shuffle
 *       and no expression of Spark's touches them.
 *   <li>The few new rows of a task travel with its message and the driver writes those of all tasks into one file, because
 *       a table without partitions would get a file per task otherwise; what travels is bounded.
 *   <li>New rows never go into a rewritten file, because the rows that stay must remain older than later equality deletes.
 *   <li>An append looks for scans of its target in the statement's plan, because a MERGE that only inserts is an append to Spark,
 *       and two of them must not insert one key twice.
 *   <li>The row-level scan offers Spark no filter at run time, because for one Spark may read a MERGE's source twice.
 *   <li>The scan of a MERGE finds the join it stands below in the running statement's plan and asks the other side which keys
 *       there are, when tasks are planned and not before, because EXPLAIN must run nothing. The values are the statement's conflict
 *       scope, too, because a row without them cannot have matched.
 *   <li>What tasks wrote is noted as each task ends, because a stage that fails later must not leave files behind.
 * </ul>
 */
@NullMarked
package dev.calve.spark.rowlevel;

import org.jspecify.annotations.NullMarked;
