package dev.calve.spark;

import dev.calve.metadata.ReadPoint;
import java.util.Optional;

/**
 * The last part of a name that says which state of a table is meant: {@code branch_x}, {@code tag_x}, {@code snapshot_id_5},
 * {@code at_timestamp_1700000000000}, the latter in epoch milliseconds.
 */
final class Selector {

    private static final String BRANCH = "branch_";
    private static final String TAG = "tag_";
    private static final String SNAPSHOT = "snapshot_id_";
    private static final String TIME = "at_timestamp_";

    private Selector() {}

    /** The state; empty if the name says none. */
    static Optional<ReadPoint> of(String name) {
        if (isLonger(name, BRANCH)) {
            return Optional.of(new ReadPoint.OfBranch(name.substring(BRANCH.length())));
        }
        if (isLonger(name, TAG)) {
            return Optional.of(new ReadPoint.AtTag(name.substring(TAG.length())));
        }
        if (isLonger(name, SNAPSHOT)) {
            return number(name.substring(SNAPSHOT.length())).map(ReadPoint.AtSnapshot::new);
        }
        if (isLonger(name, TIME)) {
            return number(name.substring(TIME.length())).map(ReadPoint.AsOf::new);
        }
        return Optional.empty();
    }

    /** The name of the state; empty if there is none for it. */
    static Optional<String> name(ReadPoint point) {
        String name = "";
        if (point instanceof ReadPoint.OfBranch branch) {
            name = BRANCH + branch.name();
        } else if (point instanceof ReadPoint.AtTag tag) {
            name = TAG + tag.name();
        } else if (point instanceof ReadPoint.AtSnapshot snapshot) {
            name = SNAPSHOT + snapshot.id();
        } else if (point instanceof ReadPoint.AsOf time) {
            name = TIME + time.millis();
        }
        return of(name).filter(point::equals).isPresent() ? Optional.of(name) : Optional.empty();
    }

    private static boolean isLonger(String name, String prefix) {
        return name.startsWith(prefix) && name.length() > prefix.length();
    }

    private static Optional<Long> number(String text) {
        try {
            return text.chars().allMatch(c -> c >= '0' && c <= '9')
                    ? Optional.of(Long.parseLong(text))
                    : Optional.empty();
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }
}
