package dev.calve.tools;

import java.util.Optional;

/** The statements that {@code dev/bench rowlevel} measures. */
enum RowLevelWork {
    DELETE_1(RowLevelTables.State.VECTORS, "DELETE FROM {t} WHERE id % 100 = 7"),
    DELETE_CATEGORY(RowLevelTables.State.VECTORS, "DELETE FROM {t} WHERE category = 'c7'"),
    DELETE_AGAIN(RowLevelTables.State.VECTORS_1, "DELETE FROM {t} WHERE id % 100 = 8"),
    DELETE_RANGE(RowLevelTables.State.VECTORS, "DELETE FROM {t} WHERE id >= {from} AND id < {to}"),
    DELETE_20(RowLevelTables.State.VECTORS, "DELETE FROM {t} WHERE id % 5 = 3"),
    DELETE_NOTHING(RowLevelTables.State.VECTORS, "DELETE FROM {t} WHERE category = 'c777'"),
    UPDATE_1(RowLevelTables.State.VECTORS, Text.UPDATE),
    MERGE_1(RowLevelTables.State.VECTORS, Text.MERGE),
    DELETE_20_V2(RowLevelTables.State.POSITIONS, "DELETE FROM {t} WHERE id % 5 = 3"),
    MERGE_1_V2(RowLevelTables.State.POSITIONS, Text.MERGE),
    DELETE_1_COW(RowLevelTables.State.REWRITES, "DELETE FROM {t} WHERE id % 100 = 7"),
    DELETE_RANGE_COW(RowLevelTables.State.REWRITES, "DELETE FROM {t} WHERE id >= {from} AND id < {to}"),
    UPDATE_1_COW(RowLevelTables.State.REWRITES, Text.UPDATE),
    MERGE_1_COW(RowLevelTables.State.REWRITES, Text.MERGE),
    APPEND(RowLevelTables.State.VECTORS, "INSERT INTO {t} SELECT * FROM rows WHERE id < {fifth}"),
    OVERWRITE_STATIC(
            RowLevelTables.State.DAYS,
            "INSERT OVERWRITE {t} PARTITION (dt = DATE'2023-12-09') SELECT " + Text.COLUMNS
                    + " FROM rows WHERE dt = DATE'2023-12-09'"),
    OVERWRITE_DYNAMIC(
            RowLevelTables.State.DAYS,
            "INSERT OVERWRITE {t} SELECT * FROM rows WHERE dt = DATE'2023-12-09'",
            "dynamic"),
    DELETE_ROW(RowLevelTables.State.MANY, "DELETE FROM {t} WHERE id = -5"),
    DELETE_PARTITION(RowLevelTables.State.MANY, "DELETE FROM {t}" + ScanTables.ONE_DAY);

    private static final class Text {
        static final String COLUMNS = "id, k, v, price, score, amount, category, city, note, flag, ts";
        static final String UPDATE = "UPDATE {t} SET price = price + 1, note = concat('u', note) WHERE id % 100 = 7";

        /** Half of the source is new, a tenth deletes. */
        static final String MERGE = """
                MERGE INTO {t} t USING changes s ON t.id = s.id
                WHEN MATCHED AND s.op = 'D' THEN DELETE
                WHEN MATCHED THEN UPDATE SET price = s.price, v = s.v, note = s.note
                WHEN NOT MATCHED THEN INSERT (%s, dt) VALUES (s.%s, s.dt)""".formatted(COLUMNS, COLUMNS.replace(", ", ", s."));
    }

    private final RowLevelTables.State table;
    private final String text;
    private final String overwriteMode;

    RowLevelWork(RowLevelTables.State table, String text) {
        this(table, text, "static");
    }

    RowLevelWork(RowLevelTables.State table, String text, String overwriteMode) {
        this.table = table;
        this.text = text;
        this.overwriteMode = overwriteMode;
    }

    RowLevelTables.State table() {
        return table;
    }

    /** What {@code spark.sql.sources.partitionOverwriteMode} is to be. */
    String overwriteMode() {
        return overwriteMode;
    }

    /**
     * The statement.
     *
     * @param name of the table
     * @param rows it has
     */
    String sql(String name, long rows) {
        return text.replace("{t}", name)
                .replace("{from}", Long.toString(rows * 41 / 100))
                .replace("{to}", Long.toString(rows * 46 / 100))
                .replace("{fifth}", Long.toString(rows / 5));
    }

    /**
     * What Calve's processor time, in parts of the peer's, must not exceed with {@code --quick}: well above what was measured
     * on a busy machine. Empty for what {@code --quick} leaves out.
     */
    Optional<Double> bound() {
        return switch (this) {
            case DELETE_1, DELETE_RANGE, DELETE_NOTHING -> Optional.of(1.0);
            case DELETE_20, UPDATE_1, MERGE_1, DELETE_1_COW, OVERWRITE_DYNAMIC, APPEND -> Optional.of(1.1);
            default -> Optional.empty();
        };
    }
}
