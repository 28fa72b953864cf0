package dev.calve.rowdelete;

import dev.calve.deletes.PositionBitmap;
import dev.calve.deletes.VectorFileWriter;
import dev.calve.deletes.VectorSlice;
import dev.calve.expression.Metrics;
import dev.calve.io.CleanUp;
import dev.calve.io.Storage;
import dev.calve.manifest.ContentFile;
import dev.calve.manifest.DeleteFile;
import dev.calve.manifest.FileFormat;
import dev.calve.metadata.FileNames;
import dev.calve.metadata.TableMetadata;
import dev.calve.metadata.TableProperties;
import dev.calve.metadata.TableProperties.DeleteGranularity;
import dev.calve.parquet.Placement;
import dev.calve.parquet.PositionDeleteWriter;
import dev.calve.parquet.WriteSettings;
import dev.calve.partition.PartitionTuple;
import dev.calve.scan.FileTask;
import dev.calve.schema.Values;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Turns the positions that go from data files into vectors, position delete files or rewritten files. One per task of a
 * stage; all its vectors share one Puffin file, and with granularity {@code partition} all deleted positions of a partition one
 * position delete file. Closing it before {@link #finish} deletes what it wrote.
 */
public final class Settler implements Closeable {

    private final Storage storage;
    private final TableMetadata table;
    private final FileNames names;
    private final SurvivorWriter survivors;
    private final String createdBy;

    private final DeleteGranularity granularity;

    private final List<Outcome> outcomes = new ArrayList<>();
    private final List<PendingVector> pending = new ArrayList<>();
    private final Map<Place, List<PendingPositions>> pendingPositions = new LinkedHashMap<>();
    private final List<String> written = new ArrayList<>();
    private Optional<VectorFileWriter> vectors = Optional.empty();
    private String vectorFile = "";
    private boolean finished;

    private record Place(int specId, PartitionTuple partition) {
        static Place of(FileTask task) {
            return new Place(task.file().specId(), task.file().partition());
        }
    }

    private record PendingPositions(int number, String path, PositionBitmap matched, PositionBitmap positions) {}

    private record PendingVector(int number, FileTask task, PositionBitmap matched, VectorSlice slice) {}

    /**
     * Begins without any file.
     *
     * @param createdBy what Puffin files say wrote them
     */
    public Settler(Storage storage, TableMetadata table, FileNames names, SurvivorWriter survivors, String createdBy) {
        this.storage = storage;
        this.table = table;
        this.names = names;
        this.survivors = survivors;
        this.createdBy = createdBy;
        this.granularity = TableProperties.of(table, table.location()).get(TableProperties.DELETE_GRANULARITY);
    }

    /** Settles one data file no row of which is deleted by key. */
    public void settle(SettleMode mode, int number, FileTask task, PositionBitmap deletedBefore, PositionBitmap matched)
            throws IOException {
        settle(mode, number, task, deletedBefore, new PositionBitmap(), matched);
    }

    /** Settles one data file by the share of its rows that are gone then; see the method after it. */
    public void settle(
            RewriteFrom rewriting,
            int number,
            FileTask task,
            PositionBitmap deletedBefore,
            PositionBitmap deletedByKey,
            PositionBitmap matched)
            throws IOException {
        PositionBitmap gone = PositionBitmap.union(PositionBitmap.union(deletedBefore, matched), deletedByKey);
        long rows = task.file().recordCount();
        SettleMode mode = rewriting.covers(gone.cardinalityInRange(0, rows), rows)
                ? SettleMode.REWRITE
                : SettleMode.inPlace(table.formatVersion());
        settle(mode, number, task, deletedBefore, deletedByKey, matched);
    }

    /**
     * Settles one data file.
     *
     * @param number what the outcome calls the task
     * @param deletedBefore positions already deleted by vector or position delete files; not changed
     * @param deletedByKey positions already deleted by equality deletes; not changed. New vectors and position delete files
     *     leave them out, because the equality deletes stay in the table
     * @param matched positions that go now, none of them deleted before; kept, so not to be changed afterwards
     */
    public void settle(
            SettleMode mode,
            int number,
            FileTask task,
            PositionBitmap deletedBefore,
            PositionBitmap deletedByKey,
            PositionBitmap matched)
            throws IOException {
        if (matched.isEmpty()) {
            outcomes.add(new Outcome.Untouched(number));
            return;
        }
        PositionBitmap goneByPosition = PositionBitmap.union(deletedBefore, matched);
        PositionBitmap gone = PositionBitmap.union(goneByPosition, deletedByKey);
        // A position delete file may name positions behind the last row: they delete nothing.
        if (gone.cardinalityInRange(0, task.file().recordCount()) == task.file().recordCount()) {
            outcomes.add(new Outcome.WholeFile(number, matched));
            return;
        }
        switch (mode) {
            case VECTOR -> addVector(number, task, matched, goneByPosition);
            case POSITION_FILE -> {
                var positions = new PendingPositions(
                        number, task.file().path(), matched, absorbed(task, deletedBefore, matched));
                if (granularity == DeleteGranularity.PARTITION) {
                    pendingPositions
                            .computeIfAbsent(Place.of(task), first -> new ArrayList<>())
                            .add(positions);
                } else {
                    writePositions(Place.of(task), List.of(positions));
                }
            }
            case REWRITE -> outcomes.add(rewrite(number, task, matched, gone));
        }
    }

    /** Completes the files and returns one outcome per settled file. */
    public List<Outcome> finish() throws IOException {
        for (var place : pendingPositions.entrySet()) {
            writePositions(
                    place.getKey(),
                    place.getValue().stream()
                            .sorted(Comparator.comparing(PendingPositions::path, Values::compareByCodePoint))
                            .toList());
        }
        if (vectors.isPresent()) {
            long fileSize = vectors.get().finish();
            for (PendingVector vector : pending) {
                outcomes.add(new Outcome.Deletes(vector.number(), vector.matched(), vectorOf(vector, fileSize)));
            }
        }
        finished = true;
        return List.copyOf(outcomes);
    }

    /** Locations of the files this settler wrote. */
    public List<String> written() {
        return List.copyOf(written);
    }

    @Override
    public void close() throws IOException {
        if (finished) {
            return;
        }
        discard();
    }

    /** Deletes what was written, finished or not, for a caller whose outcomes are not wanted after all. */
    public void discard() throws IOException {
        finished = true;
        var cleanUp = new CleanUp();
        vectors.ifPresent(file -> cleanUp.run(file::close));
        cleanUp.deleteAll(storage, written);
        cleanUp.end();
    }

    private void addVector(int number, FileTask task, PositionBitmap matched, PositionBitmap gone) throws IOException {
        if (vectors.isEmpty()) {
            vectorFile = names.vectors();
            written.add(vectorFile);
            vectors = Optional.of(VectorFileWriter.create(storage, vectorFile, createdBy));
        }
        VectorSlice slice = vectors.get().add(task.file().path(), gone);
        pending.add(new PendingVector(number, task, matched, slice));
    }

    private DeleteFile vectorOf(PendingVector vector, long fileSize) {
        var file = vector.task().file();
        return new DeleteFile.DeletionVector(
                new ContentFile.Common(
                        vectorFile,
                        FileFormat.PUFFIN,
                        file.specId(),
                        file.partition(),
                        Metrics.ofCount(vector.slice().cardinality()),
                        fileSize,
                        List.of(),
                        OptionalInt.empty(),
                        Optional.empty()),
                file.path(),
                vector.slice().contentOffset(),
                vector.slice().contentSizeInBytes());
    }

    /** The positions a new position delete file holds: those of older files it replaces, and the new ones. */
    private PositionBitmap absorbed(FileTask task, PositionBitmap deletedBefore, PositionBitmap matched)
            throws IOException {
        boolean allFileScoped = task.deletes().stream()
                .filter(entry -> !(entry.file() instanceof DeleteFile.EqualityDeletes))
                .allMatch(entry -> entry.file().scopedTo().isPresent());
        if (allFileScoped) {
            return PositionBitmap.union(deletedBefore, matched);
        }
        // A file that also speaks of other data files stays in the table, so its positions need not be repeated.
        var fileScoped = new FileTask(
                task.entry(),
                task.manifest(),
                task.deletes().stream()
                        .filter(entry -> entry.file().scopedTo().isPresent())
                        .toList(),
                task.residual(),
                task.everyRowMatches());
        return PositionBitmap.union(ExistingDeletes.of(storage, fileScoped), matched);
    }

    /** @param deleted by path, ascending */
    private void writePositions(Place place, List<PendingPositions> deleted) throws IOException {
        String location = names.positionDeletes(place.specId(), place.partition());
        written.add(location);
        var writer = PositionDeleteWriter.create(
                storage,
                location,
                WriteSettings.forPositionDeletes(TableProperties.of(table, table.location())),
                Placement.of(place.specId(), place.partition()));
        try {
            for (PendingPositions ofFile : deleted) {
                writer.delete(ofFile.path(), ofFile.positions());
            }
            DeleteFile file = writer.close();
            deleted.forEach(ofFile -> outcomes.add(new Outcome.Deletes(ofFile.number(), ofFile.matched(), file)));
        } catch (Throwable e) {
            var cleanUp = new CleanUp();
            cleanUp.run(writer::abandon);
            cleanUp.after(e);
            throw e;
        }
    }

    private Outcome rewrite(int number, FileTask task, PositionBitmap matched, PositionBitmap gone) throws IOException {
        SurvivorWriter.Survivors copies = survivors.write(task, gone);
        copies.files().forEach(file -> written.add(file.path()));
        return new Outcome.Rewritten(number, matched, copies.files(), copies.counts());
    }
}
