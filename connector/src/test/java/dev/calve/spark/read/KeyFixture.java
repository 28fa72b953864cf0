package dev.calve.spark.read;

import dev.calve.Randomly;
import dev.calve.expression.Expression;
import dev.calve.expression.Metrics;
import dev.calve.io.MemoryStorage;
import dev.calve.manifest.ContentFile;
import dev.calve.manifest.DataFile;
import dev.calve.manifest.DeleteFile;
import dev.calve.manifest.FileFormat;
import dev.calve.manifest.ManifestEntry;
import dev.calve.metadata.MetadataUpdate;
import dev.calve.metadata.MetadataUpdates;
import dev.calve.metadata.TableMetadata;
import dev.calve.partition.PartitionField;
import dev.calve.partition.PartitionSpec;
import dev.calve.partition.PartitionTuple;
import dev.calve.partition.SortOrder;
import dev.calve.partition.Transform;
import dev.calve.scan.FileTask;
import dev.calve.schema.Field;
import dev.calve.schema.Schema;
import dev.calve.schema.Type;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.apache.parquet.example.data.Group;
import org.apache.parquet.io.api.Binary;
import org.jspecify.annotations.Nullable;

/**
 * A table of every type a key can be made of, some promoted since and one dropped, with data and equality-delete files in
 * memory. Rows are maps from field id to value; what is missing is null. Field 13 stands in no file: its values are those of the
 * identity partition.
 */
final class KeyFixture {

    static final int ID = 1;
    static final int POINT = 11;
    static final int GONE = 12;
    static final int PART = 13;
    static final int POINT_A = 14;
    static final int POINT_S = 15;
    static final List<Integer> STORED = List.of(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, GONE, POINT_A, POINT_S);
    static final int UNPARTITIONED = 1;

    private static final Schema OLD = new Schema(
            0,
            List.of(
                    Field.optional(ID, "id", Type.Simple.INT),
                    Field.optional(2, "name", Type.Simple.STRING),
                    Field.optional(3, "amount", new Type.Decimal(9, 2)),
                    Field.optional(4, "u", Type.Simple.UUID),
                    Field.optional(5, "b", Type.Simple.BINARY),
                    Field.optional(6, "f", new Type.Fixed(3)),
                    Field.optional(7, "d", Type.Simple.DATE),
                    Field.optional(8, "ts", Type.Simple.TIMESTAMPTZ),
                    Field.optional(9, "flag", Type.Simple.BOOLEAN),
                    Field.optional(10, "x", Type.Simple.FLOAT),
                    Field.optional(
                            POINT,
                            "point",
                            new Type.Struct(List.of(
                                    Field.optional(POINT_A, "a", Type.Simple.INT),
                                    Field.optional(POINT_S, "s", Type.Simple.STRING)))),
                    Field.optional(GONE, "gone", Type.Simple.INT),
                    Field.optional(PART, "part", Type.Simple.STRING)));

    /** Promoted, renamed, and without field 14. */
    private static final Schema NEW = new Schema(
            1,
            List.of(
                    Field.optional(
                            POINT,
                            "place",
                            new Type.Struct(List.of(
                                    Field.optional(POINT_S, "text", Type.Simple.STRING),
                                    Field.optional(POINT_A, "a", Type.Simple.LONG)))),
                    Field.optional(ID, "key", Type.Simple.LONG),
                    Field.optional(2, "name", Type.Simple.STRING),
                    Field.optional(3, "amount", new Type.Decimal(20, 2)),
                    Field.optional(4, "u", Type.Simple.UUID),
                    Field.optional(5, "b", Type.Simple.BINARY),
                    Field.optional(6, "f", new Type.Fixed(3)),
                    Field.optional(7, "d", Type.Simple.DATE),
                    Field.optional(8, "ts", Type.Simple.TIMESTAMPTZ),
                    Field.optional(9, "flag", Type.Simple.BOOLEAN),
                    Field.optional(10, "x", Type.Simple.DOUBLE),
                    Field.optional(PART, "part", Type.Simple.STRING)));

    final MemoryStorage storage = new MemoryStorage();
    final TableMetadata table;
    final KeyCache cache;
    private int files;

