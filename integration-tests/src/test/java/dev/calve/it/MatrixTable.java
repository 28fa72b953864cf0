package dev.calve.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.calve.it.PeerTables.Engine;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.PartitionKey;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.RowDelta;
import org.apache.iceberg.Schema;
import org.apache.iceberg.StructLike;
import org.apache.iceberg.Table;
import org.apache.iceberg.data.GenericFileWriterFactory;
import org.apache.iceberg.data.GenericRecord;
import org.apache.iceberg.data.IcebergGenerics;
import org.apache.iceberg.data.InternalRecordWrapper;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.deletes.BaseDVFileWriter;
import org.apache.iceberg.deletes.PositionDelete;
import org.apache.iceberg.encryption.EncryptedOutputFile;
import org.apache.iceberg.expressions.Expression;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.OutputFileFactory;
import org.apache.iceberg.types.Types;
import org.apache.spark.sql.Row;

/** A table that the peer's Java library writes, row by row, and reads as the oracle. */
final class MatrixTable {

    private static final int ROWS_A_STEP = 6;

    /** How the rows a step deletes are recorded. */
    enum Kind {
        NONE,
        POSITIONS,
        VECTORS,
        KEYS,
        /** Keys in every second step, else positions or vectors. */
        MIXED
    }

    /** How a table is partitioned at first. */
    enum Shape {
        PLAIN,
        IDENTITY,
        BUCKET,
        TRUNCATE,
        YEAR,
        MONTH,
        DAY,
        HOUR;

        private PartitionSpec spec(Schema schema) {
            var builder = PartitionSpec.builderFor(schema);
            return switch (this) {
                case PLAIN -> builder.build();
                case IDENTITY -> builder.identity("s").build();
                case BUCKET -> builder.bucket("id", 3).build();
                case TRUNCATE -> builder.truncate("s", 1).build();
                case YEAR -> builder.year("ts").build();
                case MONTH -> builder.month("d").build();
                case DAY -> builder.day("tz").build();
                case HOUR -> builder.hour("ts").build();
            };
        }
    }

    /** A written file with its rows. */
    private record Written(DataFile file, PartitionSpec spec, List<Record> rows) {}

    private final PeerTables tables;
    private final String name;
    private final Kind kind;
    private final List<Written> files = new ArrayList<>();
    private final Set<String> settled = new HashSet<>();
    private long nextId;
    private int deletions;

    private MatrixTable(PeerTables tables, String name, Kind kind) {
        this.tables = tables;
        this.name = name;
        this.kind = kind;
    }

    static MatrixTable create(PeerTables tables, int version, Shape shape, Kind kind) {
        String name = "v%d_%s_%s".formatted(version, shape, kind).toLowerCase(java.util.Locale.ROOT);
        Schema schema = MatrixValues.SCHEMA;
        tables.peerCatalog()
                .createTable(
                        tables.identifier(name),
                        schema,
                        shape.spec(schema),
                        Map.of("format-version", Integer.toString(version)));
        return new MatrixTable(tables, name, kind);
    }

    Table table() {
        return tables.table(name);
    }

    /** Appends rows, a file for each partition they fall into. */
    void write() throws IOException {
        Table table = table();
        Schema schema = table.schema();
        var rows = new LinkedHashMap<PartitionKey, List<Record>>();
        for (int i = 0; i < ROWS_A_STEP; i++) {
            Record row = MatrixValues.row(schema.asStruct(), nextId++);
            var key = new PartitionKey(table.spec(), schema);
            key.partition(new InternalRecordWrapper(schema.asStruct()).wrap(row));
            rows.computeIfAbsent(key, none -> new ArrayList<>()).add(row);
        }
        var append = table.newAppend();
        for (var entry : rows.entrySet()) {
            var writer =
                    factory(table).build().newDataWriter(output(table, entry.getKey()), table.spec(), entry.getKey());
            try (writer) {
                entry.getValue().forEach(writer::write);
            }
            append.appendFile(writer.toDataFile());
            files.add(new Written(writer.toDataFile(), table.spec(), entry.getValue()));
        }
        append.commit();
    }

    private static GenericFileWriterFactory.Builder factory(Table table) {
        return new GenericFileWriterFactory.Builder(table)
                .dataSchema(table.schema())
                .dataFileFormat(FileFormat.PARQUET)
                .deleteFileFormat(FileFormat.PARQUET);
    }

    private static EncryptedOutputFile output(Table table, StructLike partition) {
        return output(table).newOutputFile(table.spec(), partition);
    }

    private static OutputFileFactory output(Table table) {
        return OutputFileFactory.builderFor(table, 1, 1)
                .format(FileFormat.PARQUET)
                .operationId(UUID.randomUUID().toString())
                .build();
    }

    /** Deletes a row of the file written last and one of an older file, which may be of another schema and spec. */
    void delete() throws IOException {
        if (kind == Kind.NONE) {
            return;
        }
        int number = deletions++;
        List<Written> hit = new ArrayList<>(List.of(files.get(files.size() - 1)));
        files.stream()
                .filter(file -> !settled.contains(file.file().location()))
                .findFirst()
                .filter(file -> !file.equals(hit.get(0)))
                .ifPresent(hit::add);
        Table table = table();
        RowDelta delta = table.newRowDelta();
        if (kind == Kind.KEYS || (kind == Kind.MIXED && number % 2 == 0)) {
            for (Written file : hit) {
                delta.addDeletes(keys(table, file, number));
            }
        } else {
            hit.forEach(file -> settled.add(file.file().location()));
            boolean vectors =
                    ((HasTableOperations) table).operations().current().formatVersion() == 3;
            for (DeleteFile deletes : vectors ? vectors(table, hit) : positions(table, hit, number)) {
                delta.addDeletes(deletes);
            }
        }
        delta.commit();
    }

