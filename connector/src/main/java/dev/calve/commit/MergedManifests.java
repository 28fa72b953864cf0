package dev.calve.commit;

import dev.calve.io.Storage;
import dev.calve.manifest.ContentFile;
import dev.calve.manifest.DataFile;
import dev.calve.manifest.DeleteFile;
import dev.calve.manifest.ManifestEntry;
import dev.calve.manifest.ManifestFile;
import dev.calve.manifest.ManifestFile.Content;
import dev.calve.manifest.ManifestReader;
import dev.calve.manifest.Selection;
import dev.calve.metadata.TableMetadata;
import dev.calve.partition.PartitionField;
import dev.calve.partition.PartitionSpec;
import dev.calve.partition.Transform;
import dev.calve.schema.Field;
import dev.calve.schema.Type;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Joins manifests into one. What this snapshot added stays ADDED and what it removed DELETED; removals of earlier snapshots are
 * dropped; all the rest becomes EXISTING with explicit numbers and, as far as it has them, row ids. A file from before version
 * 3 has none yet: it gets them from the range the new manifest is given, as it would have in the old one.
 *
 * <p>Small inputs are read several at a time, larger ones streamed. Joined manifests are kept for the next attempt.
 */
final class MergedManifests {

    /** Bytes of manifests whose entries are in memory at a time. */
    private static final long WINDOW_BYTES = 1024L * 1024L;

    private final Storage storage;
    private final ManifestTargets targets;
    private final Map<List<ManifestFile>, List<ManifestFile>> written = new HashMap<>();
    private int joined;

    MergedManifests(Storage storage, ManifestTargets targets) {
        this.storage = storage;
        this.targets = targets;
    }

    void forget() {
        written.clear();
    }

    /** How many manifests the last list had that were joined. */
    int joined() {
        return joined;
    }

    /** The list with its small manifests joined, each joined one in the place of the newest that went into it. */
    List<ManifestFile> in(Preparation preparation, List<ManifestFile> listed) throws IOException {
        Map<ManifestFile, List<ManifestFile>> byNewest = new HashMap<>();
        Set<ManifestFile> gone = new HashSet<>();
        Set<Integer> untyped = preparation.found().specs().stream()
                .map(PartitionSpec::id)
                .filter(spec -> !isTyped(preparation.found(), spec))
                .collect(Collectors.toSet());
        List<ManifestFile> typed = listed.stream()
                .filter(manifest -> !untyped.contains(manifest.specId()))
                .toList();
        for (List<ManifestFile> bin : MergePlan.of(typed, preparation.properties())) {
            byNewest.put(bin.get(0), join(preparation, bin));
            gone.addAll(bin);
        }
        joined = gone.size();
        var result = new ArrayList<ManifestFile>();
        for (ManifestFile manifest : listed) {
            if (byNewest.containsKey(manifest)) {
                result.addAll(byNewest.get(manifest));
            } else if (!gone.contains(manifest)) {
                result.add(manifest);
            }
        }
        return result;
    }

    /** Whether values of the spec can be written: not if their source left with the last schema that had it. */
    private static boolean isTyped(TableMetadata table, int specId) {
        List<PartitionField> fields = table.spec(specId).fields();
        List<Field> types = table.partitionType(specId).fields();
        for (int i = 0; i < fields.size(); i++) {
            if (types.get(i).type() == Type.Simple.UNKNOWN && !(fields.get(i).transform() instanceof Transform.Void)) {
                return false;
            }
        }
        return true;
    }

    private List<ManifestFile> join(Preparation preparation, List<ManifestFile> bin) throws IOException {
        List<ManifestFile> cached = written.get(bin);
        if (cached != null) {
            return cached;
        }
        ManifestFile newest = bin.get(0);
        List<ManifestFile> result = newest.content() == Content.DATA
                ? join(preparation, bin, DataFile.class)
                : join(preparation, bin, DeleteFile.class);
        written.put(bin, result);
        return result;
    }

    private <F extends ContentFile> List<ManifestFile> join(
            Preparation preparation, List<ManifestFile> bin, Class<F> kind) throws IOException {
        ManifestFile newest = bin.get(0);
        try (RollingManifests out = targets.rolling(preparation, newest.specId(), newest.content())) {
            for (List<ManifestFile> window : windows(bin)) {
                if (window.size() == 1) {
                    forEach(preparation, window.get(0), kind, entry -> copy(window.get(0), entry, out));
                    continue;
                }
                List<List<ManifestEntry<F>>> read =
                        InParallel.map(window, manifest -> entries(preparation, manifest, kind));
                for (int i = 0; i < window.size(); i++) {
                    for (ManifestEntry<F> entry : read.get(i)) {
                        copy(window.get(i), entry, out);
                    }
                }
            }
            return out.finish();
        }
    }

    private static List<List<ManifestFile>> windows(List<ManifestFile> bin) {
        var windows = new ArrayList<List<ManifestFile>>();
        var window = new ArrayList<ManifestFile>();
        long size = 0;
        for (ManifestFile manifest : bin) {
            if (!window.isEmpty() && size + manifest.length() > WINDOW_BYTES) {
                windows.add(window);
                window = new ArrayList<>();
                size = 0;
            }
            window.add(manifest);
            size += manifest.length();
        }
        windows.add(window);
        return windows;
    }

    private <F extends ContentFile> List<ManifestEntry<F>> entries(
            Preparation preparation, ManifestFile manifest, Class<F> kind) throws IOException {
        var entries = new ArrayList<ManifestEntry<F>>();
        forEach(preparation, manifest, kind, entries::add);
        return entries;
    }

    private <F extends ContentFile> void forEach(
            Preparation preparation, ManifestFile manifest, Class<F> kind, ManifestReader.Visitor<F> visitor)
            throws IOException {
        Selection selection = isOwn(manifest) ? Selection.all() : Selection.live();
        try (var reader = ManifestReader.open(storage, manifest, preparation.typed(selection, manifest))) {
            reader.forEach(kind, visitor);
        }
    }

    private static <F extends ContentFile> boolean copy(ManifestFile from, ManifestEntry<F> entry, RollingManifests out)
            throws IOException {
        if (!isOwn(from) || entry.status() == ManifestEntry.Status.EXISTING) {
            out.current().existing(entry);
        } else if (entry.status() == ManifestEntry.Status.DELETED) {
            out.current().deleted(entry);
        } else if (entry.sequenceNumber() == ManifestFile.UNASSIGNED) {
            out.current().added(entry.file());
        } else {
            out.current().added(entry.file(), entry.sequenceNumber());
        }
        return true;
    }

    /** Whether this statement wrote it: no snapshot lists it yet, so its numbers are open. */
    private static boolean isOwn(ManifestFile manifest) {
        return manifest.sequenceNumber() == ManifestFile.UNASSIGNED;
    }
}
