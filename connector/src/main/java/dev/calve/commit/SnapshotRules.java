package dev.calve.commit;

import dev.calve.manifest.ContentFile;
import dev.calve.manifest.DeleteFile;
import dev.calve.manifest.FileKey;
import dev.calve.metadata.TableMetadata;
import dev.calve.partition.PartitionSpec;
import dev.calve.partition.PartitionTuple;
import dev.calve.schema.Field;
import dev.calve.schema.Type;
import dev.calve.schema.ValueCodec;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The rules that need no manifest. The rest of {@link SnapshotRule} is checked by {@link NewDeletes} and where entries are read. */
final class SnapshotRules {

    private SnapshotRules() {}

    /**
     * Checks a change by itself. Cost: a look at every file it adds.
     *
     * @throws IllegalArgumentException if it breaks a rule
     */
    static void check(Preparation preparation) {
        String table = preparation.table();
        TableMetadata found = preparation.found();
        SnapshotChange change = preparation.change();
        checkOperation(table, change);
        var types = new HashMap<Integer, Type.Struct>();
        var keys = new HashSet<FileKey>();
        for (SnapshotChange.AddedData added : change.addedData()) {
            checkPlace(table, found, added.file(), types);
            checkOnce(table, added.file(), keys);
            long number = added.dataSequenceNumber().orElse(0);
            if (found.formatVersion() > 1 && number > preparation.sequenceNumber()) {
                throw SnapshotRule.DATA_NOT_NEWER_THAN_SNAPSHOT.broken(
                        table,
                        "data file " + added.file().path() + " would have data sequence number " + number
                                + ", but the snapshot " + preparation.sequenceNumber());
            }
        }
        for (SnapshotChange.AddedDelete added : change.addedDeletes()) {
            checkPlace(table, found, added.file(), types);
            checkOnce(table, added.file(), keys);
            checkVersion(table, found.formatVersion(), added.file());
        }
    }

    private static void checkOperation(String table, SnapshotChange change) {
        switch (change.operation()) {
            case APPEND -> {
                if (!change.removals().isEmpty() || !change.addedDeletes().isEmpty()) {
                    throw SnapshotRule.APPEND_ONLY_ADDS_DATA.broken(
                            table,
                            "an append would remove " + change.removals().size() + " sets of files and add "
                                    + change.addedDeletes().size() + " delete files");
                }
            }
            case DELETE -> {
                if (!change.addedData().isEmpty()) {
                    throw SnapshotRule.DELETE_ADDS_NO_DATA.broken(
                            table,
                            "a delete would add data file "
                                    + change.addedData().get(0).file().path());
                }
            }
            case OVERWRITE, REPLACE -> {
                // What a replace may do shows only when it is known what it removes.
            }
        }
    }

    private static void checkPlace(
            String table, TableMetadata found, ContentFile file, Map<Integer, Type.Struct> types) {
        int specId = file.specId();
        if (found.specs().stream().map(PartitionSpec::id).noneMatch(known -> known == specId)) {
            throw SnapshotRule.KNOWN_SPEC.broken(
                    table, "file " + file.key() + " is of spec " + specId + ", which the table does not have");
        }
        List<Field> fields = types.computeIfAbsent(specId, found::partitionType).fields();
        PartitionTuple tuple =
                PartitionRange.place(found, specId, file.partition()).partition();
        boolean fits = tuple.size() == fields.size();
        for (int i = 0; fits && i < fields.size(); i++) {
            fits = fits(fields.get(i).type(), tuple.value(i));
        }
        if (!fits) {
            throw SnapshotRule.PARTITION_FITS_SPEC.broken(
                    table, "partition " + file.partition() + " of file " + file.key() + " is not of " + fields);
        }
    }

    private static boolean fits(Type type, Optional<Object> value) {
        // Of a source that is gone no type is known.
        if (value.isEmpty() || type == Type.Simple.UNKNOWN) {
            return true;
        }
        // Planned before the source was promoted.
        if ((type == Type.Simple.LONG && value.get() instanceof Integer)
                || (type == Type.Simple.DOUBLE && value.get() instanceof Float)) {
            return true;
        }
        try {
            ValueCodec.encode(type, value.get());
            return true;
        } catch (ClassCastException | IllegalArgumentException e) {
            return false;
        }
    }

    private static void checkOnce(String table, ContentFile file, Set<FileKey> keys) {
        if (!keys.add(file.key())) {
            throw SnapshotRule.FILE_LIVE_ONCE.broken(table, "file " + file.key() + " would be added twice");
        }
    }

    private static void checkVersion(String table, int version, DeleteFile file) {
        boolean vector = file instanceof DeleteFile.DeletionVector;
        if (version < (vector ? 3 : 2)) {
            throw SnapshotRule.DELETES_KNOWN_TO_VERSION.broken(
                    table, "delete file " + file.key() + " must not be added to a table of format version " + version);
        }
        if (file instanceof DeleteFile.PositionDeletes && version >= 3) {
            throw SnapshotRule.POSITIONS_BY_VECTOR.broken(
                    table,
                    "position delete file " + file.path() + " must not be added to a table of format version "
                            + version);
        }
    }

    /** Compares rows. A compaction that applies deletes writes the rows that are left, so it removes at least as many. */
    static void checkRows(Preparation preparation, long removedRecords) {
        long added = preparation.change().addedData().stream()
                .mapToLong(file -> file.file().recordCount())
                .sum();
        if (preparation.change().operation() == SnapshotChange.Operation.REPLACE && added > removedRecords) {
            throw SnapshotRule.REPLACE_ADDS_NO_ROWS.broken(
                    preparation.table(),
                    "a replace would add " + added + " rows for " + removedRecords + " that it removes");
        }
    }
}
