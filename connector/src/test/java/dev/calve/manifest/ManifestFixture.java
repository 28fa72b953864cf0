package dev.calve.manifest;

import dev.calve.expression.Metrics;
import dev.calve.io.MemoryStorage;
import dev.calve.partition.PartitionField;
import dev.calve.partition.PartitionSpec;
import dev.calve.partition.PartitionTuple;
import dev.calve.partition.Transform;
import dev.calve.schema.Field;
import dev.calve.schema.Schema;
import dev.calve.schema.Type;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.apache.avro.Schema.Parser;
import org.apache.avro.file.DataFileStream;
import org.apache.avro.file.DataFileWriter;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericRecord;
import org.jspecify.annotations.Nullable;

/** Files, manifests and lists that default everything that does not matter to a test. */
final class ManifestFixture {

    static final long SNAPSHOT = 77;

    final MemoryStorage storage = new MemoryStorage();
    Schema schema = new Schema(3, List.of(Field.required(1, "id", Type.Simple.LONG)));
    PartitionSpec spec = PartitionSpec.unpartitioned(0);
    private int manifests;

    /** A table partitioned by the values of one optional column of the type. */
    static ManifestFixture partitionedBy(Type type) {
        var fixture = new ManifestFixture();
        fixture.schema =
                new Schema(3, List.of(Field.required(1, "id", Type.Simple.LONG), Field.optional(2, "part", type)));
        fixture.spec = new PartitionSpec(5, List.of(PartitionField.of(2, 1000, "part", Transform.IDENTITY)));
        return fixture;
    }

    ContentFile.Common common(String path, FileFormat format, PartitionTuple partition, Metrics metrics) {
        return new ContentFile.Common(
                path, format, spec.id(), partition, metrics, 512, List.of(), OptionalInt.empty(), Optional.empty());
    }

    DataFile data(String path, long records, @Nullable Object... partition) {
        var tuple = PartitionTuple.of(partition);
        return new DataFile(common(path, FileFormat.PARQUET, tuple, Metrics.ofCount(records)), OptionalLong.empty());
    }

    DeleteFile.DeletionVector vector(String path, String of, long offset) {
        var common = common(path, FileFormat.PUFFIN, PartitionTuple.EMPTY, Metrics.ofCount(2));
        return new DeleteFile.DeletionVector(common, of, offset, 40);
    }

    DeleteFile.PositionDeletes positions(String path, Optional<String> of) {
        var common = common(path, FileFormat.PARQUET, PartitionTuple.EMPTY, Metrics.ofCount(2));
        return new DeleteFile.PositionDeletes(common, of);
    }

    DeleteFile.EqualityDeletes equality(String path, Integer... ids) {
        var common = common(path, FileFormat.PARQUET, PartitionTuple.EMPTY, Metrics.ofCount(2));
        return new DeleteFile.EqualityDeletes(common, List.of(ids));
    }

    static <F extends ContentFile> ManifestEntry<F> entry(long snapshot, long sequence, long fileSequence, F file) {
        return new ManifestEntry<>(ManifestEntry.Status.EXISTING, snapshot, sequence, fileSequence, file);
    }

    /** What a test puts into a manifest. */
    @FunctionalInterface
    interface Filling {
        void fill(ManifestWriter writer) throws IOException;
    }

    ManifestTarget target(int formatVersion, ManifestFile.Content content) {
        return target(formatVersion, content, ManifestTarget.DEFAULT_COMPRESSION_CODEC);
    }

    ManifestTarget target(int formatVersion, ManifestFile.Content content, String codec) {
        return new ManifestTarget(
                storage,
                "memory:/m" + manifests++ + ".avro",
                formatVersion,
                schema,
                spec,
                spec.partitionType(schema),
                SNAPSHOT,
                content,
                codec);
    }

    ManifestFile dataManifest(int formatVersion, Filling filling) throws IOException {
        return write(target(formatVersion, ManifestFile.Content.DATA), filling);
    }

    ManifestFile deleteManifest(int formatVersion, Filling filling) throws IOException {
        return write(target(formatVersion, ManifestFile.Content.DELETES), filling);
    }

    ManifestFile write(ManifestTarget target, Filling filling) throws IOException {
        try (var writer = new ManifestWriter(target)) {
            filling.fill(writer);
            return writer.finish();
        }
    }

    /** A list entry for bytes that somebody else wrote. */
    ManifestFile foreign(byte[] content, ManifestFile.Content kind, long sequenceNumber) {
        String location = "memory:/foreign" + manifests++ + ".avro";
        storage.put(location, content);
        return new ManifestFile(
                location,
                content.length,
                spec.id(),
                kind,
                sequenceNumber,
                sequenceNumber,
                SNAPSHOT,
                ManifestFile.Counts.of(1, 1, 1, 1, 1, 1),
                Optional.empty(),
                Optional.empty(),
                OptionalLong.empty());
    }

