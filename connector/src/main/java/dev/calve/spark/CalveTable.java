package dev.calve.spark;

import dev.calve.catalog.LoadedTable;
import dev.calve.commit.CommitReport;
import dev.calve.metadata.ReadPoint;
import dev.calve.metadata.ReadState;
import dev.calve.metadata.TableMetadata;
import dev.calve.metadata.TableProperties;
import dev.calve.spark.convert.MetadataColumns;
import dev.calve.spark.convert.SparkTransforms;
import dev.calve.spark.read.ReadSettings;
import dev.calve.spark.read.SnapshotScanBuilder;
import dev.calve.spark.rowlevel.DeleteWhere;
import dev.calve.spark.rowlevel.RowLevelScanBuilder;
import dev.calve.spark.rowlevel.TableWriteBuilder;
import dev.calve.spark.write.WriteAuditPublish;
import dev.calve.spark.write.WriteMetrics;
import java.util.EnumSet;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.connector.catalog.MetadataColumn;
import org.apache.spark.sql.connector.catalog.SupportsDeleteV2;
import org.apache.spark.sql.connector.catalog.SupportsMetadataColumns;
import org.apache.spark.sql.connector.catalog.SupportsRead;
import org.apache.spark.sql.connector.catalog.SupportsWrite;
import org.apache.spark.sql.connector.catalog.TableCapability;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.apache.spark.sql.connector.metric.CustomMetric;
import org.apache.spark.sql.connector.metric.CustomTaskMetric;
import org.apache.spark.sql.connector.read.ScanBuilder;
import org.apache.spark.sql.connector.write.LogicalWriteInfo;
import org.apache.spark.sql.connector.write.WriteBuilder;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;
import org.jspecify.annotations.Nullable;

/**
 * A table as Spark sees it, at the state it was loaded for, normally the one that was current then: reads stay there,
 * writes and deletes commit to whatever is current by then. A branch is written by its name, {@code t.branch_x}; states of
 * the past can only be read.
 *
 * <p>Two are equal if they are the same state of the same table: Spark keeps the older of two equal ones when it loads a table
 * again to see the newest rows, and answers from its cache what is equal to a cached table. The target of a statement is
 * equal to none, because Spark would take a cached copy for the target of a {@code DELETE}.
 */
