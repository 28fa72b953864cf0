package dev.calve.flink;

import dev.calve.flink.FedTable.Feed;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.SupportsNamespaces;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.flink.CatalogLoader;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;

/**
 * Writes tables with Flink and puts them into one archive: {@code warehouse/flink/TABLE/...} as Flink wrote it, and
 * {@code expected/TABLE/N.json}, the rows that the changelogs up to the table's Nth snapshot leave.
 *
 * <p>All locations in the tables begin with {@value #ROOT}, so that a reader chooses where the files are by choosing what
 * that file system is. Here it is a mount of Hadoop's view file system on a temporary folder.
 */
public final class WriteTables {

    private static final String ROOT = "s3a://flink-tables/warehouse";

    private static final Schema SCHEMA = new Schema(
            NestedField.required(1, "id", Types.IntegerType.get()),
            NestedField.optional(2, "p", Types.StringType.get()),
            NestedField.optional(3, "name", Types.StringType.get()),
            NestedField.optional(4, "amount", Types.DecimalType.of(9, 2)),
            NestedField.optional(5, "big", Types.DecimalType.of(38, 10)),
            NestedField.optional(6, "day", Types.DateType.get()),
            NestedField.optional(7, "at", Types.TimestampType.withoutZone()),
            NestedField.optional(8, "moment", Types.TimestampType.withZone()),
            NestedField.optional(9, "flag", Types.BooleanType.get()),
            NestedField.optional(10, "ratio", Types.DoubleType.get()),
            NestedField.optional(11, "weight", Types.FloatType.get()),
            NestedField.optional(12, "raw", Types.BinaryType.get()),
            NestedField.optional(13, "code", Types.FixedType.ofLength(3)),
            NestedField.optional(
                    14,
                    "point",
                    Types.StructType.of(
                            NestedField.optional(15, "a", Types.IntegerType.get()),
                            NestedField.optional(16, "t", Types.StringType.get()))),
            NestedField.optional(17, "tags", Types.ListType.ofOptional(18, Types.StringType.get())),
            NestedField.optional(
                    19, "counts", Types.MapType.ofOptional(20, 21, Types.StringType.get(), Types.LongType.get())));

    private final CatalogLoader catalog;
    private final Map<String, String> expected = new TreeMap<>();

    private WriteTables(CatalogLoader catalog) {
        this.catalog = catalog;
    }

    public static void main(String[] arguments) throws Exception {
        Path folder = Files.createTempDirectory("flink-tables");
        var hadoop = new Configuration();
        hadoop.set("fs.s3a.impl", "org.apache.hadoop.fs.viewfs.ViewFileSystemOverloadScheme");
        hadoop.set("fs.viewfs.overload.scheme.target.file.impl", "org.apache.hadoop.fs.RawLocalFileSystem");
        hadoop.set(
                "fs.viewfs.mounttable.flink-tables.link./warehouse",
                folder.toUri().toString());
        var writer = new WriteTables(CatalogLoader.hadoop("flink", hadoop, Map.of("warehouse", ROOT)));
        writer.write();
        zip(folder, writer.expected, Path.of(arguments[0]));
        System.exit(0); // Flink's threads outlive its jobs.
    }

    private static void zip(Path folder, Map<String, String> expected, Path target) throws IOException {
        List<Path> files;
        try (var found = Files.walk(folder)) {
            // Flink's catalog leaves version-hint.text; the checksums are Hadoop's own.
            files = found.filter(Files::isRegularFile)
                    .filter(file -> !file.getFileName().toString().endsWith(".crc"))
                    .sorted()
                    .toList();
        }
        try (var zip = new ZipOutputStream(Files.newOutputStream(target))) {
            for (Path file : files) {
                zip.putNextEntry(new ZipEntry("warehouse/" + folder.relativize(file)));
                Files.copy(file, zip);
            }
            for (var rows : expected.entrySet()) {
                zip.putNextEntry(new ZipEntry("expected/" + rows.getKey() + ".json"));
                zip.write(rows.getValue().getBytes(StandardCharsets.UTF_8));
            }
        }
        System.out.println(files.size() + " files with " + expected.size() + " snapshots in " + target);
    }

    private FedTable table(
            String name, int version, PartitionSpec spec, Feed feed, int parallelism, List<String> keys) {
        var identifier = TableIdentifier.of("flink", name);
        catalog.loadCatalog()
                .createTable(
                        identifier,
                        SCHEMA,
                        spec,
                        Map.of("format-version", Integer.toString(version), "write.parquet.compression-codec", "zstd"));
        return new FedTable(
                catalog, identifier, feed, parallelism, keys, (number, revision) -> row(keys, number, revision));
    }

