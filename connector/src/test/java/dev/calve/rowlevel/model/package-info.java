/**
 * A random program of statements on one table, compared with rows in memory after each.
 *
 * <p>Planning, settling, conflicts, manifests and metadata are real, on a storage in memory; the rows of data files and the keys of
 * equality delete files are kept beside it by {@link dev.calve.rowlevel.model.StoredTable}, because how a row is encoded is for
 * other tests. That package reads rows by the letter of the specification, without the planner.
 *
 * <pre>
 * RowLevelModelTest (a program from a seed) -> Statement (what it means to rows, a pure function)
 *                                            -> Execution (does it for real) -> StoredTable (what is there now)
 * </pre>
 *
 * It differs from {@code interleaving} in what may change: columns, partitioning, branches and format version, over many
 * statements one after the other, of which some are interrupted by another.
 */
@NullMarked
package dev.calve.rowlevel.model;

import org.jspecify.annotations.NullMarked;
