package dev.calve.spark;

import dev.calve.metadata.MetadataUpdate;
import dev.calve.metadata.TableMetadata;
import dev.calve.metadata.TableProperties;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.spark.sql.connector.catalog.TableChange;

/**
 * What {@code ALTER TABLE … SET} and {@code UNSET TBLPROPERTIES} ask for. Setting {@code format-version} raises the version
 * of the table's format.
 */
final class PropertyChanges {

    private final String table;
    private final Map<String, String> set = new LinkedHashMap<>();
    private final Set<String> removed = new LinkedHashSet<>();
    private Optional<Integer> formatVersion = Optional.empty();

    private PropertyChanges(String table) {
        this.table = table;
    }

    /**
     * Reads Spark's list of changes.
     *
     * @param table name for messages
     * @param changes those of properties alone are looked at
     * @throws UnsupportedOperationException if a property asks for what is not implemented
     * @throws IllegalArgumentException if a property has a value it cannot have, or only tells the table's state
     */
    static PropertyChanges of(String table, List<TableChange> changes) {
        var result = new PropertyChanges(table);
        for (TableChange change : changes) {
            if (change instanceof TableChange.SetProperty property) {
                result.set(property.property(), property.value());
            } else if (change instanceof TableChange.RemoveProperty property) {
                result.remove(property.property());
            }
        }
        TableProperties checked = TableProperties.of(result.set, table);
        checked.checkValues();
        checked.checkWritable();
        return result;
    }

    private void set(String name, String value) {
        if (name.equals(TableProperties.FORMAT_VERSION.name())) {
            formatVersion =
                    Optional.of(TableProperties.of(Map.of(name, value), table).get(TableProperties.FORMAT_VERSION));
            return;
        }
        refuse(name, "set", " to '" + value + "'");
        removed.remove(name);
        set.put(name, value);
    }

    private void remove(String name) {
        refuse(name, "unset", "");
        set.remove(name);
        removed.add(name);
    }

    private void refuse(String name, String verb, String to) {
        if (ReportedProperties.isState(name) || name.equals("cherry-pick-snapshot-id")) {
            throw new IllegalArgumentException("Cannot " + verb + " property '" + name + "'" + to + " (table " + table
                    + "): it tells the table's state and is not changed this way.");
        }
        if (verb.equals("set") && name.equals(TableProperties.ENCRYPTION_KEY_ID.name())) {
            throw new UnsupportedOperationException(
                    "Cannot set property '" + name + "'" + to + " (table " + table + "): encryption is not supported.");
        }
    }

    /**
     * What is left to do for a table; nothing if it is as asked for.
     *
     * @throws IllegalArgumentException if the format version would be lowered
     */
    List<MetadataUpdate> updates(TableMetadata metadata) {
        var updates = new ArrayList<MetadataUpdate>();
        if (formatVersion.isPresent() && formatVersion.get() != metadata.formatVersion()) {
            updates.add(new MetadataUpdate.UpgradeFormatVersion(formatVersion.get()));
        }
        var different = new LinkedHashMap<>(set);
        different.entrySet().removeIf(entry -> metadata.property(entry.getKey()).equals(Optional.of(entry.getValue())));
        if (!different.isEmpty()) {
            updates.add(new MetadataUpdate.SetProperties(different));
        }
        var present = new LinkedHashSet<>(removed);
        present.removeIf(name -> metadata.property(name).isEmpty());
        if (!present.isEmpty()) {
            updates.add(new MetadataUpdate.RemoveProperties(present));
        }
        return updates;
    }
}
