/**
 * Row-level statements in Spark: which tasks run, how a row is judged, how surviving rows are written, what is committed.
 *
 * <p>{@code rowdelete} settles files without knowing Spark; here is what it asks for: {@link
 * dev.calve.spark.rowlevel.ConditionMatcher} and {@link dev.calve.spark.rowlevel.SurvivorCopy}.
 *
 * <pre>
 * DELETE WHERE p: plan files (driver) -> one stage: match, settle -> RowChange -> commit; after a conflict the driver settles
 *                 deletes beside files again, else the statement is planned anew
 * </pre>
 *
 * <ul>
 *   <li>The plan is made on the newest snapshot when the statement runs, not on the one its analysis saw, because that saves
 *       conflicts and the statement reads nothing else.
 *   <li>Only the condition's columns are decoded to find rows, because that is most of a delete's work.
 *   <li>What tasks wrote is noted as each task ends, because a stage that fails later must not leave files behind.
 * </ul>
 */
@NullMarked
package dev.calve.spark.rowlevel;

import org.jspecify.annotations.NullMarked;
