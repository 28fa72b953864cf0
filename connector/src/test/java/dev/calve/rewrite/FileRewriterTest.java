package dev.calve.rewrite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.Randomly;
import dev.calve.expression.Metrics;
import dev.calve.io.FaultyStorage;
import dev.calve.io.InvalidTableException;
import dev.calve.io.RequestLog.Request;
import dev.calve.io.Storage;
import dev.calve.manifest.ContentFile;
import dev.calve.manifest.DataFile;
import dev.calve.manifest.FileFormat;
import dev.calve.metadata.MetadataUpdates;
import dev.calve.metadata.TableMetadata;
import dev.calve.parquet.ParquetTypes;
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
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.apache.parquet.column.ParquetProperties.WriterVersion;
import org.apache.parquet.crypto.FileEncryptionProperties;
import org.apache.parquet.example.data.Group;
import org.apache.parquet.example.data.simple.SimpleGroup;
import org.apache.parquet.hadoop.example.ExampleParquetWriter;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.junit.jupiter.api.Test;

class FileRewriterTest {

    private static final Placement UNPARTITIONED = Placement.of(0, PartitionTuple.EMPTY);

    private final SourceFiles files = new SourceFiles();

    private static Schema columns(Type... types) {
        var fields = new ArrayList<Field>();
        fields.add(Field.required(1, "id", Type.Simple.LONG));
        for (int i = 0; i < types.length; i++) {
            fields.add(Field.optional(i + 2, "c" + i, types[i]));
        }
        return new Schema(0, fields);
    }

    private static TableMetadata table(Schema schema, int version, String... properties) {
        var map = new HashMap<String, String>();
        for (int i = 0; i < properties.length; i += 2) {
            map.put(properties[i], properties[i + 1]);
        }
        return MetadataUpdates.fresh(
                schema, PartitionSpec.unpartitioned(0), SortOrder.UNSORTED, "file:/t", map, version, 1000);
    }

    /** Rows with ascending ids and one value in each of the other columns. */
    private static List<Group> rows(Schema schema, int count, Object value) {
        var type = ParquetTypes.messageType(schema);
        return IntStream.range(0, count)
                .<Group>mapToObj(i -> {
                    var row = new SimpleGroup(type);
                    row.add("id", (long) i);
                    for (int j = 1; j < type.getFieldCount(); j++) {
                        if (value instanceof Float number) {
                            row.add(j, number);
                        } else if (value instanceof Double number) {
                            row.add(j, number);
                        } else {
                            row.add(j, String.valueOf(value));
                        }
                    }
                    return row;
                })
                .toList();
    }

    private Verdict examine(TableMetadata table, Source... sources) throws IOException {
        return new FileRewriter(files.storage, table).examine(List.of(sources), false);
    }

    private Rewritten rewrite(TableMetadata table, Source... sources) throws IOException {
        return rewrite(files.storage, table, false, sources);
    }

    private Rewritten rewrite(Storage storage, TableMetadata table, boolean joinSmall, Source... sources)
            throws IOException {
        Verdict verdict = new FileRewriter(storage, table).examine(List.of(sources), joinSmall);
        assertThat(verdict).isInstanceOf(Copyable.class);
        return ((Copyable) verdict)
                .write(() -> "out" + files.storage.locations().size(), UNPARTITIONED);
    }

    private List<BlockMetaData> blocks(String location) throws IOException {
        try (var reader = files.open(location)) {
            return reader.getRowGroups();
        }
    }

    private byte[] chunk(String location, ColumnChunkMetaData chunk) {
        return Arrays.copyOfRange(
                files.storage.bytes(location),
                Math.toIntExact(chunk.getStartingPos()),
                Math.toIntExact(chunk.getStartingPos() + chunk.getTotalSize()));
    }

