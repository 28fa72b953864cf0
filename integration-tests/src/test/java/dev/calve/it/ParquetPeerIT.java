package dev.calve.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.calve.deletes.PositionBitmap;
import dev.calve.hadoop.HadoopStorage;
import dev.calve.manifest.DataFile;
import dev.calve.metadata.TableProperties;
import dev.calve.parquet.DataFileWriter;
import dev.calve.parquet.FileLayout;
import dev.calve.parquet.Placement;
import dev.calve.parquet.PositionDeleteReader;
import dev.calve.parquet.PositionDeleteWriter;
import dev.calve.parquet.WriteSettings;
import dev.calve.partition.PartitionTuple;
import dev.calve.schema.Bytes;
import dev.calve.schema.Field;
import dev.calve.schema.Schema;
import dev.calve.schema.SchemaJson;
import dev.calve.schema.Type;
import dev.calve.spark.convert.SparkTypes;
import dev.calve.spark.write.InternalRowReader;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.FileMetadata;
import org.apache.iceberg.Files;
import org.apache.iceberg.Metrics;
import org.apache.iceberg.MetricsConfig;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.SchemaParser;
import org.apache.iceberg.SortOrder;
import org.apache.iceberg.data.BaseDeleteLoader;
import org.apache.iceberg.deletes.PositionDelete;
import org.apache.iceberg.parquet.Parquet;
import org.apache.iceberg.parquet.ParquetUtil;
import org.apache.iceberg.spark.data.SparkParquetReaders;
import org.apache.iceberg.spark.data.SparkParquetWriters;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.sql.catalyst.util.ArrayBasedMapData;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Files of the Parquet writer beside those Apache Iceberg writes of the same rows: equal rows and equal metrics. */
class ParquetPeerIT {

    private static final Placement UNPARTITIONED = Placement.of(0, PartitionTuple.EMPTY);

    private static final Schema SCHEMA = new Schema(
            0,
            List.of(
                    Field.required(1, "id", Type.Simple.LONG),
                    Field.optional(2, "bool", Type.Simple.BOOLEAN),
                    Field.optional(3, "int", Type.Simple.INT),
                    Field.optional(4, "float", Type.Simple.FLOAT),
                    Field.optional(5, "double", Type.Simple.DOUBLE),
                    Field.optional(6, "date", Type.Simple.DATE),
                    Field.optional(7, "tstz", Type.Simple.TIMESTAMPTZ),
                    Field.optional(8, "ts", Type.Simple.TIMESTAMP),
                    Field.optional(9, "string", Type.Simple.STRING),
                    Field.optional(10, "uuid", Type.Simple.UUID),
                    Field.optional(11, "binary", Type.Simple.BINARY),
                    Field.optional(12, "fixed", new Type.Fixed(20)),
                    Field.optional(13, "d9", new Type.Decimal(9, 2)),
                    Field.optional(14, "d18", new Type.Decimal(18, 4)),
                    Field.optional(15, "d38", new Type.Decimal(38, 10)),
                    Field.optional(16, "nulls", Type.Simple.STRING),
                    Field.optional(17, "nans", Type.Simple.DOUBLE),
                    Field.optional(
                            18,
                            "s",
                            new Type.Struct(List.of(
                                    Field.required(21, "x", Type.Simple.INT),
                                    Field.optional(22, "f", Type.Simple.FLOAT),
                                    Field.optional(23, "t", Type.Simple.STRING)))),
                    Field.optional(
                            19,
                            "l",
                            new Type.ListOf(
                                    24, false, new Type.Struct(List.of(Field.optional(25, "y", Type.Simple.DOUBLE))))),
                    Field.optional(20, "m", new Type.MapOf(26, Type.Simple.STRING, 27, false, Type.Simple.LONG))));

    @TempDir
    private Path folder;

