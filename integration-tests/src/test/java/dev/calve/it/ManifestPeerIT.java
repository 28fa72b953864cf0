package dev.calve.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.calve.io.InputFile;
import dev.calve.io.PositionOutput;
import dev.calve.io.RangeInput;
import dev.calve.io.Storage;
import dev.calve.manifest.ContentFile;
import dev.calve.manifest.DataFile;
import dev.calve.manifest.DeleteFile;
import dev.calve.manifest.ManifestEntry;
import dev.calve.manifest.ManifestFile;
import dev.calve.manifest.ManifestList;
import dev.calve.manifest.ManifestReader;
import dev.calve.manifest.ManifestTarget;
import dev.calve.manifest.ManifestWriter;
import dev.calve.manifest.Selection;
import dev.calve.partition.PartitionJson;
import dev.calve.partition.PartitionSpec;
import dev.calve.partition.PartitionTuple;
import dev.calve.schema.Bytes;
import dev.calve.schema.Json;
import dev.calve.schema.Schema;
import dev.calve.schema.SchemaJson;
import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.FileMetadata;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.ManifestContent;
import org.apache.iceberg.ManifestFiles;
import org.apache.iceberg.Metrics;
import org.apache.iceberg.PartitionData;
import org.apache.iceberg.PartitionSpecParser;
import org.apache.iceberg.SchemaParser;
import org.apache.iceberg.SnapshotParser;
import org.apache.iceberg.SortOrder;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.hadoop.HadoopTables;
import org.apache.iceberg.types.Types;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Manifests and lists of the peer read by us, and ours read by the peer, entry by entry. No Spark session is needed. */
@Tag("iceberg-peer")
class ManifestPeerIT {

    private static final org.apache.iceberg.Schema SCHEMA = new org.apache.iceberg.Schema(
            Types.NestedField.required(1, "id", Types.LongType.get()),
            Types.NestedField.optional(2, "a bool", Types.BooleanType.get()),
            Types.NestedField.optional(3, "3int", Types.IntegerType.get()),
            Types.NestedField.optional(4, "float", Types.FloatType.get()),
            Types.NestedField.optional(5, "double", Types.DoubleType.get()),
            Types.NestedField.optional(6, "date", Types.DateType.get()),
            Types.NestedField.optional(7, "time", Types.TimeType.get()),
            Types.NestedField.optional(8, "ts", Types.TimestampType.withoutZone()),
            Types.NestedField.optional(9, "tstz", Types.TimestampType.withZone()),
            Types.NestedField.optional(10, "string", Types.StringType.get()),
            Types.NestedField.optional(11, "uuid", Types.UUIDType.get()),
            Types.NestedField.optional(12, "fixed", Types.FixedType.ofLength(3)),
            Types.NestedField.optional(13, "binary", Types.BinaryType.get()),
            Types.NestedField.optional(14, "decimal", Types.DecimalType.of(9, 2)),
            Types.NestedField.optional(15, "größe", Types.DecimalType.of(38, 0)),
            Types.NestedField.optional(16, "ts2", Types.TimestampType.withoutZone()));

    private static final org.apache.iceberg.PartitionSpec SPEC = org.apache.iceberg.PartitionSpec.builderFor(SCHEMA)
            .identity("id")
            .identity("a bool")
            .identity("3int")
            .identity("float")
            .identity("double")
            .identity("date")
            .identity("time")
            .identity("ts")
            .identity("tstz")
            .identity("string")
            .identity("uuid")
            .identity("fixed")
            .identity("binary")
            .identity("decimal")
            .identity("größe")
            .bucket("id", 8)
            .truncate("string", 2)
            .year("date", "y")
            .month("ts", "m")
            .day("tstz", "d")
            .hour("ts2", "h")
            .alwaysNull("uuid", "nothing")
            .build();

    private static final int FIXED = 11;

