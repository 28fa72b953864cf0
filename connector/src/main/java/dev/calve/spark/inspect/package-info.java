/**
 * Tables that show what a table consists of: {@code db.t.snapshots}, {@code db.t.files}, {@code db.t.partitions}, ….
 *
 * <p>{@code spark.read} reads the rows of a table; this package reads its metadata and shows it as rows. A metadata table is
 * a list of {@link dev.calve.spark.inspect.Columns}, each of which says where its value comes from, so that a query decodes
 * the columns it wants and no others:
 *
 * <pre>
 * snapshots, history, refs, metadata_log_entries, manifests, partitions   made on the driver
 * files, entries, their kin, all_…, position_deletes                      one task per group of manifests
 * all_manifests                                                           one task per group of snapshots
 * </pre>
 *
 * <ul>
 *   <li>Columns, their order and their types are those that other engines show; what only Calve shows comes after them,
 *       because queries and scripts exist that know the others.
 *   <li>Rows are what the entries say: what this project concludes from them (the scope of a position delete file, say) is
 *       not mixed in, because people look here when something is wrong.
 *   <li>What lists files is read on executors, because the driver of a table of 500,000 files must survive a look at it.
 *   <li>A table that shows all of the history refuses to be read as of a state, because an answer that is not of that state
 *       would pass for one.
 * </ul>
 */
@NullMarked
package dev.calve.spark.inspect;

import org.jspecify.annotations.NullMarked;
