/**
 * Writes rows that Spark hands over, and appends them. What goes in their place is found by {@code spark.rowlevel}.
 *
 * <p>{@code parquet} writes the files; here rows find their partition and files their task, and the driver commits.
 *
 * <pre>
 * rows --partition tuple--> one open file per partition --target size--> data files --message--> commit on the driver
 * </pre>
 *
 * <ul>
 *   <li>A partitioned write asks Spark to bring the rows of a partition together, because otherwise every task writes a
 *       small file into every partition. It asks for no order.
 *   <li>Rows may come in any order all the same: at a bound of open files the one unused the longest is completed, and once a
 *       partition comes back rows without an open file wait in Spark's sorter, because an error or an empty heap helps nobody, and
 *       a file per change of partition makes every later read slow.
 *   <li>A task that fails deletes what it wrote; the driver deletes the files of a job that fails, unless its commit may
 *       have happened.
 * </ul>
 */
@NullMarked
package dev.calve.spark.write;

import org.jspecify.annotations.NullMarked;
