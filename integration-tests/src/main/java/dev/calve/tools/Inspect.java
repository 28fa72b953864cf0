package dev.calve.tools;

import dev.calve.deletes.DeletionVectorCodec;
import dev.calve.deletes.PositionBitmap;
import dev.calve.hadoop.HadoopDirectory;
import dev.calve.hadoop.HadoopStorage;
import dev.calve.io.InputFile;
import dev.calve.io.InvalidTableException;
import dev.calve.manifest.ContentFile;
import dev.calve.manifest.DataFile;
import dev.calve.manifest.DeleteFile;
import dev.calve.manifest.ManifestEntry;
import dev.calve.manifest.ManifestFile;
import dev.calve.manifest.ManifestList;
import dev.calve.manifest.ManifestReader;
import dev.calve.manifest.Selection;
import dev.calve.metadata.TableMetadataJson;
import dev.calve.parquet.ParquetFooter;
import dev.calve.partition.FieldSummary;
import dev.calve.partition.PartitionPath;
import dev.calve.partition.PartitionSpec;
import dev.calve.partition.Transform;
import dev.calve.partition.Transforms;
import dev.calve.puffin.BlobMetadata;
import dev.calve.puffin.PuffinReader;
import dev.calve.schema.Bytes;
import dev.calve.schema.Field;
import dev.calve.schema.Json;
import dev.calve.schema.Schema;
import dev.calve.schema.Type;
import dev.calve.schema.ValueCodec;
import java.io.ByteArrayInputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.zip.GZIPInputStream;
import org.apache.avro.file.DataFileStream;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericRecord;
import org.apache.hadoop.conf.Configuration;
import org.jspecify.annotations.Nullable;

/**
 * Prints a table's files for people, with the connector's own readers: metadata, manifest lists, manifests, Puffin files
 * and Parquet footers; of a table's folder the newest metadata. What a file is tells its content, not its name. The main
 * of {@code dev/inspect}.
 */
public final class Inspect {

    private static final String HELP = """
            inspect PATH...

              PATH   a metadata file, manifest list, manifest, Puffin file, Parquet file or a table's folder;
                     local, or a URI of a file system on the class path
            """;

    private static final String VECTOR = "deletion-vector-v1";
    private static final int MAGIC_BYTES = 4;
    private static final int RANGES_SHOWN = 12;
    private static final int VALUE_SHOWN = 40;
    private static final OptionalLong UNKNOWN = OptionalLong.empty();

    private final HadoopStorage storage;
    private final PrintStream out;

    Inspect(HadoopStorage storage, PrintStream out) {
        this.storage = storage;
        this.out = out;
    }

    public static void main(String[] arguments) {
        System.exit(run(arguments, System.out, System.err));
    }

    /** Prints every file named; the exit code is 1 if one could not be. */
    static int run(String[] arguments, PrintStream out, PrintStream err) {
        boolean debug = List.of(arguments).contains("--debug");
        try {
            var parsed = Arguments.parse(arguments, Set.of(), Set.of("--debug", "--help", "-h"));
            if (parsed.has("--help") || parsed.has("-h")) {
                out.print(HELP);
                return 0;
            }
            if (parsed.rest().isEmpty()) {
                throw new IllegalArgumentException("Name a file or folder; see --help.");
            }
            var inspect = new Inspect(new HadoopStorage(new Configuration()), out);
            for (String path : parsed.rest()) {
                inspect.print(ToolSession.warehouse(path));
            }
            return 0;
        } catch (IOException | RuntimeException e) {
            err.println("Error: " + Failures.oneLine(e));
            if (debug) {
                e.printStackTrace(err);
            }
            return 1;
        }
    }