    @Test
    void copiesRowGroupsThatLoseNoRowByteByByteWithWhatBelongsToThem() throws IOException {
        Schema schema = columns(Type.Simple.STRING);
        var source = files.write(
                "a",
                schema,
                SourceFiles.rows(schema, 50, new Randomly(1)),
                builder -> builder.withBloomFilterEnabled("c0", true).withCompressionCodec(CompressionCodecName.GZIP));
        Rewritten result = rewrite(table(schema, 2), source.without(12));

        String output = result.files().get(0).path();
        List<BlockMetaData> before = blocks("a");
        List<BlockMetaData> after = blocks(output);
        assertThat(after).extracting(BlockMetaData::getRowCount).containsExactly(10L, 9L, 10L, 10L, 10L);
        long bytes = 0;
        try (var in = files.open("a");
                var out = files.open(output)) {
            for (int group : new int[] {0, 2, 3, 4}) {
                for (int column = 0; column < 2; column++) {
                    var old = before.get(group).getColumns().get(column);
                    var copy = after.get(group).getColumns().get(column);
                    bytes += copy.getTotalSize();
                    assertThat(chunk(output, copy)).isEqualTo(chunk("a", old));
                    assertThat(copy.getStatistics()).isEqualTo(old.getStatistics());
                    assertThat(out.readColumnIndex(copy)).hasToString(String.valueOf(in.readColumnIndex(old)));
                    long moved = copy.getStartingPos() - old.getStartingPos();
                    var oldPages = in.readOffsetIndex(old);
                    var pages = out.readOffsetIndex(copy);
                    assertThat(pages.getPageCount()).isEqualTo(oldPages.getPageCount());
                    assertThat(pages.getOffset(0)).isEqualTo(oldPages.getOffset(0) + moved);
                }
                assertThat(out.readBloomFilter(after.get(group).getColumns().get(1)))
                        .isNotNull()
                        .isEqualTo(in.readBloomFilter(
                                before.get(group).getColumns().get(1)));
            }
        }
        assertThat(result.counts())
                .isEqualTo(new RewriteCounts(4, 1, bytes, after.get(1).getCompressedSize()));
        assertThat(result.files().get(0).common().splitOffsets())
                .isEqualTo(after.stream().map(BlockMetaData::getStartingPos).toList());
    }

    @Test
    void keepsTheBitsOfEveryNan() throws IOException {
        for (WriterVersion version : WriterVersion.values()) {
            for (String pages : List.of("v1", "v2")) {
                floatNansKeepTheirBits(version, pages);
                doubleNansKeepTheirBits(version, pages);
            }
        }
    }

    private void floatNansKeepTheirBits(WriterVersion version, String pages) throws IOException {
        Schema schema = columns(Type.Simple.FLOAT, new Type.ListOf(9, false, Type.Simple.FLOAT));
        var type = ParquetTypes.messageType(table(schema, 2).schema());
        var rows = new ArrayList<Group>();
        for (int i = 0; i < 20; i++) {
            var row = new SimpleGroup(type);
            row.add("id", (long) i);
            row.add(1, i == 13 ? 12345.678f : i);
            row.addGroup(2).addGroup(0).add(0, 12345.678f);
            rows.add(row);
        }
        String name = "f" + version + pages;
        var source = withPattern(
                name,
                table(schema, 2).schema(),
                rows,
                version,
                ByteBuffer.allocate(4).order(ByteOrder.LITTLE_ENDIAN).putFloat(12345.678f),
                ByteBuffer.allocate(4).order(ByteOrder.LITTLE_ENDIAN).putInt(0xffc0beef));
        assertThat(source.rows().get(13).get(1)).isEqualTo(List.of("float bits " + 0xffc0beef));
        Rewritten result = rewrite(table(schema, 2, "write.parquet.page-version", pages), source.without(12));

        var expected = new ArrayList<>(source.rows());
        expected.remove(12);
        assertThat(files.read(result.files().get(0).path())).isEqualTo(expected);
    }

    private void doubleNansKeepTheirBits(WriterVersion version, String pages) throws IOException {
        Schema schema = columns(Type.Simple.DOUBLE);
        var source = withPattern(
                "d" + version + pages,
                schema,
                rows(schema, 20, 98765.4321),
                version,
                ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putDouble(98765.4321),
                ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(0x7ff4000000c0ffeeL));
        assertThat(source.rows().get(13).get(1)).isEqualTo(List.of("double bits " + 0x7ff4000000c0ffeeL));
        Rewritten result = rewrite(table(schema, 2, "write.parquet.page-version", pages), source.without(2));

        var expected = new ArrayList<>(source.rows());
        expected.remove(2);
        assertThat(files.read(result.files().get(0).path())).isEqualTo(expected);
        // Of the copied row group nobody counted them.
        assertThat(result.files().get(0).metrics().nanValueCounts()).doesNotContainKey(2);
    }

