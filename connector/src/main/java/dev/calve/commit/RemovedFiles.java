package dev.calve.commit;

import dev.calve.expression.Expression;
import dev.calve.manifest.DataFile;
import dev.calve.manifest.DeleteFile;
import dev.calve.manifest.FileKey;
import dev.calve.manifest.ManifestFile;
import dev.calve.metadata.TableMetadata;
import dev.calve.partition.PartitionTuple;
import dev.calve.scan.FileFilter;
import dev.calve.schema.Type;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Which live entries of the snapshot found leave with a change. First every data manifest is asked, then every delete
 * manifest: deletes follow the data files removed before.
 */
final class RemovedFiles {

    private record Place(int specId, PartitionTuple partition) {}

    private final TableMetadata metadata;
    private final Map<FileKey, Removal.Known> listed = new HashMap<>();
    private final Set<FileKey> notSeen = new HashSet<>();
    private final Set<String> hintedManifests = new HashSet<>();
    private final boolean trustHints;
    private final List<Expression> filters;
    private final Map<FilterOnSpec, FileFilter> compiled = new HashMap<>();
    private final Set<FileKey> absorbed = new HashSet<>();
    private final Set<String> revectored = new HashSet<>();
    private final Set<String> removedPaths = new HashSet<>();
    private final Set<Place> touchedPlaces = new HashSet<>();

    private record FilterOnSpec(int specId, Expression filter) {}

    RemovedFiles(TableMetadata metadata, SnapshotChange change, List<ManifestFile> manifests) {
        this.metadata = metadata;
        for (Removal removal : change.removals()) {
            if (removal instanceof Removal.Files files) {
                for (Removal.Known file : files.files()) {
                    listed.put(file.key(), file);
                    hintedManifests.add(file.manifest());
                }
            }
        }
        notSeen.addAll(listed.keySet());
        this.filters = change.removals().stream()
                .filter(Removal.Matching.class::isInstance)
                .map(removal -> ((Removal.Matching) removal).filter())
                .toList();
        this.trustHints = manifests.stream()
                .map(ManifestFile::path)
                .collect(java.util.stream.Collectors.toSet())
                .containsAll(hintedManifests);
        for (SnapshotChange.AddedDelete added : change.addedDeletes()) {
            absorbed.addAll(added.absorbed());
            touchedPlaces.add(new Place(added.file().specId(), added.file().partition()));
            if (added.file() instanceof DeleteFile.DeletionVector vector) {
                revectored.add(vector.referencedDataFile());
            }
        }
    }

    /** Whether the data manifest may list a file that leaves. */
    boolean mayMention(ManifestFile manifest) {
        for (Expression filter : filters) {
            if (filter(manifest.specId(), filter).mightMatch(manifest)) {
                return true;
            }
        }
        if (listed.isEmpty()) {
            return false;
        }
        if (trustHints) {
            return hintedManifests.contains(manifest.path());
        }
        Type.Struct type = metadata.partitionType(manifest.specId());
        return listed.values().stream()
                .anyMatch(file -> file.specId() == manifest.specId()
                        && PartitionRange.mayContain(manifest, type, file.partition()));
    }

    /**
     * Whether the live data file leaves. Remembers it if so.
     *
     * @throws IllegalArgumentException if a filter selects only some of its rows
     */
    boolean removes(DataFile file) {
        boolean removed = notSeen.remove(file.key());
        for (int i = 0; !removed && i < filters.size(); i++) {
            removed = selectsWhole(file, filters.get(i));
        }
        if (removed) {
            removedPaths.add(file.path());
            touchedPlaces.add(new Place(file.specId(), file.partition()));
        }
        return removed;
    }

    /** Listed files that no data manifest held. Complete once every manifest was asked. */
    Set<FileKey> notFound() {
        return notSeen;
    }

    /** Whether the delete manifest may list a file that leaves. */
    boolean mayMentionDeletes(ManifestFile manifest) {
        if (removesEverything()) {
            return true;
        }
        if (touchedPlaces.isEmpty()) {
            return false;
        }
        Type.Struct type = metadata.partitionType(manifest.specId());
        return touchedPlaces.stream()
                .anyMatch(place -> place.specId() == manifest.specId()
                        && PartitionRange.mayContain(manifest, type, place.partition()));
    }

    /** Whether the live delete file leaves: repeated by a new one, or without any data file to speak of. */
    boolean removes(DeleteFile file) {
        return removesEverything() || absorbed.contains(file.key()) || file.isScopedToAny(removedPaths);
    }

    /** Whether a vector that stays speaks of a data file this change adds a vector for: two would make it unreadable. */
    boolean collides(DeleteFile staying) {
        return staying.scopedTo().map(revectored::contains).orElse(false);
    }

    private boolean removesEverything() {
        return filters.contains(Expression.Constant.TRUE);
    }

    private FileFilter filter(int specId, Expression filter) {
        return compiled.computeIfAbsent(
                new FilterOnSpec(specId, filter), key -> new FileFilter(metadata, specId, filter));
    }

    private boolean selectsWhole(DataFile file, Expression filter) {
        FileFilter onSpec = filter(file.specId(), filter);
        if (!onSpec.mightMatch(file)) {
            return false;
        }
        if (onSpec.mustMatch(file)) {
            return true;
        }
        throw new IllegalArgumentException("Cannot remove data file " + file.path() + " as a whole: not all of its rows are"
                + " known to match " + filter + ". Use DELETE, which removes single rows.");
    }
}
