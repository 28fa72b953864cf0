/**
 * The statements {@code CALL catalog.system.…}: what has no grammar of its own in Spark.
 *
 * <p>What a change means is {@code metadata}'s to say, what it takes to commit it {@code commit}'s; here arguments become a
 * change and its result a row.
 *
 * <pre>
 * CALL lake.system.add_partition_field('db.t', 'days(ts)')
 * name, parameters, columns, description, body     one {@link dev.calve.spark.procedure.Definition} each
 * </pre>
 *
 * <ul>
 *   <li>A body hands over a function from the table found to the updates wanted, because it is asked again when another writer
 *       was faster. What it finds wrong then ends the call, and nothing is changed.
 *   <li>Names, order and types of parameters and columns are the peer's where it has the procedure, because scripts that call
 *       it exist.
 *   <li>What is kept between two calls, as a counted DELETE is, is kept in memory with a bound, because a caller may never come
 *       back.
 *   <li>A change that changes nothing commits nothing, and answers all the same.
 *   <li>What Spark caches of the table is refreshed after a change, because a query must not answer from before it.
 * </ul>
 */
@NullMarked
package dev.calve.spark.procedure;

import org.jspecify.annotations.NullMarked;
