package dev.calve.tools;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.apache.spark.sql.SparkSession;

/**
 * The tables that row-level statements are measured on, all written by the peer with its defaults, and the rows that go
 * into them. Each is made when first needed and kept in the folder, in every state that statements begin with.
 *
 * @param spark with both catalogs over the folder
 * @param rows of each table, by ascending id
 */
record RowLevelTables(SparkSession spark, Path folder, int rows) {

    private static final String DATABASE = "rowlevel";

    /** So many rows are written into one file. */
    private static final int ROWS_PER_FILE = 1_000_000;

    private static final String MODES =
            "'write.delete.mode' = '%1$s', 'write.update.mode' = '%1$s', 'write.merge.mode' = '%1$s'";

    private static final String MERGE_ON_READ = MODES.formatted("merge-on-read");

    /** One row in a hundred: a tenth of them deletes, four update, half is new. */
    private static final String CHANGES = """
            SELECT if(r < 5, id, id + %d) id, k, v + 1 v, price + 1 price, score, amount, category, city,
              concat('m', note) note, flag, ts, dt, if(r = 4, 'D', 'U') op
            FROM (SELECT *, (id DIV 100) %% 10 r FROM rows WHERE id %% 100 = 13)""";

    /** A table in the state that a statement begins with. */
    enum State {
        /** Version 3, merge-on-read. */
        VECTORS("v3"),
        /** The same after 1 % was deleted. */
        VECTORS_1("v3"),
        /** Version 2, merge-on-read. */
        POSITIONS("v2"),
        /** The same files, copy-on-write. */
        REWRITES("v2"),
        /** Version 3, merge-on-read, partitioned by the date. */
        DAYS("days"),
        /** Version 3, merge-on-read, by day, one file and many that exist in the metadata only. */
        MANY("many");

        private final String table;

        State(String table) {
            this.table = table;
        }
    }

    /** Registers the rows as the views {@code rows} and {@code changes}. Writes them if they are not there from before. */
    void prepareRows() throws IOException {
        Path all = folder.resolve("rows_" + rows);
        if (!Files.exists(all.resolve("_SUCCESS"))) {
            spark.sql(ScanTables.FLAT_ROWS.formatted(rows, files()))
                    .write()
                    .mode("overwrite")
                    .parquet(all.toString());
        }
        spark.read().parquet(all.toString()).createOrReplaceTempView("rows");
        Path changes = folder.resolve("changes_" + rows);
        if (!Files.exists(changes.resolve("_SUCCESS"))) {
            spark.sql(CHANGES.formatted(rows)).write().mode("overwrite").parquet(changes.toString());
        }
        spark.read().parquet(changes.toString()).createOrReplaceTempView("changes");
    }

    private int files() {
        return Math.max(2, rows / ROWS_PER_FILE);
    }

    /**
     * Puts a table into a state, whatever was done to it. Makes the state if it is not there from before.
     *
     * @param manyFiles how many files the table of many files has
     */
    void reset(State state, int manyFiles) throws IOException {
        FolderCopy copy = copy(state, manyFiles);
        Path complete = Path.of(copy.copy() + ".complete");
        if (!Files.exists(complete)) {
            make(state, manyFiles);
            copy.save();
            Files.createFile(complete);
        }
        copy.restore();
    }

    private FolderCopy copy(State state, int manyFiles) {
        return new FolderCopy(
                location(state, manyFiles),
                folder.resolve("states")
                        .resolve(table(state, manyFiles) + "_" + state.name().toLowerCase(Locale.ROOT)));
    }

    /** A table's name in a catalog. */
    String name(String catalog, State state, int manyFiles) {
        return catalog + "." + DATABASE + "." + table(state, manyFiles);
    }

    private Path location(State state, int manyFiles) {
        return folder.resolve(DATABASE).resolve(table(state, manyFiles));
    }

    private String table(State state, int manyFiles) {
        return state.table + "_" + (state == State.MANY ? manyFiles : rows);
    }

    private void make(State state, int manyFiles) throws IOException {
        String table = name(ToolSession.PEER, state, manyFiles);
        switch (state) {
            case VECTORS -> create(state, "3", "");
            case POSITIONS -> create(state, "2", "");
            case DAYS -> create(state, "3", "PARTITIONED BY (dt)");
            case VECTORS_1 -> {
                reset(State.VECTORS, manyFiles);
                spark.sql("DELETE FROM " + table + " WHERE id % 100 = 7");
            }
            case REWRITES -> {
                reset(State.POSITIONS, manyFiles);
                spark.sql("ALTER TABLE " + table + " SET TBLPROPERTIES (" + MODES.formatted("copy-on-write") + ")");
            }
            case MANY -> {
                ManyFiles.at(location(state, manyFiles), manyFiles, true);
                spark.sql("ALTER TABLE " + table + " SET TBLPROPERTIES (" + MERGE_ON_READ + ")");
                spark.sql("INSERT INTO " + table + " (id, ts) SELECT id - 10, TIMESTAMP_NTZ'2024-03-01 01:00:00'"
                        + " FROM range(0, 10, 1, 1)");
            }
        }
    }

    private void create(State state, String version, String partitioning) throws IOException {
        ManyFiles.deleteFolder(location(state, 0));
        spark.sql("CREATE NAMESPACE IF NOT EXISTS " + ToolSession.PEER + "." + DATABASE);
        spark.sql("CREATE TABLE " + name(ToolSession.PEER, state, 0) + " USING iceberg " + partitioning
                + " TBLPROPERTIES ('format-version' = '" + version + "', 'write.distribution-mode' = '"
                + (partitioning.isEmpty() ? "none" : "hash") + "', " + MERGE_ON_READ + ") AS SELECT * FROM rows");
    }
}
