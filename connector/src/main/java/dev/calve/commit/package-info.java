/**
 * Turns "these files are added, those go" into a committed snapshot.
 *
 * <p>{@code scan} reads manifests; this package is the only one that rewrites them. {@code catalog} swaps the pointer
 * through the port {@link dev.calve.commit.Committer}.
 *
 * <pre>
 * SnapshotChange (a value) --load, check, re-settle, prepare, swap, again if somebody was faster--> Committed
 *                                                                          or CommitConflictException: nothing happened
 *                                                                          or CommitStateUnknownException: nobody knows
 * </pre>
 *
 * <ul>
 *   <li>Each attempt derives everything from the change and the newest metadata, because a manifest list built on an older
 *       snapshot would drop what others committed since.
 *   <li>A manifest that mentions no removed file is carried by reference, because a delete must not touch the whole table.
 *   <li>A rewritten manifest states sequence numbers and row ids of kept entries explicitly, because inheritance is for
 *       ADDED entries only and would re-date the file.
 *   <li>A manifest whose last live files this snapshot removes is listed once more: its DELETED entries are the only record
 *       of the deletion. It leaves at the next commit.
 *   <li>Small manifests are joined now and then, by appends too, because planning opens every one of them.
 *   <li>Before it is swapped in a snapshot is held against the {@link dev.calve.commit.SnapshotRule}s, whoever built the
 *       change, because nobody can take back what a reader has seen.
 *   <li>File-scoped deletes of removed or re-vectored files are looked up in the snapshot found, not the one read, because
 *       two vectors for one file make a table unreadable.
 *   <li>Which changes of others matter is said by {@link dev.calve.commit.ConflictRule}s about what a statement really read
 *       and wrote. All that stands in the way is reported, because a change derived again counts as read at the snapshot
 *       found and earlier ones are not looked at any more.
 *   <li>A branch a statement knows must be there and go on from where it was, because one that was dropped, or created again
 *       elsewhere, is not the one that was meant: see {@link dev.calve.commit.Branches}.
 *   <li>A staged snapshot is added and no branch moved; what it did is done to {@code main} by {@link
 *       dev.calve.commit.CherryPick}, as a change with rules like any other.
 *   <li>Writers of one JVM take turns per table, because losing races against each other would only cost all of them time.
 *   <li>After an unclear swap nothing is deleted, because the table may already use it; a rejection is verified for the same
 *       reason.
 * </ul>
 *
 * It does not know how rows are deleted: after a conflict it asks the statement, through {@link dev.calve.commit.Resettle}.
 */
@NullMarked
package dev.calve.commit;

import org.jspecify.annotations.NullMarked;