    KeyFixture(long cacheBytes) {
        var byPart = new PartitionSpec(0, List.of(new PartitionField(List.of(PART), 1000, "part", Transform.IDENTITY)));
        TableMetadata fresh = MetadataUpdates.fresh(OLD, byPart, SortOrder.UNSORTED, "memory:///t", Map.of(), 2, 1000);
        // A fresh table numbers its fields itself, as the schema above does.
        this.table = MetadataUpdates.apply(
                fresh,
                List.of(
                        new MetadataUpdate.AddSpec(PartitionSpec.unpartitioned(UNPARTITIONED)),
                        new MetadataUpdate.AddSchema(NEW, 15),
                        new MetadataUpdate.SetCurrentSchema(1)),
                2000);
        this.cache = new KeyCache(cacheBytes);
    }

    /** Reads with the current schema. */
    TaskReads reads() {
        return new TaskReads(storage, table, table.schema());
    }

    KeyDeletes deletes(List<FileTask> tasks) {
        return new KeyDeletes(reads(), tasks, cache);
    }

    /** How files of one writer store the columns: before or after the promotions, and which of them at all. */
    record Layout(boolean promoted, Set<Integer> columns) {

        static final Layout ALL = new Layout(true, Set.copyOf(STORED));

        String schema() {
            String point = parts(part(POINT_A, promoted ? "int64 a" : "int32 a"), part(POINT_S, "binary s (STRING)"));
            return parts(
                    part(ID, promoted ? "int64 id" : "int32 id"),
                    part(2, "binary name (STRING)"),
                    part(
                            3,
                            promoted
                                    ? "fixed_len_byte_array(9) amount (DECIMAL(20,2))"
                                    : "int32 amount (DECIMAL(9,2))"),
                    part(4, "fixed_len_byte_array(16) u (UUID)"),
                    part(5, "binary b"),
                    part(6, "fixed_len_byte_array(3) f"),
                    part(7, "int32 d (DATE)"),
                    part(8, "int64 ts (TIMESTAMP(MICROS,true))"),
                    part(9, "boolean flag"),
                    part(10, promoted ? "double x" : "float x"),
                    point.isEmpty() ? "" : "optional group point = 11 { " + point + " }",
                    part(GONE, "int32 gone"));
        }

        private String part(int id, String type) {
            return columns.contains(id) ? "optional " + type + " = " + id + "; " : "";
        }

        private static String parts(String... parts) {
            return String.join("", parts);
        }

        void fill(Group group, Map<Integer, Object> row) {
            for (int id : columns) {
                Object value = row.get(id);
                if (value != null && id != POINT_A && id != POINT_S) {
                    add(group, id, value);
                }
            }
            if ((columns.contains(POINT_A) || columns.contains(POINT_S)) && row.containsKey(POINT)) {
                Group point = group.addGroup("point");
                for (int id : new int[] {POINT_A, POINT_S}) {
                    if (columns.contains(id) && row.get(id) != null) {
                        add(point, id, Objects.requireNonNull(row.get(id)));
                    }
                }
            }
        }

        private void add(Group group, int id, Object value) {
            switch (id) {
                case ID -> addLong(group, "id", (long) value);
                case POINT_A -> addLong(group, "a", (long) value);
                case 2 -> group.append("name", (String) value);
                case POINT_S -> group.append("s", (String) value);
                case 3 -> {
                    BigInteger unscaled = ((BigDecimal) value).unscaledValue();
                    if (promoted) {
                        var bytes = new byte[9];
                        Arrays.fill(bytes, (byte) (unscaled.signum() < 0 ? -1 : 0));
                        byte[] digits = unscaled.toByteArray();
                        System.arraycopy(digits, 0, bytes, 9 - digits.length, digits.length);
                        group.append("amount", Binary.fromConstantByteArray(bytes));
                    } else {
                        group.append("amount", unscaled.intValueExact());
                    }
                }
                case 4 -> {
                    UUID uuid = (UUID) value;
                    group.append(
                            "u",
                            Binary.fromConstantByteArray(ByteBuffer.allocate(16)
                                    .putLong(uuid.getMostSignificantBits())
                                    .putLong(uuid.getLeastSignificantBits())
                                    .array()));
                }
                case 5 -> group.append("b", binary((String) value));
                case 6 -> group.append("f", binary((String) value));
                case 7 -> group.append("d", (int) value);
                case 8 -> group.append("ts", (long) value);
                case 9 -> group.append("flag", (boolean) value);
                case 10 -> {
                    if (promoted) {
                        group.append("x", (double) value);
                    } else {
                        group.append("x", (float) (double) value);
                    }
                }
                case GONE -> group.append("gone", (int) value);
                default -> throw new IllegalArgumentException("No field " + id);
            }
        }

