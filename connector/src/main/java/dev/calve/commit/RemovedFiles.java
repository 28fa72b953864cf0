package dev.calve.commit;

import dev.calve.commit.ConflictRule.Place;
import dev.calve.expression.Expression;
import dev.calve.manifest.DataFile;
import dev.calve.manifest.DeleteFile;
import dev.calve.manifest.FileKey;
import dev.calve.manifest.ManifestFile;
import dev.calve.metadata.TableMetadata;
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

    private final TableMetadata metadata;
    private final Set<FileKey> listed = new HashSet<>();
    private final Set<FileKey> notSeen;
    private final Set<Place> listedPlaces = new HashSet<>();
    private final Set<String> hintedManifests = new HashSet<>();
    private final boolean trustHints;
    private final List<Expression> filters;
    private final Map<FilterOnSpec, FileFilter> compiled = new HashMap<>();
    private final Set<FileKey> absorbed = new HashSet<>();
    private final Set<String> revectored = new HashSet<>();
    private final Set<String> removedPaths = new HashSet<>();
    private final Set<Place> touchedPlaces = new HashSet<>();

    private record FilterOnSpec(int specId, Expression filter) {}

    /**
     * Prepares one attempt.
     *
     * @param manifestPaths locations of the manifests of the snapshot found
     */
    RemovedFiles(TableMetadata metadata, SnapshotChange change, Set<String> manifestPaths) {
        this.metadata = metadata;
        for (Removal removal : change.removals()) {
            if (removal instanceof Removal.Files files) {
                for (Removal.Known file : files.files()) {
                    listed.add(file.key());
                    listedPlaces.add(PartitionRange.place(metadata, file.specId(), file.partition()));
                    hintedManifests.add(file.manifest());
                }
            }
        }
        this.notSeen = new HashSet<>(listed);
        this.filters = change.removals().stream()
                .filter(Removal.Matching.class::isInstance)
                .map(removal -> ((Removal.Matching) removal).filter())
                .toList();
        this.trustHints = manifestPaths.containsAll(hintedManifests);
        for (SnapshotChange.AddedDelete added : change.addedDeletes()) {
            absorbed.addAll(added.absorbed());
            touchedPlaces.add(PartitionRange.place(
                    metadata, added.file().specId(), added.file().partition()));
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
        if (trustHints) {
            // A manifest never changes: one that listed the file live when it was read still does.
            return hintedManifests.contains(manifest.path());
        }
        return mayContainAny(manifest, listedPlaces);
    }

    /**
     * Whether the live data file leaves. Remembers it if so.
     *
     * @throws IllegalArgumentException if a filter selects only some of its rows
     */
    boolean removes(DataFile file) {
        boolean removed = listed.contains(file.key());
        for (int i = 0; !removed && i < filters.size(); i++) {
            removed = selectsWhole(file, filters.get(i));
        }
        if (removed) {
            notSeen.remove(file.key());
            removedPaths.add(file.path());
            touchedPlaces.add(PartitionRange.place(metadata, file.specId(), file.partition()));
        }
        return removed;
    }

    /** Listed files that no data manifest held. Complete once every manifest was asked. */
    Set<FileKey> notFound() {
        return notSeen;
    }

    /** Paths of the data files that leave. Complete once every manifest was asked. */
    Set<String> paths() {
        return removedPaths;
    }

    /** Whether the delete manifest may list a file that leaves or collides. */
    boolean mayMentionDeletes(ManifestFile manifest) {
        return removesEverything() || mayContainAny(manifest, touchedPlaces);
    }

    /** Whether the live delete file leaves: repeated by a new one, or without any data file to speak of. */
    boolean removes(DeleteFile file) {
        return removesEverything() || absorbed.contains(file.key()) || file.isScopedToAny(removedPaths);
    }

    /**
     * Whether a delete file that stays speaks of a data file alone for which this change adds a vector: a second vector would
     * make the table unreadable, and the rows of a position delete file would come back, hidden by the vector.
     */
    boolean collides(DeleteFile staying) {
        return staying.isScopedToAny(revectored);
    }

    private boolean mayContainAny(ManifestFile manifest, Set<Place> places) {
        if (places.isEmpty()) {
            return false;
        }
        Type.Struct type = metadata.partitionType(manifest.specId());
        return places.stream()
                .anyMatch(place -> place.specId() == manifest.specId()
                        && PartitionRange.mayContain(manifest, type, place.partition()));
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
            // A file without rows matches nothing and everything.
            return filter == Expression.Constant.TRUE;
        }
        if (onSpec.mustMatch(file)) {
            return true;
        }
        throw new IllegalArgumentException(
                "Cannot remove data file " + file.path() + " as a whole: not all of its rows are" + " known to match "
                        + filter + ". Use DELETE, which removes single rows.");
    }
}
