package dev.calve.scan;

import dev.calve.expression.ColumnIds;
import dev.calve.expression.Expression;
import dev.calve.expression.Promotion;
import dev.calve.io.InvalidTableException;
import dev.calve.io.Storage;
import dev.calve.manifest.DataFile;
import dev.calve.manifest.DeleteFile;
import dev.calve.manifest.ManifestEntry;
import dev.calve.manifest.ManifestFile;
import dev.calve.manifest.ManifestFile.Content;
import dev.calve.manifest.ManifestReader;
import dev.calve.manifest.Selection;
import dev.calve.metadata.Snapshot;
import dev.calve.metadata.TableMetadata;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Plans scans of one snapshot. Cost: one read of the manifest list, one read per manifest that is not pruned, several at a
 * time.
 */
public final class ScanPlanner {

    private static final ExecutorService POOL =
            Executors.newFixedThreadPool(Math.max(2, Runtime.getRuntime().availableProcessors()), runnable -> {
                var thread = new Thread(runnable, "calve-planning");
                thread.setDaemon(true);
                return thread;
            });

    private final Storage storage;
    private final TableMetadata metadata;
    private final Snapshot snapshot;

    public ScanPlanner(Storage storage, TableMetadata metadata, Snapshot snapshot) {
        this.storage = storage;
        this.metadata = metadata;
        this.snapshot = snapshot;
    }

    /**
     * Lists the files that may hold rows for which the filter is TRUE. A caller whose own predicate is narrower than the filter
     * must not use what a task says about every row matching.
     *
     * @throws UncheckedIOException if a manifest cannot be read
     * @throws dev.calve.io.InvalidTableException if one is corrupt or the deletes contradict each other
     */
    public ScanPlan plan(Expression filter) {
        return plan(filter, KeptStatistics.ALL);
    }

    /**
     * The same for a reader, who needs no more of the files than where they are: of their statistics only those of some
     * columns are kept, and not where a commit would look for their deletes. 100,000 files of one partition field take about
     * 60 MB of heap, whatever their statistics.
     *
     * @param statisticsOf ids of columns
     */
    public ScanPlan planToRead(Expression filter, Set<Integer> statisticsOf) {
        return plan(filter, KeptStatistics.of(statisticsOf));
    }

    private ScanPlan plan(Expression filter, KeptStatistics kept) {
        try {
            return planManifests(Promotion.of(filter, metadata::newestType), kept);
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot plan a scan of " + metadata.location() + ": " + e.getMessage(), e);
        }
    }

    private ScanPlan planManifests(Expression filter, KeptStatistics kept) throws IOException {
        var filters = new HashMap<Integer, FileFilter>();
        var data = new ArrayList<ManifestFile>();
        var deletes = new ArrayList<ManifestFile>();
        int prunedData = 0;
        int prunedDeletes = 0;
        for (ManifestFile manifest : SnapshotManifests.of(storage, snapshot)) {
            if (!manifest.mayHaveLiveFiles()) {
                continue;
            }
            FileFilter onSpec =
                    filters.computeIfAbsent(manifest.specId(), specId -> new FileFilter(metadata, specId, filter));
            boolean isData = manifest.content() == Content.DATA;
            if (onSpec.mightMatch(manifest)) {
                (isData ? data : deletes).add(manifest);
            } else if (isData) {
                prunedData++;
            } else {
                prunedDeletes++;
            }
        }
        var index = new DeleteIndex(metadata);
        if (!data.isEmpty()) {
            List<List<ManifestEntry<DeleteFile>>> read =
                    inParallel(deletes, manifest -> ManifestReader.readDeletes(storage, manifest, live(manifest)));
            for (int i = 0; i < read.size(); i++) {
                index.addAll(read.get(i), deletes.get(i).path());
            }
        }
        var tasks = new ArrayList<FileTask>();
        long prunedFiles = 0;
        Set<Integer> filtered = ColumnIds.of(filter);
        List<Planned> planned = inParallel(
                data, manifest -> tasksOf(manifest, kept.decoded(live(manifest), filtered), filters, index, kept));
        for (Planned part : planned) {
            tasks.addAll(part.tasks);
            prunedFiles += part.pruned;
        }
        return new ScanPlan(tasks, data.size(), prunedData, deletes.size(), prunedDeletes, prunedFiles);
    }

