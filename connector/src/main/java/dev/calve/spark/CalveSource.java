package dev.calve.spark;

import dev.calve.catalog.LoadedTable;
import dev.calve.catalog.warehouse.WarehouseCatalog;
import dev.calve.commit.Committer;
import dev.calve.commit.SwapOutcome;
import dev.calve.commit.SwapRequest;
import dev.calve.commit.TableState;
import dev.calve.hadoop.HadoopDirectory;
import dev.calve.hadoop.HadoopStorage;
import dev.calve.metadata.ReadPoint;
import dev.calve.spark.read.ColumnarFileReader;
import dev.calve.spark.read.StateOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.catalog.TableProvider;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.sources.DataSourceRegister;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/**
 * {@code spark.read.format("calve").load(path)}: a table by its folder, without a catalog, for reading. Options and a {@link
 * Selector} after the path, as in {@code path#tag_x}, ask for another state than the newest, see {@link
 * dev.calve.spark.read.StateOptions}.
 *
 * <p>Only folders of directory catalogs can be read so: elsewhere the newest metadata is known to the catalog alone.
 */
public final class CalveSource implements TableProvider, DataSourceRegister {

    /** Called by Spark. */
    public CalveSource() {}

    @Override
    public String shortName() {
        return "calve";
    }

    @Override
    public StructType inferSchema(CaseInsensitiveStringMap options) {
        return load(options).schema();
    }

    /** Loads the table anew. Spark gives the schema that {@link #inferSchema} found; the table's own is newer if they differ. */
    @Override
    public Table getTable(StructType schema, Transform[] partitioning, Map<String, String> properties) {
        return new PathTable(load(new CaseInsensitiveStringMap(properties)));
    }

    /**
     * @throws IllegalArgumentException if there is not exactly one path, no table there, or not the state asked for
     * @throws dev.calve.io.InvalidTableException if the table is corrupt, or belongs to another kind of catalog
     */
    private static CalveTable load(CaseInsensitiveStringMap options) {
        String path = options.get("path");
        if (path == null || path.isBlank() || options.containsKey("paths")) {
            throw new IllegalArgumentException("format(\"calve\") must be given one path, the folder of a table, not "
                    + Optional.ofNullable(options.get("paths")).orElse("'" + path + "'")
                    + ". Tables of a catalog are read by name: spark.table(\"catalog.namespace.table\").");
        }
        ColumnarFileReader.verifySpark();
        Optional<ReadPoint> asked = StateOptions.of(options).point();
        int mark = path.lastIndexOf('#');
        Optional<ReadPoint> selected = mark < 0 ? Optional.empty() : Selector.of(path.substring(mark + 1));
        if (asked.isPresent() && selected.isPresent()) {
            throw new IllegalArgumentException("Cannot read " + path + " " + asked.get()
                    + ": its path asks for another state already. Ask for one of them.");
        }
        LoadedTable table = load(selected.isPresent() ? path.substring(0, mark) : path);
        ReadPoint point = asked.or(() -> selected).orElseGet(ReadPoint.Current::new);
        return new CalveTable(table, point.in(table.metadata(), table.name()));
    }

    private static LoadedTable load(String path) {
        var storage = new HadoopStorage(SparkSession.active().sessionState().newHadoopConf());
        try {
            TableState state = WarehouseCatalog.loadPath(path, new HadoopDirectory(storage))
                    .orElseThrow(() -> new IllegalArgumentException("There is no table at '" + path
                            + "': the folder must hold a folder 'metadata' with a file 'v<number>.metadata.json'."));
            return new LoadedTable(path, state, storage, new ReadOnly(path, state));
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot load the table at " + path + ": " + e.getMessage(), e);
        }
    }

    /** A table that nobody can commit to. */
    private record ReadOnly(String path, TableState state) implements Committer {

        @Override
        public TableState load() {
            return state;
        }

        @Override
        public SwapOutcome swap(SwapRequest request) {
            throw new UnsupportedOperationException(
                    "Cannot commit to the table at " + path + ": it was loaded by path.");
        }
    }
}
