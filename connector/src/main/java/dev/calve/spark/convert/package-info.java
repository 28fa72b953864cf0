/**
 * Translates between Spark's types, values, predicates and transforms and the table format's.
 *
 * <p>Every translation is total or says that there is none; none guesses. What crosses to executors is {@code spark.wire}'s.
 *
 * <ul>
 *   <li>A Spark field made here carries its field id as metadata {@code parquet.field.id}, because readers find columns by
 *       id.
 *   <li>A predicate that translates only in part is marked inexact, because it may prune but never prove that every row
 *       matches.
 *   <li>A literal must have the column's own type, because a comparison after a cast may hold where this one does not.
 * </ul>
 */
@NullMarked
package dev.calve.spark.convert;

import org.jspecify.annotations.NullMarked;
