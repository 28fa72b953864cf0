package dev.calve.it;

import dev.calve.catalog.LoadedTable;
import dev.calve.catalog.TableName;
import dev.calve.catalog.warehouse.Directory;
import dev.calve.catalog.warehouse.WarehouseCatalog;
import dev.calve.commit.TableState;
import dev.calve.deletes.PositionBitmap;
import dev.calve.expression.Expression;
import dev.calve.hadoop.HadoopDirectory;
import dev.calve.hadoop.HadoopStorage;
import dev.calve.io.Storage;
import dev.calve.manifest.DataFile;
import dev.calve.metadata.FileNames;
import dev.calve.metadata.MetadataUpdates;
import dev.calve.metadata.TableMetadata;
import dev.calve.metadata.TableProperties;
import dev.calve.parquet.ByteSlice;
import dev.calve.parquet.DataFileWriter;
import dev.calve.parquet.FileLayout;
import dev.calve.parquet.Placement;
import dev.calve.parquet.RowReader;
import dev.calve.parquet.WriteSettings;
import dev.calve.partition.PartitionTuple;
import dev.calve.partition.SortOrder;
import dev.calve.partition.SpecBuilder;
import dev.calve.partition.Transform;
import dev.calve.scan.FileTask;
import dev.calve.scan.ScanPlanner;
import dev.calve.schema.Bytes;
import dev.calve.schema.Field;
import dev.calve.schema.MetadataFields;
import dev.calve.schema.Schema;
import dev.calve.schema.Type;
import dev.calve.schema.ValueCodec;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;

/**
 * A local table that is written by Calve's core alone, without a Spark session.
 *
 * <p>Its rows follow from their id: {@link #part} is the partition and {@link #text} a second value, so that a reader can be
 * checked by content. A data file holds rows of one partition with ids one after the other.
 */
record CoreTable(WarehouseCatalog catalog, Storage storage, TableName name) {

    static final Schema SCHEMA = new Schema(
            0,
            List.of(
                    Field.required(1, "id", Type.Simple.LONG),
                    Field.required(2, "part", Type.Simple.INT),
                    Field.required(3, "text", Type.Simple.STRING)));

    private static final int ID = 1;
    private static final int SPEC = 0;

    static CoreTable in(Path warehouse, String name) {
        var storage = localStorage();
        return new CoreTable(
                catalog(warehouse, new HadoopDirectory(storage)), storage, new TableName(List.of("ns"), name));
    }

    static WarehouseCatalog catalog(Path warehouse, Directory directory) {
        return new WarehouseCatalog("file:" + warehouse, directory);
    }

    /** Without Hadoop's default settings, which take longer to parse than a statement to run. */
    static HadoopStorage localStorage() {
        return new HadoopStorage(new Configuration(false));
    }

    static int part(long id) {
        return id < 1000 ? (int) (id / 10 % 5) : 0;
    }

    static String text(long id) {
        return "row " + id;
    }

    void create(int formatVersion, Map<String, String> properties) throws IOException {
        var all = new LinkedHashMap<String, String>();
        // The native library of the usual codec would be unpacked by every process.
        all.put("write.parquet.compression-codec", "uncompressed");
        all.putAll(properties);
        catalog.create(
                name,
                MetadataUpdates.fresh(
                        SCHEMA,
                        new SpecBuilder(SCHEMA).add("part", Transform.IDENTITY).build(SPEC),
                        SortOrder.UNSORTED,
                        catalog.defaultLocation(name),
                        all,
                        formatVersion,
                        System.currentTimeMillis()),
                UUID.randomUUID());
    }

    LoadedTable load() throws IOException {
        TableState state = catalog.load(name).orElseThrow();
        return new LoadedTable(name.toString(), state, storage, catalog.committer(name));
    }

    List<FileTask> plan(TableMetadata metadata) {
        return metadata.currentSnapshot()
                .map(snapshot -> new ScanPlanner(storage, metadata, snapshot)
                        .plan(Expression.Constant.TRUE)
                        .tasks())
                .orElse(List.of());
    }

    /** Where the row of that id is; empty if it is not in the file. Known from the file's bounds. */
    static OptionalLong position(DataFile file, long id) {
        long first = bound(file.common().metrics().lowerBounds());
        long last = bound(file.common().metrics().upperBounds());
        if (id < first || id > last) {
            return OptionalLong.empty();
        }
        if (last - first + 1 != file.recordCount()) {
            throw new IllegalArgumentException("Rows of " + file.path() + " must have ids one after the other.");
        }
        return OptionalLong.of(id - first);
    }

    private static long bound(Map<Integer, Bytes> bounds) {
        return (Long) ValueCodec.decode(Type.Simple.LONG, bounds.get(ID));
    }

    /** Writes rows with ids one after the other, all of one partition. */
    DataFile write(TableMetadata metadata, FileNames names, long firstId, int count) throws IOException {
        var rows = new ArrayList<Row>();
        for (long id = firstId; id < firstId + count; id++) {
            rows.add(new Row(id, Optional.empty()));
        }
        return write(storage, metadata, names, SCHEMA, rows);
    }

    /** Writes again the rows of a file that stay, with their lineage if they have one. */
    DataFile writeSurvivors(Storage target, TableMetadata metadata, FileNames names, FileTask task, PositionBitmap gone)
            throws IOException {
        DataFile file = task.file();
        long firstId = bound(file.common().metrics().lowerBounds());
        var rows = new ArrayList<Row>();
        for (long position = 0; position < file.recordCount(); position++) {
            if (!gone.contains(position)) {
                long at = position;
                rows.add(new Row(
                        firstId + position,
                        file.firstRowId().isEmpty()
                                ? Optional.empty()
                                : Optional.of(new Lineage(
                                        file.firstRowId().getAsLong() + at,
                                        task.entry().sequenceNumber()))));
            }
        }
        var fields = new ArrayList<>(SCHEMA.fields());
        if (file.firstRowId().isPresent()) {
            fields.add(MetadataFields.ROW_ID);
            fields.add(MetadataFields.LAST_UPDATED_SEQUENCE_NUMBER);
        }
        return write(target, metadata, names, new Schema(SCHEMA.id(), fields), rows);
    }

    private DataFile write(Storage target, TableMetadata metadata, FileNames names, Schema schema, List<Row> rows)
            throws IOException {
        PartitionTuple partition = PartitionTuple.of(part(rows.get(0).id()));
        WriteSettings settings = WriteSettings.forData(TableProperties.of(metadata, name.toString()));
        DataFileWriter<Row> writer = DataFileWriter.create(
                target,
                names.dataFile(SPEC, partition),
                FileLayout.of(schema, settings),
                new Columns(),
                Placement.of(SPEC, partition));
        for (Row row : rows) {
            writer.write(row);
        }
        return writer.close();
    }

    private record Row(long id, Optional<Lineage> lineage) {}

    private record Lineage(long rowId, long lastUpdated) {}

    /** Values of a {@link Row} by the place of its column. */
    private static final class Columns implements RowReader<Row> {

        @Override
        public boolean isNull(Row row, int index) {
            return false;
        }

        @Override
        public long getLong(Row row, int index) {
            return switch (index) {
                case 0 -> row.id();
                case 3 -> row.lineage().orElseThrow().rowId();
                default -> row.lineage().orElseThrow().lastUpdated();
            };
        }

        @Override
        public int getInt(Row row, int index) {
            return part(row.id());
        }

        @Override
        public void getString(Row row, int index, ByteSlice target) {
            target.set(text(row.id()).getBytes(StandardCharsets.UTF_8));
        }
    }
}
