/**
 * Predicates on rows, bound to field ids, and what can be concluded from them without reading rows.
 *
 * <p>Spark's own expressions decide which rows match (through a port of {@code rowdelete}); what is here only prunes, so
 * it must never disagree with them. Conversion from Spark's predicates is {@code spark.convert}'s.
 *
 * <pre>
 * Expression --inclusive/strict projection through a spec--> Expression over partition fields
 *            --manifest summaries, partition tuples, column metrics--> may / must rows match?
 *            --partition tuple--> residual Expression, what is still to be checked in the file
 * </pre>
 *
 * <ul>
 *   <li>Logic is SQL's with three values, because a row is deleted only where the predicate is TRUE, never where it is
 *       UNKNOWN.
 *   <li>Equality and order follow Spark: NaN equals NaN and is the largest value, -0.0 equals +0.0.
 *   <li><em>Inclusive</em> answers may say yes too often, <em>strict</em> ones no too often; both are wrong the other way,
 *       because the first drops files from a read and the second deletes files unopened.
 *   <li>A column without metrics may hold anything, NaN and null included, because missing is not zero.
 * </ul>
 */
@NullMarked
package dev.calve.expression;

import org.jspecify.annotations.NullMarked;
