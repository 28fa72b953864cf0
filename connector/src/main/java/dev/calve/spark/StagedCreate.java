package dev.calve.spark;

import dev.calve.catalog.Catalog;
import dev.calve.catalog.LoadedTable;
import dev.calve.catalog.TableExistsException;
import dev.calve.catalog.TableName;
import dev.calve.commit.Committer;
import dev.calve.commit.SwapOutcome;
import dev.calve.commit.SwapRequest;
import dev.calve.commit.TableState;
import dev.calve.io.Storage;
import dev.calve.manifest.DataFile;
import dev.calve.manifest.ManifestEntry;
import dev.calve.manifest.ManifestFile;
import dev.calve.manifest.ManifestList;
import dev.calve.manifest.ManifestReader;
import dev.calve.metadata.Snapshot;
import dev.calve.metadata.TableMetadata;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.apache.spark.sql.connector.catalog.StagedTable;
import org.apache.spark.sql.connector.catalog.SupportsWrite;
import org.apache.spark.sql.connector.catalog.TableCapability;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.connector.write.LogicalWriteInfo;
import org.apache.spark.sql.connector.write.WriteBuilder;
import org.apache.spark.sql.types.StructType;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A table that {@code CREATE TABLE … AS SELECT} is filling. Nothing can be seen of it until its first metadata, with the
 * rows' snapshot in it, is published in one step.
 *
 * <p>The append commits to a metadata in memory; the files it wrote are found through it again when the statement fails, and
 * are the only ones deleted. Used by one thread, once.
 */
final class StagedCreate implements StagedTable, SupportsWrite {

    private static final Logger LOG = LoggerFactory.getLogger(StagedCreate.class);

    private final TableName name;
    private final Catalog catalog;
    private final Storage storage;
    private final Staging staging;
    private final CalveTable table;
    private boolean mayBePublished;

    /** @param fullName with the catalog's name, for messages */
    StagedCreate(String fullName, TableName name, TableMetadata first, Catalog catalog, Storage storage) {
        this.name = name;
        this.catalog = catalog;
        this.storage = storage;
        this.staging = new Staging(new TableState(first, first.location() + "/metadata/staged"));
        this.table = new CalveTable(new LoadedTable(fullName, staging.state, storage, staging));
    }

    /** Swaps metadata in memory. */
    private static final class Staging implements Committer {

        private TableState state;
        private UUID statement = UUID.randomUUID();

        Staging(TableState first) {
            this.state = first;
        }

        /** Id of the statement that fills the table; an id of its own if it stays empty. */
        synchronized UUID statement() {
            return statement;
        }

        @Override
        public synchronized TableState load() {
            return state;
        }

        @Override
        public synchronized SwapOutcome swap(SwapRequest request) {
            if (!request.base().equals(state)) {
                return new SwapOutcome.Rejected("the table being created was changed by its own statement");
            }
            statement = request.statement();
            state = new TableState(request.result(), request.base().metadataLocation());
            return new SwapOutcome.Swapped(state);
        }
    }

    @Override
    public String name() {
        return table.name();
    }

    @Override
    @SuppressWarnings("deprecation") // abstract in Spark 4.0
    public StructType schema() {
        return table.schema();
    }

    @Override
    public Transform[] partitioning() {
        return table.partitioning();
    }

    @Override
    public Map<String, String> properties() {
        return table.properties();
    }

    @Override
    public Set<TableCapability> capabilities() {
        return EnumSet.of(TableCapability.BATCH_WRITE);
    }

    @Override
    public WriteBuilder newWriteBuilder(LogicalWriteInfo info) {
        return table.newWriteBuilder(info);
    }

    /**
     * Publishes the table.
     *
     * @throws TableExistsException if somebody else was faster
     */
    @Override
    public void commitStagedChanges() {
        mayBePublished = true;
        try {
            catalog.create(name, staging.load().metadata(), staging.statement());
        } catch (TableExistsException
                | IllegalArgumentException
                | UnsupportedOperationException
                | UncheckedIOException e) {
            mayBePublished = false;
            throw e;
        } catch (IOException e) {
            if (!isPublished(e)) {
                throw new UncheckedIOException("Cannot create table " + name() + ": " + e.getMessage(), e);
            }
        }
    }

    private boolean isPublished(IOException failure) {
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

    /**
     * Deletes the files of the statement, unless the table may have been published. The files of an append that failed
     * before it was committed were deleted by the append itself.
     */
    @Override
    public void abortStagedChanges() {
        TableMetadata metadata = staging.load().metadata();
        if (mayBePublished) {
            LOG.warn("Whether {} was created at {} is not known; its files were kept", name(), metadata.location());
            return;
        }
        for (Snapshot snapshot : metadata.snapshots()) {
            deleteFiles(snapshot);
        }
        try {
            catalog.removeTraces(name);
        } catch (IOException | RuntimeException e) {
            LOG.warn("Could not remove the empty folders of {}, which was not created", name(), e);
        }
    }

    private void deleteFiles(Snapshot snapshot) {
        List<String> files;
        try {
            files = filesOf(snapshot);
        } catch (IOException | RuntimeException e) {
            LOG.warn("Could not find the files of table {}, which was not created, from {}", name(), snapshot, e);
            return;
        }
        var left = new ArrayList<String>();
        for (String file : files) {
            try {
                storage.delete(file);
            } catch (IOException | RuntimeException e) {
                LOG.debug("Could not delete {}", file, e);
                left.add(file);
            }
        }
        if (!left.isEmpty()) {
            LOG.warn("Could not delete {} file(s) of table {}, which was not created: {}", left.size(), name(), left);
        }
    }

    /** Data files, manifests and the list, in this order: what is deleted first can still be found if deleting ends early. */
    private List<String> filesOf(Snapshot snapshot) throws IOException {
        String list = snapshot.manifestList().orElseThrow();
        var data = new ArrayList<String>();
        var manifests = new ArrayList<String>();
        for (ManifestFile manifest : ManifestList.read(storage, list)) {
            for (ManifestEntry<DataFile> entry : ManifestReader.readData(storage, manifest)) {
                data.add(entry.file().path());
            }
            manifests.add(manifest.path());
        }
        data.addAll(manifests);
        data.add(list);
        return data;
    }
}
