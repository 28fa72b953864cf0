package dev.calve.partition;

import java.util.List;

/**
 * One field of a partition spec.
 *
 * @param sourceIds ids of the schema fields the transform reads; exactly one for every transform known today
 * @param fieldId id of the partition field, from 1000 on
 */
public record PartitionField(List<Integer> sourceIds, int fieldId, String name, Transform transform) {

    public PartitionField {
        sourceIds = List.copyOf(sourceIds);
        if (sourceIds.isEmpty()) {
            throw new IllegalArgumentException("Partition field '" + name + "' must have a source field.");
        }
    }

    public static PartitionField of(int sourceId, int fieldId, String name, Transform transform) {
        return new PartitionField(List.of(sourceId), fieldId, name, transform);
    }

    /** The first source, the only one of every transform known today. */
    public int sourceId() {
        return sourceIds.get(0);
    }
}
