package dev.calve.rowlevel;

import dev.calve.commit.FileLedger;
import dev.calve.io.InputFile;
import dev.calve.io.PositionOutput;
import dev.calve.io.Storage;
import java.io.IOException;

/** Notes every file in a statement's ledger before it is created. */
final class LedgerStorage implements Storage {

    private final Storage storage;
    private final FileLedger ledger;

    LedgerStorage(Storage storage, FileLedger ledger) {
        this.storage = storage;
        this.ledger = ledger;
    }

    @Override
    public InputFile input(String location) {
        return storage.input(location);
    }

    @Override
    public InputFile input(String location, long length) {
        return storage.input(location, length);
    }

    @Override
    public PositionOutput create(String location) throws IOException {
        ledger.wrote(location);
        return storage.create(location);
    }

    @Override
    public boolean exists(String location) throws IOException {
        return storage.exists(location);
    }

    @Override
    public void delete(String location) throws IOException {
        storage.delete(location);
    }
}
