package dev.calve.partition;

import java.util.List;

/** How rows are sorted inside files. Spec: Sort Orders. Order 0 is the unsorted one. */
public record SortOrder(int id, List<Term> terms) {

    public static final SortOrder UNSORTED = new SortOrder(0, List.of());

    public enum Direction {
        ASC,
        DESC
    }

    public enum NullOrder {
        NULLS_FIRST,
        NULLS_LAST
    }

    /** One sort key: a transform of schema fields (one, for every transform known today). */
    public record Term(Transform transform, List<Integer> sourceIds, Direction direction, NullOrder nullOrder) {
        public Term {
            sourceIds = List.copyOf(sourceIds);
        }

        public int sourceId() {
            return sourceIds.get(0);
        }
    }

    public SortOrder {
        terms = List.copyOf(terms);
    }

    public boolean isUnsorted() {
        return terms.isEmpty();
    }
}
