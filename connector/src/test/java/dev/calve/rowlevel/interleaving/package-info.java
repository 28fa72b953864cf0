/**
 * Proves that writers which interrupt each other wherever they ask the catalog something leave what a serial order of them
 * would.
 *
 * <p>Planning, settling, conflicts, manifests and metadata are real, on a storage in memory; only the rows of data files and the
 * keys of equality delete files are kept by {@link dev.calve.rowlevel.interleaving.Table}, because how a row is encoded matters
 * to none of this.
 *
 * <pre>
 * Work (what a writer does to rows, a pure function) -> Client (does it for real) -> Scheduler (one step of one client at a time)
 *                                                                                        -> Verdict (compares with the functions)
 * </pre>
 *
 * <ul>
 *   <li>A step ends where a client asks the catalog: to read the table, to load it for an attempt, to swap. What happens between
 *       two such requests is seen by nobody else, because files are never changed and only those nobody refers to are deleted.
 *   <li>Each client sees the table under a uuid of its own, as if it ran in a JVM of its own: within one JVM attempts take turns,
 *       so that a swap could never lose.
 *   <li>The order that must explain the result is the order of the snapshots. That is more than "some serial order", and it makes
 *       every snapshot checkable, not only the last.
 * </ul>
 */
@NullMarked
package dev.calve.rowlevel.interleaving;

import org.jspecify.annotations.NullMarked;
