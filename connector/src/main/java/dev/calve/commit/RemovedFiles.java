package dev.calve.commit;

import dev.calve.commit.ConflictRule.Place;
import dev.calve.expression.Expression;
import dev.calve.manifest.DataFile;
import dev.calve.manifest.DeleteFile;
import dev.calve.manifest.FileKey;
import dev.calve.manifest.ManifestEntry;
import dev.calve.manifest.ManifestFile;
import dev.calve.metadata.TableMetadata;
import dev.calve.scan.FileFilter;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Which live entries of the snapshot found leave with a change. First data manifests are asked, then delete manifests: deletes
 * follow the data files removed before. Questions about single files may come from several threads; what was removed is told
 * by one.
 */
final class RemovedFiles {

    private final TableMetadata metadata;
    private final Map<FileKey, Removal.Known> listed = new HashMap<>();
    private final Map<FileKey, Place> notSeen = new HashMap<>();
    private final Set<String> hintedManifests = new HashSet<>();
    private final List<Expression> filters;
    private final Map<FilterOnSpec, FileFilter> compiled = new ConcurrentHashMap<>();
    private final Set<FileKey> absorbed = new HashSet<>();
    private final Set<String> revectored = new HashSet<>();
    private final Set<String> removedPaths = new HashSet<>();
    private final TouchedPlaces touched;

    private record FilterOnSpec(int specId, Expression filter) {}

    /**
     * Prepares one attempt.
     *
     * @param manifestPaths locations of the manifests of the snapshot found
     */
    RemovedFiles(Preparation preparation, Set<String> manifestPaths) {
        this.metadata = preparation.found();
        SnapshotChange change = preparation.change();
        for (Removal removal : change.removals()) {
            if (removal instanceof Removal.Files files) {
                for (Removal.Known file : files.files()) {
                    listed.put(file.key(), file);
                    notSeen.put(file.key(), PartitionRange.place(metadata, file.specId(), file.partition()));
                    if (manifestPaths.contains(file.manifest())) {
                        hintedManifests.add(file.manifest());
                    }
                }
            }
        }
        this.filters = change.removals().stream()
                .filter(Removal.Matching.class::isInstance)
                .map(removal -> ((Removal.Matching) removal).filter())
                .toList();
        this.touched = new TouchedPlaces(metadata, change.ref());
        for (SnapshotChange.AddedDelete added : change.addedDeletes()) {
            absorbed.addAll(added.absorbed());
            touched.add(added.file(), added.dataFile().flatMap(Removal.Known::deletes));
            if (added.file() instanceof DeleteFile.DeletionVector vector) {
                revectored.add(vector.referencedDataFile());
            }
        }
    }

    /**
     * Whether the data manifest is to be asked first: one that was seen to list a file that leaves, for a manifest never
     * changes, or that may hold a file a filter selects.
     */
    boolean mayMention(ManifestFile manifest) {
        return isHinted(manifest)
                || filters.stream()
                        .anyMatch(filter -> filter(manifest.specId(), filter).mightMatch(manifest));
    }

    /** Whether a file that leaves was seen in the manifest. */
    boolean isHinted(ManifestFile manifest) {
        return hintedManifests.contains(manifest.path());
    }

    /** Where listed files that were not seen yet may be: somebody wrote again the manifest that listed them. */
    Set<Place> placesOfRest() {
        return new HashSet<>(notSeen.values());
    }

    boolean hasFilters() {
        return !filters.isEmpty();
    }

    /**
     * Whether the live data file leaves.
     *
     * @throws IllegalArgumentException if a filter selects only some of its rows
     */
    boolean removes(DataFile file) {
        return listed.containsKey(file.key()) || filters.stream().anyMatch(filter -> selectsWhole(file, filter));
    }

    /** A data file leaves. */
    void removed(ManifestEntry<DataFile> entry) {
        notSeen.remove(entry.file().key());
        removedPaths.add(entry.file().path());
        touched.addRemoved(
                entry, Optional.ofNullable(listed.get(entry.file().key())).flatMap(Removal.Known::deletes));
    }

    /** Listed files that no data manifest asked so far held. */
    Set<FileKey> notFound() {
        return notSeen.keySet();
    }

    /** Paths of the data files that leave. Complete once every data manifest was asked. */
    Set<String> paths() {
        return removedPaths;
    }

    /** Whether the delete manifest may list a file that leaves or collides. */
    boolean mayMentionDeletes(ManifestFile manifest) {
        return removesEverything() || touched.mayHaveDeletesIn(manifest);
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

    boolean removesEverything() {
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
                "Cannot remove data file " + file.path() + " as a whole: not all of its rows are known to match "
                        + filter + ". Use DELETE, which removes single rows.");
    }
}