    private static final Object[] FIRST = {
        7L,
        true,
        -3,
        1.5f,
        -2.25d,
        -1,
        3_600_000_000L,
        -1L,
        1_700_000_000_000_000L,
        "zß",
        new UUID(-5, 9),
        ByteBuffer.wrap(new byte[] {1, -2, 3}),
        ByteBuffer.wrap(new byte[] {-1}),
        new BigDecimal("-1.28"),
        new BigDecimal("-12345678901234567890123456789012345678"),
        5,
        "zß",
        -1,
        -1,
        19675,
        -1,
        null
    };
    private static final Object[] SECOND = {
        -7L,
        false,
        3,
        Float.NaN,
        Double.NaN,
        20000,
        0L,
        99L,
        0L,
        "",
        new UUID(5, -9),
        ByteBuffer.wrap(new byte[] {0, 0, 0}),
        ByteBuffer.wrap(new byte[0]),
        new BigDecimal("9999999.99"),
        new BigDecimal("99999999999999999999999999999999999999"),
        0,
        "",
        54,
        0,
        0,
        0,
        null
    };
    private static final Object[] NULLS = new Object[FIRST.length];

    @TempDir
    private Path folder;

    private final Storage storage = new LocalStorage();
    private String location = "";

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void readsEveryEntryOfThePeersHistoryAsThePeerDoes(int formatVersion) throws Exception {
        Table table = peerTable(formatVersion);
        org.apache.iceberg.DataFile first = peerFile("first", FIRST, 10);
        org.apache.iceberg.DataFile nulls = peerFile("nulls", NULLS, 20);
        org.apache.iceberg.DataFile second = peerFile("second", SECOND, 30);
        table.newAppend().appendFile(first).appendFile(nulls).commit();
        table.newFastAppend().appendFile(second).commit();
        table.newDelete().deleteFile(first.location()).commit();
        long rewritten = table.currentSnapshot().sequenceNumber();
        if (formatVersion > 1) {
            peerDeletes(table, formatVersion, nulls);
        }
        table.newRewrite()
                .deleteFile(second)
                .addFile(peerFile("compacted", SECOND, 25))
                .dataSequenceNumber(rewritten)
                .commit();
        table.updateProperties().set("commit.manifest.min-count-to-merge", "1").commit();
        table.newAppend().appendFile(peerFile("merged", FIRST, 1)).commit();

        int compared = 0;
        for (org.apache.iceberg.Snapshot snapshot : table.snapshots()) {
            List<ManifestFile> ours = ManifestList.read(storage, local(snapshot.manifestListLocation()));
            List<org.apache.iceberg.ManifestFile> theirs = snapshot.allManifests(table.io());
            assertThat(ours.stream().map(ManifestPeerIT::describe))
                    .containsExactlyElementsOf(
                            theirs.stream().map(ManifestPeerIT::describe).toList());
            for (int i = 0; i < ours.size(); i++) {
                List<String> expected = peerEntries(table, theirs.get(i));
                assertThat(ourEntries(ours.get(i))).containsExactlyElementsOf(expected);
                compared += expected.size();
            }
        }
        assertThat(compared).isGreaterThan(formatVersion == 1 ? 10 : 15);
    }

