package dev.calve.rowlevel;

import dev.calve.commit.SnapshotChange.AddedDelete;
import dev.calve.manifest.FileKey;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The delete files a change adds. One that speaks of several data files comes with each of them, and is added once. */
final class DeletesToAdd {

    private final Map<FileKey, AddedDelete> byKey = new LinkedHashMap<>();

    void add(AddedDelete added) {
        byKey.merge(added.file().key(), added, DeletesToAdd::union);
    }

    private static AddedDelete union(AddedDelete first, AddedDelete second) {
        var absorbed = new HashSet<>(first.absorbed());
        absorbed.addAll(second.absorbed());
        return new AddedDelete(first.file(), absorbed, Optional.empty());
    }

    List<AddedDelete> all() {
        return List.copyOf(byKey.values());
    }
}
