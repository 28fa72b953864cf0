package dev.calve.rewrite;

import static org.assertj.core.api.Assertions.assertThat;

import dev.calve.Randomly;
import dev.calve.deletes.PositionBitmap;
import dev.calve.expression.Metrics;
import dev.calve.manifest.DataFile;
import dev.calve.metadata.MetadataUpdates;
import dev.calve.metadata.TableMetadata;
import dev.calve.parquet.Placement;
import dev.calve.partition.PartitionSpec;
import dev.calve.partition.PartitionTuple;
import dev.calve.partition.SortOrder;
import dev.calve.schema.Bytes;
import dev.calve.schema.Field;
import dev.calve.schema.MetadataFields;
import dev.calve.schema.Schema;
import dev.calve.schema.Type;
import dev.calve.schema.ValueCodec;
import dev.calve.schema.Values;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.apache.parquet.column.ParquetProperties.WriterVersion;
import org.apache.parquet.example.data.Group;
import org.apache.parquet.filter2.compat.FilterCompat;
import org.apache.parquet.filter2.predicate.FilterApi;
import org.apache.parquet.hadoop.ParquetReader;
import org.apache.parquet.hadoop.api.ReadSupport;
import org.apache.parquet.hadoop.example.ExampleParquetWriter;
import org.apache.parquet.hadoop.example.GroupReadSupport;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.junit.jupiter.api.Test;

/** Random schemas, encodings and positions that go, with parquet-java's reader and writer as the oracle. */
class FileRewriterPropertyTest {

    /** Seeds; more with {@code -Dcalve.rewrites=N}. */
    private static final int RUNS = Integer.getInteger("calve.rewrites", 25);

    private int copied;
    private int encoded;

    @Test
    void keepsTheRowsThatStayBitByBitInTheirOrder() {
        Randomly.check(RUNS, this::rewritesTruly);
        if (RUNS > 1 && Long.getLong("calve.seed") == null) {
            assertThat(copied).isPositive();
            assertThat(encoded).isPositive();
        }
    }

    private void rewritesTruly(Randomly random) throws IOException {
        int version = random.oneOf(2, 3);
        TableMetadata table = table(random, version);
        var files = new SourceFiles();
        var contents = new ArrayList<SourceFiles.Content>();
        var sources = new ArrayList<Source>();
        for (int i = random.intBetween(1, 3); i > 0; i--) {
            boolean stored = version == 3 && random.percent(30);
            boolean known = version == 3 && (stored || random.percent(80));
            var content = randomFile(files, "s" + i, stored ? withLineage(table.schema()) : table.schema(), random);
            if (known) {
                content = content.withFirstRowId(random.intBelow(1_000) * 1_000L);
            }
            contents.add(content);
            sources.add(content.without(someRows(content.rows().size(), random)));
        }
        boolean lineage = sources.stream().anyMatch(source -> Lineage.isKnown(source.entry()));
        var expected = new ArrayList<List<Object>>();
        for (int i = 0; i < sources.size(); i++) {
            expected.addAll(survivors(table.schema(), contents.get(i), sources.get(i), lineage));
        }

        Verdict verdict = new FileRewriter(files.storage, table).examine(sources, random.yes());
        assertThat(verdict).isInstanceOf(Copyable.class);
        Rewritten result = ((Copyable) verdict)
                .write(() -> "out" + files.storage.locations().size(), Placement.of(0, PartitionTuple.EMPTY));

        copied += (int) result.counts().rowGroupsCopied();
        encoded += (int) result.counts().rowGroupsEncoded();
        var actual = new HashMap<String, List<List<Object>>>();
        var all = new ArrayList<List<Object>>();
        Schema written = lineage ? withLineage(table.schema()) : table.schema();
        for (DataFile file : result.files()) {
            List<List<Object>> rows = files.read(file.path());
            assertThat(file.fileSizeBytes()).isEqualTo(files.storage.bytes(file.path()).length);
            actual.put(file.path(), rows);
            all.addAll(rows);
            checkMetrics(written, file, rows);
            checkIndexes(files, file, rows, random);
            try (var reader = files.open(file.path())) {
                assertThat(reader.getFileMetaData().getSchema())
                        .isEqualTo(dev.calve.parquet.ParquetTypes.messageType(written));
            }
        }
        assertThat(all).isEqualTo(expected);
        checkPositions(result.positions(), sources, expected, actual);
    }