    /** Writes rows plainly and then puts other bytes where some pattern is. */
    private SourceFiles.Content withPattern(
            String name,
            Schema schema,
            List<Group> rows,
            WriterVersion version,
            ByteBuffer pattern,
            ByteBuffer replacement)
            throws IOException {
        var content = files.write(
                name,
                schema,
                rows,
                builder -> builder.withCompressionCodec(CompressionCodecName.UNCOMPRESSED)
                        .withDictionaryEncoding(false)
                        .withPageWriteChecksumEnabled(false)
                        .withStatisticsEnabled(false)
                        .withWriterVersion(version));
        byte[] bytes = files.storage.bytes(name);
        for (int i = 0; i + pattern.capacity() <= bytes.length; i++) {
            if (Arrays.equals(bytes, i, i + pattern.capacity(), bytesOf(pattern), 0, pattern.capacity())) {
                System.arraycopy(bytesOf(replacement), 0, bytes, i, pattern.capacity());
            }
        }
        files.storage.put(name, bytes);
        return new SourceFiles.Content(content.file(), files.read(name));
    }

    @Test
    void refusesFilesThatAreNotStoredAsNewOnesAre() throws IOException {
        Schema schema = columns(Type.Simple.INT, Type.Simple.STRING);
        List<Field> fields = schema.fields();
        var others = Map.of(
                "other order", List.of(fields.get(0), fields.get(2), fields.get(1)),
                "a column less", List.of(fields.get(0), fields.get(1)),
                "an optional column", List.of(Field.optional(1, "id", Type.Simple.LONG), fields.get(1), fields.get(2)),
                "another name", List.of(fields.get(0), fields.get(1), Field.optional(3, "old", Type.Simple.STRING)),
                "another id", List.of(fields.get(0), fields.get(1), Field.optional(4, "c1", Type.Simple.STRING)),
                "another type", List.of(fields.get(0), Field.optional(2, "c0", Type.Simple.DATE), fields.get(2)),
                "lineage", with(fields, MetadataFields.ROW_ID, MetadataFields.LAST_UPDATED_SEQUENCE_NUMBER));
        for (var other : others.entrySet()) {
            Schema stored = new Schema(0, other.getValue());
            var source = files.write(
                    other.getKey(), stored, SourceFiles.rows(stored, 12, new Randomly(2)), builder -> builder);
            assertThat(examine(table(schema, 2), source.without(1)))
                    .as(other.getKey())
                    .isEqualTo(new Verdict.NotCopyable(
                            other.getKey(), "its columns are not stored as those of the table's current schema are"));
        }
        assertThat(others).hasSize(7);
    }

    private static List<Field> with(List<Field> fields, Field... more) {
        var all = new ArrayList<>(fields);
        all.addAll(List.of(more));
        return all;
    }

    @Test
    void refusesFilesWithoutFieldIds() throws IOException {
        Schema schema = columns(Type.Simple.INT);
        var type = org.apache.parquet.schema.MessageTypeParser.parseMessageType(
                "message table { required int64 id; optional int32 c0; }");
        var row = new SimpleGroup(type);
        row.add("id", 1L);
        var source = files.write("a", schema, List.of(row, row), builder -> builder.withType(type));
        assertThat(examine(table(schema, 2), source.without(1))).isInstanceOf(Verdict.NotCopyable.class);
    }

