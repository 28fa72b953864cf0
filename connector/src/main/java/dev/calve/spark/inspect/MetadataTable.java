package dev.calve.spark.inspect;

import dev.calve.catalog.LoadedTable;
import dev.calve.metadata.ReadPoint;
import dev.calve.metadata.ReadState;
import dev.calve.metadata.Snapshot;
import dev.calve.spark.read.StateOptions;
import dev.calve.spark.wire.ExecutorTable;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.apache.spark.sql.connector.catalog.SupportsRead;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.catalog.TableCapability;
import org.apache.spark.sql.connector.read.ScanBuilder;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;
import org.jspecify.annotations.Nullable;

/**
 * A metadata table as Spark sees it: {@code db.t.files} of the table {@code db.t}, as that was when it was loaded. It can only
 * be read.
 */
public final class MetadataTable implements SupportsRead {

    private final LoadedTable base;
    private final ReadState state;
    private final MetadataTableName shown;
    private final Contents contents;

    private MetadataTable(LoadedTable base, ReadState state, MetadataTableName shown) {
        this.base = base;
        this.state = state;
        this.shown = shown;
        this.contents = Contents.of(base, state.snapshot(), shown);
    }

    /** Whether metadata tables of this name exist, in any letter case. */
    public static boolean isName(String name) {
        return MetadataTableName.of(name).isPresent();
    }

    /**
     * The metadata table of this name; empty if there is none.
     *
     * @param state of the table that is to be shown
     * @param name in any letter case
     * @throws IllegalArgumentException if a state was asked for and the metadata table shows all of the table's history
     */
    public static Optional<Table> named(LoadedTable base, ReadState state, String name) {
        return MetadataTableName.of(name).map(found -> of(base, state, found));
    }

    private static MetadataTable of(LoadedTable base, ReadState state, MetadataTableName name) {
        if (!state.isCurrent() && !name.isOfOneSnapshot()) {
            throw new IllegalArgumentException("Cannot read " + base.name() + "." + name.text() + " " + state.point()
                    + ": it shows the whole table as it is now, not one of its states. Read it without asking for a"
                    + " state and filter its rows.");
        }
        return new MetadataTable(base, state, name);
    }

    MetadataTableName shown() {
        return shown;
    }

    ExecutorTable forExecutors() {
        return ExecutorTable.of(base);
    }

    @Override
    public String name() {
        return base.name() + "." + shown.text();
    }

    @Override
    @SuppressWarnings("deprecation") // abstract in Spark 4.0
    public StructType schema() {
        return contents.columns().type();
    }

    /** Spark from 4.1 on tells by it that the table was dropped and created again. */
    @Override
    public String id() {
        return base.metadata().uuid() + "." + shown.text();
    }

    /** Spark from 4.1 on loads a table that has a version again right before a query runs. */
    @Override
    public @Nullable String version() {
        return base.state().metadataLocation();
    }

    @Override
    public Set<TableCapability> capabilities() {
        return EnumSet.of(TableCapability.BATCH_READ);
    }

    /**
     * Reads the state that the options ask for, if they do.
     *
     * @throws IllegalArgumentException if there is no such state, or another one was asked for by the table's name
     */
    @Override
    public ScanBuilder newScanBuilder(CaseInsensitiveStringMap options) {
        MetadataTable asked = at(StateOptions.of(options));
        return new MetadataScan.Builder(asked, asked.contents);
    }

    private MetadataTable at(StateOptions options) {
        if (options.appends().isPresent()) {
            throw new IllegalArgumentException("Cannot read what was appended to " + name()
                    + ": metadata tables show states. Filter entries by snapshot_id to see what a snapshot added.");
        }
        if (options.point().isEmpty()) {
            return this;
        }
        ReadPoint point = options.point().get();
        if (state.point().equals(point)) {
            return this;
        }
        if (!state.isCurrent()) {
            throw new IllegalArgumentException("Cannot read " + name() + " " + point + ": it was asked for "
                    + state.point() + " already. Ask for one state.");
        }
        return of(base, point.in(base.metadata(), name()), shown);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof MetadataTable that
                && shown == that.shown
                && base.name().equals(that.base.name())
                && base.metadata().uuid().equals(that.base.metadata().uuid())
                && base.state().metadataLocation().equals(that.base.state().metadataLocation())
                && snapshotId().equals(that.snapshotId());
    }

    private Optional<Long> snapshotId() {
        return state.snapshot().map(Snapshot::id);
    }

    @Override
    public int hashCode() {
        return Objects.hash(base.name(), shown, base.state().metadataLocation(), snapshotId());
    }

    @Override
    public String toString() {
        String snapshot = shown.isOfOneSnapshot()
                ? " [snapshot " + snapshotId().map(String::valueOf).orElse("none")
                        + state.point().besidesId() + "]"
                : "";
        return name() + snapshot;
    }
}