    private static void checkPositions(
            PositionMap map,
            List<Source> sources,
            List<List<Object>> expected,
            Map<String, List<List<Object>>> actual) {
        int next = 0;
        for (Source source : sources) {
            long rows = source.entry().file().recordCount();
            for (long position = 0; position < rows; position++) {
                Map<String, PositionBitmap> to = map.map(source.path(), PositionBitmap.of(position));
                if (source.gone().contains(position)) {
                    assertThat(to).isEmpty();
                    continue;
                }
                assertThat(to).hasSize(1);
                to.forEach((output, positions) ->
                        assertThat(positions.cardinality()).isEqualTo(1));
                var output = to.keySet().iterator().next();
                long at = Objects.requireNonNull(to.get(output)).first();
                assertThat(Objects.requireNonNull(actual.get(output)).get((int) at))
                        .isEqualTo(expected.get(next++));
            }
        }
        assertThat(next).isEqualTo(expected.size());
    }

    private static List<List<Object>> survivors(
            Schema schema, SourceFiles.Content content, Source source, boolean lineage) {
        int columns = schema.fields().size();
        var rows = new ArrayList<List<Object>>();
        for (int i = 0; i < content.rows().size(); i++) {
            if (source.gone().contains(i)) {
                continue;
            }
            List<Object> row = content.rows().get(i);
            if (!lineage) {
                rows.add(row);
                continue;
            }
            var withIds = new ArrayList<Object>(row.subList(0, columns));
            boolean known = content.file().firstRowId().isPresent();
            withIds.add(
                    known
                            ? List.of(stored(
                                    row, columns, content.file().firstRowId().getAsLong() + i))
                            : List.of());
            withIds.add(known ? List.of(stored(row, columns + 1, 7)) : List.of());
            rows.add(withIds);
        }
        return rows;
    }

    private static Object stored(List<Object> row, int index, long otherwise) {
        if (index >= row.size() || ((List<?>) row.get(index)).isEmpty()) {
            return otherwise;
        }
        return ((List<?>) row.get(index)).get(0);
    }

    /** Counts are exact or absent, bounds hold for every value. */
    private static void checkMetrics(Schema schema, DataFile file, List<List<Object>> rows) {
        Metrics metrics = file.metrics();
        assertThat(metrics.recordCount()).isEqualTo(rows.size());
        for (int i = 0; i < schema.fields().size(); i++) {
            Field field = schema.fields().get(i);
            if (!field.type().isPrimitive() || field.type() == Type.Simple.VARIANT) {
                continue;
            }
            int column = i;
            List<Object> values = rows.stream()
                    .flatMap(row ->
                            field.required() ? List.of(row.get(column)).stream() : ((List<?>) row.get(column)).stream())
                    .map(Object.class::cast)
                    .toList();
            assertThat(metrics.valueCounts()).containsEntry(field.id(), (long) rows.size());
            assertThat(metrics.nullValueCounts()).containsEntry(field.id(), (long) (rows.size() - values.size()));
            List<Object> decoded = values.stream()
                    .flatMap(value -> decode(field.type(), value).stream())
                    .toList();
            Long nans = metrics.nanValueCounts().get(field.id());
            if (nans != null) {
                assertThat(nans).isEqualTo(values.size() - decoded.size());
            }
            Bytes lower = metrics.lowerBounds().get(field.id());
            Bytes upper = metrics.upperBounds().get(field.id());
            for (Object value : decoded) {
                if (lower != null) {
                    Object bound = ValueCodec.decode(field.type(), lower);
                    assertThat(Values.comparator(field.type()).compare(bound, value))
                            .as("%s of %s", bound, value)
                            .isLessThanOrEqualTo(0);
                }
                if (upper != null) {
                    Object bound = ValueCodec.decode(field.type(), upper);
                    assertThat(Values.comparator(field.type()).compare(bound, value))
                            .as("%s of %s", bound, value)
                            .isGreaterThanOrEqualTo(0);
                }
            }
        }
    }

