package dev.calve.metadata;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.calve.Damage;
import dev.calve.Fuzz;
import dev.calve.Fuzz.Target;
import dev.calve.Randomly;
import dev.calve.commit.CommitFixture;
import dev.calve.commit.SnapshotChange.Operation;
import dev.calve.expression.Samples;
import dev.calve.partition.PartitionSpec;
import dev.calve.partition.SortOrder;
import dev.calve.schema.AnyType;
import dev.calve.schema.Bytes;
import dev.calve.schema.NameMapping;
import dev.calve.schema.Type;
import dev.calve.schema.ValueCodec;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;

/** Damaged table metadata, compressed or not, and the small texts and values within metadata. */
class MetadataFuzzTest {

    private static final String PLAIN = "memory:///t/metadata/v7.metadata.json";
    private static final String ZIPPED = "memory:///t/metadata/v7.gz.metadata.json";

    private static List<byte[]> tables() throws IOException {
        var tables = new ArrayList<byte[]>();
        for (int version = 1; version <= 3; version++) {
            var table = CommitFixture.partitionedBy(Type.Simple.DOUBLE, version);
            table.append(table.dataFile("a").in(1.5).ids(1, 10).build());
            table.evolve(
                    new MetadataUpdate.AddSpec(PartitionSpec.unpartitioned(1)), new MetadataUpdate.SetDefaultSpec(-1));
            table.change(Operation.APPEND)
                    .add(table.dataFile("b").build())
                    .on("audit")
                    .commit();
            tables.add(TableMetadataJson.print(table.metadata(), PLAIN));
        }
        for (int seed = 0; seed < 20; seed++) {
            var random = new Randomly(seed);
            var schema = seed % 2 == 0 ? AnyType.schema(random) : Samples.SCHEMA;
            tables.add(TableMetadataJson.print(
                    MetadataUpdates.fresh(
                            schema,
                            seed % 2 == 0 ? PartitionSpec.unpartitioned(0) : new Samples(random).spec(),
                            SortOrder.UNSORTED,
                            "memory:///t",
                            Map.of("write.format.default", "parquet"),
                            3,
                            1000),
                    PLAIN));
        }
        return tables;
    }

    private static byte[] gzip(byte[] bytes) {
        var out = new ByteArrayOutputStream();
        try (var zip = new GZIPOutputStream(out)) {
            zip.write(bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toByteArray();
    }

    /** What was accepted can be written and knows its partition types. */
    private static void parse(byte[] bytes, String location) {
        TableMetadata metadata = TableMetadataJson.parse(bytes, location);
        metadata.specs().forEach(spec -> metadata.partitionType(spec.id()));
        TableMetadataJson.print(metadata, location);
    }

    @Test
    void tableMetadata() throws Exception {
        List<byte[]> tables = tables();
        Fuzz.run(
                Target.of("metadata", PLAIN, tables, bytes -> parse(bytes, PLAIN))
                        .damaged(Damage::json),
                Target.of(
                                "metadata.gz",
                                ZIPPED,
                                tables.stream().map(MetadataFuzzTest::gzip).toList(),
                                bytes -> parse(bytes, ZIPPED))
                        .damaged((random, samples) ->
                                random.yes() ? Damage.bytes(random, samples) : gzip(Damage.json(random, tables))));
    }

    @Test
    void textsAndValues() throws Exception {
        var mappings = new ArrayList<byte[]>();
        var values = new ArrayList<byte[]>();
        var types = new ArrayList<Type>();
        for (int seed = 0; seed < 30; seed++) {
            var random = new Randomly(seed);
            mappings.add(NameMapping.of(AnyType.schema(random)).toJson().getBytes(UTF_8));
            Type type = AnyType.withValues(random);
            byte[] value = ValueCodec.encode(type, AnyType.value(random, type)).toArray();
            values.add(ByteBuffer.allocate(value.length + 1)
                    .put((byte) types.size())
                    .put(value)
                    .array());
            types.add(type);
        }
        Fuzz.run(
                Target.of(
                                "name-mapping",
                                "",
                                mappings,
                                bytes -> NameMapping.parse(new String(bytes, UTF_8))
                                        .toJson())
                        .damaged(Damage::json),
                Target.of("value", "", values, bytes -> {
                    Type type = types.get(bytes.length == 0 ? 0 : (bytes[0] & 0xff) % types.size());
                    ValueCodec.decode(
                            type, Bytes.wrap(Arrays.copyOfRange(bytes, Math.min(1, bytes.length), bytes.length)));
                }));
    }
}
