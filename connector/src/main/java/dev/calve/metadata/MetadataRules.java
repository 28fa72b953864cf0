package dev.calve.metadata;

import dev.calve.io.InvalidTableException;
import dev.calve.partition.PartitionField;
import dev.calve.partition.PartitionSpec;
import dev.calve.partition.SortOrder;
import dev.calve.partition.Transform;
import dev.calve.schema.Field;
import dev.calve.schema.Schema;
import java.util.List;
import java.util.Optional;

/** What must hold between the parts of table metadata. */
final class MetadataRules {

    private MetadataRules() {}

    /**
     * Checks metadata that somebody else wrote.
     *
     * @throws InvalidTableException naming what contradicts what
     */
    static void check(TableMetadata metadata) {
        metadata.schema();
        metadata.spec();
        if (metadata.sortOrders().stream().noneMatch(order -> order.id() == metadata.defaultSortOrderId())) {
            throw invalid(
                    metadata, "must have a sort order with id " + metadata.defaultSortOrderId() + ", its default");
        }
        if (metadata.currentSnapshotId().isPresent()
                && metadata.currentSnapshot().isEmpty()) {
            throw invalid(
                    metadata,
                    "must have snapshot " + metadata.currentSnapshotId().getAsLong() + ", its current one");
        }
        metadata.refs().forEach((name, ref) -> {
            if (metadata.snapshot(ref.snapshotId()).isEmpty()) {
                throw invalid(metadata, "must have snapshot " + ref.snapshotId() + ", which ref '" + name + "' is at");
            }
        });
        Optional<SnapshotRef> main = Optional.ofNullable(metadata.refs().get(SnapshotRef.MAIN));
        if (main.isPresent()
                && (metadata.currentSnapshotId().isEmpty()
                        || metadata.currentSnapshotId().getAsLong()
                                != main.get().snapshotId())) {
            throw invalid(
                    metadata,
                    "must have its current snapshot where ref 'main' is, at "
                            + main.get().snapshotId());
        }
        if (metadata.formatVersion() > 1) {
            for (Snapshot snapshot : metadata.snapshots()) {
                if (snapshot.sequenceNumber() > metadata.lastSequenceNumber()) {
                    throw invalid(
                            metadata,
                            "must have a last-sequence-number of at least " + snapshot.sequenceNumber()
                                    + ", that of snapshot " + snapshot.id() + ", not "
                                    + metadata.lastSequenceNumber());
                }
            }
        }
    }

    private static InvalidTableException invalid(TableMetadata metadata, String what) {
        return new InvalidTableException("Table " + metadata.location() + " " + what + ".");
    }

    /**
     * @throws IllegalArgumentException if a field's type or default needs a later version of the format
     */
    static void checkTypes(Schema schema, int formatVersion) {
        for (Field field : schema.allFields()) {
            int needed = field.type().minFormatVersion();
            if (formatVersion < needed) {
                throw new IllegalArgumentException(
                        "Column '" + schema.name(field.id()).orElse(field.name())
                                + "' must have a type of format version " + formatVersion + ", but " + field.type()
                                + " needs version " + needed + ".");
            }
            if (formatVersion < 3 && field.initialDefault().isPresent()) {
                throw new IllegalArgumentException(
                        "Column '" + schema.name(field.id()).orElse(field.name())
                                + "' must not have a default for existing rows in format version " + formatVersion
                                + ": that needs version 3.");
            }
        }
    }

    /**
     * @throws IllegalArgumentException if a partition field's source is not a plain column of the schema
     */
    static void checkSources(PartitionSpec spec, Schema schema) {
        for (PartitionField field : spec.fields()) {
            if (field.transform() instanceof Transform.Void) {
                continue;
            }
            for (int source : field.sourceIds()) {
                checkSource("Partition field '" + field.name() + "'", source, schema);
            }
        }
    }

    /**
     * @throws IllegalArgumentException if a sort term's source is not a plain column of the schema
     */
    static void checkSources(SortOrder order, Schema schema) {
        for (SortOrder.Term term : order.terms()) {
            for (int source : term.sourceIds()) {
                checkSource("Sort order term '" + term.transform() + "'", source, schema);
            }
        }
    }

    /**
     * Peers do not read a table in which a column has the name of a partition field that is made from another column the
     * table has. Fields of old specs count, too. What the schema before it broke may stay.
     *
     * @throws IllegalArgumentException if a column of {@code schema} has such a name
     */
    static void checkPartitionNames(
            List<PartitionSpec> specs, Optional<Schema> before, Schema schema, String location) {
        for (PartitionSpec spec : specs) {
            for (PartitionField field : spec.fields()) {
                boolean wasSo = before.filter(old -> hasOthersName(field, old)).isPresent();
                if (hasOthersName(field, schema) && !wasSo) {
                    throw new IllegalArgumentException(
                            "Cannot call a column '" + field.name() + "' (table at " + location
                                    + "): partition field '" + field.name() + "' of spec " + spec.id()
                                    + " is made from column '"
                                    + schema.name(field.sourceId()).orElseThrow()
                                    + "', and other engines could not read the table any more. Choose another name.");
                }
            }
        }
    }

    private static boolean hasOthersName(PartitionField field, Schema schema) {
        return schema.field(field.sourceId()).isPresent()
                && schema.field(field.name())
                        .filter(column -> column.id() != field.sourceId())
                        .isPresent();
    }

    private static void checkSource(String what, int source, Schema schema) {
        Field field = schema.field(source)
                .orElseThrow(() -> new IllegalArgumentException(
                        what + " must be derived from a column of the schema, but column id " + source
                                + " is not in it: " + schema.struct()));
        if (!field.type().isPrimitive() || schema.isRepeated(source)) {
            throw new IllegalArgumentException(
                    what + " must be derived from a primitive column outside lists and maps, " + "not from '"
                            + schema.name(source).orElse(field.name()) + "' of type " + field.type() + ".");
        }
    }
}
