package dev.calve.rowlevel;

import dev.calve.commit.FileLedger;
import dev.calve.io.Storage;
import dev.calve.metadata.FileNames;
import dev.calve.metadata.TableMetadata;
import dev.calve.rowdelete.Outcome;
import dev.calve.rowdelete.SettleMode;
import dev.calve.rowdelete.Settler;
import dev.calve.rowdelete.SurvivorWriter;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** Settles in the calling thread. Not for several threads. */
public final class SettleHere implements Settlement {

    private final Storage storage;
    private final UUID statementId;
    private final int task;
    private final Optional<Survivors> survivors;
    private final String createdBy;
    private long attempts;

    /** Makes the writer of surviving rows for one settling. */
    public interface Survivors {

        /**
         * A writer for one state of the table.
         *
         * @param storage to create files with: it notes them in the ledger first
         */
        SurvivorWriter writer(Storage storage, TableMetadata table, FileNames names);
    }

    /**
     * Nothing is done yet.
     *
     * @param task a number no other task of the statement has, for the names of files
     * @param createdBy what Puffin files say wrote them
     */
    public SettleHere(
            Storage storage, FileLedger ledger, UUID statementId, int task, Survivors survivors, String createdBy) {
        this(storage, ledger, statementId, task, Optional.of(survivors), createdBy);
    }

    private SettleHere(
            Storage storage,
            FileLedger ledger,
            UUID statementId,
            int task,
            Optional<Survivors> survivors,
            String createdBy) {
        this.storage = new LedgerStorage(storage, ledger);
        this.statementId = statementId;
        this.task = task;
        this.survivors = survivors;
        this.createdBy = createdBy;
    }

    /** A settlement that cannot write rows again. */
    public static SettleHere deletesOnly(
            Storage storage, FileLedger ledger, UUID statementId, int task, String createdBy) {
        return new SettleHere(storage, ledger, statementId, task, Optional.empty(), createdBy);
    }

    @Override
    public boolean canRewrite() {
        return survivors.isPresent();
    }

    @Override
    public List<Outcome> settle(TableMetadata found, List<Part> parts) throws IOException {
        var names = new FileNames(found, statementId, task, attempts++);
        SurvivorWriter writer = survivors
                .map(rows -> rows.writer(storage, found, names))
                .orElseGet(() -> (file, gone) -> {
                    throw new IllegalStateException(
                            "Rows of " + file.file().path() + " must not be written again here.");
                });
        try (var settler = new Settler(storage, found, names, writer, createdBy)) {
            for (int i = 0; i < parts.size(); i++) {
                Part part = parts.get(i);
                SettleMode mode = part.rewrite() ? SettleMode.REWRITE : SettleMode.inPlace(found.formatVersion());
                settler.settle(mode, i, part.task(), part.deletedBefore(), part.positions());
            }
            return settler.finish();
        }
    }

    @Override
    public boolean isQuick() {
        return true;
    }
}