        private void addLong(Group group, String name, long value) {
            if (promoted) {
                group.append(name, value);
            } else {
                group.append(name, Math.toIntExact(value));
            }
        }

        private static Binary binary(String text) {
            return Binary.fromConstantByteArray(text.getBytes(StandardCharsets.ISO_8859_1));
        }
    }

    /** A row whose values come from so few that keys meet. */
    static Map<Integer, Object> row(Randomly random) {
        var row = new HashMap<Integer, Object>();
        if (random.percent(80)) {
            row.put(POINT, true);
        }
        for (int id : STORED) {
            boolean inNullPoint = (id == POINT_A || id == POINT_S) && !row.containsKey(POINT);
            if (!inNullPoint && random.percent(85)) {
                row.put(id, value(random, id));
            }
        }
        return row;
    }

    private static Object value(Randomly random, int id) {
        return switch (id) {
            case ID, POINT_A -> random.oneOf(0L, 1L, -1L, (long) Integer.MAX_VALUE);
            case 2, POINT_S -> random.oneOf("", "a", "ä€", "a long text that needs more than a block of eight bytes");
            case 3 -> random.oneOf(new BigDecimal("0.00"), new BigDecimal("-0.01"), new BigDecimal("9999999.99"));
            case 4 -> random.oneOf(new UUID(1, 2), new UUID(-1, 2), new UUID(0x0123456789abcdefL, 0xfedcba9876543210L));
            case 5 -> random.oneOf("", "\0", "\0\0", "ÿ");
            case 6 -> random.oneOf("\0\0\0", "abc", "ÿÿÿ");
            case 7 -> random.oneOf(0, -1, 20000);
            case 8 -> random.oneOf(0L, -1L, 1_700_000_000_000_001L);
            case 9 -> random.yes();
            case 10 -> random.oneOf(0.0, -0.0, Double.NaN, 1.5, (double) 0.1f, Double.NEGATIVE_INFINITY);
            default -> random.oneOf(0, 7);
        };
    }

    ManifestEntry<DataFile> data(
            Layout layout, List<Map<Integer, Object>> rows, int spec, @Nullable String part, long sequenceNumber)
            throws IOException {
        var common = write(layout, rows, spec, part);
        return entry(new DataFile(common, OptionalLong.empty()), sequenceNumber);
    }

    ManifestEntry<DeleteFile> deletes(
            List<Integer> ids,
            Layout layout,
            List<Map<Integer, Object>> rows,
            int spec,
            @Nullable String part,
            long sequenceNumber)
            throws IOException {
        return entry(new DeleteFile.EqualityDeletes(write(layout, rows, spec, part), ids), sequenceNumber);
    }

    private ContentFile.Common write(Layout layout, List<Map<Integer, Object>> rows, int spec, @Nullable String part)
            throws IOException {
        var file = ParquetFixture.schema(layout.schema())
                .rowsPerGroup(7)
                .write(rows.size(), (group, i) -> layout.fill(group, rows.get(i)));
        return put(file.bytes, rows.size(), spec, part);
    }

    /** Puts bytes where a file of the table would be. */
    ContentFile.Common put(byte[] bytes, long rows, int spec, @Nullable String part) {
        String path = "memory:///t/" + files++ + ".parquet";
        storage.put(path, bytes);
        return new ContentFile.Common(
                path,
                FileFormat.PARQUET,
                spec,
                spec == UNPARTITIONED ? PartitionTuple.EMPTY : PartitionTuple.of(part),
                Metrics.ofCount(rows),
                bytes.length,
                List.of(),
                OptionalInt.empty(),
                Optional.empty());
    }

    static <F extends ContentFile> ManifestEntry<F> entry(F file, long sequenceNumber) {
        return new ManifestEntry<>(ManifestEntry.Status.ADDED, 1, sequenceNumber, sequenceNumber, file);
    }

    /** The data file with those of the deletes that apply. Spec: Scan Planning. */
    static FileTask task(ManifestEntry<DataFile> data, List<ManifestEntry<DeleteFile>> deletes) {
        return new FileTask(
                data,
                "memory:///t/manifest",
                deletes.stream()
                        .filter(delete -> delete.sequenceNumber() > data.sequenceNumber()
                                && (delete.file().specId() == UNPARTITIONED
                                        || (delete.file().specId()
                                                        == data.file().specId()
                                                && delete.file()
                                                        .partition()
                                                        .equals(data.file().partition()))))
                        .collect(Collectors.toList()),
                Expression.Constant.TRUE,
                false);
    }
}
