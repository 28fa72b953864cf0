package dev.calve.spark.inspect;

import java.util.Locale;
import java.util.Optional;

/** The metadata tables there are. */
enum MetadataTableName {
    SNAPSHOTS(false),
    HISTORY(false),
    REFS(false),
    METADATA_LOG_ENTRIES(false),
    FILES(true),
    DATA_FILES(true),
    DELETE_FILES(true),
    ENTRIES(true),
    MANIFESTS(true),
    PARTITIONS(true),
    POSITION_DELETES(true),
    ALL_FILES(false),
    ALL_DATA_FILES(false),
    ALL_DELETE_FILES(false),
    ALL_ENTRIES(false),
    ALL_MANIFESTS(false);

    private final boolean ofOneSnapshot;

    MetadataTableName(boolean ofOneSnapshot) {
        this.ofOneSnapshot = ofOneSnapshot;
    }

    /** Finds a table by its name in any letter case. */
    static Optional<MetadataTableName> of(String name) {
        for (MetadataTableName each : values()) {
            if (each.text().equalsIgnoreCase(name)) {
                return Optional.of(each);
            }
        }
        return Optional.empty();
    }

    /** As it is written in SQL. */
    String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Whether it shows one snapshot, so that it can show an older one; others show the whole table as it is now. */
    boolean isOfOneSnapshot() {
        return ofOneSnapshot;
    }
}
