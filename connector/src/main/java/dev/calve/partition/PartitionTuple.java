package dev.calve.partition;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The values of one partition in the order of its spec's fields; a value may be null. Equal when all values are equal by
 * {@code equals}: NaN equals NaN, -0.0 does not equal +0.0.
 */
public final class PartitionTuple {

    /** The tuple of an unpartitioned spec. */
    public static final PartitionTuple EMPTY = new PartitionTuple(List.of());

    private final List<@Nullable Object> values;

    private PartitionTuple(List<@Nullable Object> values) {
        this.values = values;
    }

    public static PartitionTuple of(@Nullable Object... values) {
        return new PartitionTuple(Collections.unmodifiableList(new ArrayList<>(Arrays.asList(values))));
    }

    /** Copies the list, which may hold nulls. */
    public static PartitionTuple copyOf(List<? extends @Nullable Object> values) {
        return new PartitionTuple(Collections.unmodifiableList(new ArrayList<>(values)));
    }

    public int size() {
        return values.size();
    }

    public Optional<Object> value(int index) {
        return Optional.ofNullable(values.get(index));
    }

    /** The values; null entries are possible. */
    public List<@Nullable Object> values() {
        return values;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof PartitionTuple tuple && values.equals(tuple.values);
    }

    @Override
    public int hashCode() {
        return values.hashCode();
    }

    @Override
    public String toString() {
        return values.toString();
    }
}
