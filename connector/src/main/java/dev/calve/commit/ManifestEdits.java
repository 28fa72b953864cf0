package dev.calve.commit;

import dev.calve.expression.Metrics;
import dev.calve.io.Storage;
import dev.calve.manifest.ContentFile;
import dev.calve.manifest.DataFile;
import dev.calve.manifest.ManifestEntry;
import dev.calve.manifest.ManifestFile;
import dev.calve.manifest.ManifestReader;
import dev.calve.manifest.Selection;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Writes manifests again without the files that leave. Spec: Manifests, entries that stay become EXISTING, those that leave
 * DELETED, all with explicit numbers.
 *
 * <p>Entries are streamed: a first pass, which decodes no statistics unless they are asked for, ends at the first file that
 * leaves; a second writes. The first is left out where the answer is known. Answers are kept for the next attempt, which opens
 * no manifest again that an earlier one opened.
 *
 * @param <F> kind of the files
 */
final class ManifestEdits<F extends ContentFile> {

    private final Storage storage;
    private final ManifestTargets targets;
    private final Class<F> kind;
    private final Map<ManifestFile, Edited<F>> known = new HashMap<>();

    ManifestEdits(Storage storage, ManifestTargets targets, Class<F> kind) {
        this.storage = storage;
        this.targets = targets;
        this.kind = kind;
    }

    void forget() {
        known.clear();
    }

    /** What a change means to live files. Answers depend on the file alone and are asked for by several threads at once. */
    interface Question<F extends ContentFile> {

        boolean leaves(F file);

        /** Whether the caller wants to know of a file that stays. */
        boolean matters(F staying);

        /** Whether the manifest is known to hold a file that leaves. */
        boolean isCertain(ManifestFile manifest);

        /** Whether statistics decide whether a file leaves. */
        boolean needsStatistics();
    }

    /**
     * What became of a manifest.
     *
     * @param manifests what replaces the source; the source itself if nothing in it leaves
     * @param removed the entries that leave, without statistics
     * @param noted entries that matter and stay
     */
    record Edited<F extends ContentFile>(
            ManifestFile source,
            List<ManifestFile> manifests,
            List<ManifestEntry<F>> removed,
            List<ManifestEntry<F>> noted) {
        Edited {
            manifests = List.copyOf(manifests);
            removed = List.copyOf(removed);
            noted = List.copyOf(noted);
        }
    }

    /** In the order of the manifests. */
    List<Edited<F>> of(Preparation preparation, List<ManifestFile> manifests, Question<F> question) throws IOException {
        List<ManifestFile> unknown = manifests.stream()
                .filter(manifest -> !known.containsKey(manifest))
                .toList();
        List<Edited<F>> answers = InParallel.map(unknown, manifest -> edit(preparation, manifest, question));
        answers.forEach(edited -> known.put(edited.source(), edited));
        var result = new ArrayList<Edited<F>>();
        for (ManifestFile manifest : manifests) {
            Edited<F> edited = known.get(manifest);
            if (edited == null) {
                throw new IllegalStateException("No answer for " + manifest.path());
            }
            result.add(edited);
        }
        return result;
    }

    private Edited<F> edit(Preparation preparation, ManifestFile manifest, Question<F> question) throws IOException {
        if (!question.isCertain(manifest)) {
            Edited<F> looked = look(preparation, manifest, question);
            if (looked.removed().isEmpty()) {
                return looked;
            }
        }
        return write(preparation, manifest, question);
    }

    /** Ends at the first file that leaves. */
    private Edited<F> look(Preparation preparation, ManifestFile manifest, Question<F> question) throws IOException {
        var removed = new ArrayList<ManifestEntry<F>>();
        var noted = new ArrayList<ManifestEntry<F>>();
        Selection live = preparation.typed(Selection.live(), manifest);
        Selection selection = question.needsStatistics() ? live : live.withStatisticsOf(Set.of());
        try (var reader = ManifestReader.open(storage, manifest, selection)) {
            reader.forEach(kind, entry -> {
                if (question.leaves(entry.file())) {
                    removed.add(entry);
                } else if (question.matters(entry.file())) {
                    noted.add(slim(entry));
                }
                return removed.isEmpty();
            });
        }
        return new Edited<>(manifest, List.of(manifest), removed, noted);
    }

    private Edited<F> write(Preparation preparation, ManifestFile manifest, Question<F> question) throws IOException {
        var removed = new ArrayList<ManifestEntry<F>>();
        var noted = new ArrayList<ManifestEntry<F>>();
        Selection live = preparation.typed(Selection.live(), manifest);
        try (var reader = ManifestReader.open(storage, manifest, live);
                var writer = split(preparation, manifest)) {
            reader.forEach(kind, entry -> {
                if (question.leaves(entry.file())) {
                    writer.current().deleted(entry);
                    removed.add(slim(entry));
                    return true;
                }
                writer.current().existing(entry);
                if (question.matters(entry.file())) {
                    noted.add(slim(entry));
                }
                return true;
            });
            List<ManifestFile> written = removed.isEmpty() ? List.of(manifest) : writer.finish();
            return new Edited<>(manifest, written, removed, noted);
        }
    }

    /** A manifest far above the target size becomes several, so that the next change to one of its files costs less. */
    private RollingManifests split(Preparation preparation, ManifestFile manifest) {
        long target = ManifestTargets.targetSizeBytes(preparation);
        return new RollingManifests(
                () -> targets.next(preparation, manifest.specId(), manifest.content()),
                manifest.length() / 2 >= target ? target : Long.MAX_VALUE);
    }

    /** Without statistics, which nobody needs of a file that leaves, and which are most of an entry's memory. */
    private ManifestEntry<F> slim(ManifestEntry<F> entry) {
        if (!(entry.file() instanceof DataFile file)) {
            return entry;
        }
        ContentFile.Common common = file.common();
        var slim = new ContentFile.Common(
                common.path(),
                common.format(),
                common.specId(),
                common.partition(),
                Metrics.ofCount(common.metrics().recordCount()),
                common.fileSizeBytes(),
                List.of(),
                common.sortOrderId(),
                common.keyMetadata());
        return new ManifestEntry<>(
                entry.status(),
                entry.snapshotId(),
                entry.sequenceNumber(),
                entry.fileSequenceNumber(),
                kind.cast(new DataFile(slim, file.firstRowId())));
    }
}
