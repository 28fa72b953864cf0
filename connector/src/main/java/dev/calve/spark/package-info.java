/**
 * What Spark's configuration names: the catalog {@link dev.calve.spark.CalveCatalog}, the table it hands out and the data
 * source {@code format("calve")}.
 *
 * <p>The packages below do the work; an entry point translates names, types and errors, and delegates. Where tables live is
 * {@code catalog}'s to know, what a statement does to a table is {@code spark.read}'s, {@code spark.write}'s and {@code
 * spark.rowlevel}'s.
 *
 * <pre>
 * spark.sql.catalog.lake            dev.calve.spark.CalveCatalog
 * spark.sql.catalog.lake.warehouse  a directory
 * </pre>
 *
 * <ul>
 *   <li>Loading a table reads its newest metadata each time, because every statement sees the newest commit; the statement
 *       then keeps that snapshot, because its parts must see the same rows.
 *   <li>A table that is created from a query becomes visible with its rows, in one step, because a table without them would
 *       look like success.
 *   <li>An option or property that would have to be obeyed and cannot be is refused with its name, because a table that
 *       quietly behaves otherwise loses somebody's data.
 *   <li>Spark's own exceptions are thrown only here, because only Spark knows what to do with them.
 * </ul>
 */
@NullMarked
package dev.calve.spark;

import org.jspecify.annotations.NullMarked;
