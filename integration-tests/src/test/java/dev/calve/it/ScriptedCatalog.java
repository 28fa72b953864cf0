package dev.calve.it;

import dev.calve.catalog.LoadedTable;
import dev.calve.catalog.TableName;
import dev.calve.catalog.warehouse.WarehouseCatalog;
import dev.calve.commit.Committer;
import dev.calve.commit.SwapOutcome;
import dev.calve.commit.SwapRequest;
import dev.calve.commit.TableState;
import dev.calve.hadoop.HadoopDirectory;
import dev.calve.hadoop.HadoopStorage;
import dev.calve.metadata.ReadPoint;
import dev.calve.scan.ScanRange;
import dev.calve.spark.convert.SparkTypes;
import dev.calve.spark.read.ReadSettings;
import dev.calve.spark.read.SnapshotScanBuilder;
import dev.calve.spark.rowlevel.DeleteWhere;
import dev.calve.spark.rowlevel.TableWriteBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.analysis.NoSuchTableException;
import org.apache.spark.sql.connector.catalog.Identifier;
import org.apache.spark.sql.connector.catalog.SupportsDeleteV2;
import org.apache.spark.sql.connector.catalog.SupportsRead;
import org.apache.spark.sql.connector.catalog.SupportsWrite;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.catalog.TableCapability;
import org.apache.spark.sql.connector.catalog.TableCatalog;
import org.apache.spark.sql.connector.catalog.TableChange;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.apache.spark.sql.connector.read.ScanBuilder;
import org.apache.spark.sql.connector.write.LogicalWriteInfo;
import org.apache.spark.sql.connector.write.WriteBuilder;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/** Calve's statements on the tables of the warehouse, with a committer between them and the catalog that a test scripts. */
public final class ScriptedCatalog implements TableCatalog {

    static final String NAME = "scripted";

    private static volatile UnaryOperator<Committer> script = UnaryOperator.identity();

    private String name = NAME;

    /** Called by Spark. */
    public ScriptedCatalog() {}

    /** Runs statements whose commits go through what the script makes of the catalog's committer. */
    static void during(UnaryOperator<Committer> committers, Runnable statements) {
        SparkTestSession.spark().conf().set("spark.sql.catalog." + NAME, ScriptedCatalog.class.getName());
        script = committers;
        try {
            statements.run();
        } finally {
            script = UnaryOperator.identity();
        }
    }

    /** A committer that differs from another in how it swaps, and perhaps loads. */
    abstract static class Wrapped implements Committer {
        final Committer real;

        Wrapped(Committer real) {
            this.real = real;
        }

        @Override
        public TableState load() throws IOException {
            return real.load();
        }

        @Override
        public SwapOutcome swap(SwapRequest request) {
            return swap(() -> real.swap(request));
        }

        abstract SwapOutcome swap(Swap swap);
    }

    /** The swap asked for. */
    interface Swap {
        SwapOutcome run();
    }

    /** Others do something between the first attempt's look at the table and its swap. */
    static UnaryOperator<Committer> beforeFirstSwap(Runnable others) {
        var done = new java.util.concurrent.atomic.AtomicBoolean();
        return real -> new Wrapped(real) {
            @Override
            SwapOutcome swap(Swap swap) {
                if (done.compareAndSet(false, true)) {
                    others.run();
                }
                return swap.run();
            }
        };
    }

    @Override
    public void initialize(String catalogName, CaseInsensitiveStringMap options) {
        name = catalogName;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Table loadTable(Identifier identifier) throws NoSuchTableException {
        var storage = new HadoopStorage(SparkSession.active().sessionState().newHadoopConf());
        var catalog = new WarehouseCatalog(SparkTestSession.warehouse().toString(), new HadoopDirectory(storage));
        var table = new TableName(List.of(identifier.namespace()), identifier.name());
        try {
            TableState state = catalog.load(table).orElseThrow(() -> new NoSuchTableException(identifier));
            return new ScriptedTable(
                    new LoadedTable(name + "." + table, state, storage, script.apply(catalog.committer(table))));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static final class ScriptedTable implements SupportsRead, SupportsWrite, SupportsDeleteV2 {
        private final LoadedTable table;

        ScriptedTable(LoadedTable table) {
            this.table = table;
        }

        @Override
        public String name() {
            return table.name();
        }

        @Override
        @SuppressWarnings("deprecation") // abstract in Spark 4.0
        public StructType schema() {
            return SparkTypes.toSpark(table.metadata().schema());
        }

        @Override
        public Set<TableCapability> capabilities() {
            return EnumSet.of(
                    TableCapability.BATCH_READ,
                    TableCapability.BATCH_WRITE,
                    TableCapability.TRUNCATE,
                    TableCapability.OVERWRITE_BY_FILTER,
                    TableCapability.OVERWRITE_DYNAMIC);
        }

        @Override
        public ScanBuilder newScanBuilder(CaseInsensitiveStringMap options) {
            return new SnapshotScanBuilder(
                    table,
                    new ScanRange.AtSnapshot(table.metadata().currentSnapshot()),
                    table.metadata().schema(),
                    new ReadPoint.Current(),
                    ReadSettings.of(options),
                    SparkSession.active());
        }

        @Override
        public WriteBuilder newWriteBuilder(LogicalWriteInfo info) {
            return new TableWriteBuilder(table, info, SparkSession.active());
        }

        @Override
        public boolean canDeleteWhere(Predicate[] predicates) {
            return DeleteWhere.canDelete(table, predicates);
        }

        @Override
        public void deleteWhere(Predicate[] predicates) {
            new DeleteWhere(table, predicates, SparkSession.active()).run();
        }
    }

    @Override
    public Identifier[] listTables(String[] namespace) {
        return new Identifier[0];
    }

    @Override
    @SuppressWarnings("deprecation") // abstract in Spark 4.0
    public Table createTable(
            Identifier identifier, StructType schema, Transform[] partitions, Map<String, String> properties) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Table alterTable(Identifier identifier, TableChange... changes) {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean dropTable(Identifier identifier) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void renameTable(Identifier from, Identifier to) {
        throw new UnsupportedOperationException();
    }
}