    /**
     * Prints one file or table.
     *
     * @throws IllegalArgumentException if it is nothing that belongs to a table
     * @throws FileNotFoundException if there is nothing at the location
     * @throws InvalidTableException if it is one of them, but corrupt
     */
    void print(String location) throws IOException {
        if (new HadoopDirectory(storage).isDirectory(location)) {
            printTable(location);
            return;
        }
        InputFile file = storage.input(location);
        if (!storage.exists(location)) {
            throw new FileNotFoundException(
                    "'" + location + "' must be a file or a table's folder, but there is nothing.");
        }
        long length = file.length();
        byte[] magic = file.read(0, (int) Math.min(MAGIC_BYTES, length));
        String start = new String(magic, StandardCharsets.ISO_8859_1);
        if (start.equals("PAR1")) {
            heading("Parquet file", location, length);
            ParquetFooter.describe(file).forEach(out::println);
        } else if (start.equals("PFA1")) {
            heading("Puffin file", location, length);
            printPuffin(file);
        } else if (start.equals("Obj\u0001")) {
            printAvro(file, length);
        } else if (start.startsWith("\u001f\u008b") || start.stripLeading().startsWith("{")) {
            printMetadata(file, length);
        } else {
            throw new IllegalArgumentException(
                    "'" + location + "' must be metadata JSON, a manifest list, a manifest, a"
                            + " Puffin or a Parquet file or a table's folder, but is none of them: it begins with bytes "
                            + Bytes.wrap(magic) + ".");
        }
    }

    private void printTable(String folder) throws IOException {
        TableFiles files = TableFiles.read(storage, folder)
                .orElseThrow(() -> new IllegalArgumentException("Folder '" + folder
                        + "' must be a table's, with metadata/v<number>.metadata.json, but has none."));
        out.println("Table at " + folder);
        out.println("live data files: " + files.dataFiles().size() + ", with " + files.records() + " rows and "
                + files.dataBytes() + " bytes");
        out.println("live deletion vectors: " + files.vectors().size() + " in "
                + files.vectorFiles().size() + " Puffin files; other delete files: "
                + files.deleteFiles().size() + "; positions: " + files.deletedPositions());
        out.println();
        print(files.state().metadataLocation());
    }

    /** The JSON as it was written, also what this version does not know, then whether it is valid. */
    private void printMetadata(InputFile file, long length) throws IOException {
        byte[] content = file.readAll();
        boolean zipped = content[0] == 0x1f;
        var json = Json.parse(zipped ? unzip(content, file.location()) : content);
        if (!json.has("format-version")) {
            throw new IllegalArgumentException(
                    "'" + file.location() + "' must be table metadata, but is JSON without 'format-version'.");
        }
        heading(zipped ? "Table metadata, gzip" : "Table metadata", file.location(), length);
        out.println(json.toPrettyString());
        TableMetadataJson.fromJson(json);
    }

    private static byte[] unzip(byte[] content, String location) throws IOException {
        try (var in = new GZIPInputStream(new ByteArrayInputStream(content))) {
            return in.readAllBytes();
        } catch (IOException e) {
            throw new InvalidTableException(
                    "'" + location + "' must be gzip, but is corrupt: " + e.getMessage() + ".", e);
        }
    }

    private void printPuffin(InputFile file) throws IOException {
        try (var reader = PuffinReader.open(file)) {
            out.println("properties: " + reader.properties() + ", footer: " + reader.footerSize() + " bytes");
            int number = 0;
            for (BlobMetadata blob : reader.blobs()) {
                out.println("blob " + number++ + ": " + blob.type() + " at " + blob.offset() + ", " + blob.length()
                        + " bytes"
                        + blob.compressionCodec().map(codec -> ", " + codec).orElse("")
                        + ", fields " + blob.fields() + ", snapshot " + known(blob.snapshotId())
                        + ", sequence number " + known(blob.sequenceNumber()));
                blob.properties().forEach((key, value) -> out.println("  " + key + ": " + value));
                if (blob.type().equals(VECTOR)) {
                    out.println("  "
                            + positions(DeletionVectorCodec.decode(
                                    reader.read(blob), "Vector in " + file.location() + " at " + blob.offset())));
                }
            }
        }
    }

