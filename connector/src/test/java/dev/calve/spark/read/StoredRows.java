package dev.calve.spark.read;

import static dev.calve.spark.read.ParquetFixture.field;
import static dev.calve.spark.read.ParquetFixture.struct;

import dev.calve.Randomly;
import dev.calve.expression.Samples;
import dev.calve.schema.Bytes;
import dev.calve.schema.Field;
import dev.calve.schema.Type;
import dev.calve.schema.Values;
import dev.calve.spark.convert.SparkTypes;
import dev.calve.spark.convert.SparkValues;
import dev.calve.spark.read.ParquetFixture.MemoryFile;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.UUID;
import org.apache.parquet.column.ParquetProperties.WriterVersion;
import org.apache.parquet.example.data.Group;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.apache.parquet.io.api.Binary;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/**
 * Random rows of the sample schema in a random Parquet file: types as they were before a promotion, columns in a struct,
 * columns missing, any size of pages and row groups, with and without dictionaries, bloom filters and field ids. Beside them
 * each row has its number, a text and a list, to notice rows that moved against each other.
 */
final class StoredRows {

    static final int NUMBER = 50;
    static final int TEXT = 51;
    static final int LIST = 52;

    private static final long MICROS_PER_DAY = 86_400_000_000L;
    private static final int NESTED = 60;

    final List<Map<Integer, Object>> rows;
    final MemoryFile file;

    /** The same rows, with floating-point columns encoded as Spark's vectorized reader refuses them. */
    final MemoryFile byteStreamSplit;

    private final boolean hasIds;
    private final Map<String, Integer> ids = new HashMap<>();

    private final Randomly random;
    private final WriterVersion version;
    private final Map<Integer, String> stored = new HashMap<>();

    /** Values of columns that the file lacks; of others it lacks rows are null. */
    private final Map<Integer, Object> defaults = new HashMap<>();

    private final int firstOfStruct;

    StoredRows(Randomly random, WriterVersion version) throws IOException {
        this.random = random;
        this.version = version;
        this.hasIds = random.percent(85);
        this.firstOfStruct = random.oneOf(3, 8, 100);
        this.rows = new ArrayList<>();
        int target = random.intBetween(1, 90);
        while (rows.size() < target) {
            rows.addAll(new Samples(random).rows(60));
        }
        for (Field field : Samples.SCHEMA.fields()) {
            if (field.required() || !random.percent(12)) {
                stored.put(field.id(), storedAs(field.id()));
            } else if (random.yes()) {
                defaults.put(field.id(), new Samples(random).value(field.type()));
            }
        }
        rows.forEach(this::fit);
        if (random.yes()) {
            sortBy(random.oneOf(Samples.SCHEMA.fields()));
        }
        String schema = schema();
        this.file = fixture(schema).dictionary(random.yes()).write(rows.size(), this::fill);
        this.byteStreamSplit = fixture(schema).byteStreamSplit().write(rows.size(), this::fill);
    }

    /** What reads the file's number, text and list of each row. */
    FileRead.Builder read() {
        return read(file);
    }

    /** The same of one of the two files. */
    FileRead.Builder read(MemoryFile either) {
        FileRead.Builder read = FileRead.of(either, columns());
        defaults.forEach((id, value) -> read.absentValue(
                id, SparkValues.toSpark(Samples.SCHEMA.field(id).orElseThrow().type(), value)));
        return hasIds
                ? read
                : read.fieldNames(path -> {
                    Integer id = ids.get(path.get(path.size() - 1));
                    return id == null ? OptionalInt.empty() : OptionalInt.of(id);
                });
    }

    /** Every column that Spark has a type for. */
    private StructType columns() {
        var top = new ArrayList<StructField>(List.of(
                field(2147483645, "_pos", DataTypes.LongType, false),
                field(NUMBER, "number", DataTypes.LongType, false),
                field(TEXT, "text", DataTypes.StringType),
                field(LIST, "list", DataTypes.createArrayType(DataTypes.IntegerType))));
        var inner = new ArrayList<StructField>();
        for (Field field : Samples.SCHEMA.fields()) {
            if (field.id() != 8 && field.id() != 13) {
                (isInStruct(field) ? inner : top)
                        .add(field(field.id(), field.name(), sparkType(field), !field.required()));
            }
        }
        if (!inner.isEmpty()) {
            top.add(field(NESTED, "nested", struct(inner.toArray(StructField[]::new))));
        }
        return struct(top.toArray(StructField[]::new));
    }