    @Test
    void refusesFilesThatAreNotWhatTheManifestSays() throws IOException {
        Schema schema = columns(Type.Simple.INT);
        var source = files.write("a", schema, SourceFiles.rows(schema, 12, new Randomly(2)), builder -> builder);
        var other = new SourceFiles.Content(files.dataFile("a", Metrics.ofCount(13)), source.rows());
        assertThat(examine(table(schema, 2), other.without(1)))
                .isEqualTo(new Verdict.NotCopyable("a", "it has 12 rows, not 13 as its manifest says"));
        files.storage.put("b", "not Parquet at all".getBytes(StandardCharsets.UTF_8));
        var no = new SourceFiles.Content(files.dataFile("b", Metrics.ofCount(13)), List.of());
        assertThat(examine(table(schema, 2), no.without(1))).isInstanceOf(Verdict.NotCopyable.class);
    }

    @Test
    void refusesEncryptedFiles() throws IOException {
        Schema schema = columns(Type.Simple.INT);
        List<Group> rows = SourceFiles.rows(schema, 12, new Randomly(2));
        byte[] key = "sixteen bytes!!!".getBytes(StandardCharsets.UTF_8);
        var encrypted = Map.of(
                "all", FileEncryptionProperties.builder(key),
                "all but the footer", FileEncryptionProperties.builder(key).withPlaintextFooter());
        for (var properties : encrypted.entrySet()) {
            String name = properties.getKey();
            var source = files.write(
                    name,
                    schema,
                    rows,
                    builder -> builder.withEncryption(properties.getValue().build()));
            assertThatThrownBy(() -> examine(table(schema, 2), source.without(1)))
                    .isInstanceOf(UnsupportedOperationException.class)
                    .hasMessage("Cannot rewrite data file " + name
                            + ": it is encrypted. Rewrite it with the engine that wrote it.");
        }

        var plain = files.write("b", schema, rows, builder -> builder).file().common();
        var withKey = new ContentFile.Common(
                plain.path(),
                FileFormat.PARQUET,
                0,
                plain.partition(),
                plain.metrics(),
                plain.fileSizeBytes(),
                List.of(),
                OptionalInt.empty(),
                Optional.of(Bytes.copyOf(new byte[] {1})));
        var keyed = new SourceFiles.Content(new DataFile(withKey, java.util.OptionalLong.empty()), List.of());
        assertThatThrownBy(() -> examine(table(schema, 2), keyed.without(1)))
                .isInstanceOf(UnsupportedOperationException.class);
    }

    /** Parquet-mr before 1.8 wrote the first value of such a page so that it needs the page before it (PARQUET-246). */
    @Test
    void copiesNoEncodingThatItsWriterGotWrong() throws IOException {
        Schema schema = columns(Type.Simple.STRING);
        UnaryOperator<ExampleParquetWriter.Builder> settings =
                builder -> builder.withWriterVersion(WriterVersion.PARQUET_2_0).withDictionaryEncoding(false);
        var source = files.write("a", schema, SourceFiles.rows(schema, 20, new Randomly(2)), settings);
        String content = new String(files.storage.bytes("a"), StandardCharsets.ISO_8859_1);
        assertThat(content).contains("parquet-mr version 1.16.0");
        files.storage.put(
                "a",
                content.replace("parquet-mr version 1.16.0", "parquet-mr version 1.06.0")
                        .getBytes(StandardCharsets.ISO_8859_1));

        Rewritten result = rewrite(table(schema, 2), source.without());
        assertThat(result.counts().bytesCopied()).isZero();
        assertThat(result.counts().rowGroupsEncoded()).isEqualTo(1);
        assertThat(files.read(result.files().get(0).path())).isEqualTo(source.rows());
    }

    @Test
    void deletesWhatItWroteWhenASourceIsCorrupt() throws IOException {
        Schema schema = columns(Type.Simple.STRING);
        var source = files.write("a", schema, rows(schema, 30, "some text"), builder -> builder);
        byte[] bytes = files.storage.bytes("a");
        var damaged = blocks("a").get(2).getColumns().get(1);
        bytes[Math.toIntExact(damaged.getStartingPos() + damaged.getTotalSize() - 1)] ^= 1;
        files.storage.put("a", bytes);

        assertThatThrownBy(() -> rewrite(
                        table(
                                schema,
                                2,
                                "write.target-file-size-bytes",
                                "1",
                                "write.parquet.row-group-size-bytes",
                                "1"),
                        source.without(1, 25)))
                .isInstanceOf(InvalidTableException.class)
                .hasMessageContaining("a");
        assertThat(files.storage.locations()).containsExactly("a");
    }