sealed class CalveTable implements SupportsRead, SupportsWrite, SupportsDeleteV2, SupportsMetadataColumns
        permits RowLevelTable {

    private static final Optional<TableCapability> SCHEMA_EVOLUTION = schemaEvolution();

    private final LoadedTable table;
    private final ReadState state;
    private final boolean target;
    private volatile Optional<CommitReport> deleted = Optional.empty();

    CalveTable(LoadedTable table) {
        this(table, ReadState.current(table.metadata()));
    }

    /** The table in a state it has. */
    CalveTable(LoadedTable table, ReadState state) {
        this(table, state, false);
    }

    CalveTable(LoadedTable table, ReadState state, boolean target) {
        this.table = state.point() instanceof ReadPoint.OfBranch branch ? table.onBranch(branch.name()) : table;
        this.state = state;
        this.target = target;
    }

    /** The table in a state it has, for statements of every kind that its columns allow. */
    static CalveTable of(LoadedTable table, ReadState state) {
        return of(table, state, false);
    }

    private static CalveTable of(LoadedTable table, ReadState state, boolean target) {
        return RowLevelTable.canBe(table.metadata())
                ? new RowLevelTable(table, state, target)
                : new CalveTable(table, state, target);
    }

    /** The same table as what a statement writes to. */
    CalveTable asTarget() {
        return of(table, state, true);
    }

    LoadedTable loaded() {
        return table;
    }

    TableMetadata metadata() {
        return table.metadata();
    }

    @Override
    public String name() {
        return table.name();
    }

    /** Spark from 4.1 on tells by it that a table was dropped and created again. */
    @Override
    public String id() {
        return metadata().uuid();
    }

    /**
     * Spark from 4.1 on loads a table that has a version again right before a query runs, so a query sees the newest rows. A
     * target has none: it would be replaced by what is cached of the table.
     */
    @Override
    public @Nullable String version() {
        return target ? null : table.state().metadataLocation();
    }

    @Override
    @SuppressWarnings("deprecation") // abstract in Spark 4.0
    public StructType schema() {
        return VisibleSchema.of(state.schema());
    }

    /** What Spark can express of the partitioning: fields that hold nothing or use unknown transforms are left out. */
    @Override
    public Transform[] partitioning() {
        return metadata().spec().fields().stream()
                .flatMap(field -> SparkTransforms.toSpark(state.schema(), field).stream())
                .toArray(Transform[]::new);
    }

    @Override
    public Map<String, String> properties() {
        return ReportedProperties.of(metadata());
    }

    @Override
    public Set<TableCapability> capabilities() {
        var capabilities = EnumSet.of(
                TableCapability.BATCH_READ,
                TableCapability.BATCH_WRITE,
                TableCapability.TRUNCATE,
                TableCapability.OVERWRITE_BY_FILTER,
                TableCapability.OVERWRITE_DYNAMIC);
        if (table.properties().get(TableProperties.AUTO_SCHEMA_EVOLUTION)) {
            SCHEMA_EVOLUTION.ifPresent(capabilities::add);
        }
        if (table.properties().get(TableProperties.ACCEPT_ANY_SCHEMA)) {
            capabilities.add(TableCapability.ACCEPT_ANY_SCHEMA);
        }
        return capabilities;
    }

    /** Not known to Spark 4.0. */
    private static Optional<TableCapability> schemaEvolution() {
        try {
            return Optional.of(TableCapability.valueOf("AUTOMATIC_SCHEMA_EVOLUTION"));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    @Override
    public MetadataColumn[] metadataColumns() {
        return MetadataColumns.of(metadata()).stream()
                .map(TableMetadataColumn::new)
                .toArray(MetadataColumn[]::new);
    }

    /** @throws IllegalArgumentException if an option has a value it cannot have, or asks for a state that cannot be read */
    @Override
    public ScanBuilder newScanBuilder(CaseInsensitiveStringMap options) {
        ChosenRange chosen = ChosenRange.of(table, state, options);
        var builder = new SnapshotScanBuilder(
                chosen.table(),
                chosen.range(),
                chosen.schema(),
                chosen.point(),
                ReadSettings.of(options),
                SparkSession.active());
        // A MERGE that only inserts reads what is written to, and so do all other parts of the statement that name it.
        return target ? RowLevelScanBuilder.ofTarget(builder, SparkSession.active()) : builder;
    }

    /** @throws UnsupportedOperationException if the table was loaded at a state of the past */
    @Override
    public WriteBuilder newWriteBuilder(LogicalWriteInfo info) {
        return new TableWriteBuilder(writable(), info, SparkSession.active());
    }

    /** @throws UnsupportedOperationException if the table was loaded at a state of the past */
    @Override
    public boolean canDeleteWhere(Predicate[] predicates) {
        return DeleteWhere.canDelete(writable(), predicates);
    }

    @Override
    public void deleteWhere(Predicate[] predicates) {
        deleted = new DeleteWhere(writable(), predicates, SparkSession.active())
                .run()
                .reported();
    }

    /** Asked by Spark 4.2 and later, which shows what {@link #deleteWhere} did. */
    public CustomMetric[] supportedCustomMetrics() {
        return WriteMetrics.all();
    }

    /** Asked by Spark 4.2 and later, once {@link #deleteWhere} ended. */
    public CustomTaskMetric[] reportDriverMetrics() {
        return WriteMetrics.of(deleted);
    }

    /** The table as statements of the session have to write it. */
    final LoadedTable writable() {
        if (state.past() || !(state.isCurrent() || state.point() instanceof ReadPoint.OfBranch)) {
            throw new UnsupportedOperationException("Cannot write to " + name() + " " + state.point()
                    + ": what a table was cannot be changed. Write to " + name() + " itself, or to a branch by its"
                    + " name, like " + name() + ".branch_x.");
        }
        return WriteAuditPublish.staged(table);
    }

    @Override
    public boolean equals(Object other) {
        if (this == other) {
            return true;
        }
        return other instanceof CalveTable that
                && !target
                && !that.target
                && name().equals(that.name())
                && id().equals(that.id())
                && state.point().equals(that.state.point())
                && table.state().metadataLocation().equals(that.table.state().metadataLocation());
    }

    @Override
    public int hashCode() {
        return Objects.hash(name(), id(), state.point(), table.state().metadataLocation());
    }

    @Override
    public String toString() {
        return state.isCurrent() ? name() : name() + " " + state.point();
    }
}