    private void write() throws Exception {
        ((SupportsNamespaces) catalog.loadCatalog()).createNamespace(Namespace.of("flink"));
        PartitionSpec none = PartitionSpec.unpartitioned();
        PartitionSpec identity = PartitionSpec.builderFor(SCHEMA).identity("p").build();
        PartitionSpec bucket = PartitionSpec.builderFor(SCHEMA).bucket("id", 3).build();

        done("int_key", fourCommits(table("int_key", 2, none, Feed.UPSERT, 2, List.of("id"))));
        done(
                "mixed_key",
                fourCommits(table("mixed_key", 2, none, Feed.RETRACT, 1, List.of("name", "amount", "day", "at"))));
        done(
                "nullable_key",
                fourCommits(table("nullable_key", 2, none, Feed.UPSERT, 1, List.of("moment", "big", "raw", "flag"))));
        done("identity", fourCommits(table("identity", 2, identity, Feed.UPSERT, 1, List.of("id", "p"))));
        // Rows change their partition, so the old row's is not the new row's.
        done("moving", fourCommits(table("moving", 2, identity, Feed.RETRACT, 1, List.of("id"))));
        done("bucket", fourCommits(table("bucket", 2, bucket, Feed.UPSERT, 1, List.of("id"))));
        done("vectors", fourCommits(table("vectors", 3, bucket, Feed.UPSERT, 1, List.of("id"))));
        done(
                "vectors_mixed_key",
                fourCommits(table("vectors_mixed_key", 3, none, Feed.RETRACT, 2, List.of("name", "code"))));
        done("evolved", evolved(table("evolved", 2, identity, Feed.UPSERT, 1, List.of("id", "p", "name"))));
        done(
                "append",
                table("append", 3, bucket, Feed.APPEND, 1, List.of("id"))
                        .insert(0, 20)
                        .commit()
                        .insert(20, 40)
                        .commit());
        done(
                "append_v1",
                table("append_v1", 1, identity, Feed.APPEND, 1, List.of("id"))
                        .insert(0, 20)
                        .commit()
                        .insert(20, 40)
                        .commit());
    }

    private void done(String name, FedTable table) {
        List<String> snapshots = table.expected();
        for (int i = 0; i < snapshots.size(); i++) {
            expected.put(name + "/" + (i + 1), snapshots.get(i));
        }
    }

    private static FedTable fourCommits(FedTable table) throws Exception {
        return table.insert(0, 30)
                .commit()
                .churn(0, 40)
                .commit()
                .churn(10, 50)
                .commit()
                .churn(0, 50)
                .commit();
    }

    /** Keys outlive their columns' names and types, and a delete without partitions reaches all of them. */
    private static FedTable evolved(FedTable table) throws Exception {
        return table.insert(0, 30)
                .commit()
                .churn(0, 40)
                .commit()
                .evolve(changed -> changed.updateSchema()
                        .updateColumn("id", Types.LongType.get())
                        .renameColumn("name", "label")
                        .deleteColumn("ratio")
                        .addColumn("note", Types.StringType.get())
                        .moveFirst("name")
                        .commit())
                .rename("name", "label")
                .churn(0, 50)
                .commit()
                .evolve(changed -> changed.updateSpec().removeField("p").commit())
                .churn(0, 50)
                .commit();
    }

    /** Of keys only the number decides; they differ from one number to the next, and some have nulls. */
    private static Map<String, Object> row(List<String> keys, int number, int revision) {
        var row = new LinkedHashMap<String, Object>();
        for (NestedField column : SCHEMA.columns()) {
            int seed = keys.contains(column.name()) ? number : 29 * number + 2 * revision;
            row.put(column.name(), value(column.name(), number, seed));
        }
        row.put("id", number);
        row.put("note", "note " + revision);
        row.put("label", row.get("name"));
        return row;
    }

    private static Object value(String column, int number, int seed) {
        return switch (column) {
            case "id" -> number;
            case "p" -> seed % 4 == 3 ? null : "p" + seed % 4;
            case "name" -> seed % 9 == 4 ? null : "name " + seed % 17;
            case "amount" -> seed % 7 == 2 ? null : BigDecimal.valueOf(25L * seed - 300, 2);
            case "big" ->
                seed % 5 == 1 ? null : new BigDecimal("-12345678901234567890.0000000001").add(BigDecimal.valueOf(seed));
            case "day" -> seed % 11 == 3 ? null : LocalDate.of(1969, 12, 20).plusDays(seed % 23);
            case "at" ->
                seed % 6 == 5
                        ? null
                        : LocalDateTime.parse("1969-12-31T23:59:59.999999").plusSeconds(seed);
            case "moment" ->
                seed % 8 == 1
                        ? null
                        : Instant.parse("2024-02-29T23:59:59.123456Z").plusSeconds(3600L * seed);
            case "flag" -> seed % 3 == 0 ? null : seed % 2 == 0;
            case "ratio" -> seed % 10 == 0 ? Double.NaN : seed % 10 == 1 ? -0.0 : seed / 4.0;
            case "weight" -> seed % 10 == 2 ? null : seed / 8f;
            case "raw" -> seed % 5 == 2 ? null : new byte[] {(byte) seed, -1};
            case "code" -> seed % 4 == 2 ? null : new byte[] {1, (byte) (seed / 3), (byte) seed};
            case "point" -> seed % 5 == 0 ? null : Arrays.asList(seed % 3 == 0 ? null : seed, "t" + seed % 3);
            case "tags" -> seed % 6 == 0 ? null : Arrays.asList("a" + seed, seed % 2 == 0 ? null : "b");
            case "counts" -> seed % 6 == 1 ? null : Map.of("k" + seed % 3, (long) seed);
            default -> throw new IllegalArgumentException(column);
        };
    }
}