    private void peerDeletes(Table table, int formatVersion, org.apache.iceberg.DataFile of) {
        var rowDelta = table.newRowDelta();
        rowDelta.addDeletes(FileMetadata.deleteFileBuilder(SPEC)
                .ofEqualityDeletes(3, 1)
                .withPath(location + "/data/eq.parquet")
                .withPartition(partition(NULLS))
                .withFileSizeInBytes(11)
                .withRecordCount(2)
                .build());
        var builder = FileMetadata.deleteFileBuilder(SPEC)
                .ofPositionDeletes()
                .withPartition(partition(NULLS))
                .withFileSizeInBytes(99)
                .withRecordCount(3);
        if (formatVersion == 2) {
            ByteBuffer path = ByteBuffer.wrap(of.location().getBytes(StandardCharsets.UTF_8));
            var bounds = Map.of(2147483546, path);
            rowDelta.addDeletes(builder.withPath(location + "/data/pos.parquet")
                    .withMetrics(new Metrics(3L, null, null, null, null, bounds, bounds))
                    .build());
        } else {
            rowDelta.addDeletes(builder.withPath(location + "/data/dv.puffin")
                    .withFormat(org.apache.iceberg.FileFormat.PUFFIN)
                    .withReferencedDataFile(of.location())
                    .withContentOffset(4)
                    .withContentSizeInBytes(44)
                    .build());
        }
        rowDelta.commit();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void writesWhatThePeerReads(int formatVersion) throws Exception {
        Table table = peerTable(formatVersion);
        Schema schema = SchemaJson.fromJson(Json.parse(SchemaParser.toJson(table.schema())));
        PartitionSpec spec = PartitionJson.specFromJson(Json.parse(PartitionSpecParser.toJson(table.spec())));
        long snapshotId = 4242;
        long sequenceNumber = formatVersion == 1 ? 0 : 1;

        ManifestFile added = write(formatVersion, schema, spec, snapshotId, ManifestFile.Content.DATA, writer -> {
            writer.added(file("first", FIRST, 10));
            writer.added(file("nulls", NULLS, 20));
            if (formatVersion > 1) {
                writer.added(file("compacted", SECOND, 5), 0);
            }
        });
        ManifestFile kept = write(formatVersion, schema, spec, snapshotId, ManifestFile.Content.DATA, writer -> {
            var rowId = formatVersion == 3 ? OptionalLong.of(1000) : OptionalLong.empty();
            writer.existing(entry(7, file("second", SECOND, 30).withFirstRowId(rowId)));
            writer.existing(entry(8, file("old", NULLS, 3)));
            writer.deleted(entry(7, file("gone", FIRST, 40)));
        });
        var manifests = new ArrayList<>(List.of(added, kept));
        if (formatVersion > 1) {
            manifests.add(write(formatVersion, schema, spec, snapshotId, ManifestFile.Content.DELETES, writer -> {
                for (DeleteFile delete : deletes(formatVersion)) {
                    writer.added(delete);
                }
            }));
        }
        String list = folder.resolve("ours-list.avro").toString();
        ManifestList.WrittenList written = ManifestList.write(
                storage, list, formatVersion, snapshotId, OptionalLong.empty(), sequenceNumber, 0, manifests);

        commit(table, formatVersion, snapshotId, sequenceNumber, list, written.nextRowId());

        Table reloaded = new HadoopTables(new Configuration()).load(location);
        List<org.apache.iceberg.ManifestFile> theirs =
                reloaded.currentSnapshot().allManifests(reloaded.io());
        assertThat(theirs.stream().map(ManifestPeerIT::describe))
                .containsExactlyElementsOf(written.manifests().stream()
                        .map(ManifestPeerIT::describe)
                        .toList());
        for (int i = 0; i < theirs.size(); i++) {
            List<String> peer = peerEntries(reloaded, theirs.get(i));
            assertThat(peer)
                    .containsExactlyElementsOf(ourEntries(written.manifests().get(i)));
            assertThat(peer).hasSizeGreaterThan(1);
        }
        try (var tasks = reloaded.newScan().planFiles()) {
            assertThat(tasks).hasSize(formatVersion > 1 ? 5 : 4);
        }
        try (var tasks =
                reloaded.newScan().filter(Expressions.equal("3int", -3)).planFiles()) {
            assertThat(tasks)
                    .singleElement()
                    .satisfies(task -> assertThat(task.file().location()).endsWith("first.parquet"));
        }
        if (formatVersion == 3) {
            assertThat(written.nextRowId()).isEqualTo(35 + 33);
        }
        reloaded.newDelete().deleteFile(location + "/data/first.parquet").commit();
        reloaded.newAppend().appendFile(peerFile("later", FIRST, 1)).commit();
        try (var tasks = reloaded.newScan().planFiles()) {
            assertThat(tasks).hasSize(formatVersion > 1 ? 5 : 4);
        }
    }

    private interface Filling {
        void fill(ManifestWriter writer) throws IOException;
    }

    private ManifestFile write(
            int formatVersion,
            Schema schema,
            PartitionSpec spec,
            long snapshotId,
            ManifestFile.Content content,
            Filling filling)
            throws IOException {
        var target = new ManifestTarget(
                storage,
                folder.resolve("ours-" + UUID.randomUUID() + ".avro").toString(),
                formatVersion,
                schema,
                spec,
                spec.partitionType(schema),
                snapshotId,
                content,
                formatVersion == 2 ? "zstd" : "gzip");
        try (var writer = new ManifestWriter(target)) {
            filling.fill(writer);
            return writer.finish();
        }
    }

    private static void commit(
            Table table, int formatVersion, long snapshotId, long sequenceNumber, String list, long nextRowId) {
        String json = "{\"snapshot-id\":" + snapshotId
                + (formatVersion > 1 ? ",\"sequence-number\":" + sequenceNumber : "")
                + ",\"timestamp-ms\":" + System.currentTimeMillis()
                + ",\"summary\":{\"operation\":\"append\"},\"manifest-list\":\"" + list + "\",\"schema-id\":0"
                + (formatVersion > 2 ? ",\"first-row-id\":0,\"added-rows\":" + nextRowId : "")
                + "}";
        var operations = ((HasTableOperations) table).operations();
        TableMetadata base = operations.current();
        operations.commit(
                base,
                TableMetadata.buildFrom(base)
                        .setBranchSnapshot(SnapshotParser.fromJson(json), "main")
                        .build());
    }

    private Table peerTable(int formatVersion) {
        location = folder.resolve("table").toString();
        return new HadoopTables(new Configuration())
                .create(
                        SCHEMA,
                        SPEC,
                        SortOrder.unsorted(),
                        Map.of("format-version", Integer.toString(formatVersion)),
                        location);
    }

    private static PartitionData partition(Object[] values) {
        var data = new PartitionData(SPEC.partitionType());
        for (int i = 0; i < values.length; i++) {
            data.set(i, values[i]);
        }
        return data;
    }

    private org.apache.iceberg.DataFile peerFile(String name, Object[] partition, long records) {
        var metrics = new Metrics(
                records,
                Map.of(1, 100L, 2, 200L),
                Map.of(1, records, 2, records),
                Map.of(1, 0L, 2, 1L),
                Map.of(4, 0L),
                Map.of(1, ByteBuffer.wrap(new byte[] {7, 0, 0, 0, 0, 0, 0, 0})),
                Map.of(1, ByteBuffer.wrap(new byte[] {8, 0, 0, 0, 0, 0, 0, 0})));
        return DataFiles.builder(SPEC)
                .withPath(location + "/data/" + name + ".parquet")
                .withPartition(partition(partition))
                .withFileSizeInBytes(1234)
                .withMetrics(metrics)
                .withSplitOffsets(List.of(4L, 600L))
                .build();
    }

    private ContentFile.Common common(String name, dev.calve.manifest.FileFormat format, Object[] partition, long n) {
        var values = new ArrayList<Object>();
        for (Object value : partition) {
            // The peer cannot read a fixed value that is written by Avro's rules: it expects a length before it.
            boolean fixed = value != null && values.size() == FIXED;
            values.add(fixed ? null : value instanceof ByteBuffer buffer ? Bytes.copyOf(buffer) : value);
        }
        // No file of this test may be pruned by its bounds.
        var metrics = new dev.calve.expression.Metrics(
                n, Map.of(1, 100L), Map.of(1, n), Map.of(1, 0L), Map.of(4, 0L), Map.of(), Map.of());
        return new ContentFile.Common(
                location + "/data/" + name,
                format,
                0,
                PartitionTuple.copyOf(values),
                metrics,
                1234,
                List.of(4L, 600L),
                java.util.OptionalInt.of(0),
                java.util.Optional.empty());
    }

    private DataFile file(String name, Object[] partition, long records) {
        var format = dev.calve.manifest.FileFormat.PARQUET;
        return new DataFile(common(name + ".parquet", format, partition, records), OptionalLong.empty());
    }

    private List<DeleteFile> deletes(int formatVersion) {
        var parquet = dev.calve.manifest.FileFormat.PARQUET;
        String nulls = location + "/data/nulls.parquet";
        var equality = new DeleteFile.EqualityDeletes(common("eq.parquet", parquet, NULLS, 2), List.of(1, 3));
        if (formatVersion == 2) {
            return List.of(
                    equality,
                    new DeleteFile.PositionDeletes(
                            common("pos.parquet", parquet, NULLS, 3), java.util.Optional.of(nulls)));
        }
        var puffin = dev.calve.manifest.FileFormat.PUFFIN;
        return List.of(equality, new DeleteFile.DeletionVector(common("dv.puffin", puffin, NULLS, 3), nulls, 4, 44));
    }

    private static ManifestEntry<DataFile> entry(long snapshotId, DataFile file) {
        return new ManifestEntry<>(ManifestEntry.Status.ADDED, snapshotId, 0, 0, file);
    }

    private List<String> ourEntries(ManifestFile manifest) throws IOException {
        ManifestFile at = new ManifestFile(
                local(manifest.path()),
                manifest.length(),
                manifest.specId(),
                manifest.content(),
                manifest.sequenceNumber(),
                manifest.minSequenceNumber(),
                manifest.addedSnapshotId(),
                manifest.counts(),
                manifest.partitions(),
                manifest.keyMetadata(),
                manifest.firstRowId());
        var lines = new ArrayList<String>();
        if (manifest.content() == ManifestFile.Content.DATA) {
            ManifestReader.forEachData(storage, at, Selection.all(), entry -> lines.add(describe(entry)));
        } else {
            ManifestReader.forEachDelete(storage, at, Selection.all(), entry -> lines.add(describe(entry)));
        }
        return lines;
    }

    private static String describe(ManifestEntry<?> entry) {
        ContentFile file = entry.file();
        OptionalLong rowId = file instanceof DataFile data ? data.firstRowId() : OptionalLong.empty();
        var values = new ArrayList<Object>();
        for (Object value : file.partition().values()) {
            values.add(value instanceof Bytes bytes ? bytes.toString() : value);
        }
        String references =
                file instanceof DeleteFile delete ? delete.scopedTo().orElse("null") : "null";
        boolean vector = file instanceof DeleteFile.DeletionVector;
        String blob =
                file instanceof DeleteFile.DeletionVector dv ? dv.contentOffset() + "+" + dv.contentSizeBytes() : "-";
        List<Integer> equality = file instanceof DeleteFile.EqualityDeletes deletes ? deletes.equalityIds() : List.of();
        return String.join(
                " ",
                entry.status().name(),
                String.valueOf(entry.snapshotId()),
                String.valueOf(entry.sequenceNumber()),
                String.valueOf(entry.fileSequenceNumber()),
                file.path(),
                file.format().name(),
                values.toString(),
                String.valueOf(file.recordCount()),
                String.valueOf(file.fileSizeBytes()),
                rowId.isPresent() ? String.valueOf(rowId.getAsLong()) : "null",
                String.valueOf(vector),
                references,
                blob,
                equality.toString(),
                file.common().splitOffsets().toString(),
                sorted(file.metrics().columnSizes()),
                sorted(file.metrics().valueCounts()),
                sorted(file.metrics().nullValueCounts()),
                sorted(file.metrics().nanValueCounts()),
                sorted(file.metrics().lowerBounds()),
                sorted(file.metrics().upperBounds()));
    }

    private static List<String> peerEntries(Table table, org.apache.iceberg.ManifestFile manifest) throws Exception {
        var lines = new ArrayList<String>();
        try (var reader = manifest.content() == ManifestContent.DATA
                ? ManifestFiles.read(manifest, table.io(), table.specs())
                : ManifestFiles.readDeleteManifest(manifest, table.io(), table.specs())) {
            Method entries = org.apache.iceberg.ManifestReader.class.getDeclaredMethod("entries");
            entries.setAccessible(true);
            for (Object entry : (Iterable<?>) entries.invoke(reader)) {
                lines.add(describePeer(entry));
            }
        }
        return lines;
    }

    private static String describePeer(Object entry) throws Exception {
        var file = (org.apache.iceberg.ContentFile<?>) get(entry, "file");
        Object snapshotId = get(entry, "snapshotId");
        Object sequenceNumber = get(entry, "dataSequenceNumber");
        Object fileSequenceNumber = get(entry, "fileSequenceNumber");
        var values = new ArrayList<Object>();
        for (int i = 0; i < file.partition().size(); i++) {
            Object value = file.partition().get(i, Object.class);
            values.add(value instanceof ByteBuffer buffer ? Bytes.copyOf(buffer).toString() : value);
        }
        String references = "null";
        boolean vector = false;
        String blob = "-";
        if (file instanceof org.apache.iceberg.DeleteFile delete && delete.equalityFieldIds() == null) {
            vector = delete.format() == org.apache.iceberg.FileFormat.PUFFIN;
            references = delete.referencedDataFile();
            if (references == null) {
                references = StandardCharsets.UTF_8
                        .decode(delete.lowerBounds().get(2147483546).duplicate())
                        .toString();
            }
            blob = vector ? delete.contentOffset() + "+" + delete.contentSizeInBytes() : "-";
        }
        return String.join(
                " ",
                get(entry, "status").toString(),
                String.valueOf(snapshotId),
                String.valueOf(sequenceNumber),
                String.valueOf(fileSequenceNumber),
                file.location(),
                file.format().name(),
                values.toString(),
                String.valueOf(file.recordCount()),
                String.valueOf(file.fileSizeInBytes()),
                String.valueOf(file.firstRowId()),
                String.valueOf(vector),
                references,
                blob,
                file.equalityFieldIds() == null
                        ? "[]"
                        : file.equalityFieldIds().stream().sorted().toList().toString(),
                String.valueOf(file.splitOffsets() == null ? List.of() : file.splitOffsets()),
                sorted(file.columnSizes()),
                sorted(file.valueCounts()),
                sorted(file.nullValueCounts()),
                sorted(file.nanValueCounts()),
                sorted(file.lowerBounds()),
                sorted(file.upperBounds()));
    }

    private static Object get(Object entry, String method) throws Exception {
        Method accessor = Class.forName("org.apache.iceberg.ManifestEntry").getDeclaredMethod(method);
        accessor.setAccessible(true);
        try {
            return accessor.invoke(entry);
        } catch (InvocationTargetException e) {
            throw new AssertionError(e.getCause());
        }
    }

    private static String sorted(Map<Integer, ?> values) {
        var result = new java.util.TreeMap<Integer, Object>();
        (values == null ? new HashMap<Integer, Object>() : values)
                .forEach((id, value) ->
                        result.put(id, value instanceof ByteBuffer buffer ? Bytes.copyOf(buffer) : value));
        return result.toString();
    }

    private static String describe(ManifestFile manifest) {
        var summaries = new ArrayList<String>();
        manifest.partitions()
                .orElseThrow()
                .forEach(summary -> summaries.add(summary.containsNull() + "/"
                        + summary.containsNan().orElseThrow() + "/"
                        + summary.lowerBound().map(Bytes::toString).orElse("-") + "/"
                        + summary.upperBound().map(Bytes::toString).orElse("-")));
        ManifestFile.Counts counts = manifest.counts();
        return String.join(
                " ",
                local(manifest.path()),
                String.valueOf(manifest.length()),
                String.valueOf(manifest.specId()),
                manifest.content().name(),
                String.valueOf(manifest.sequenceNumber()),
                String.valueOf(manifest.minSequenceNumber()),
                String.valueOf(manifest.addedSnapshotId()),
                String.valueOf(counts.addedFiles().getAsLong()),
                String.valueOf(counts.existingFiles().getAsLong()),
                String.valueOf(counts.deletedFiles().getAsLong()),
                String.valueOf(counts.addedRows().getAsLong()),
                String.valueOf(counts.existingRows().getAsLong()),
                String.valueOf(counts.deletedRows().getAsLong()),
                summaries.toString(),
                manifest.firstRowId().isPresent()
                        ? String.valueOf(manifest.firstRowId().getAsLong())
                        : "null");
    }

    private static String describe(org.apache.iceberg.ManifestFile manifest) {
        var summaries = new ArrayList<String>();
        manifest.partitions()
                .forEach(summary -> summaries.add(summary.containsNull() + "/" + summary.containsNaN() + "/"
                        + (summary.lowerBound() == null
                                ? "-"
                                : Bytes.copyOf(summary.lowerBound()).toString()) + "/"
                        + (summary.upperBound() == null
                                ? "-"
                                : Bytes.copyOf(summary.upperBound()).toString())));
        return String.join(
                " ",
                local(manifest.path()),
                String.valueOf(manifest.length()),
                String.valueOf(manifest.partitionSpecId()),
                manifest.content().name(),
                String.valueOf(manifest.sequenceNumber()),
                String.valueOf(manifest.minSequenceNumber()),
                String.valueOf(manifest.snapshotId()),
                String.valueOf(manifest.addedFilesCount()),
                String.valueOf(manifest.existingFilesCount()),
                String.valueOf(manifest.deletedFilesCount()),
                String.valueOf(manifest.addedRowsCount()),
                String.valueOf(manifest.existingRowsCount()),
                String.valueOf(manifest.deletedRowsCount()),
                summaries.toString(),
                String.valueOf(manifest.firstRowId()));
    }

    private static String local(String path) {
        return path.startsWith("file:") ? path.substring("file:".length()) : path;
    }

    /** Files by plain path. */
    private static final class LocalStorage implements Storage {

        @Override
        public InputFile input(String location) {
            return new InputFile() {
                @Override
                public String location() {
                    return location;
                }

                @Override
                public long length() throws IOException {
                    return Files.size(Path.of(location));
                }

                @Override
                public RangeInput open() throws IOException {
                    return openFile(location);
                }
            };
        }

        private static RangeInput openFile(String location) throws IOException {
            FileChannel channel;
            try {
                channel = FileChannel.open(Path.of(location));
            } catch (NoSuchFileException e) {
                throw new FileNotFoundException(location);
            }
            return new RangeInput() {
                @Override
                public void readFully(long position, byte[] target, int offset, int length) throws IOException {
                    var buffer = ByteBuffer.wrap(target, offset, length);
                    while (buffer.hasRemaining()) {
                        if (channel.read(buffer, position + buffer.position() - offset) < 0) {
                            throw new EOFException(location);
                        }
                    }
                }

                @Override
                public void close() throws IOException {
                    channel.close();
                }
            };
        }

        @Override
        public InputFile input(String location, long length) {
            assertThat(Path.of(location)).hasSize(length);
            return input(location);
        }

        @Override
        public PositionOutput create(String location) throws IOException {
            var out = Files.newOutputStream(Path.of(location), StandardOpenOption.CREATE_NEW);
            return new PositionOutput() {
                private long position;

                @Override
                public long position() {
                    return position;
                }

                @Override
                public void write(int value) throws IOException {
                    out.write(value);
                    position++;
                }

                @Override
                public void write(byte[] bytes, int offset, int length) throws IOException {
                    out.write(bytes, offset, length);
                    position += length;
                }

                @Override
                public void close() throws IOException {
                    out.close();
                }
            };
        }

        @Override
        public boolean exists(String location) {
            return Files.exists(Path.of(location));
        }

        @Override
        public void delete(String location) throws IOException {
            Files.deleteIfExists(Path.of(location));
        }
    }
}
