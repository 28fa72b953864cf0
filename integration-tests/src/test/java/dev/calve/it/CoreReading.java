package dev.calve.it;

import dev.calve.catalog.LoadedTable;
import dev.calve.deletes.PositionBitmap;
import dev.calve.rowdelete.ExistingDeletes;
import dev.calve.scan.FileTask;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.ContentFile;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.Files;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.ManifestContent;
import org.apache.iceberg.ManifestFile;
import org.apache.iceberg.ManifestFiles;
import org.apache.iceberg.MetadataColumns;
import org.apache.iceberg.PartitionData;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.data.GenericRecord;
import org.apache.iceberg.data.IcebergGenerics;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.data.parquet.GenericParquetReaders;
import org.apache.iceberg.data.parquet.GenericParquetWriter;
import org.apache.iceberg.hadoop.HadoopCatalog;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.parquet.Parquet;
import org.apache.iceberg.types.Types;

/** What a {@link CoreTable} holds, read by both sides: each plans and applies deletes by its own code. */
final class CoreReading {

    private static final Schema WITH_ROW_ID = new Schema(
            Types.NestedField.required(1, "id", Types.LongType.get()),
            Types.NestedField.required(2, "part", Types.IntegerType.get()),
            Types.NestedField.required(3, "text", Types.StringType.get()),
            MetadataColumns.ROW_ID);

    /** Shared, because its defaults take long to parse. */
    private static final Configuration CONFIGURATION = new Configuration();

    private final CoreTable table;
    private final HadoopCatalog peer;

    /** Rows by data file, which never changes. */
    private final Map<String, List<Row>> filesRead = new HashMap<>();

    CoreReading(Path warehouse, CoreTable table) {
        this.table = table;
        this.peer = new HadoopCatalog(CONFIGURATION, "file:" + warehouse);
    }

    /** @param rowId null where the table has none */
    record Row(long id, int part, String text, Long rowId) {

        static Row of(Record row) {
            return new Row(
                    (Long) row.getField("id"), (Integer) row.getField("part"), (String) row.getField("text"), (Long)
                            row.getField(MetadataColumns.ROW_ID.name()));
        }
    }

    /** The table as the peer finds it now. */
    Table peersTable() {
        return peer.loadTable(TableIdentifier.of("ns", table.name().name()));
    }

    List<Row> byPeer(Table found) throws IOException {
        var rows = new ArrayList<Row>();
        try (CloseableIterable<Record> scan =
                IcebergGenerics.read(found).project(WITH_ROW_ID).build()) {
            scan.forEach(row -> rows.add(Row.of(row)));
        }
        return rows;
    }

    /** Planned and deleted from by Calve; the peer decodes what is in a file. */
    List<Row> byCalve(LoadedTable found) throws IOException {
        var rows = new ArrayList<Row>();
        for (FileTask task : table.plan(found.metadata())) {
            PositionBitmap deleted = ExistingDeletes.of(table.storage(), task);
            List<Row> all = filesRead.computeIfAbsent(
                    task.file().path(), path -> readFile(path, task.file().firstRowId()));
            for (int position = 0; position < all.size(); position++) {
                if (!deleted.contains(position)) {
                    rows.add(all.get(position));
                }
            }
        }
        return rows;
    }

    /** @param firstRowId gives ids to rows that have none stored */
    private static List<Row> readFile(String location, OptionalLong firstRowId) {
        Map<Integer, Long> constants =
                firstRowId.isPresent() ? Map.of(MetadataColumns.ROW_ID.fieldId(), firstRowId.getAsLong()) : Map.of();
        var rows = new ArrayList<Row>();
        try (CloseableIterable<Record> file = Parquet.read(
                        Files.localInput(local(location).toFile()))
                .project(WITH_ROW_ID)
                .createReaderFunc(schema -> GenericParquetReaders.buildReader(WITH_ROW_ID, schema, constants))
                .build()) {
            file.forEach(row -> rows.add(Row.of(row)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return rows;
    }

    /** Every file that some snapshot, the log of metadata or the newest metadata refers to, by the peer. */
    static Set<Path> reached(Table found) throws IOException {
        var reached = new HashSet<Path>();
        TableMetadata metadata = ((HasTableOperations) found).operations().current();
        reached.add(local(metadata.metadataFileLocation()));
        metadata.previousFiles().forEach(entry -> reached.add(local(entry.file())));
        for (Snapshot snapshot : found.snapshots()) {
            reached.add(local(snapshot.manifestListLocation()));
            for (ManifestFile manifest : snapshot.allManifests(found.io())) {
                if (reached.add(local(manifest.path()))) {
                    boolean data = manifest.content() == ManifestContent.DATA;
                    collect(
                            data
                                    ? ManifestFiles.read(manifest, found.io(), found.specs())
                                    : ManifestFiles.readDeleteManifest(manifest, found.io(), found.specs()),
                            reached);
                }
            }
        }
        return reached;
    }

    /** Live ones suffice: a file that a snapshot removed was live in one before it. */
    private static void collect(CloseableIterable<? extends ContentFile<?>> manifest, Set<Path> reached)
            throws IOException {
        try (manifest) {
            manifest.forEach(file -> reached.add(local(file.location())));
        }
    }

    static Path local(String location) {
        return Path.of(
                location.startsWith("file:") ? java.net.URI.create(location).getPath() : location);
    }

    /** Appends one row by the peer. */
    void appendByPeer(long id) throws IOException {
        Table found = peersTable();
        var partition = new PartitionData(found.spec().partitionType());
        partition.set(0, CoreTable.part(id));
        String location = found.locationProvider().newDataLocation(found.spec(), partition, "peer-" + id + ".parquet");
        var writer = Parquet.writeData(Files.localOutput(local(location).toFile()))
                .schema(found.schema())
                .createWriterFunc(GenericParquetWriter::create)
                .withSpec(found.spec())
                .withPartition(partition)
                .set("write.parquet.compression-codec", "uncompressed")
                .build();
        try (writer) {
            var row = GenericRecord.create(found.schema());
            row.setField("id", id);
            row.setField("part", CoreTable.part(id));
            row.setField("text", CoreTable.text(id));
            writer.write(row);
        }
        DataFile file = writer.toDataFile();
        found.newFastAppend().appendFile(file).commit();
    }
}