    private static DataType sparkType(Field field) {
        return field.type() == Type.Simple.TIMESTAMP
                ? DataTypes.TimestampNTZType
                : SparkTypes.toSpark(field.type(), field.name());
    }

    /** What {@link #read} must return for a row, in its first columns. */
    static List<Object> expected(long row) {
        var list = new ArrayList<Object>();
        for (int i = 0; i < row % 4; i++) {
            list.add((int) row + i);
        }
        var values = new ArrayList<Object>();
        values.add(row);
        values.add(row);
        values.add(row % 7 == 0 ? null : "row " + row);
        values.add(row % 5 == 0 ? null : list);
        return values;
    }

    private String storedAs(int id) {
        return switch (id) {
            case 1, 14 -> "int32 %s";
            case 2 -> random.oneOf("int64 %s", "int32 %s");
            case 3 -> "float %s";
            case 4 -> random.oneOf("double %s", "float %s");
            case 5 -> random.oneOf("binary %s (STRING)", "binary %s");
            case 6 -> "int32 %s (DATE)";
            case 7 -> random.oneOf("int64 %s (TIMESTAMP(MICROS,false))", "int32 %s (DATE)");
            case 8 -> "int64 %s (TIMESTAMP(NANOS,true))";
            case 9 ->
                random.oneOf(
                        "int32 %s (DECIMAL(4,2))",
                        "int64 %s (DECIMAL(4,2))",
                        "fixed_len_byte_array(2) %s (DECIMAL(4,2))",
                        "fixed_len_byte_array(5) %s (DECIMAL(4,2))",
                        "binary %s (DECIMAL(4,2))");
            case 10 -> "binary %s";
            case 11 -> "boolean %s";
            case 12 -> "fixed_len_byte_array(16) %s (UUID)";
            case 13 -> "int64 %s (TIME(MICROS,false))";
            default -> throw new IllegalArgumentException("field " + id);
        };
    }

    /** Makes a row one that the file can hold: numbers as small as they were before the promotion. */
    private void fit(Map<Integer, Object> row) {
        row.keySet().retainAll(stored.keySet());
        boolean hasStruct =
                Samples.SCHEMA.fields().stream().anyMatch(field -> isInStruct(field) && row.containsKey(field.id()));
        defaults.forEach((id, value) -> {
            if (hasStruct || !isInStruct(Samples.SCHEMA.field(id).orElseThrow())) {
                row.put(id, value);
            }
        });
        if ("int32 %s".equals(stored.get(2))) {
            row.computeIfPresent(2, (id, value) -> (long) ((Long) value).intValue());
        }
        if ("int32 %s (DATE)".equals(stored.get(7))) {
            row.computeIfPresent(7, (id, value) -> Math.floorDiv((Long) value, MICROS_PER_DAY) * MICROS_PER_DAY);
        }
        if ("float %s".equals(stored.get(4))) {
            row.computeIfPresent(4, (id, value) -> (double) ((Double) value).floatValue());
        }
    }

    private void sortBy(Field field) {
        Comparator<Object> order = Values.comparator(field.type());
        rows.sort(Comparator.comparing(row -> row.get(field.id()), Comparator.nullsFirst(order)));
    }

    private boolean isInStruct(Field field) {
        return field.id() >= firstOfStruct && !field.required();
    }

    /** Whether the files have a floating-point column. */
    boolean hasFloats() {
        return stored.containsKey(3) || stored.containsKey(4);
    }

    private String schema() {
        var top = new StringBuilder();
        var inner = new StringBuilder();
        add(top, "required int64 %s", "number", NUMBER);
        for (Field field : Samples.SCHEMA.fields()) {
            String type = stored.get(field.id());
            if (type != null) {
                add(
                        isInStruct(field) ? inner : top,
                        (field.required() ? "required " : "optional ") + type,
                        field.name(),
                        field.id());
            }
        }
        add(top, "optional binary %s (STRING)", "text", TEXT);
        if (inner.length() > 0) {
            ids.put("nested", NESTED);
            top.append("optional group nested ")
                    .append(hasIds ? "= " + NESTED + " " : "")
                    .append("{ ")
                    .append(inner)
                    .append("} ");
        }
        top.append("optional group list (LIST)").append(hasIds ? " = 52" : "");
        top.append(" { repeated group list { optional int32 element")
                .append(hasIds ? " = 53" : "")
                .append("; } } ");
        ids.put("list", LIST);
        ids.put("element", 53);
        return top.toString();
    }

