package dev.calve.spark.rowlevel;

import dev.calve.catalog.LoadedTable;
import dev.calve.metadata.ReadPoint;
import dev.calve.scan.ScanRange;
import dev.calve.spark.read.ReadSettings;
import dev.calve.spark.read.SnapshotScanBuilder;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.connector.expressions.Expressions;
import org.apache.spark.sql.connector.expressions.NamedReference;
import org.apache.spark.sql.connector.read.ScanBuilder;
import org.apache.spark.sql.connector.write.DeltaWriteBuilder;
import org.apache.spark.sql.connector.write.LogicalWriteInfo;
import org.apache.spark.sql.connector.write.SupportsDelta;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/**
 * One DELETE, UPDATE or MERGE that Spark plans: it reads rows with the place they are stored at and hands over the places of the
 * rows that go and the rows that come. The same in all modes; they differ in how the places are settled, after the rows are
 * written.
 *
 * <p>An updated row is one change, not two, because two would be twice the rows in every shuffle.
 */
public final class PositionDelta implements SupportsDelta {

    private static final String FILE = "_file";
    private static final String POSITION = "_pos";
    private static final String ROW_ID = "_row_id";

    private final LoadedTable table;
    private final Command command;
    private final SparkSession session;
    private final List<RowLevelScan> scans = new CopyOnWriteArrayList<>();

    /** @param table the statement reads the state it was loaded at */
    public PositionDelta(LoadedTable table, Command command, SparkSession session) {
        this.table = table;
        this.command = command;
        this.session = session;
    }

    @Override
    public Command command() {
        return command;
    }

    @Override
    public String description() {
        return "Calve row-level " + command;
    }

    @Override
    public ScanBuilder newScanBuilder(CaseInsensitiveStringMap options) {
        var range = new ScanRange.AtSnapshot(table.head());
        var builder = new SnapshotScanBuilder(
                table, range, table.metadata().schema(), new ReadPoint.Current(), ReadSettings.of(options), session);
        var finds = command == Command.MERGE ? RowLevelScan.Finds.MERGED : RowLevelScan.Finds.CHANGED;
        return new RowLevelScanBuilder(builder, finds, scans::add, session);
    }

    @Override
    public NamedReference[] rowId() {
        return new NamedReference[] {Expressions.column(FILE), Expressions.column(POSITION)};
    }

    /** An updated row keeps its id. */
    @Override
    public NamedReference[] requiredMetadataAttributes() {
        return writesRowIds() ? new NamedReference[] {Expressions.column(ROW_ID)} : new NamedReference[0];
    }

    private boolean writesRowIds() {
        return table.metadata().formatVersion() >= 3 && command != Command.DELETE;
    }

    @Override
    public boolean representUpdateAsDeleteAndInsert() {
        return false;
    }

    @Override
    public DeltaWriteBuilder newWriteBuilder(LogicalWriteInfo info) {
        return new PositionDeltaWriteBuilder(table, command, info, scans, session);
    }

    @Override
    public String toString() {
        return description();
    }
}