    /** A value as the package of schemas names it; empty for NaN. */
    private static Optional<Object> decode(Type type, Object bits) {
        if (type == Type.Simple.FLOAT) {
            float value = Float.intBitsToFloat(Integer.parseInt(((String) bits).substring(11)));
            return Float.isNaN(value) ? Optional.empty() : Optional.of(value);
        }
        if (type == Type.Simple.DOUBLE) {
            double value = Double.longBitsToDouble(Long.parseLong(((String) bits).substring(12)));
            return Double.isNaN(value) ? Optional.empty() : Optional.of(value);
        }
        if (type instanceof Type.Decimal decimal) {
            var unscaled = bits instanceof String hex
                    ? new java.math.BigInteger(HexFormat.of().parseHex(hex))
                    : java.math.BigInteger.valueOf(((Number) bits).longValue());
            return Optional.of(new java.math.BigDecimal(unscaled, decimal.scale()));
        }
        if (bits instanceof String hex) {
            return Optional.of(ValueCodec.decode(type, Bytes.wrap(HexFormat.of().parseHex(hex))));
        }
        return Optional.of(bits);
    }

    /** A filtered read, which trusts indexes, bloom filters and dictionaries, finds what a full one does. */
    private static void checkIndexes(SourceFiles files, DataFile file, List<List<Object>> rows, Randomly random)
            throws IOException {
        long wanted = (Long) random.oneOf(rows).get(0);
        long found = 0;
        try (ParquetReader<Group> reader =
                new ParquetReader.Builder<Group>(new dev.calve.parquet.StorageInput(files.storage.input(file.path()))) {
                    @Override
                    protected ReadSupport<Group> getReadSupport() {
                        return new GroupReadSupport();
                    }
                }.withConf(SourceFiles.CONFIGURATION)
                        .withFilter(FilterCompat.get(FilterApi.eq(FilterApi.longColumn("id"), wanted)))
                        .build()) {
            while (reader.read() != null) {
                found++;
            }
        }
        assertThat(found)
                .isEqualTo(
                        rows.stream().filter(row -> row.get(0).equals(wanted)).count());
    }

    private static SourceFiles.Content randomFile(SourceFiles files, String name, Schema schema, Randomly random)
            throws IOException {
        UnaryOperator<ExampleParquetWriter.Builder> settings =
                builder -> builder.withRowGroupRowCountLimit(random.intBetween(1, 60))
                        .withPageRowCountLimit(random.oneOf(3, 10, 20_000))
                        .withMinRowCountForPageSizeCheck(1)
                        .withPageSize(random.oneOf(64, 1 << 20))
                        .withDictionaryPageSize(random.oneOf(100, 1 << 20))
                        .withDictionaryEncoding(random.percent(70))
                        .withByteStreamSplitEncoding(random.percent(30))
                        .withWriterVersion(random.oneOf(WriterVersion.values()))
                        .withPageWriteChecksumEnabled(random.percent(80))
                        .withBloomFilterEnabled("id", random.percent(30))
                        .withMaxBloomFilterBytes(1024)
                        .withCompressionCodec(random.oneOf(
                                CompressionCodecName.UNCOMPRESSED,
                                CompressionCodecName.SNAPPY,
                                CompressionCodecName.GZIP,
                                CompressionCodecName.ZSTD,
                                CompressionCodecName.LZ4_RAW,
                                CompressionCodecName.LZ4));
        int rows = random.intBetween(1, 150);
        return files.write(name, schema, SourceFiles.rows(schema, rows, random), settings);
    }

