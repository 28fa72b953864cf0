package dev.calve.rowlevel.interleaving;

import dev.calve.commit.CommitConflictException;
import dev.calve.commit.CommitStateUnknownException;

/** How a client ended. */
sealed interface Ending {

    record Committed(long snapshotId) implements Ending {}

    /** The metadata is as wanted; there is no snapshot. */
    record Changed() implements Ending {}

    /** There was nothing to do. */
    record Nothing() implements Ending {}

    record Refused(CommitConflictException conflict) implements Ending {}

    record Unknown(CommitStateUnknownException unknown) implements Ending {}

    /** Something else: an injected failure, or deletes by key that cannot be read yet. */
    record Failed(RuntimeException failure) implements Ending {}
}