    /**
     * Looks data files up that were planned on an older snapshot: as this snapshot lists them, with the deletes that apply now.
     * What the filter says about a file is kept, because files do not change. Cost: the manifest list, the data manifests the
     * files were seen in, or, for files that were moved to another, those that may list their partition; delete manifests that
     * may list their partitions.
     *
     * @return in the order asked for; files that are no longer live are missing
     */
    public List<FileTask> lookUp(Collection<FileTask> seen) throws IOException {
        if (seen.isEmpty()) {
            return List.of();
        }
        return new FileLookUp(storage, metadata, snapshot).find(seen);
    }

    private record Planned(List<FileTask> tasks, long pruned) {}

    /** Entries are judged as they are read, since a manifest may hold 50,000 of which one is wanted. */
    private Planned tasksOf(
            ManifestFile manifest,
            Selection selection,
            Map<Integer, FileFilter> filters,
            DeleteIndex index,
            KeptStatistics kept)
            throws IOException {
        FileFilter filter = Objects.requireNonNull(filters.get(manifest.specId()));
        var tasks = new ArrayList<FileTask>();
        var entries = new long[1];
        ManifestReader.forEachData(storage, manifest, selection, entry -> {
            entries[0]++;
            if (filter.mightMatch(entry.file())) {
                tasks.add(task(manifest, entry, filter, index, kept));
            }
            return true;
        });
        return new Planned(tasks, entries[0] - tasks.size());
    }

    private FileTask task(
            ManifestFile manifest,
            ManifestEntry<DataFile> entry,
            FileFilter filter,
            DeleteIndex index,
            KeptStatistics kept) {
        DataFile file = entry.file();
        boolean every = filter.mustMatch(file);
        Expression residual = every ? Expression.Constant.TRUE : filter.residual(file);
        Optional<SeenDeletes> seen =
                kept.all() ? Optional.of(new SeenDeletes(snapshot.id(), index.manifestsOf(file))) : Optional.empty();
        return new FileTask(kept.in(entry), manifest.path(), index.of(entry), residual, every, seen);
    }

    /** Tuples are read as the table types them now, because a source promoted in between must not tell equal ones apart. */
    private Selection live(ManifestFile manifest) {
        return Selection.live().typedAs(metadata.partitionType(manifest.specId()));
    }

    /** A step of planning that reads a manifest. */
    interface Step<R> {
        R apply(ManifestFile manifest) throws IOException;
    }

    private static <R> R named(ManifestFile manifest, Step<R> step) throws IOException {
        try {
            return step.apply(manifest);
        } catch (FileNotFoundException e) {
            throw new InvalidTableException("Manifest " + manifest.path() + " must exist, but does not.", e);
        } catch (IOException e) {
            throw new IOException("manifest " + manifest.path() + " cannot be read: " + e.getMessage(), e);
        }
    }

    static <R> List<R> inParallel(List<ManifestFile> manifests, Step<R> step) throws IOException {
        if (manifests.size() == 1) {
            return List.of(named(manifests.get(0), step));
        }
        var futures = new ArrayList<Future<R>>();
        for (ManifestFile manifest : manifests) {
            futures.add(POOL.submit(() -> named(manifest, step)));
        }
        var results = new ArrayList<R>();
        try {
            for (Future<R> future : futures) {
                // A future that is done already would be handed out in spite of an interrupt.
                if (Thread.currentThread().isInterrupted()) {
                    throw new InterruptedIOException("interrupted while planning");
                }
                results.add(future.get());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw (IOException) new InterruptedIOException("interrupted while planning").initCause(e);
        } catch (ExecutionException e) {
            throw rethrown(Objects.requireNonNullElse(e.getCause(), e));
        } finally {
            futures.forEach(future -> future.cancel(true));
        }
        return results;
    }

    private static IOException rethrown(Throwable cause) {
        if (cause instanceof RuntimeException unchecked) {
            throw unchecked;
        }
        if (cause instanceof Error error) {
            throw error;
        }
        return cause instanceof IOException io ? io : new IOException(cause);
    }
}
