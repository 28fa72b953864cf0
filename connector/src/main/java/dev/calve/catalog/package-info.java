/**
 * Where tables live, by name, and the atomic swap of their metadata.
 *
 * <p>{@code commit} decides what a new state of a table is and asks the port {@link dev.calve.commit.Committer} to make it
 * the current one; each catalog here implements that port for its own place. {@link dev.calve.catalog.warehouse} keeps
 * tables in a directory tree.
 *
 * <ul>
 *   <li>A swap ends as swapped, rejected or unknown, and never as an exception once it may have been sent, because the
 *       files of a statement may be deleted only if its swap certainly did not happen.
 *   <li>A table is loaded anew each time, because every statement sees the newest commit; nothing is cached by time.
 *   <li>What a catalog cannot do safely it refuses with the reason, because a swap that can replace somebody else's loses
 *       rows without a sign.
 * </ul>
 *
 * It reads no manifests and knows no engine.
 */
@NullMarked
package dev.calve.catalog;

import org.jspecify.annotations.NullMarked;