    private static PositionBitmap someRows(int rows, Randomly random) {
        var gone = new PositionBitmap();
        switch (random.intBelow(4)) {
            case 0 -> {}
            case 1 -> {
                int from = random.intBelow(rows);
                gone.addRange(from, random.intBetween(from + 1, rows + 5));
            }
            case 2 -> gone.add(random.intBelow(rows));
            default -> {
                int percent = random.oneOf(5, 50, 95);
                for (int i = 0; i < rows; i++) {
                    if (random.percent(percent)) {
                        gone.add(i);
                    }
                }
            }
        }
        return gone;
    }

    private static Schema withLineage(Schema schema) {
        var fields = new ArrayList<Field>(schema.fields());
        fields.add(MetadataFields.ROW_ID);
        fields.add(MetadataFields.LAST_UPDATED_SEQUENCE_NUMBER);
        return new Schema(schema.id(), fields);
    }

    private static TableMetadata table(Randomly random, int version) {
        var ids = new int[] {1};
        var fields = new ArrayList<Field>();
        fields.add(Field.required(ids[0], "id", Type.Simple.LONG));
        for (int i = random.intBetween(1, 5); i > 0; i--) {
            fields.add(field("c" + i, ids, 3, version, random));
        }
        var properties = new HashMap<String, String>();
        properties.put("write.parquet.row-group-size-bytes", random.oneOf("200", "3000", "33554432"));
        properties.put("write.target-file-size-bytes", random.oneOf("1000", "10000", "536870912"));
        properties.put("write.parquet.page-version", random.oneOf("v1", "v2"));
        properties.put("write.parquet.page-row-limit", random.oneOf("7", "20000"));
        properties.put("write.parquet.dict-size-bytes", random.oneOf("100", "2097152"));
        properties.put(
                "write.parquet.compression-codec", random.oneOf("zstd", "snappy", "gzip", "lz4", "uncompressed"));
        if (random.percent(30)) {
            properties.put("write.parquet.bloom-filter-enabled.column.id", "true");
        }
        return MetadataUpdates.fresh(
                new Schema(0, fields),
                PartitionSpec.unpartitioned(0),
                SortOrder.UNSORTED,
                "file:/t",
                properties,
                version,
                1000);
    }

    private static Field field(String name, int[] ids, int depth, int version, Randomly random) {
        int id = ++ids[0];
        Type type = type(ids, depth, version, random);
        return random.percent(30) ? Field.required(id, name, type) : Field.optional(id, name, type);
    }

    private static Type type(int[] ids, int depth, int version, Randomly random) {
        int choice = random.intBelow(depth > 0 ? 22 : 16);
        return switch (choice) {
            case 0 -> Type.Simple.BOOLEAN;
            case 1 -> Type.Simple.INT;
            case 2 -> Type.Simple.LONG;
            case 3, 4 -> Type.Simple.FLOAT;
            case 5, 6 -> Type.Simple.DOUBLE;
            case 7 -> Type.Simple.DATE;
            case 8 -> Type.Simple.TIMESTAMPTZ;
            case 9, 10 -> Type.Simple.STRING;
            case 11 -> Type.Simple.BINARY;
            case 12 -> new Type.Fixed(5);
            case 13 -> new Type.Decimal(random.oneOf(5, 15, 30), 2);
            case 14 -> Type.Simple.UUID;
            case 15 -> version == 3 ? Type.Simple.TIMESTAMP_NS : Type.Simple.TIME;
            case 16, 17 -> {
                var parts = new ArrayList<Field>();
                for (int i = random.intBetween(1, 3); i > 0; i--) {
                    parts.add(field("p" + i, ids, depth - 1, version, random));
                }
                yield new Type.Struct(parts);
            }
            case 18, 19 -> {
                int element = ++ids[0];
                yield new Type.ListOf(element, random.yes(), type(ids, depth - 1, version, random));
            }
            default -> {
                int key = ++ids[0];
                int value = ++ids[0];
                yield new Type.MapOf(
                        key, Type.Simple.STRING, value, random.yes(), type(ids, depth - 1, version, random));
            }
        };
    }
}