    private final HadoopStorage storage = new HadoopStorage(new Configuration());

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "write.parquet.row-group-size-bytes=4000",
                "write.parquet.page-version=v2",
                "write.metadata.metrics.default=full",
                "write.metadata.metrics.default=counts",
                "write.metadata.metrics.default=none write.metadata.metrics.column.s.t=truncate(2)",
                "write.metadata.metrics.max-inferred-column-defaults=5",
                "write.metadata.metrics.column.string=truncate(3) write.metadata.metrics.column.binary=none",
                "write.parquet.compression-codec=snappy",
                "write.parquet.compression-codec=gzip",
            })
    void rowsAndMetricsAreThoseOfThePeer(String text) throws IOException {
        Map<String, String> properties = properties(text);
        var seed = System.nanoTime();
        List<InternalRow> rows = rows(new Random(seed), 2_000);
        var ours = writeOurs(folder.resolve("ours.parquet"), SCHEMA, properties, rows);
        var theirs = writeTheirs(folder.resolve("theirs.parquet"), SCHEMA, properties, rows);

        assertThat(plain(readTheirs(folder.resolve("ours.parquet"))))
                .as("rows, seed %s", seed)
                .isEqualTo(plain(rows));
        var found = ours.metrics();
        assertThat(found.recordCount()).isEqualTo(theirs.recordCount());
        assertThat(found.columnSizes().keySet()).isEqualTo(theirs.columnSizes().keySet());
        assertThat(found.valueCounts()).isEqualTo(theirs.valueCounts());
        assertThat(found.nullValueCounts()).isEqualTo(theirs.nullValueCounts());
        assertThat(found.nanValueCounts()).isEqualTo(orEmpty(theirs.nanValueCounts()));
        assertThat(found.lowerBounds()).as("lower, seed %s", seed).isEqualTo(bytes(theirs.lowerBounds()));
        assertThat(found.upperBounds()).as("upper, seed %s", seed).isEqualTo(bytes(theirs.upperBounds()));
    }

    @Test
    void thePeerReadsTheSameMetricsFromOurFooter() throws IOException {
        List<InternalRow> rows = rows(new Random(7), 500);
        var ours = writeOurs(folder.resolve("ours.parquet"), SCHEMA, Map.of(), rows)
                .metrics();
        var footer = ParquetUtil.fileMetrics(
                Files.localInput(folder.resolve("ours.parquet").toFile()), MetricsConfig.getDefault());

        assertThat(ours.columnSizes()).isEqualTo(footer.columnSizes());
        assertThat(ours.valueCounts()).isEqualTo(footer.valueCounts());
        assertThat(ours.nullValueCounts()).isEqualTo(footer.nullValueCounts());
    }

    @Test
    void wideSchemasHaveMetricsForTheSameColumns() throws IOException {
        var fields = new ArrayList<Field>();
        for (int i = 1; i <= 98; i++) {
            fields.add(Field.optional(i, "c" + i, Type.Simple.INT));
        }
        fields.add(
                50,
                Field.optional(
                        200,
                        "s",
                        new Type.Struct(List.of(
                                Field.optional(201, "a", Type.Simple.INT),
                                Field.optional(
                                        202, "t", new Type.Struct(List.of(Field.optional(203, "b", Type.Simple.INT)))),
                                Field.optional(204, "c", Type.Simple.INT)))));
        var schema = new Schema(0, fields);
        var peer = SchemaParser.fromJson(SchemaJson.toJson(schema).toString());
        for (int limit : List.of(10, 98, 99, 100, 101, 102, 103, 104)) {
            var properties = Map.of("write.metadata.metrics.max-inferred-column-defaults", String.valueOf(limit));
            var theirs = MetricsConfig.from(properties, peer, SortOrder.unsorted());
            var row = new GenericInternalRow(new Object[fields.size()]);
            var ours = writeOurs(folder.resolve("f" + limit), schema, properties, List.of(row));
            for (Field field : schema.allFields()) {
                if (field.type().isPrimitive()) {
                    assertThat(ours.metrics().valueCounts().containsKey(field.id()))
                            .as("%s with limit %s", field, limit)
                            .isEqualTo(
                                    !theirs.columnMode(schema.name(field.id()).orElseThrow())
                                            .toString()
                                            .equals("none"));
                }
            }
        }
    }

    @Test
    void thePeerAppliesOurPositionDeletes() throws IOException {
        var path = folder.resolve("deletes.parquet");
        var writer = PositionDeleteWriter.create(
                storage,
                path.toString(),
                WriteSettings.forPositionDeletes(TableProperties.of(Map.of(), "db.t")),
                UNPARTITIONED);
        var positions = PositionBitmap.of(0, 1, 2, 77, 1L << 33);
        writer.delete("file:/w/a.parquet", positions);
        writer.delete("file:/w/b.parquet", PositionBitmap.of(5));
        var file = writer.close();

        var theirs = FileMetadata.deleteFileBuilder(PartitionSpec.unpartitioned())
                .ofPositionDeletes()
                .withPath(path.toString())
                .withFormat(FileFormat.PARQUET)
                .withFileSizeInBytes(file.fileSizeBytes())
                .withRecordCount(file.recordCount())
                .build();
        var loader = new BaseDeleteLoader(found -> Files.localInput(found.location()));
        var found = new PositionBitmap();
        loader.loadPositionDeletes(List.of(theirs), "file:/w/a.parquet").forEach(found::add);
        assertThat(found).isEqualTo(positions);
    }

    @Test
    void positionDeletesOfThePeerAreReadAndDescribedAlike() throws IOException {
        for (List<String> names : List.of(List.of("file:/w/a"), List.of("file:/w/a", "file:/w/b"))) {
            var path = folder.resolve("peer" + names.size() + ".parquet");
            var writer = Parquet.writeDeletes(Files.localOutput(path.toFile()))
                    .withSpec(PartitionSpec.unpartitioned())
                    .<Void>buildPositionWriter();
            var ours = PositionDeleteWriter.create(
                    storage,
                    path + "-ours",
                    WriteSettings.forPositionDeletes(TableProperties.of(Map.of(), "db.t")),
                    UNPARTITIONED);
            for (String name : names) {
                for (long position : new long[] {3, 4, 900}) {
                    writer.write(PositionDelete.<Void>create().set(name, position));
                }
                ours.delete(name, PositionBitmap.of(3, 4, 900));
            }
            writer.close();
            var theirs = writer.toDeleteFile();

            assertThat(PositionDeleteReader.read(storage.input(path.toString()), Set.of("file:/w/a")))
                    .isEqualTo(Map.of("file:/w/a", PositionBitmap.of(3, 4, 900)));
            var metrics = ours.close().metrics();
            assertThat(metrics.recordCount()).isEqualTo(theirs.recordCount());
            assertThat(metrics.columnSizes().keySet())
                    .isEqualTo(theirs.columnSizes().keySet());
            assertThat(metrics.valueCounts()).isEqualTo(orEmpty(theirs.valueCounts()));
            assertThat(metrics.nullValueCounts()).isEqualTo(orEmpty(theirs.nullValueCounts()));
            assertThat(metrics.lowerBounds()).isEqualTo(bytes(theirs.lowerBounds()));
            assertThat(metrics.upperBounds()).isEqualTo(bytes(theirs.upperBounds()));
        }
    }

    private DataFile writeOurs(Path path, Schema schema, Map<String, String> properties, List<InternalRow> rows)
            throws IOException {
        var layout = FileLayout.of(schema, WriteSettings.forData(TableProperties.of(properties, "db.t")));
        DataFileWriter<SpecializedGetters> writer =
                DataFileWriter.create(storage, path.toString(), layout, InternalRowReader.of(schema), UNPARTITIONED);
        for (InternalRow row : rows) {
            writer.write(row);
        }
        return writer.close();
    }

    private static Metrics writeTheirs(Path path, Schema schema, Map<String, String> properties, List<InternalRow> rows)
            throws IOException {
        var peer = SchemaParser.fromJson(SchemaJson.toJson(schema).toString());
        var appender = Parquet.write(Files.localOutput(path.toFile()))
                .schema(peer)
                .setAll(properties)
                .metricsConfig(MetricsConfig.from(properties, peer, SortOrder.unsorted()))
                .createWriterFunc(type -> SparkParquetWriters.buildWriter(SparkTypes.toSpark(schema), type))
                .<InternalRow>build();
        rows.forEach(appender::add);
        appender.close();
        return appender.metrics();
    }

    private static List<InternalRow> readTheirs(Path path) throws IOException {
        var peer = SchemaParser.fromJson(SchemaJson.toJson(SCHEMA).toString());
        var rows = new ArrayList<InternalRow>();
        try (var found = Parquet.read(Files.localInput(path.toFile()))
                .project(peer)
                .createReaderFunc(type -> SparkParquetReaders.buildReader(peer, type))
                .<InternalRow>build()) {
            found.forEach(row -> rows.add(row.copy()));
        }
        return rows;
    }

    private static Map<String, String> properties(String text) {
        var properties = new HashMap<String, String>();
        for (String property : text.split(" ", -1)) {
            int equals = property.indexOf('=');
            if (equals > 0) {
                properties.put(property.substring(0, equals), property.substring(equals + 1));
            }
        }
        return properties;
    }

    private static List<InternalRow> rows(Random random, int count) {
        return IntStream.range(0, count).mapToObj(i -> row(random)).toList();
    }

    private static InternalRow row(Random random) {
        var values = new Object[] {
            random.nextLong(),
            random.nextBoolean(),
            random.nextInt(),
            random.nextInt(10) == 0 ? Float.NaN : (float) random.nextGaussian(),
            random.nextInt(10) == 0 ? Double.NaN : random.nextGaussian(),
            random.nextInt(30_000),
            random.nextLong(),
            random.nextLong(),
            text(random, 30),
            UTF8String.fromString(new UUID(random.nextLong(), random.nextLong()).toString()),
            bytes(random, random.nextInt(30)),
            bytes(random, 20),
            decimal(random, 9, 2),
            decimal(random, 18, 4),
            decimal(random, 38, 10),
            null,
            Double.NaN,
            new GenericInternalRow(
                    new Object[] {random.nextInt(), random.nextBoolean() ? 1.5f : null, text(random, 5)}),
            list(random),
            map(random)
        };
        for (int i = 1; i < values.length; i++) {
            if (random.nextInt(5) == 0) {
                values[i] = null;
            }
        }
        return new GenericInternalRow(values);
    }

    private static GenericArrayData list(Random random) {
        return new GenericArrayData(IntStream.range(0, random.nextInt(4))
                .mapToObj(i -> random.nextInt(4) == 0
                        ? null
                        : new GenericInternalRow(new Object[] {random.nextBoolean() ? random.nextDouble() : null}))
                .toArray());
    }

    private static ArrayBasedMapData map(Random random) {
        int size = random.nextInt(4);
        var keys = IntStream.range(0, size)
                .mapToObj(i -> UTF8String.fromString("k" + i))
                .toArray();
        var values = IntStream.range(0, size)
                .mapToObj(i -> random.nextBoolean() ? random.nextLong() : null)
                .toArray();
        return new ArrayBasedMapData(new GenericArrayData(keys), new GenericArrayData(values));
    }

    private static UTF8String text(Random random, int most) {
        var text = new StringBuilder();
        for (int i = random.nextInt(most); i > 0; i--) {
            text.appendCodePoint(
                    switch (random.nextInt(8)) {
                        case 0 -> 0xA0 + random.nextInt(0xD000);
                        case 1 -> 0x1F600 + random.nextInt(40);
                        default -> ' ' + random.nextInt(95);
                    });
        }
        return UTF8String.fromString(text.toString());
    }

    private static byte[] bytes(Random random, int length) {
        var bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    private static Decimal decimal(Random random, int precision, int scale) {
        var unscaled = new BigInteger(random.nextInt(120), random)
                .mod(BigInteger.TEN.pow(precision))
                .multiply(BigInteger.valueOf(random.nextBoolean() ? 1 : -1));
        return Decimal.apply(new BigDecimal(unscaled, scale), precision, scale);
    }

    /** Rows as nested lists of values that know equality. */
    private static List<Object> plain(List<InternalRow> rows) {
        var type = SparkTypes.toSpark(SCHEMA);
        return rows.stream().<Object>map(row -> plain(row, type)).toList();
    }

    private static Object plain(Object value, DataType type) {
        if (value == null) {
            return null;
        }
        if (value instanceof byte[] bytes) {
            return HexFormat.of().formatHex(bytes);
        }
        if (type instanceof StructType struct) {
            var row = (InternalRow) value;
            var fields = new ArrayList<>();
            for (int i = 0; i < struct.size(); i++) {
                DataType field = struct.fields()[i].dataType();
                fields.add(row.isNullAt(i) ? null : plain(row.get(i, field), field));
            }
            return fields;
        }
        if (type instanceof ArrayType array) {
            return plainArray((org.apache.spark.sql.catalyst.util.ArrayData) value, array.elementType());
        }
        if (type instanceof MapType map) {
            var data = (org.apache.spark.sql.catalyst.util.MapData) value;
            return Arrays.asList(
                    plainArray(data.keyArray(), map.keyType()), plainArray(data.valueArray(), map.valueType()));
        }
        return value;
    }

    private static List<Object> plainArray(org.apache.spark.sql.catalyst.util.ArrayData array, DataType element) {
        var values = new ArrayList<>();
        for (int i = 0; i < array.numElements(); i++) {
            values.add(array.isNullAt(i) ? null : plain(array.get(i, element), element));
        }
        return values;
    }

    private static Map<Integer, Long> orEmpty(Map<Integer, Long> counts) {
        return counts == null ? Map.of() : counts;
    }

    private static Map<Integer, Bytes> bytes(Map<Integer, ByteBuffer> bounds) {
        var result = new HashMap<Integer, Bytes>();
        if (bounds != null) {
            bounds.forEach((id, bound) -> result.put(id, Bytes.copyOf(bound)));
        }
        return result;
    }
}
