package dev.calve.spark;

import dev.calve.catalog.Catalog;
import dev.calve.catalog.LoadedTable;
import dev.calve.catalog.TableName;
import dev.calve.commit.TableState;
import dev.calve.io.Storage;
import dev.calve.metadata.MetadataUpdate;
import dev.calve.metadata.MetadataUpdates;
import dev.calve.metadata.SnapshotRef;
import dev.calve.metadata.TableMetadata;
import dev.calve.spark.write.WriteAuditPublish;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.spark.sql.connector.catalog.StagedTable;
import org.apache.spark.sql.connector.catalog.SupportsWrite;
import org.apache.spark.sql.connector.catalog.TableCapability;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.connector.write.LogicalWriteInfo;
import org.apache.spark.sql.connector.write.SupportsTruncate;
import org.apache.spark.sql.connector.write.Write;
import org.apache.spark.sql.connector.write.WriteBuilder;
import org.apache.spark.sql.types.StructType;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A table that a statement creates or replaces, and may be filling. Nothing can be seen of it until its metadata, with the
 * rows' snapshot in it, is published in one step.
 *
 * <p>The append commits to a metadata in memory; the files it wrote are found through it again when the statement fails, and
 * are the only ones deleted. Used by one thread, once.
 */
final class StagedChange implements StagedTable, SupportsWrite {

    private static final Logger LOG = LoggerFactory.getLogger(StagedChange.class);

    private final Staging staging;
    private final Publication publication;
    private final CalveTable table;
    private final StagedFiles files;
    private boolean mayBePublished;

    private StagedChange(String fullName, Staging staging, Publication publication, Storage storage) {
        this.staging = staging;
        this.publication = publication;
        this.table = new CalveTable(WriteAuditPublish.of(new LoadedTable(fullName, staging.load(), storage, staging)));
        this.files = new StagedFiles(fullName, storage);
    }

    /**
     * A table that does not exist yet.
     *
     * @param fullName with the catalog's name, for messages
     */
    static StagedChange creation(
            String fullName, TableName name, TableMetadata first, Catalog catalog, Storage storage) {
        var staging = new Staging(new TableState(first, first.location() + "/metadata/staged"), List.of());
        return new StagedChange(fullName, staging, new Publication.Creation(fullName, name, catalog), storage);
    }

    /**
     * A table that takes the place of one.
     *
     * @param replaced as it is now; a change of it until the end makes the statement fail
     * @param updates what makes it the new table
     * @throws UnsupportedOperationException if the session works on a branch of the one or the other, or stages what it writes
     */
    static StagedChange replacement(LoadedTable replaced, List<MetadataUpdate> updates) {
        TableMetadata now = replaced.metadata();
        long millis = Math.max(System.currentTimeMillis(), now.lastUpdatedMillis());
        var first = new TableState(
                MetadataUpdates.apply(now, updates, millis), replaced.state().metadataLocation());
        WriteAuditPublish.refuseReplacing(replaced);
        WriteAuditPublish.refuseReplacing(replaced.at(first));
        return new StagedChange(
                replaced.name(), new Staging(first, updates), new Publication.Replacing(replaced), replaced.storage());
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

    /** Spark fills a table that it replaces by an overwrite. */
    @Override
    public Set<TableCapability> capabilities() {
        return EnumSet.of(TableCapability.BATCH_WRITE, TableCapability.TRUNCATE);
    }

    @Override
    public WriteBuilder newWriteBuilder(LogicalWriteInfo info) {
        String branch = info.options().getOrDefault("branch", SnapshotRef.MAIN);
        if (!branch.equals(SnapshotRef.MAIN)) {
            throw new UnsupportedOperationException("Cannot create or replace " + name() + " on branch '" + branch
                    + "': a table is made as a whole. Leave the option out, or overwrite the rows of the branch.");
        }
        return new Filling(table.newWriteBuilder(info));
    }

    /** An append to a table without rows, so that there is nothing to overwrite. */
    private record Filling(WriteBuilder append) implements SupportsTruncate {

        @Override
        public WriteBuilder truncate() {
            return append;
        }

        @Override
        public Write build() {
            return append.build();
        }
    }

    /**
     * Publishes the table.
     *
     * @throws dev.calve.catalog.TableExistsException if somebody else created it
     * @throws dev.calve.commit.CommitConflictException if somebody else changed it
     */
    @Override
    public void commitStagedChanges() {
        mayBePublished = true;
        try {
            publication.publish(staging);
        } catch (RuntimeException e) {
            mayBePublished = !publication.isCertain(e);
            throw e;
        }
    }

    /**
     * Deletes the files of the statement, unless the table may have been published. The files of an append that failed
     * before it was committed were deleted by the append itself.
     */
    @Override
    public void abortStagedChanges() {
        if (mayBePublished) {
            LOG.warn("Whether {} was published is not known; the files of the statement were kept", name());
            return;
        }
        publication.added(staging).forEach(files::delete);
        publication.removeTraces();
    }
}
