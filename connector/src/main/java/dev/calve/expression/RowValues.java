package dev.calve.expression;

import org.jspecify.annotations.Nullable;

/** One row, or one partition tuple, as a predicate sees it. */
@FunctionalInterface
public interface RowValues {

    /** The value of a column as {@code schema} represents it; null if it or a struct around it is null. */
    @Nullable Object value(int fieldId);
}
