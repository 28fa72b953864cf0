package dev.calve.tools;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.SparkSession;

/**
 * The tables that scans are measured on, all written by the peer: format version 3, zstd, as its defaults lay files out.
 * Each is made when first needed and kept in the folder.
 *
 * @param spark with both catalogs over the folder
 * @param rows of each flat table, by ascending id, in {@value #FILES} files
 * @param manyFiles files of the table of which only the metadata exists
 */
record ScanTables(SparkSession spark, Path folder, int rows, int manyFiles, Set<Name> views) {

    private static final int FILES = 2;
    private static final String DATABASE = "bench";

    /** A query that decodes every column. Sums of doubles are exact, whatever their order. */
    static final String ALL_COLUMNS = """
            SELECT count(*), sum(id), sum(k), sum(v), sum(price), sum(score), sum(amount), sum(octet_length(category)),
              sum(octet_length(city)), sum(octet_length(note)), sum(cast(flag AS INT)), sum(unix_micros(ts) % 1000),
              sum(day(dt))""";

    /** A query that decodes every leaf of the nested table. */
    static final String ALL_NESTED = """
            SELECT count(*), sum(id), sum(origin.lat), sum(origin.lon), sum(octet_length(origin.name)), sum(size(items)),
              sum(items[0].sku), sum(get(items, 1).price), sum(octet_length(items[0].label)), sum(size(attributes)),
              sum(octet_length(element_at(attributes, 'k2')))""";

    /** Of the table of many files, whose days begin with 2024. */
    static final String ONE_DAY =
            " WHERE ts >= TIMESTAMP_NTZ'2024-03-01 00:00:00'" + " AND ts < TIMESTAMP_NTZ'2024-03-02 00:00:00'";

    static final String FLAT_ROWS = """
            SELECT id, cast(pmod(xxhash64(id, 1), 50) AS INT) k, hash(id, 2) v, pmod(xxhash64(id, 3), 1000003) / 64.0D price,
              cast(pmod(xxhash64(id, 4), 100) AS DOUBLE) score,
              cast(pmod(xxhash64(id, 5), 1000000000) / 100.0D AS DECIMAL(12,2)) amount,
              concat('c', pmod(xxhash64(id, 6), 100)) category, concat('city-', pmod(xxhash64(id, 7), 2000)) city,
              concat(hex(xxhash64(id, 8)), hex(xxhash64(id, 9)), hex(xxhash64(id, 10))) note, mod(id, 3) = 0 flag,
              timestamp_micros(1702080000000000 + id * 172800) ts, date_add(DATE'2023-12-09', cast(id DIV 500000 AS INT)) dt
            FROM range(0, %d, 1, %d)""";

    private static final String NESTED_ROWS = """
            SELECT id,
              named_struct('name', concat('place-', pmod(xxhash64(id, 1), 5000)), 'lat', mod(id, 181) - 90.5D, 'lon',
                mod(id, 361) - 180.5D) origin,
              transform(sequence(1, cast(1 + pmod(xxhash64(id, 2), 4) AS INT)), i -> named_struct('sku',
                cast(pmod(xxhash64(id, i), 10000) AS INT), 'price', pmod(xxhash64(id, i, 3), 100000) / 64.0D, 'label',
                concat('item-', hex(xxhash64(id, i, 4))))) items,
              map('k1', concat('v', mod(id, 10)), 'k2', hex(xxhash64(id, 5)), concat('k', 3 + mod(id, 5)), 'x') attributes
            FROM range(0, %d, 1, %d)""";

    /** The tables. */
    enum Name {
        FLAT,
        VECTORS_1,
        VECTORS_20,
        NESTED,
        MANY;

        private String table() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    ScanTables(SparkSession spark, Path folder, int rows, int manyFiles) {
        this(spark, folder, rows, manyFiles, new HashSet<>());
    }

    /** Makes sure that a side can read a table. */
    void prepare(Name name, ScanBench.Side side) throws IOException {
        create(name);
        if (side == ScanBench.Side.PARQUET && views.add(name)) {
            String[] paths = spark.sql("SELECT file_path FROM " + of(name, ScanBench.Side.PEER) + ".data_files")
                    .as(Encoders.STRING())
                    .collectAsList()
                    .toArray(String[]::new);
            spark.read().parquet(paths).createOrReplaceTempView(of(name, side));
        }
    }

    /** A table's name in SQL. */
    String of(Name name, ScanBench.Side side) {
        return switch (side) {
            case CALVE -> ToolSession.LAKE + "." + DATABASE + "." + table(name);
            case PEER -> ToolSession.PEER + "." + DATABASE + "." + table(name);
            case PARQUET -> "files_of_" + table(name);
        };
    }

    /** Tables of other sizes have other names, and may lie beside these. */
    private String table(Name name) {
        return name.table() + "_" + (name == Name.MANY ? manyFiles : rows);
    }

    /** Rows next to each other, of which one in a hundred is wanted. */
    String fivePercent() {
        return " WHERE id >= %d AND id < %d AND category = 'c7'"
                .formatted((long) rows * 41 / 100, (long) rows * 46 / 100);
    }

    private void create(Name name) throws IOException {
        Path complete = folder.resolve(table(name) + ".complete");
        if (Files.exists(complete)) {
            return;
        }
        Path location = folder.resolve(DATABASE).resolve(table(name));
        ManyFiles.deleteFolder(location);
        if (name == Name.MANY) {
            ManyFiles.at(location, manyFiles, true);
        } else {
            write(name);
            deleteChecksums(location);
        }
        Files.createFile(complete);
    }

    /** Hadoop keeps them for local files only, and compares what it reads with them, which would be measured, too. */
    private static void deleteChecksums(Path location) throws IOException {
        List<Path> checksums;
        try (Stream<Path> all = Files.walk(location)) {
            checksums = all.filter(path -> path.toString().endsWith(".crc")).toList();
        }
        for (Path checksum : checksums) {
            Files.delete(checksum);
        }
    }

    private void write(Name name) {
        String table = of(name, ScanBench.Side.PEER);
        spark.sql("CREATE NAMESPACE IF NOT EXISTS " + ToolSession.PEER + "." + DATABASE);
        String rowsOf = name == Name.NESTED ? NESTED_ROWS.formatted(rows / 4, FILES) : FLAT_ROWS.formatted(rows, FILES);
        spark.sql("CREATE TABLE " + table + " USING iceberg TBLPROPERTIES ('format-version' = '3',"
                + " 'write.distribution-mode' = 'none', 'write.delete.mode' = 'merge-on-read') AS " + rowsOf);
        switch (name) {
            case VECTORS_1 -> spark.sql("DELETE FROM " + table + " WHERE id % 100 = 7");
            case VECTORS_20 -> spark.sql("DELETE FROM " + table + " WHERE id % 5 = 3");
            case FLAT, NESTED, MANY -> {}
        }
    }
}
