package dev.calve.metadata;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** Checks {@link Requirement}s against the table as it is. */
public final class Requirements {

    private Requirements() {}

    /**
     * The first requirement that is not met, as a sentence for the user; empty if all are.
     *
     * @param base empty if there is no table
     */
    public static Optional<String> check(Optional<TableMetadata> base, List<Requirement> requirements) {
        return requirements.stream()
                .map(requirement -> unmet(base, requirement))
                .flatMap(Optional::stream)
                .findFirst();
    }

    private static Optional<String> unmet(Optional<TableMetadata> base, Requirement requirement) {
        if (requirement instanceof Requirement.NotExists) {
            return base.map(table -> "The table must not exist, but does at " + table.location() + ".");
        }
        if (base.isEmpty()) {
            return Optional.of("The table must exist, but does not.");
        }
        TableMetadata table = base.get();
        if (requirement instanceof Requirement.TableUuid required) {
            return differs(table, "table-uuid", required.uuid(), table.uuid());
        }
        if (requirement instanceof Requirement.RefSnapshotId required) {
            return ref(table, required);
        }
        if (requirement instanceof Requirement.LastAssignedFieldId required) {
            return differs(table, "last-column-id", required.lastColumnId(), table.lastColumnId());
        }
        if (requirement instanceof Requirement.CurrentSchemaId required) {
            return differs(table, "current-schema-id", required.schemaId(), table.currentSchemaId());
        }
        if (requirement instanceof Requirement.LastAssignedPartitionId required) {
            return differs(table, "last-partition-id", required.lastPartitionId(), table.lastPartitionId());
        }
        if (requirement instanceof Requirement.DefaultSpecId required) {
            return differs(table, "default-spec-id", required.specId(), table.defaultSpecId());
        }
        if (requirement instanceof Requirement.DefaultSortOrderId required) {
            return differs(table, "default-sort-order-id", required.orderId(), table.defaultSortOrderId());
        }
        throw new IllegalStateException("Unknown requirement " + requirement);
    }

    private static Optional<String> ref(TableMetadata table, Requirement.RefSnapshotId required) {
        OptionalLong found = table.snapshot(required.ref())
                .map(snapshot -> OptionalLong.of(snapshot.id()))
                .orElse(OptionalLong.empty());
        return differs(table, "ref '" + required.ref() + "'", snapshotText(required.snapshotId()), snapshotText(found));
    }

    private static String snapshotText(OptionalLong id) {
        return id.isPresent() ? "at snapshot " + id.getAsLong() : "absent";
    }

    private static Optional<String> differs(TableMetadata table, String what, Object required, Object found) {
        return required.equals(found)
                ? Optional.empty()
                : Optional.of(what + " of " + table.location() + " must be " + required + ", but is " + found + ".");
    }
}
