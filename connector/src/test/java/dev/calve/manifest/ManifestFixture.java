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
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.apache.avro.Schema.Parser;
import org.apache.avro.file.DataFileStream;
import org.apache.avro.generic.GenericDatumReader;
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
