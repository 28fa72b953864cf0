/**
 * Table metadata, snapshots, refs, the updates and requirements that change it, and their JSON.
 *
 * <p>Pure values: {@code catalog} reads and publishes the files, {@code commit} decides what a new snapshot is.
 *
 * <ul>
 *   <li>Keys this version does not know survive a round trip, because another engine wrote them for a reason.
 *   <li>Metadata changes only by {@link dev.calve.metadata.MetadataUpdate}s applied to a base, because a catalog server
 *       wants the updates and a directory wants the result, and both must agree.
 *   <li>What a change of specs, sort orders, identifier fields or refs means is said by functions from a table to its updates,
 *       because a commit derives them anew from the table it finds.
 *   <li>Version 1's singular forms are read, version 2's and 3's required ones are demanded, newer versions and encrypted
 *       tables are refused, because guessing loses rows.
 * </ul>
 */
@NullMarked
package dev.calve.metadata;

import org.jspecify.annotations.NullMarked;
