package dev.calve.spark.rowlevel;

import dev.calve.commit.FileLedger;
import dev.calve.deletes.PositionBitmap;
import dev.calve.io.Storage;
import dev.calve.manifest.DeleteFile;
import dev.calve.metadata.TableMetadata;
import dev.calve.rowdelete.ExistingDeletes;
import dev.calve.rowdelete.Outcome;
import dev.calve.rowdelete.RewriteFrom;
import dev.calve.rowlevel.SettleHere;
import dev.calve.rowlevel.Settlement;
import dev.calve.scan.FileTask;
import dev.calve.spark.wire.FilesToSettle;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;

/**
 * Settles rows of known places: deletes beside a few files on the driver, because a job would take longer; all else by tasks. After
 * a conflict deletes beside files are settled on the driver however many they are: others wait meanwhile.
 */
final class SettleInSpark implements Settlement {

    /** Stands in the names of files the driver writes, where tasks have their number. */
    private static final int NO_TASK = Integer.MAX_VALUE;

    /** Beside so many files deletes are written on the driver at first. */
    private static final int FEW_FILES = 8;

    private final Storage storage;
    private final SettleHere here;
    private final SettleJob job;

    SettleInSpark(Storage storage, FileLedger ledger, UUID statementId, String createdBy, SettleJob job) {
        this.storage = storage;
        this.here = SettleHere.deletesOnly(storage, ledger, statementId, NO_TASK, createdBy);
        this.job = job;
    }

    /**
     * Settles for the first time.
     *
     * @param files as the snapshot read has them
     * @param going the rows that go from each, by path
     * @param rewriting which of them are written again
     * @return one outcome per file, numbered as the list is, in any order
     */
    List<Outcome> first(
            TableMetadata metadata, List<FileTask> files, Map<String, PositionBitmap> going, RewriteFrom rewriting)
            throws IOException {
        boolean few = files.size() <= FEW_FILES
                && files.stream().noneMatch(SettleInSpark::hasKeys)
                && files.stream().noneMatch(task -> mayBeRewritten(task, going, rewriting));
        if (few) {
            var parts = new ArrayList<Part>();
            for (FileTask task : files) {
                PositionBitmap before = ExistingDeletes.byPosition(storage, task);
                parts.add(new Part(
                        task,
                        before,
                        Objects.requireNonNull(going.get(task.file().path())),
                        false));
            }
            return here.settle(metadata, parts);
        }
        var parts = new ArrayList<FilesToSettle.Part>();
        for (int i = 0; i < files.size(); i++) {
            FileTask task = files.get(i);
            parts.add(new FilesToSettle.Part(
                    i,
                    task,
                    Optional.of(Objects.requireNonNull(going.get(task.file().path()))),
                    rewriting));
        }
        return job.run(metadata, parts, Optional.empty());
    }

    /** Delete files may name rows twice, so this is an upper bound of what is deleted. */
    private static boolean mayBeRewritten(FileTask task, Map<String, PositionBitmap> going, RewriteFrom rewriting) {
        long gone = task.deletes().stream()
                        .mapToLong(entry -> entry.file().recordCount())
                        .sum()
                + Objects.requireNonNull(going.get(task.file().path())).cardinality();
        return rewriting.covers(gone, task.file().recordCount());
    }

    private static boolean hasKeys(FileTask task) {
        return task.deletes().stream().anyMatch(entry -> entry.file() instanceof DeleteFile.EqualityDeletes);
    }

    @Override
    public List<Outcome> settle(TableMetadata found, List<Part> parts) throws IOException {
        if (parts.stream().noneMatch(Part::rewrite)) {
            return here.settle(found, parts);
        }
        var all = new ArrayList<FilesToSettle.Part>();
        for (int i = 0; i < parts.size(); i++) {
            Part part = parts.get(i);
            all.add(new FilesToSettle.Part(
                    i,
                    part.task(),
                    Optional.of(part.positions()),
                    part.rewrite() ? RewriteFrom.ALWAYS : RewriteFrom.NEVER));
        }
        return job.run(found, all, Optional.empty());
    }

    @Override
    public boolean evaluatesKeys() {
        return true;
    }

    @Override
    public boolean isQuick() {
        return true;
    }
}
