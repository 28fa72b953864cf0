/**
 * What a statement did to rows, and what a concurrent change means for it.
 *
 * <p>{@code rowdelete} turns positions into files and knows no history; {@code commit} knows history and files, but no rows.
 * Here both meet: {@link dev.calve.rowlevel.RowChange}, {@link dev.calve.rowlevel.Overwrite} and {@link
 * dev.calve.rowlevel.Compaction} are values that become a {@code SnapshotChange}; {@link dev.calve.rowlevel.SettleAgain} and {@link dev.calve.rowlevel.MapAgain} answer the port
 * {@code Resettle} for them.
 *
 * <pre>
 * outcomes of a stage -> RowChange --toSnapshotChange--> TableCommit --conflicts--> SettleAgain: look up the touched files,
 *                           ^                                                       compare positions, settle again
 *                           +-------------------------- the new value -------------------+
 * </pre>
 *
 * <ul>
 *   <li>Every touched file is guarded, a file that leaves as a whole too: only so the numbers of rows are exact, and a row
 *       another statement updated is seen to live on elsewhere.
 *   <li>After a re-settle the change counts as made for the snapshot found, because all conflicts up to it were looked at.
 *       The sequence number of rewritten rows stays that of the snapshot the rows were read from: equality deletes since
 *       then were not evaluated, so they must still apply.
 *   <li>A file is settled again only if somebody deleted from it, because settling costs a write. The others keep what was
 *       written for them.
 *   <li>All conflicts are judged before anything is written, because a statement that is refused should have cost nothing.
 *   <li>Compaction is a value of its own: its outputs come from many files each, and what others deleted is not united with
 *       positions of its own but carried over through a {@code rewrite.PositionMap}.
 * </ul>
 *
 * It does not run stages: where settling happens is the port {@link dev.calve.rowlevel.Settlement}; how a DELETE plans anew is
 * {@link dev.calve.rowlevel.SettleAgain.Replan}.
 */
@NullMarked
package dev.calve.rowlevel;

import org.jspecify.annotations.NullMarked;
