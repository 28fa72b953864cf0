/**
 * From a snapshot and a filter to the files that must be read, each with the deletes that apply to it.
 *
 * <p>{@code commit} is the only one that rewrites manifests; here they are read, pruned and joined. Reading the files is the
 * engine's part.
 *
 * <pre>
 * manifest list --partition summaries--> manifests --partition tuple, column metrics--> data files
 *                                                  --scope and sequence number-------> deletes of each file
 * </pre>
 *
 * <ul>
 *   <li>A manifest is pruned before it is opened, because most of a large table's planning time is opening manifests.
 *   <li>Deletes travel with their file's task, because a map of all deletes does not fit a driver.
 *   <li>Delete files are matched to data files by partition, path and sequence number alone; a query's filter may only drop
 *       deletes of partitions whose data files it drops too.
 *   <li>Each file carries the part of the filter its partition does not already answer.
 * </ul>
 */
@NullMarked
package dev.calve.scan;

import org.jspecify.annotations.NullMarked;