    private static List<DeleteFile> vectors(Table table, List<Written> hit) throws IOException {
        var writer = new BaseDVFileWriter(
                OutputFileFactory.builderFor(table, 1, 2)
                        .format(FileFormat.PUFFIN)
                        .build(),
                path -> null);
        try (writer) {
            for (Written file : hit) {
                writer.delete(
                        file.file().location(),
                        file.rows().size() - 1L,
                        file.spec(),
                        file.file().partition());
            }
        }
        return writer.result().deleteFiles();
    }

    /** A delete file a data file; now and then one that says of no data file that it is its own. */
    private static List<DeleteFile> positions(Table table, List<Written> hit, int number) throws IOException {
        var result = new ArrayList<DeleteFile>();
        for (Written file : hit) {
            var writer = factory(table)
                    .build()
                    .newPositionDeleteWriter(
                            output(table).newOutputFile(file.spec(), file.file().partition()),
                            file.spec(),
                            file.file().partition());
            try (writer) {
                var position = PositionDelete.<Record>create();
                if (number % 2 == 1) {
                    // The file's bounds then tell no single data file.
                    writer.write(position.set(file.file().location().replace("/data/", "/data/!"), 0));
                }
                writer.write(position.set(file.file().location(), file.rows().size() - 1L));
            }
            result.add(writer.toDeleteFile());
        }
        return result;
    }

    private static DeleteFile keys(Table table, Written file, int number) throws IOException {
        Record row = file.rows().get(0);
        List<Types.NestedField> keys = MatrixValues.keys(table.schema(), row, number);
        var schema = new Schema(keys);
        int[] ids = keys.stream().mapToInt(Types.NestedField::fieldId).toArray();
        var writer = factory(table)
                .equalityFieldIds(ids)
                .equalityDeleteRowSchema(schema)
                .build()
                .newEqualityDeleteWriter(
                        output(table).newOutputFile(file.spec(), file.file().partition()),
                        file.spec(),
                        file.file().partition());
        try (writer) {
            Record key = GenericRecord.create(schema);
            for (Types.NestedField field : keys) {
                key.setField(field.name(), MatrixValues.valueNow(field, row));
            }
            writer.write(key);
        }
        return writer.toDeleteFile();
    }

    /** A condition in SQL and as the peer has it, whose comparisons are true for null. */
    private record Condition(String sql, Expression expression) {}

    private Condition condition(Schema schema, int number) {
        String i = schema.findColumnName(MatrixValues.I);
        return switch (number % 8) {
            case 0 -> new Condition("id >= 4", Expressions.greaterThanOrEqual("id", 4L));
            case 1 -> new Condition("s IN ('s1', 's3', 'other')", Expressions.in("s", "s1", "s3", "other"));
            case 2 -> new Condition("s IS NULL", Expressions.isNull("s"));
            case 3 -> new Condition("`" + i + "` > 2", Expressions.greaterThan(i, 2));
            case 4 ->
                new Condition(
                        "d < DATE'2022-06-01'",
                        Expressions.and(Expressions.notNull("d"), Expressions.lessThan("d", "2022-06-01")));
            case 5 ->
                new Condition(
                        "NOT (s = 's1')", Expressions.and(Expressions.notNull("s"), Expressions.notEqual("s", "s1")));
            case 6 -> new Condition("isnan(f)", Expressions.isNaN("f"));
            default ->
                new Condition(
                        "ts >= TIMESTAMP_NTZ'2022-01-01 00:00:00' AND added IS NULL",
                        Expressions.and(
                                Expressions.greaterThanOrEqual("ts", "2022-01-01T00:00:00"),
                                Expressions.isNull("added")));
        };
    }

    /**
     * Compares all rows, and those of a condition, as sorted text.
     *
     * @return how many comparisons that was
     */
    int assertReadAsByPeer(String step, int number) throws IOException {
        Table table = table();
        Condition condition = condition(table.schema(), number);
        String ours = tables.in(Engine.CALVE, name);
        List<Row> read = tables.spark
                .sql("SELECT true AS whole, * FROM " + ours + " UNION ALL SELECT false, * FROM " + ours + " WHERE "
                        + condition.sql())
                .collectAsList();
        String what = "%s after '%s'".formatted(name, step);
        assertThat(MatrixValues.text(read, true)).as(what).isEqualTo(theirs(table, Expressions.alwaysTrue()));
        assertThat(MatrixValues.text(read, false))
                .as("%s where %s", what, condition.sql())
                .isEqualTo(theirs(table, condition.expression()));
        return 2;
    }

    private static List<String> theirs(Table table, Expression condition) throws IOException {
        try (CloseableIterable<Record> records =
                IcebergGenerics.read(table).where(condition).build()) {
            var rows = new ArrayList<String>();
            records.forEach(record -> rows.add(MatrixValues.text(record, table.schema())));
            return rows.stream().sorted().toList();
        }
    }
}
