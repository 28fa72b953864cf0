package dev.calve.spark;

import dev.calve.catalog.Catalog;
import dev.calve.catalog.LoadedTable;
import dev.calve.catalog.TableExistsException;
import dev.calve.catalog.TableName;
import dev.calve.commit.CommitStateUnknownException;
import dev.calve.commit.PreparedCommit;
import dev.calve.metadata.Snapshot;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** How a table that was staged becomes visible, in one step. */
sealed interface Publication {

    /**
     * A new table.
     *
     * @param fullName with the catalog's name, for messages
     */
    record Creation(String fullName, TableName name, Catalog catalog) implements Publication {

        private static final Logger LOG = LoggerFactory.getLogger(Creation.class);

        /** @throws TableExistsException if somebody else was faster */
        @Override
        public void publish(Staging staging) {
            try {
                catalog.create(name, staging.load().metadata(), staging.statement());
            } catch (IOException e) {
                if (!isPublished(staging, e)) {
                    throw new InDoubt("Cannot create table " + fullName + ": " + e.getMessage(), e);
                }
            }
        }

        private boolean isPublished(Staging staging, IOException failure) {
            try {
                String uuid = staging.load().metadata().uuid();
                return catalog.load(name)
                        .filter(found -> found.metadata().uuid().equals(uuid))
                        .isPresent();
            } catch (IOException | RuntimeException e) {
                failure.addSuppressed(e);
                return false;
            }
        }

        @Override
        public boolean isCertain(RuntimeException failure) {
            return failure instanceof TableExistsException
                    || failure instanceof IllegalArgumentException
                    || failure instanceof UnsupportedOperationException
                    || (failure instanceof UncheckedIOException && !(failure instanceof InDoubt));
        }

        @Override
        public List<Snapshot> added(Staging staging) {
            return staging.load().metadata().snapshots();
        }

        @Override
        public void removeTraces() {
            try {
                catalog.removeTraces(name);
            } catch (IOException | RuntimeException e) {
                LOG.warn("Could not remove the empty folders of {}, which was not created", fullName, e);
            }
        }
    }

    /**
     * A table in place of another.
     *
     * @param replaced as it was when the statement began
     */
    record Replacing(LoadedTable replaced) implements Publication {

        /** @throws dev.calve.commit.CommitConflictException if the table was changed since the statement began */
        @Override
        public void publish(Staging staging) {
            new PreparedCommit(replaced.target(), staging.statement(), "REPLACE TABLE")
                    .commit(replaced.state(), staging.updates(), staging.load().metadata());
        }

        @Override
        public boolean isCertain(RuntimeException failure) {
            return !(failure instanceof CommitStateUnknownException);
        }

        @Override
        public List<Snapshot> added(Staging staging) {
            return staging.load().metadata().snapshots().stream()
                    .filter(snapshot ->
                            replaced.metadata().snapshot(snapshot.id()).isEmpty())
                    .toList();
        }

        @Override
        public void removeTraces() {}
    }

    /** The storage failed and the table may have been created. */
    final class InDoubt extends UncheckedIOException {
        private static final long serialVersionUID = 1L;

        private InDoubt(String message, IOException cause) {
            super(message, cause);
        }
    }

    /** Makes the table visible. */
    void publish(Staging staging);

    /** Whether nothing was published for certain when {@link #publish} ended in this failure. */
    boolean isCertain(RuntimeException failure);

    /** The snapshots that only the statement knows. */
    List<Snapshot> added(Staging staging);

    /** Removes what else is left of a statement that published nothing. */
    void removeTraces();
}
