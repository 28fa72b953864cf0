package dev.calve.tools;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.apache.iceberg.AppendFiles;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.Metrics;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.SortOrder;
import org.apache.iceberg.hadoop.HadoopTables;
import org.apache.iceberg.types.Conversions;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;

/**
 * A table of many data files that exist in its metadata only, which is all that a commit looks at. Written by the peer:
 * format version 3, twelve columns with all counts and bounds. File {@code i} holds the ids from {@code i * 1000} on, in day
 * {@code i * 1000 / files}.
 *
 * @param base folder of the table as it was written; its manifests are what every copy begins with
 * @param partitioned whether by {@code day(ts)}, into 1,000 partitions
 */
record ManyFiles(Path base, int files, boolean partitioned) {

    static final int ROWS_PER_FILE = 1000;
    static final int DAYS = 1000;
    static final int ID = 1;
    static final int TS = 2;
    static final long MICROS_PER_DAY = 86_400_000_000L;

    /** 2024-01-01 in days. */
    static final int FIRST_DAY = 19_723;

    /**
     * The peer writes them as two manifests of nearly the size that manifests are meant to have. Of smaller ones its next
     * commit joins all there are, which would be measured each time though it happens once.
     */
    private static final int FILES_PER_COMMIT = 100_000;

    /** How hard the peer deflates manifests; Calve knows one level only, which is this one. */
    private static final String LEVEL = "write.manifest.compression-level";

    private static final String LEVEL_OF_CALVE = "1";

    static final Schema SCHEMA = new Schema(
            Types.NestedField.required(ID, "id", Types.LongType.get()),
            Types.NestedField.required(TS, "ts", Types.TimestampType.withoutZone()),
            Types.NestedField.optional(3, "customer", Types.LongType.get()),
            Types.NestedField.optional(4, "category", Types.StringType.get()),
            Types.NestedField.optional(5, "region", Types.StringType.get()),
            Types.NestedField.optional(6, "quantity", Types.IntegerType.get()),
            Types.NestedField.optional(7, "price", Types.DoubleType.get()),
            Types.NestedField.optional(8, "amount", Types.DecimalType.of(12, 2)),
            Types.NestedField.optional(9, "shipped", Types.DateType.get()),
            Types.NestedField.optional(10, "flag", Types.BooleanType.get()),
            Types.NestedField.optional(11, "comment", Types.StringType.get()),
            Types.NestedField.optional(12, "reference", Types.StringType.get()));

    /** Writes the table, unless it is there from before. */
    static ManyFiles at(Path base, int files, boolean partitioned) throws IOException {
        var table = new ManyFiles(base, files, partitioned);
        if (Files.exists(base.resolve("complete"))) {
            return table;
        }
        deleteFolder(base);
        var created = new HadoopTables(LocalFilesWithoutFork.configuration())
                .create(
                        SCHEMA,
                        table.spec(),
                        SortOrder.unsorted(),
                        Map.of("format-version", "3", LEVEL, LEVEL_OF_CALVE),
                        base.toString());
        for (int first = 0; first < files; first += FILES_PER_COMMIT) {
            AppendFiles append = created.newFastAppend();
            for (int i = first; i < Math.min(files, first + FILES_PER_COMMIT); i++) {
                append.appendFile(table.dataFile(i));
            }
            append.commit();
        }
        Files.createFile(base.resolve("complete"));
        return table;
    }

    PartitionSpec spec() {
        return partitioned ? PartitionSpec.builderFor(SCHEMA).day("ts").build() : PartitionSpec.unpartitioned();
    }

    /** The day of a file, counted from 1970. */
    int dayOf(int file) {
        return FIRST_DAY + (int) ((long) file * DAYS / files);
    }

    long lowestId(int file) {
        return (long) file * ROWS_PER_FILE;
    }

    /** A file as the peer describes it; those of the table come first, new ones may have any number after. */
    DataFile dataFile(int file) {
        var builder = DataFiles.builder(spec())
                .withPath(pathOf(file, "data", "parquet"))
                .withFormat(FileFormat.PARQUET)
                .withFileSizeInBytes(123_456 + file % 1000)
                .withSplitOffsets(List.of(4L))
                .withMetrics(metrics(file));
        if (partitioned) {
            builder.withPartitionValues(
                    List.of(LocalDate.ofEpochDay(dayOf(file)).toString()));
        }
        return builder.build();
    }