    @Test
    void deletesWhatItWroteWhenWritingFails() throws IOException {
        Schema schema = columns(Type.Simple.STRING);
        var source = files.write("a", schema, rows(schema, 30, "some text"), builder -> builder);
        int failures = 0;
        for (int write = 1; write < 10_000; write += 23) {
            var faulty = new FaultyStorage(files.storage);
            faulty.requests().failOn(Request.WRITE, write);
            try {
                rewrite(faulty, table(schema, 2, "write.target-file-size-bytes", "1"), false, source.without(1));
                break;
            } catch (IOException e) {
                failures++;
                assertThat(files.storage.locations()).containsExactly("a");
            }
        }
        assertThat(failures).isBetween(5, 400);
    }

    /** As a task that is killed is; and the failure that counts is the first. */
    @Test
    void leavesNothingWhenItIsInterruptedAndKeepsTheFirstFailure() throws IOException {
        Schema schema = columns(Type.Simple.STRING);
        var source = files.write("a", schema, rows(schema, 30, "some text"), builder -> builder);
        var interrupted = new FaultyStorage(files.storage);
        interrupted.requests().failWhenInterrupted();
        interrupted.requests().interruptOn(Request.WRITE, 70);
        assertThatThrownBy(() -> rewrite(
                        interrupted, table(schema, 2, "write.target-file-size-bytes", "1"), false, source.without(1)))
                .isInstanceOf(IOException.class);
        assertThat(Thread.interrupted()).isTrue();
        assertThat(files.storage.locations()).containsExactly("a");

        var failing = new FaultyStorage(files.storage);
        failing.requests().failOn(Request.WRITE, 70);
        failing.requests().failAll(Request.DELETE);
        assertThatThrownBy(() -> rewrite(
                        failing, table(schema, 2, "write.target-file-size-bytes", "1"), false, source.without(1)))
                .hasRootCauseMessage("Injected: WRITE 70 of out1")
                .satisfies(first -> assertThat(first.getSuppressed()).hasSize(1));
    }

    @Test
    void cutsOutputsOfAboutTheTargetSize() throws IOException {
        Schema schema = columns(Type.Simple.STRING);
        var source = files.write(
                "a",
                schema,
                SourceFiles.rows(schema, 100, new Randomly(3)),
                builder -> builder.withCompressionCodec(CompressionCodecName.UNCOMPRESSED));
        long rowGroups =
                blocks("a").stream().mapToLong(BlockMetaData::getCompressedSize).sum();
        Rewritten result = rewrite(
                table(schema, 2, "write.target-file-size-bytes", String.valueOf(rowGroups / 2)), source.without(5));
        assertThat(result.files()).extracting(DataFile::recordCount).containsExactly(49L, 50L);
        assertThat(result.positions().outputsOf("a")).hasSize(2);
        // A little more than the target leaves no small file behind.
        assertThat(rewrite(
                                table(schema, 2, "write.target-file-size-bytes", String.valueOf(rowGroups * 3 / 4)),
                                source.without())
                        .files())
                .hasSize(1);
    }

    @Test
    void joinsSmallRowGroupsOfSeveralFilesIfAskedTo() throws IOException {
        Schema schema = columns(Type.Simple.STRING);
        var sources = new ArrayList<Source>();
        for (int i = 0; i < 5; i++) {
            sources.add(files.write("s" + i, schema, rows(schema, 20, "x" + i), builder -> builder)
                    .without(3));
        }
        Source[] all = sources.toArray(Source[]::new);
        Rewritten joined = rewrite(files.storage, table(schema, 2), true, all);
        assertThat(blocks(joined.files().get(0).path()))
                .extracting(BlockMetaData::getRowCount)
                .containsExactly(95L);
        assertThat(joined.counts().rowGroupsCopied()).isZero();
        Rewritten copied = rewrite(files.storage, table(schema, 2), false, all);
        assertThat(copied.counts().rowGroupsCopied()).isEqualTo(5);
        assertThat(files.read(copied.files().get(0).path()))
                .isEqualTo(files.read(joined.files().get(0).path()));
    }