    /** How many positions there are and the first of them as ranges. */
    private static String positions(PositionBitmap positions) {
        if (positions.isEmpty()) {
            return "0 positions";
        }
        var ranges = new ArrayList<String>();
        long[] range = {-1, -2};
        positions.forEach(position -> {
            if (position == range[1] + 1) {
                range[1] = position;
                return;
            }
            addRange(ranges, range);
            range[0] = position;
            range[1] = position;
        });
        addRange(ranges, range);
        return positions.cardinality() + " positions in " + ranges.size() + " ranges from " + positions.first() + " to "
                + positions.last() + ": "
                + String.join(", ", ranges.subList(0, Math.min(ranges.size(), RANGES_SHOWN)))
                + (ranges.size() > RANGES_SHOWN ? ", …" : "");
    }

    private static void addRange(List<String> ranges, long[] range) {
        if (range[0] >= 0) {
            ranges.add(range[0] == range[1] ? Long.toString(range[0]) : range[0] + "-" + range[1]);
        }
    }

    private void printAvro(InputFile file, long length) throws IOException {
        org.apache.avro.Schema schema = avroSchema(file);
        if (schema.getField("manifest_path") != null) {
            heading("Manifest list", file.location(), length);
            printManifestList(file.location());
        } else if (schema.getField("data_file") != null) {
            printManifest(file.location(), length);
        } else {
            throw new IllegalArgumentException(
                    "'" + file.location() + "' must be a manifest list or a manifest, but is an" + " Avro file of '"
                            + schema.getFullName() + "'.");
        }
    }

    private static org.apache.avro.Schema avroSchema(InputFile file) throws IOException {
        try (var stream = new DataFileStream<>(
                new ByteArrayInputStream(file.readAll()), new GenericDatumReader<GenericRecord>())) {
            return stream.getSchema();
        } catch (RuntimeException e) {
            throw new InvalidTableException(
                    "Avro file '" + file.location() + "' is corrupt: " + e.getMessage() + ".", e);
        }
    }

    private void printManifestList(String location) throws IOException {
        var rows = new ArrayList<List<String>>();
        var partitions = new ArrayList<String>();
        for (ManifestFile manifest : ManifestList.read(storage, location)) {
            var counts = manifest.counts();
            rows.add(List.of(
                    manifest.content().name(),
                    Integer.toString(manifest.specId()),
                    Long.toString(manifest.sequenceNumber()),
                    Long.toString(manifest.minSequenceNumber()),
                    Long.toString(manifest.addedSnapshotId()),
                    text(counts.addedFiles()) + "/" + text(counts.existingFiles()) + "/" + text(counts.deletedFiles()),
                    text(counts.addedRows()) + "/" + text(counts.existingRows()) + "/" + text(counts.deletedRows()),
                    text(manifest.firstRowId()),
                    Long.toString(manifest.length()),
                    manifest.path()));
            partitions.add(manifest.partitions()
                    .map(summaries ->
                            summaries.stream().map(Inspect::summary).toList().toString())
                    .orElse("unknown"));
        }
        out.println("files and rows: added/existing/deleted");
        table(
                List.of(
                        "content",
                        "spec",
                        "seq",
                        "min seq",
                        "snapshot",
                        "files",
                        "rows",
                        "first row id",
                        "bytes",
                        "path"),
                Set.of("spec", "seq", "min seq", "snapshot", "first row id", "bytes"),
                rows);
        for (int i = 0; i < partitions.size(); i++) {
            out.println("partitions of manifest " + i + ": " + partitions.get(i));
        }
    }

    /** Bounds as bytes: a list does not say of what type they are. */
    private static String summary(FieldSummary summary) {
        return summary.lowerBound().map(Bytes::toString).orElse("none")
                + " to " + summary.upperBound().map(Bytes::toString).orElse("none")
                + (summary.containsNull() ? " or null" : "")
                + (summary.containsNan().orElse(false) ? " or NaN" : "");
    }

    private void printManifest(String location, long length) throws IOException {
        var bare = new ManifestFile(
                location,
                length,
                0,
                ManifestFile.Content.DATA,
                ManifestFile.UNASSIGNED,
                ManifestFile.UNASSIGNED,
                -1,
                new ManifestFile.Counts(UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN),
                Optional.empty(),
                Optional.empty(),
                UNKNOWN);
        try (var reader = ManifestReader.open(storage, bare, Selection.all())) {
            var header = reader.header();
            heading("Manifest of " + header.content(), location, length);
            out.println("format version " + header.formatVersion() + ", schema "
                    + header.schema().id() + ", spec " + header.spec().id() + " " + header.partitionType());
            Class<? extends ContentFile> kind =
                    header.content() == ManifestFile.Content.DATA ? DataFile.class : DeleteFile.class;
            reader.forEach(kind, entry -> {
                printEntry(entry, header.spec(), header.partitionType(), header.schema());
                return true;
            });
        }
    }

