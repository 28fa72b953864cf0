package dev.calve.commit;

/** How one attempt to swap a table's metadata ended. */
public sealed interface SwapOutcome {

    /** The table is at {@code state} or was for a moment. */
    record Swapped(TableState state) implements SwapOutcome {}

    /** The swap certainly did not happen; {@code reason} says who was first or what forbids it. */
    record Rejected(String reason) implements SwapOutcome {}

    /** The swap certainly did not happen, and the table is not to blame: {@code failure} is what the statement ends in. */
    record Failed(RuntimeException failure) implements SwapOutcome {}

    /** The swap may have happened. Nothing may be deleted. */
    record Unknown(Throwable cause) implements SwapOutcome {}
}