    @Test
    void encodesOnlyTheLineageOfCleanRowGroupsAndCopiesItOnceItIsStored() throws IOException {
        Schema schema = columns(Type.Simple.STRING);
        var source = files.write("a", schema, rows(schema, 40, "text"), builder -> builder)
                .withFirstRowId(1_000);
        var table = table(schema, 3);
        Rewritten first = rewrite(table, source.without(5));
        String output = first.files().get(0).path();
        var expected = new ArrayList<List<Object>>();
        for (int i = 0; i < 40; i++) {
            if (i != 5) {
                var row = new ArrayList<>(source.rows().get(i));
                row.add(List.of(1_000L + i));
                row.add(List.of(7L));
                expected.add(row);
            }
        }
        assertThat(files.read(output)).isEqualTo(expected);
        assertThat(first.counts().rowGroupsCopied()).isEqualTo(3);

        var again = new SourceFiles.Content(first.files().get(0), expected).withFirstRowId(5_000);
        Rewritten second = rewrite(table, again.without(0));
        expected.remove(0);
        assertThat(files.read(second.files().get(0).path())).isEqualTo(expected);
        assertThat(second.counts().bytesCopied())
                .isEqualTo(blocks(output).stream()
                        .skip(1)
                        .mapToLong(BlockMetaData::getCompressedSize)
                        .sum());
    }

    @Test
    void countsNansIfTheSourceHasNoneAndTakesItsBounds() throws IOException {
        Schema schema = columns(Type.Simple.DOUBLE);
        var rows = rows(schema, 20, 2.5);
        var content = files.write("a", schema, rows, builder -> builder);
        Bytes lower = ValueCodec.encode(Type.Simple.DOUBLE, 1.0);
        Bytes upper = ValueCodec.encode(Type.Simple.DOUBLE, 3.0);
        var measured = new Metrics(20, Map.of(), Map.of(), Map.of(), Map.of(2, 0L), Map.of(2, lower), Map.of(2, upper));
        var source = new SourceFiles.Content(files.dataFile("a", measured), content.rows());
        Metrics metrics =
                rewrite(table(schema, 2), source.without(5)).files().get(0).metrics();
        assertThat(metrics.nanValueCounts()).containsEntry(2, 0L);
        assertThat(metrics.lowerBounds()).containsEntry(2, lower);
        assertThat(metrics.upperBounds()).containsEntry(2, upper);
        assertThat(metrics.nullValueCounts()).containsEntry(2, 0L);
        assertThat(metrics.valueCounts()).containsEntry(2, 19L);

        // Of a source that says nothing the copied row group's own bounds are taken, and NaN may be there.
        Metrics own =
                rewrite(table(schema, 2), content.without(5)).files().get(0).metrics();
        assertThat(own.nanValueCounts()).doesNotContainKey(2);
        assertThat(own.lowerBounds()).containsEntry(2, ValueCodec.encode(Type.Simple.DOUBLE, 2.5));
    }

    /** Footers say nothing of chunks with values of more than 4 KiB, not even how many nulls there are. */
    @Test
    void takesMetricsOfLongValuesFromTheColumnIndex() throws IOException {
        Schema schema = columns(Type.Simple.STRING, Type.Simple.BINARY);
        var rows = new ArrayList<>(rows(schema, 20, "long ".repeat(1_000)));
        rows.set(17, new SimpleGroup(ParquetTypes.messageType(schema)).append("id", 17L));
        var source = files.write("a", schema, rows, builder -> builder.withPageRowCountLimit(2));
        Metrics metrics =
                rewrite(table(schema, 2), source.without(5)).files().get(0).metrics();
        for (int id : new int[] {2, 3}) {
            assertThat(metrics.nullValueCounts()).containsEntry(id, 1L);
            assertThat(metrics.valueCounts()).containsEntry(id, 19L);
            assertThat(metrics.lowerBounds()).containsEntry(id, text("long long long l"));
            assertThat(metrics.upperBounds()).containsEntry(id, text("long long long m"));
        }
    }