    private ParquetFixture fixture(String schema) {
        var fixture = ParquetFixture.schema(schema)
                .rowsPerGroup(random.intBetween(1, 80))
                .pageRows(random.oneOf(1, 2, 3, 5, 10, 20_000))
                .cutBounds(random.oneOf(1, 2, 64))
                .version(version)
                .codec(random.oneOf(CompressionCodecName.UNCOMPRESSED, CompressionCodecName.SNAPPY));
        return random.yes() ? fixture.bloomFilters() : fixture;
    }

    private void add(StringBuilder fields, String declaration, String name, int id) {
        ids.put(name, id);
        fields.append(declaration.formatted(name))
                .append(hasIds ? " = " + id : "")
                .append("; ");
    }

    private void fill(Group group, int number) {
        group.append("number", (long) number);
        List<Object> expected = expected(number);
        if (expected.get(2) != null) {
            group.append("text", (String) expected.get(2));
        }
        if (expected.get(3) instanceof List<?> list) {
            Group target = group.addGroup("list");
            list.forEach(element -> target.addGroup("list").append("element", (Integer) element));
        }
        Map<Integer, Object> row = rows.get(number);
        Group nested = null;
        for (Field field : Samples.SCHEMA.fields()) {
            Object value = row.get(field.id());
            if (value == null || !stored.containsKey(field.id())) {
                continue;
            }
            Group target = group;
            if (isInStruct(field)) {
                nested = nested == null ? group.addGroup("nested") : nested;
                target = nested;
            }
            put(target, field, value);
        }
    }

    private void put(Group group, Field field, Object value) {
        String name = field.name();
        String type = stored.getOrDefault(field.id(), "");
        switch (field.id()) {
            case 2 -> {
                if (type.startsWith("int32")) {
                    group.append(name, ((Long) value).intValue());
                } else {
                    group.append(name, (long) value);
                }
            }
            case 4 -> {
                if (type.startsWith("float")) {
                    group.append(name, ((Double) value).floatValue());
                } else {
                    group.append(name, (double) value);
                }
            }
            case 7 -> {
                if (type.startsWith("int32")) {
                    group.append(name, (int) Math.floorDiv((Long) value, MICROS_PER_DAY));
                } else {
                    group.append(name, (long) value);
                }
            }
            case 9 -> putDecimal(group, name, type, (BigDecimal) value);
            case 10 -> group.append(name, Binary.fromConstantByteArray(((Bytes) value).toArray()));
            case 12 -> {
                var uuid = (UUID) value;
                group.append(
                        name,
                        Binary.fromConstantByteArray(ByteBuffer.allocate(16)
                                .putLong(uuid.getMostSignificantBits())
                                .putLong(uuid.getLeastSignificantBits())
                                .array()));
            }
            default -> putSame(group, name, value);
        }
    }

    private static void putSame(Group group, String name, Object value) {
        if (value instanceof Integer number) {
            group.append(name, number);
        } else if (value instanceof Long number) {
            group.append(name, number);
        } else if (value instanceof Float number) {
            group.append(name, number);
        } else if (value instanceof Boolean truth) {
            group.append(name, truth);
        } else {
            group.append(name, (String) value);
        }
    }

    private static void putDecimal(Group group, String name, String type, BigDecimal value) {
        byte[] bytes = value.unscaledValue().toByteArray();
        if (type.startsWith("int32")) {
            group.append(name, value.unscaledValue().intValueExact());
        } else if (type.startsWith("int64")) {
            group.append(name, value.unscaledValue().longValueExact());
        } else {
            int length = type.startsWith("binary") ? bytes.length : type.contains("(5)") ? 5 : 2;
            var padded = new byte[length];
            Arrays.fill(padded, (byte) (bytes[0] < 0 ? -1 : 0));
            System.arraycopy(bytes, 0, padded, length - bytes.length, bytes.length);
            group.append(name, Binary.fromConstantByteArray(padded));
        }
    }
}
