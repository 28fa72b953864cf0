/**
 * One executor's share of a delete: a file task in, an outcome out.
 *
 * <p>{@code scan} says which files and which deletes they have, the engine says which rows are deleted by key (port
 * {@link dev.calve.rowdelete.KeyMatcher}) and which match (port {@link dev.calve.rowdelete.RowMatcher}) and re-encodes rows
 * (port {@link dev.calve.rowdelete.SurvivorWriter}), {@code commit} makes a snapshot of the outcomes. This package and {@code commit} do not know each other.
 *
 * <pre>
 * file task -- existing deletes --> positions already gone, by position and by key (KeyMatcher)
 *           -- RowMatcher ------> positions that go --settle--> Untouched | WholeFile | Vector | Positions | Rewritten
 * </pre>
 *
 * <ul>
 *   <li>A data file is settled by one task, because it may have one vector only.
 *   <li>A row already deleted is never counted or matched again, because a statement reports the rows it removed.
 *   <li>Whether a file is written again depends on all its deleted rows, earlier ones included ({@link
 *       dev.calve.rowdelete.RewriteFrom}), because that is what later reads pay for.
 *   <li>If every live row goes, nothing is written in any mode, because removing the file says it all.
 *   <li>A new vector holds all positions, old ones included; a position delete file absorbs older ones of the same single
 *       data file; the absorbed files leave the table in the same commit.
 *   <li>Rows deleted by key are not matched, not counted and not written again, but a vector does not hold them, because the
 *       equality delete stays in the table and says so already.
 * </ul>
 */
@NullMarked
package dev.calve.rowdelete;

import org.jspecify.annotations.NullMarked;