    @Test
    void takesBoundsFromTheSourceIfItsChunksHaveNone() throws IOException {
        Schema schema = columns(Type.Simple.STRING);
        var content = files.write(
                "a", schema, rows(schema, 20, "some text"), builder -> builder.withStatisticsEnabled("c0", false));
        Bytes lower = text("some teaa");
        var measured =
                new Metrics(20, Map.of(), Map.of(), Map.of(), Map.of(), Map.of(2, lower), Map.of(2, text("somf")));
        var source = new SourceFiles.Content(files.dataFile("a", measured), content.rows());
        var table = table(schema, 2, "write.metadata.metrics.default", "truncate(8)");
        Metrics metrics = rewrite(table, source.without(5)).files().get(0).metrics();
        assertThat(metrics.lowerBounds()).containsEntry(2, text("some tea"));
        assertThat(metrics.upperBounds()).containsEntry(2, text("somf"));
        assertThat(rewrite(table, content.without(5)).files().get(0).metrics().lowerBounds())
                .doesNotContainKey(2);
    }

    private static Bytes text(String text) {
        return Bytes.wrap(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Writers that know their rows to have no null say so. */
    @Test
    void keepsColumnsRequiredThatAreSoInAllFiles() throws IOException {
        Schema optional = new Schema(
                0,
                List.of(
                        Field.optional(1, "id", Type.Simple.LONG),
                        Field.optional(2, "s", new Type.Struct(List.of(Field.optional(3, "a", Type.Simple.INT)))),
                        Field.optional(4, "l", new Type.ListOf(5, false, Type.Simple.INT)),
                        Field.optional(6, "m", new Type.MapOf(7, Type.Simple.STRING, 8, false, Type.Simple.INT))));
        Schema ids = table(optional, 2).schema();
        List<Field> fields = ids.fields();
        var parts = (Type.Struct) fields.get(1).type();
        var list = (Type.ListOf) fields.get(2).type();
        var map = (Type.MapOf) fields.get(3).type();
        Schema required = new Schema(
                0,
                List.of(
                        fields.get(0).withRequired(true),
                        fields.get(1)
                                .withRequired(true)
                                .withType(new Type.Struct(
                                        List.of(parts.fields().get(0).withRequired(true)))),
                        fields.get(2).withType(new Type.ListOf(list.elementId(), true, list.element())),
                        fields.get(3)
                                .withType(new Type.MapOf(map.keyId(), map.key(), map.valueId(), true, map.value()))));
        var source = files.write("a", required, SourceFiles.rows(required, 30, new Randomly(5)), builder -> builder);
        Rewritten result = rewrite(table(optional, 2), source.without(4));
        var expected = new ArrayList<>(source.rows());
        expected.remove(4);
        String output = result.files().get(0).path();
        assertThat(files.read(output)).isEqualTo(expected);
        assertThat(result.counts().rowGroupsCopied()).isEqualTo(2);
        try (var reader = files.open(output)) {
            assertThat(reader.getFileMetaData().getSchema()).isEqualTo(ParquetTypes.messageType(required));
        }

        var other = files.write("b", ids, SourceFiles.rows(ids, 30, new Randomly(6)), builder -> builder);
        assertThat(examine(table(optional, 2), source.without(1), other.without(1)))
                .isEqualTo(new Verdict.NotCopyable(
                        "b", "its columns are not stored as those of the table's current schema are"));
    }

    @Test
    void writesNothingIfNothingStays() throws IOException {
        Schema schema = columns(Type.Simple.STRING);
        var source = files.write("a", schema, rows(schema, 3, "x"), builder -> builder);
        Rewritten result = rewrite(table(schema, 2), source.without(0, 1, 2));
        assertThat(result.files()).isEmpty();
        assertThat(result.positions().sources()).containsExactly("a");
        assertThat(files.storage.locations()).containsExactly("a");
    }

    private static byte[] bytesOf(ByteBuffer buffer) {
        var bytes = new byte[buffer.capacity()];
        buffer.duplicate().clear().get(bytes);
        return bytes;
    }
}
