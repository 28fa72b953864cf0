package dev.calve.partition;

import dev.calve.schema.Bytes;
import java.util.Optional;

/**
 * What a manifest list says about one partition field over all files of a manifest. Spec: Manifest Lists,
 * {@code field_summary}.
 *
 * @param containsNan empty when the writer did not say: it may
 * @param lowerBound lowest value that is neither null nor NaN, serialized as a single value; empty if there is none
 */
public record FieldSummary(
        boolean containsNull, Optional<Boolean> containsNan, Optional<Bytes> lowerBound, Optional<Bytes> upperBound) {}