    private void printEntry(
            ManifestEntry<? extends ContentFile> entry, PartitionSpec spec, Type.Struct partitionType, Schema schema) {
        ContentFile file = entry.file();
        out.println();
        out.println(entry.status() + " " + file.getClass().getSimpleName() + " " + file.path());
        String partition = PartitionPath.of(spec, partitionType, file.partition());
        out.println("  snapshot " + known(entry.snapshotId()) + ", sequence number " + known(entry.sequenceNumber())
                + ", file sequence number " + known(entry.fileSequenceNumber())
                + (partition.isEmpty() ? "" : ", partition " + partition));
        out.println("  " + file.format() + ", " + file.recordCount() + " records, " + file.fileSizeBytes() + " bytes"
                + details(file));
        printMetrics(file, schema);
    }

    private static String details(ContentFile file) {
        if (file instanceof DataFile data) {
            return ", first row id " + text(data.firstRowId());
        }
        if (file instanceof DeleteFile.DeletionVector vector) {
            return ", vector at " + vector.contentOffset() + " of " + vector.contentSizeBytes() + " bytes for "
                    + vector.referencedDataFile();
        }
        if (file instanceof DeleteFile.EqualityDeletes equality) {
            return ", equality ids " + equality.equalityIds();
        }
        return ((DeleteFile) file).scopedTo().map(path -> ", for " + path).orElse(", for several data files");
    }

    private void printMetrics(ContentFile file, Schema schema) {
        var metrics = file.metrics();
        var rows = new ArrayList<List<String>>();
        var ids = new TreeSet<>(metrics.columnSizes().keySet());
        ids.addAll(metrics.valueCounts().keySet());
        ids.addAll(metrics.lowerBounds().keySet());
        ids.forEach(id -> rows.add(List.of(
                Integer.toString(id),
                schema.name(id).orElse("?"),
                text(metrics.columnSizes().get(id)),
                text(metrics.valueCounts().get(id)),
                text(metrics.nullValueCounts().get(id)),
                text(metrics.nanValueCounts().get(id)),
                bound(schema, id, metrics.lowerBounds().get(id)),
                bound(schema, id, metrics.upperBounds().get(id)))));
        if (!rows.isEmpty()) {
            table(
                    List.of("id", "column", "bytes", "values", "nulls", "NaNs", "lower", "upper"),
                    Set.of("id", "bytes", "values", "nulls", "NaNs"),
                    rows);
        }
    }

    private static String bound(Schema schema, int id, @Nullable Bytes bytes) {
        if (bytes == null) {
            return "";
        }
        var type = schema.field(id).map(Field::type).filter(Type::isPrimitive);
        String text = type.map(known -> Transforms.toHuman(Transform.IDENTITY, known, ValueCodec.decode(known, bytes)))
                .orElseGet(bytes::toString);
        return text.length() > VALUE_SHOWN ? text.substring(0, VALUE_SHOWN) + "…" : text;
    }

    private void heading(String what, String location, long length) {
        out.println(what + " " + location + ", " + length + " bytes");
    }

    private void table(List<String> header, Set<String> numeric, List<List<String>> rows) {
        new TextTable(header, header.stream().map(numeric::contains).toList(), rows)
                .lines()
                .forEach(line -> out.println("  " + line));
    }

    private static String text(OptionalLong number) {
        return number.isPresent() ? Long.toString(number.getAsLong()) : "?";
    }

    private static String text(@Nullable Long number) {
        return number == null ? "?" : number.toString();
    }

    /** Manifests leave to their list what is the same for all new entries; vectors to their manifest. */
    private static String known(long number) {
        return number == -1 ? "inherited" : Long.toString(number);
    }
}
