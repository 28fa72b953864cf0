package dev.calve.commit;

import dev.calve.commit.ConflictRule.Place;
import dev.calve.manifest.DeleteFile;
import dev.calve.manifest.ManifestFile;
import dev.calve.metadata.TableMetadata;
import dev.calve.schema.Type;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Data files a rule guards, found by path, by place and by the delete file that applies to them. Places are those of the
 * table as it is typed now. Spec: Scan Planning, delete scope.
 */
final class GuardedFiles {

    /** With more distinct places than this, opening a manifest is cheaper than asking whether it may list one of them. */
    private static final int MOST_PLACES_ASKED = 1_000;

    private final TableMetadata metadata;
    private final Map<String, Place> places = new HashMap<>();
    private final Map<Integer, Set<Place>> bySpec = new HashMap<>();
    private final Map<Place, Place> promoted = new HashMap<>();
    private Map<Place, List<String>> byPlace = Map.of();
    private List<String> all = List.of();

    GuardedFiles(TableMetadata metadata, Map<String, Place> files) {
        this.metadata = metadata;
        files.forEach(this::add);
    }

    /** @param place as it was read, maybe before a source column was promoted */
    void add(String path, Place place) {
        Place now =
                promoted.computeIfAbsent(place, old -> PartitionRange.place(metadata, old.specId(), old.partition()));
        places.put(path, now);
        bySpec.computeIfAbsent(now.specId(), id -> new HashSet<>()).add(now);
        byPlace = Map.of();
        all = List.of();
    }

    boolean contains(String path) {
        return places.containsKey(path);
    }

    /** Whether the manifest may list a file in the place of a guarded one, or a delete file that applies to one. */
    boolean mayBeIn(ManifestFile manifest) {
        if (places.isEmpty()) {
            return false;
        }
        boolean everywhere = manifest.content() == ManifestFile.Content.DELETES
                && metadata.spec(manifest.specId()).isUnpartitioned();
        return everywhere || mayContainAny(metadata, manifest, bySpec.getOrDefault(manifest.specId(), Set.of()));
    }

    /**
     * Whether the manifest may list a file of one of the places.
     *
     * @param places of the manifest's spec, as the table types them now
     */
    static boolean mayContainAny(TableMetadata metadata, ManifestFile manifest, Set<Place> places) {
        if (places.size() > MOST_PLACES_ASKED) {
            return true;
        }
        Type.Struct type = metadata.partitionType(manifest.specId());
        return places.stream().anyMatch(place -> PartitionRange.mayContain(manifest, type, place.partition()));
    }

    /** The guarded files whose positions the delete file may name; none for equality deletes. */
    List<String> named(DeleteFile deletes) {
        if (deletes instanceof DeleteFile.EqualityDeletes) {
            return List.of();
        }
        if (deletes.scopedTo().isPresent()) {
            String path = deletes.scopedTo().get();
            return contains(path) ? List.of(path) : List.of();
        }
        return at(PartitionRange.place(metadata, deletes.specId(), deletes.partition()));
    }

    /** The guarded files the equality delete file applies to: those of its partition, or all if its spec has none. */
    List<String> inScopeOf(DeleteFile.EqualityDeletes deletes) {
        if (metadata.spec(deletes.specId()).isUnpartitioned()) {
            if (all.isEmpty()) {
                all = places.keySet().stream().sorted().toList();
            }
            return all;
        }
        return at(PartitionRange.place(metadata, deletes.specId(), deletes.partition()));
    }

    private List<String> at(Place place) {
        if (byPlace.isEmpty()) {
            var lists = new HashMap<Place, List<String>>();
            places.forEach((path, at) ->
                    lists.computeIfAbsent(at, key -> new ArrayList<>()).add(path));
            lists.replaceAll((at, paths) -> paths.stream().sorted().toList());
            byPlace = lists;
        }
        return byPlace.getOrDefault(place, List.of());
    }
}
