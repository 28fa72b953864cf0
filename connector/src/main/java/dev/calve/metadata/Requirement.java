package dev.calve.metadata;

import java.util.OptionalLong;

/** What must still be true of the table for a list of updates to be applied; names are those of the REST catalog. */
public sealed interface Requirement {

    /** The table must not exist. */
    record NotExists() implements Requirement {}

    record TableUuid(String uuid) implements Requirement {}

    /** The ref must be at this snapshot; empty: it must not exist. */
    record RefSnapshotId(String ref, OptionalLong snapshotId) implements Requirement {}

    record LastAssignedFieldId(int lastColumnId) implements Requirement {}

    record CurrentSchemaId(int schemaId) implements Requirement {}

    record LastAssignedPartitionId(int lastPartitionId) implements Requirement {}

    record DefaultSpecId(int specId) implements Requirement {}

    record DefaultSortOrderId(int orderId) implements Requirement {}
}