    /** A file's location, as long as a real one. */
    String pathOf(int file, String kind, String suffix) {
        String folder = partitioned ? "/ts_day=" + LocalDate.ofEpochDay(dayOf(file)) : "";
        return base + "/data" + folder + "/00000-" + file + "-"
                + new UUID(file * 0x9E3779B97F4A7C15L, file * 0xC2B2AE3D27D4EB4FL) + "-" + kind + "." + suffix;
    }

    private Metrics metrics(int file) {
        var sizes = new HashMap<Integer, Long>();
        var counts = new HashMap<Integer, Long>();
        var nulls = new HashMap<Integer, Long>();
        var lower = new HashMap<Integer, ByteBuffer>();
        var upper = new HashMap<Integer, ByteBuffer>();
        List<Object> least = bounds(file, 0);
        List<Object> greatest = bounds(file, ROWS_PER_FILE - 1);
        for (int i = 0; i < SCHEMA.columns().size(); i++) {
            Types.NestedField column = SCHEMA.columns().get(i);
            Type type = column.type();
            int id = column.fieldId();
            sizes.put(id, 3000L + (file * 31L + id * 17L) % 4000);
            counts.put(id, (long) ROWS_PER_FILE);
            nulls.put(id, column.isOptional() ? (file + id) % 7L : 0L);
            lower.put(id, Conversions.toByteBuffer(type, least.get(i)));
            upper.put(id, Conversions.toByteBuffer(type, greatest.get(i)));
        }
        return new Metrics((long) ROWS_PER_FILE, sizes, counts, nulls, Map.of(7, 0L), lower, upper);
    }

    /** The values of all columns at one end of the file's ranges. */
    private List<Object> bounds(int file, int row) {
        long midnight = dayOf(file) * MICROS_PER_DAY;
        var values = new ArrayList<Object>();
        values.add(lowestId(file) + row);
        values.add(midnight + row * 1_000_000L + file % 1000);
        values.add((file * 7919L) % 100_000 + row * 50L);
        values.add("category-" + (row == 0 ? "a" : "z") + file % 10);
        values.add(row == 0 ? "AFRICA" : "MIDDLE EAST");
        values.add(row == 0 ? 1 : 50);
        values.add(row == 0 ? 901.0 + file % 100 : 104_949.5 - file % 100);
        values.add(new BigDecimal(row == 0 ? "1.25" : (file % 90_000) + ".75").setScale(2));
        values.add(dayOf(file) + (row == 0 ? 1 : 121));
        values.add(row != 0);
        values.add((row == 0 ? "accord" : "zigzag") + Integer.toHexString(file * 0x9E3779B9));
        values.add("ref-" + new UUID(file * 31L + row, file));
        return values;
    }

    /**
     * Makes a folder the table as it was written: with its own place and first version, and the manifests of the base.
     *
     * @param equalCompression whether the peer is to deflate manifests as Calve does, not as it does by default
     */
    void restoreTo(Path folder, boolean equalCompression) throws IOException {
        deleteFolder(folder);
        Path metadata = Files.createDirectories(folder.resolve("metadata"));
        int newest = 1 + (files + FILES_PER_COMMIT - 1) / FILES_PER_COMMIT;
        String written = Files.readString(base.resolve("metadata/v" + newest + ".metadata.json"));
        String location = "\"location\":\"" + base + "\"";
        if (!written.contains(location)) {
            throw new IllegalStateException("The metadata must say " + location + ", but is " + written);
        }
        String moved = written.replace(location, "\"location\":\"" + folder + "\"");
        Files.writeString(
                metadata.resolve("v1.metadata.json"), equalCompression ? moved : moved.replace(LEVEL, "bench.level"));
        Files.writeString(metadata.resolve("version-hint.text"), "1");
    }

    static void deleteFolder(Path folder) throws IOException {
        if (!Files.exists(folder)) {
            return;
        }
        try (Stream<Path> all = Files.walk(folder)) {
            all.sorted(Comparator.reverseOrder()).forEach(ManyFiles::delete);
        }
    }

    private static void delete(Path file) {
        try {
            Files.delete(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
