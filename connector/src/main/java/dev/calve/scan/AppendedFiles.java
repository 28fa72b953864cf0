package dev.calve.scan;

import dev.calve.expression.ColumnIds;
import dev.calve.expression.Expression;
import dev.calve.expression.Promotion;
import dev.calve.io.Storage;
import dev.calve.manifest.DataFile;
import dev.calve.manifest.ManifestEntry;
import dev.calve.manifest.ManifestEntry.Status;
import dev.calve.manifest.ManifestFile;
import dev.calve.manifest.ManifestFile.Content;
import dev.calve.manifest.ManifestReader;
import dev.calve.manifest.Selection;
import dev.calve.metadata.Snapshot;
import dev.calve.metadata.TableMetadata;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The data files that some snapshots added. Cost: one read per manifest list; of the manifests only those that these
 * snapshots wrote are opened, and no delete manifest.
 */
final class AppendedFiles {

    private final Storage storage;
    private final List<Snapshot> appends;
    private final Set<Long> ids;

    AppendedFiles(Storage storage, List<Snapshot> appends) {
        this.storage = storage;
        this.appends = appends;
        this.ids = appends.stream().map(Snapshot::id).collect(Collectors.toSet());
    }

    /** A manifest that a later one of the snapshots took over is listed once. */
    List<ManifestFile> manifests() throws IOException {
        var byPath = new LinkedHashMap<String, ManifestFile>();
        for (Snapshot append : appends) {
            for (ManifestFile manifest : SnapshotManifests.of(storage, append)) {
                if (manifest.content() == Content.DATA
                        && manifest.mayHaveLiveFiles()
                        && ids.contains(manifest.addedSnapshotId())) {
                    byPath.putIfAbsent(manifest.path(), manifest);
                }
            }
        }
        return List.copyOf(byPath.values());
    }

    ScanPlan plan(TableMetadata metadata, Expression filter, Set<Integer> statisticsOf) {
        try {
            return planManifests(metadata, Promotion.of(filter, metadata::newestType), KeptStatistics.of(statisticsOf));
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "Cannot plan a scan of what was appended to " + metadata.location() + ": " + e.getMessage(), e);
        }
    }

    private ScanPlan planManifests(TableMetadata metadata, Expression filter, KeptStatistics kept) throws IOException {
        var filters = new HashMap<Integer, FileFilter>();
        var opened = new ArrayList<ManifestFile>();
        int pruned = 0;
        for (ManifestFile manifest : manifests()) {
            FileFilter onSpec =
                    filters.computeIfAbsent(manifest.specId(), specId -> new FileFilter(metadata, specId, filter));
            if (onSpec.mightMatch(manifest)) {
                opened.add(manifest);
            } else {
                pruned++;
            }
        }
        var tasks = new ArrayList<FileTask>();
        long prunedFiles = 0;
        Set<Integer> filtered = ColumnIds.of(filter);
        List<Added> read = ScanPlanner.inParallel(
                opened,
                manifest -> added(
                        manifest,
                        kept.decoded(Selection.live().typedAs(metadata.partitionType(manifest.specId())), filtered),
                        filters,
                        kept));
        for (Added added : read) {
            tasks.addAll(added.tasks);
            prunedFiles += added.pruned;
        }
        return new ScanPlan(tasks, opened.size(), pruned, 0, 0, prunedFiles);
    }

    private record Added(List<FileTask> tasks, long pruned) {}

    /** A manifest that was merged from others lists files of earlier snapshots, too, as existing ones. */
    private Added added(
            ManifestFile manifest, Selection selection, Map<Integer, FileFilter> filters, KeptStatistics kept)
            throws IOException {
        FileFilter filter = Objects.requireNonNull(filters.get(manifest.specId()));
        var tasks = new ArrayList<FileTask>();
        var pruned = new long[1];
        ManifestReader.forEachData(storage, manifest, selection, entry -> {
            if (entry.status() == Status.ADDED && ids.contains(entry.snapshotId())) {
                if (filter.mightMatch(entry.file())) {
                    tasks.add(task(manifest, entry, filter, kept));
                } else {
                    pruned[0]++;
                }
            }
            return true;
        });
        return new Added(tasks, pruned[0]);
    }

    private static FileTask task(
            ManifestFile manifest, ManifestEntry<DataFile> entry, FileFilter filter, KeptStatistics kept) {
        boolean every = filter.mustMatch(entry.file());
        Expression residual = every ? Expression.Constant.TRUE : filter.residual(entry.file());
        return new FileTask(kept.in(entry), manifest.path(), List.of(), residual, every);
    }
}