    /** The file once more, by Avro's own library, without the fields of these ids in its records and theirs. */
    byte[] without(String location, Integer... ids) throws IOException {
        return rewritten(location, schema -> without(schema, Set.of(ids)), record -> {});
    }

    /** The file once more, by Avro's own library, with other values. */
    byte[] edited(String location, Consumer<GenericRecord> edit) throws IOException {
        return rewritten(location, UnaryOperator.identity(), edit);
    }

    private byte[] rewritten(
            String location, UnaryOperator<org.apache.avro.Schema> change, Consumer<GenericRecord> edit)
            throws IOException {
        var bytes = new ByteArrayOutputStream();
        try (var in = stream(location);
                var out = new DataFileWriter<GenericRecord>(new GenericDatumWriter<>())) {
            in.getMetaKeys().stream()
                    .filter(key -> !key.startsWith("avro."))
                    .forEach(key -> out.setMeta(key, in.getMetaString(key)));
            org.apache.avro.Schema schema = change.apply(in.getSchema());
            out.create(schema, bytes);
            for (GenericRecord record : in) {
                edit.accept(record);
                out.append((GenericRecord) copy(record, schema));
            }
        }
        return bytes.toByteArray();
    }

    private static org.apache.avro.Schema without(org.apache.avro.Schema schema, Set<Integer> dropped) {
        return switch (schema.getType()) {
            case RECORD -> {
                var fields = new ArrayList<org.apache.avro.Schema.Field>();
                for (var field : schema.getFields()) {
                    if (!(field.getObjectProp("field-id") instanceof Integer id) || !dropped.contains(id)) {
                        fields.add(new org.apache.avro.Schema.Field(field, without(field.schema(), dropped)));
                    }
                }
                yield org.apache.avro.Schema.createRecord(schema.getName(), null, null, false, fields);
            }
            case ARRAY -> org.apache.avro.Schema.createArray(without(schema.getElementType(), dropped));
            case UNION ->
                org.apache.avro.Schema.createUnion(schema.getTypes().stream()
                        .map(branch -> without(branch, dropped))
                        .toList());
            default -> schema;
        };
    }

    private static @Nullable Object copy(@Nullable Object value, org.apache.avro.Schema schema) {
        if (schema.getType() == org.apache.avro.Schema.Type.UNION) {
            return value == null ? null : copy(value, schema.getTypes().get(1));
        }
        if (value instanceof GenericRecord record) {
            var copied = new GenericData.Record(schema);
            for (var field : schema.getFields()) {
                copied.put(field.name(), copy(record.get(field.name()), field.schema()));
            }
            return copied;
        }
        if (value instanceof List<?> list) {
            return list.stream()
                    .map(element -> copy(element, schema.getElementType()))
                    .toList();
        }
        return value;
    }

    /** The records as plain Avro sees them. */
    List<GenericRecord> records(String location) throws IOException {
        var records = new ArrayList<GenericRecord>();
        try (var in = stream(location)) {
            in.forEach(records::add);
        }
        return records;
    }

    DataFileStream<GenericRecord> stream(String location) throws IOException {
        return new DataFileStream<>(
                new java.io.ByteArrayInputStream(storage.bytes(location)), new GenericDatumReader<>());
    }

    /** The schema as the file's header has it, parsed anew. */
    org.apache.avro.Schema avroSchema(String location) throws IOException {
        try (var in = stream(location)) {
            return new Parser().parse(in.getMetaString("avro.schema"));
        }
    }

    /** Fields as {@code "103 record_count: long"}, optional ones with a question mark. */
    static Stream<String> describe(org.apache.avro.Schema record) {
        return record.getFields().stream().map(field -> {
            boolean optional = field.schema().getType() == org.apache.avro.Schema.Type.UNION;
            var type = optional ? field.schema().getTypes().get(1) : field.schema();
            return field.getObjectProp("field-id") + " " + field.name() + ": " + typeName(type) + (optional ? "?" : "");
        });
    }

    private static String typeName(org.apache.avro.Schema type) {
        if (type.getType() == org.apache.avro.Schema.Type.ARRAY) {
            var element = type.getElementType();
            if ("map".equals(type.getProp("logicalType"))) {
                var key = element.getFields().get(0);
                var value = element.getFields().get(1);
                return "map<" + key.getObjectProp("field-id") + " "
                        + key.schema().getName() + ", " + value.getObjectProp("field-id") + " "
                        + value.schema().getName() + ">";
            }
            return "list<" + type.getObjectProp("element-id") + " " + element.getName() + ">";
        }
        return type.getName();
    }
}
