package dev.calve.manifest;

import static dev.calve.manifest.ManifestFixture.entry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.expression.Metrics;
import dev.calve.expression.StatisticsMap;
import dev.calve.io.InvalidTableException;
import dev.calve.io.OpenFiles;
import dev.calve.io.RequestLog.Request;
import dev.calve.partition.PartitionTuple;
import dev.calve.schema.Bytes;
import dev.calve.schema.MetadataFields;
import dev.calve.schema.Type;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.apache.avro.Schema;
import org.apache.avro.file.DataFileStream;
import org.apache.avro.file.DataFileWriter;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ManifestReaderTest {

    /** Old names, other order, unions the other way round, unknown fields, a day as a plain int, no optional fields. */
    private static final String FOREIGN = """
            {"type":"record","name":"manifest_entry","fields":[
              {"name":"extra","type":["null",{"type":"array","items":"string"}],"field-id":900},
              {"name":"file","field-id":2,"type":{"type":"record","name":"r2","fields":[
                {"name":"rows","type":"int","field-id":103},
                {"name":"bytes","type":"long","field-id":104},
                {"name":"tuple","field-id":102,"type":{"type":"record","name":"r102","fields":[
                  {"name":"other","type":["string","null"],"field-id":1007},
                  {"name":"day_x2Dof","type":["int","null"],"field-id":1000}]}},
                {"name":"no_id","type":"double"},
                {"name":"sizes","field-id":108,"type":{"type":"array","items":{"type":"record","name":"kv","fields":[
                  {"name":"key","type":"int","field-id":117},{"name":"value","type":"long","field-id":118}]}}},
                {"name":"kind","type":["string","null"],"field-id":101},
                {"name":"location","type":"string","field-id":100}]}},
              {"name":"added_by","type":["long","null"],"field-id":1},
              {"name":"state","type":"int","field-id":0}]}""";

    private final ManifestFixture fixture = new ManifestFixture();

    private byte[] foreign(Map<String, String> header) throws IOException {
        Schema schema = new Schema.Parser().parse(FOREIGN);
        Schema file = schema.getField("file").schema();
        var record = new GenericData.Record(schema);
        var data = new GenericData.Record(file);
        var tuple = new GenericData.Record(file.getField("tuple").schema());
        tuple.put("other", "x");
        tuple.put("day_x2Dof", 19675);
        var size = new GenericData.Record(file.getField("sizes").schema().getElementType());
        size.put("key", 1);
        size.put("value", 99L);
        data.put("rows", 3);
        data.put("bytes", 4L);
        data.put("tuple", tuple);
        data.put("no_id", 1.5);
        data.put("sizes", List.of(size));
        data.put("kind", "parquet");
        data.put("location", "s3://b/a.parquet");
        record.put("file", data);
        record.put("state", 1);
        var bytes = new ByteArrayOutputStream();
        try (var out = new DataFileWriter<GenericRecord>(new GenericDatumWriter<>())) {
            header.forEach(out::setMeta);
            out.create(schema, bytes);
            out.append(record);
        }
        return bytes.toByteArray();
    }

    private static Map<String, String> header() {
        return Map.of(
                "schema",
                        "{\"type\":\"struct\",\"fields\":[{\"id\":1,\"name\":\"ts\",\"required\":false,\"type\":\"timestamp\"}]}",
                "partition-spec", "[{\"name\":\"day-of\",\"transform\":\"day\",\"source-id\":1,\"field-id\":1000}]");
    }

    @Test
    void findsFieldsByIdWhateverTheFileCallsThem() throws IOException {
        ManifestFile manifest = fixture.foreign(foreign(header()), ManifestFile.Content.DATA, 0);

        assertThat(ManifestReader.readData(fixture.storage, manifest))
                .singleElement()
                .satisfies(entry -> {
                    assertThat(entry.status()).isEqualTo(ManifestEntry.Status.ADDED);
                    assertThat(entry.snapshotId()).isEqualTo(ManifestFixture.SNAPSHOT);
                    assertThat(entry.file().path()).isEqualTo("s3://b/a.parquet");
                    assertThat(entry.file().format()).isEqualTo(FileFormat.PARQUET);
                    assertThat(entry.file().partition()).isEqualTo(PartitionTuple.of(19675));
                    assertThat(entry.file().recordCount()).isEqualTo(3);
                    assertThat(entry.file().metrics().columnSizes()).isEqualTo(Map.of(1, 99L));
                });
    }

    /** A field that is required has no default, so a reader that took it for null would make a file up. */
    @ParameterizedTest
    @ValueSource(ints = {0, 2, 100, 101, 102, 103, 104})
    void refusesManifestsWithoutARequiredField(int id) throws IOException {
        ManifestFile whole = fixture.dataManifest(2, writer -> writer.added(fixture.data("a", 1)));
        ManifestFile manifest = fixture.foreign(fixture.without(whole.path(), id), ManifestFile.Content.DATA, 1);

        assertThatThrownBy(() -> ManifestReader.readData(fixture.storage, manifest))
                .isInstanceOf(InvalidTableException.class)
                .hasMessageStartingWith("Manifest '" + manifest.path() + "' is corrupt: Avro record '")
                .hasMessageContaining("must have a field of id " + id + ",");
    }

    @Test
    void readsManifestsWithoutTheFieldsThatMayBeMissing() throws IOException {
        ManifestFile whole = fixture.dataManifest(2, writer -> writer.added(fixture.data("a", 7)));
        ManifestFile manifest =
                fixture.foreign(fixture.without(whole.path(), 1, 3, 4, 134, 108, 125), ManifestFile.Content.DATA, 1);

        assertThat(ManifestReader.readData(fixture.storage, manifest))
                .extracting(entry -> entry.file())
                .containsExactly(fixture.data("a", 7));
    }

    @Test
    void readsAFileWithoutRows() throws IOException {
        ManifestFile manifest = withField("record_count", 0L, "file_size_in_bytes", 0L);

        assertThat(ManifestReader.readData(fixture.storage, manifest))
                .singleElement()
                .satisfies(entry -> {
                    assertThat(entry.file().recordCount()).isZero();
                    assertThat(entry.file().common().fileSizeBytes()).isZero();
                });
    }

    @Test
    void refusesFilesOfFewerThanNoRowsOrBytes() throws IOException {
        for (String field : List.of("record_count", "file_size_in_bytes")) {
            ManifestFile manifest = withField(field, -1L);
            assertThatThrownBy(() -> ManifestReader.readData(fixture.storage, manifest))
                    .isInstanceOf(InvalidTableException.class)
                    .hasMessageContaining(manifest.path())
                    .hasMessageContaining("'a'");
        }
    }

    /** A manifest of one file whose fields are then set to these values. */
    private ManifestFile withField(Object... namesAndValues) throws IOException {
        ManifestFile model = fixture.dataManifest(2, writer -> writer.added(fixture.data("a", 1)));
        byte[] edited = fixture.edited(model.path(), record -> {
            for (int i = 0; i < namesAndValues.length; i += 2) {
                ((GenericRecord) record.get("data_file")).put((String) namesAndValues[i], namesAndValues[i + 1]);
            }
        });
        return fixture.foreign(edited, ManifestFile.Content.DATA, 1);
    }

    @Test
    void closesEveryFileItOpens() throws IOException {
        var storage = new OpenFiles(fixture.storage);
        ManifestFile manifest = fixture.dataManifest(2, writer -> {
            writer.added(fixture.data("a", 1));
            writer.added(fixture.data("b", 1));
        });
        ManifestFile refused = fixture.foreign(fixture.without(manifest.path(), 103), ManifestFile.Content.DATA, 1);
        ManifestFile noAvro = fixture.foreign(new byte[] {1, 2, 3}, ManifestFile.Content.DATA, 1);
        ManifestFixture fixed = ManifestFixture.partitionedBy(new Type.Fixed(1));
        ManifestFile twice =
                fixed.dataManifest(2, writer -> writer.added(fixed.data("a", 1, Bytes.wrap(new byte[] {1}))));
        fixture.storage.put(twice.path() + "2", fixed.storage.bytes(twice.path()));

        assertThat(ManifestReader.readData(storage, manifest)).hasSize(2);
        ManifestReader.forEachData(storage, manifest, Selection.all(), entry -> false);
        assertThatThrownBy(() -> ManifestReader.readData(storage, refused)).isInstanceOf(InvalidTableException.class);
        assertThatThrownBy(() -> ManifestReader.readData(storage, noAvro)).isInstanceOf(InvalidTableException.class);
        ManifestReader.describe(storage, twice.path() + "2", 1);
        try (var reader = ManifestReader.open(storage, manifest, Selection.all())) {
            assertThat(reader.header().spec()).isEqualTo(fixture.spec);
            assertThat(storage.open()).containsExactly(manifest.path());
        }

        assertThat(storage.open()).isEmpty();
    }

    @Test
    void saysWhatIsWrongOnceAndInItsOwnWords() throws IOException {
        ManifestFile manifest = withField("record_count", -1L);

        assertThatThrownBy(() -> ManifestReader.readData(fixture.storage, manifest))
                .hasMessage("Manifest '" + manifest.path() + "' is corrupt: A file must have a path, format, partition,"
                        + " record count and size, but 'a' has PARQUET, [], -1, 512.");
    }

    @Test
    void creditsAManifestThatNoListDescribesToTheSnapshotThatAddedFiles() throws IOException {
        ManifestFile adding = fixture.dataManifest(1, writer -> {
            writer.existing(entry(5, 0, 0, fixture.data("a", 1)));
            writer.added(fixture.data("b", 1));
            writer.deleted(entry(6, 0, 0, fixture.data("c", 1)), 8);
        });
        ManifestFile keeping = fixture.dataManifest(1, writer -> writer.existing(entry(5, 0, 0, fixture.data("a", 1))));

        assertThat(ManifestReader.describe(fixture.storage, adding.path(), 12).addedSnapshotId())
                .isEqualTo(ManifestFixture.SNAPSHOT);
        assertThat(ManifestReader.describe(fixture.storage, keeping.path(), 12).addedSnapshotId())
                .isEqualTo(12);
    }

    @Test
    void describesAManifestThatNoListDescribes() throws IOException {
        byte[] content = foreign(header());
        fixture.storage.put("memory:/old", content);

        ManifestFile manifest = ManifestReader.describe(fixture.storage, "memory:/old", 12);

        assertThat(manifest.length()).isEqualTo(content.length);
        assertThat(manifest.specId()).isZero();
        assertThat(manifest.sequenceNumber()).isZero();
        assertThat(manifest.addedSnapshotId()).isEqualTo(12);
        assertThat(manifest.counts()).isEqualTo(ManifestFile.Counts.of(1, 0, 0, 3, 0, 0));
        assertThat(manifest.partitions().orElseThrow())
                .singleElement()
                .satisfies(summary ->
                        assertThat(summary.lowerBound()).contains(Bytes.wrap(new byte[] {(byte) 0xdb, 0x4c, 0, 0})));
    }

    @Test
    void refusesManifestsWithoutASchemaOrSpec() throws IOException {
        ManifestFile manifest =
                fixture.foreign(foreign(Map.of("schema", header().get("schema"))), ManifestFile.Content.DATA, 0);

        assertThatThrownBy(() -> ManifestReader.readData(fixture.storage, manifest))
                .isInstanceOf(InvalidTableException.class)
                .hasMessageContaining(manifest.path())
                .hasMessageContaining("partition-spec");
    }

    @Test
    void noticesEveryTruncationThatIsNotAtTheEndOfABlock() throws IOException {
        int header = (int) fixture.dataManifest(2, writer -> {}).length();
        ManifestFile manifest = fixture.dataManifest(2, writer -> {
            for (int i = 0; i < 3; i++) {
                writer.added(fixture.data("a" + i, 1));
            }
        });
        byte[] whole = fixture.storage.bytes(manifest.path());
        for (int length = 0; length < whole.length; length += length < header - 20 ? 17 : 1) {
            if (length == header) {
                continue; // A whole file without entries.
            }
            ManifestFile cut = fixture.foreign(Arrays.copyOf(whole, length), ManifestFile.Content.DATA, 1);
            assertThatThrownBy(() -> ManifestReader.readData(fixture.storage, cut))
                    .isInstanceOf(InvalidTableException.class)
                    .hasMessageContaining(cut.path());
        }
    }

    @Test
    void noticesAFileThatEndsBeforeItsListedLength() throws IOException {
        ManifestFile manifest = fixture.dataManifest(2, writer -> writer.added(fixture.data("a", 1)));
        byte[] whole = fixture.storage.bytes(manifest.path());
        int header = (int) fixture.dataManifest(2, writer -> {}).length();
        for (int length : new int[] {0, 1, header, whole.length - 1}) {
            fixture.storage.put(manifest.path(), Arrays.copyOf(whole, length));

            assertThatThrownBy(() -> ManifestReader.readData(fixture.storage, manifest))
                    .isInstanceOf(InvalidTableException.class)
                    .hasMessageContaining(manifest.path());
        }
    }

    @Test
    void tellsStorageThatFailsFromAFileThatIsDamaged() throws IOException {
        ManifestFile manifest = fixture.dataManifest(2, writer -> writer.added(fixture.data("a", 1)));
        fixture.storage.requests().failOn(Request.READ, 1);

        assertThatThrownBy(() -> ManifestReader.readData(fixture.storage, manifest))
                .isInstanceOf(IOException.class);
    }

    @Test
    void saysWhichManifestIsMissing() throws IOException {
        ManifestFile manifest = fixture.dataManifest(2, writer -> writer.added(fixture.data("a", 1)));
        fixture.storage.delete(manifest.path());

        assertThatThrownBy(() -> ManifestReader.readData(fixture.storage, manifest))
                .isInstanceOf(FileNotFoundException.class)
                .hasMessageContaining(manifest.path())
                .hasCauseInstanceOf(FileNotFoundException.class);
    }

    @Test
    void readsASmallManifestWithOneRequest() throws IOException {
        ManifestFile manifest = fixture.dataManifest(2, writer -> writer.added(fixture.data("a", 1)));
        fixture.storage.requests().reset();

        ManifestReader.readData(fixture.storage, manifest);

        assertThat(fixture.storage.requests().count(Request.READ)).isEqualTo(1);
        assertThat(fixture.storage.requests().count(Request.LENGTH)).isZero();
    }

    @Test
    void refusesEncryptedManifestsAndFiles() throws IOException {
        var key = Optional.of(Bytes.wrap(new byte[] {1}));
        DataFile plain = fixture.data("a", 1);
        var common = plain.common();
        var encrypted = new DataFile(
                new ContentFile.Common(
                        common.path(),
                        common.format(),
                        0,
                        common.partition(),
                        common.metrics(),
                        1,
                        List.of(),
                        common.sortOrderId(),
                        key),
                OptionalLong.empty());
        ManifestFile holds = fixture.dataManifest(2, writer -> writer.added(encrypted));
        ManifestFile removed = fixture.dataManifest(2, writer -> writer.deleted(entry(1, 1, 1, encrypted)));
        var itself = new ManifestFile(
                holds.path(),
                holds.length(),
                0,
                holds.content(),
                1,
                1,
                1,
                holds.counts(),
                Optional.empty(),
                key,
                OptionalLong.empty());

        assertThatThrownBy(() -> ManifestReader.readData(fixture.storage, holds))
                .isInstanceOf(InvalidTableException.class)
                .hasMessageContaining("encrypted");
        assertThatThrownBy(() -> ManifestReader.readData(fixture.storage, itself))
                .isInstanceOf(InvalidTableException.class)
                .hasMessageContaining("encrypted");
        assertThat(ManifestReader.readData(fixture.storage, removed)).hasSize(1);
    }

    @Test
    void takesEmptyKeyMetadataForNone() throws IOException {
        var none = Optional.of(Bytes.wrap(new byte[0]));
        var common = fixture.data("a", 1).common();
        var file = new DataFile(
                new ContentFile.Common(
                        "a",
                        FileFormat.PARQUET,
                        0,
                        common.partition(),
                        common.metrics(),
                        1,
                        List.of(),
                        common.sortOrderId(),
                        none),
                OptionalLong.empty());
        ManifestFile holds = fixture.dataManifest(2, writer -> writer.added(file));
        var itself = new ManifestFile(
                holds.path(),
                holds.length(),
                0,
                holds.content(),
                1,
                1,
                1,
                holds.counts(),
                Optional.empty(),
                none,
                OptionalLong.empty());

        assertThat(ManifestReader.readData(fixture.storage, itself)).hasSize(1);
    }

    @Test
    void refusesToReadAManifestAsWhatItDoesNotHold() throws IOException {
        ManifestFile deletes = fixture.deleteManifest(2, writer -> writer.added(fixture.equality("e", 1)));

        assertThatThrownBy(() -> ManifestReader.readData(fixture.storage, deletes))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("DELETES");
    }

    @Test
    void provesTheScopeOfPositionDeletesByEqualBounds() throws IOException {
        int id = MetadataFields.DELETE_FILE_PATH.id();
        var path = Bytes.wrap("s3://b/ä.parquet".getBytes(StandardCharsets.UTF_8));
        var later = Bytes.wrap("s3://b/z.parquet".getBytes(StandardCharsets.UTF_8));
        ManifestFile manifest = fixture.deleteManifest(2, writer -> {
            writer.added(bounded("one", Map.of(id, path), Map.of(id, path)));
            writer.added(bounded("two", Map.of(id, path), Map.of(id, later)));
            writer.added(bounded("half", Map.of(id, path), Map.of()));
            writer.added(bounded("none", Map.of(), Map.of()));
        });

        for (Selection selection : List.of(Selection.all(), Selection.live().withStatisticsOf(Set.of()))) {
            assertThat(ManifestReader.readDeletes(fixture.storage, manifest, selection))
                    .extracting(entry -> entry.file().scopedTo())
                    .containsExactly(
                            Optional.of("s3://b/ä.parquet"), Optional.empty(), Optional.empty(), Optional.empty());
        }
    }

    @Test
    void tellsFilesAsTheirEntriesDoIfAskedTo() throws IOException {
        int id = MetadataFields.DELETE_FILE_PATH.id();
        var path = Bytes.wrap("s3://b/a.parquet".getBytes(StandardCharsets.UTF_8));
        ManifestFile written = fixture.deleteManifest(2, writer -> {
            writer.added(bounded("one", Map.of(id, path), Map.of(id, path)));
            writer.added(fixture.equality("keys", 2, 1));
        });
        byte[] edited = fixture.edited(written.path(), entry -> {
            var file = (GenericRecord) entry.get("data_file");
            file.put("value_counts", List.of());
        });
        ManifestFile manifest = fixture.foreign(edited, ManifestFile.Content.DELETES, 1);

        List<DeleteFile> told = files(manifest, Selection.all().toldAsWritten());
        assertThat(told.get(0).scopedTo()).isEmpty();
        assertThat(((DeleteFile.EqualityDeletes) told.get(1)).equalityIds()).containsExactly(2, 1);
        assertThat(told.get(0).metrics().valueCounts())
                .isInstanceOf(StatisticsMap.class)
                .isEqualTo(Map.of());
        assertThat(told.get(0).metrics().nullValueCounts()).isSameAs(Map.of());

        List<DeleteFile> usual = files(manifest, Selection.all());
        assertThat(usual.get(0).scopedTo()).contains("s3://b/a.parquet");
        assertThat(((DeleteFile.EqualityDeletes) usual.get(1)).equalityIds()).containsExactly(1, 2);
    }

    private List<DeleteFile> files(ManifestFile manifest, Selection selection) throws IOException {
        return ManifestReader.readDeletes(fixture.storage, manifest, selection).stream()
                .map(ManifestEntry::file)
                .toList();
    }

    @Test
    void goesOnBehindTheEntryItWasStoppedAt() throws IOException {
        ManifestFile manifest = fixture.dataManifest(3, writer -> {
                    for (int i = 0; i < 5; i++) {
                        writer.added(fixture.data("f" + i, 10));
                    }
                })
                .withSequenceNumbers(7, 7)
                .withFirstRowId(100);
        var seen = new ArrayList<String>();
        try (var reader = ManifestReader.open(fixture.storage, manifest, Selection.live())) {
            for (int round = 0; round < 4; round++) {
                int stopAt = seen.size() + 2;
                reader.forEach(DataFile.class, entry -> {
                    seen.add(entry.file().path() + "@"
                            + entry.file().firstRowId().getAsLong());
                    return seen.size() < stopAt;
                });
            }
        }
        assertThat(seen).containsExactly("f0@100", "f1@110", "f2@120", "f3@130", "f4@140");
    }

    private DeleteFile bounded(String name, Map<Integer, Bytes> lower, Map<Integer, Bytes> upper) {
        var metrics = new Metrics(1, Map.of(), Map.of(), Map.of(), Map.of(), lower, upper);
        return new DeleteFile.PositionDeletes(
                fixture.common(name, FileFormat.PARQUET, PartitionTuple.EMPTY, metrics), Optional.empty());
    }

    @Test
    void refusesVectorsAndEqualityDeletesThatLackWhatTheyNeed() throws IOException {
        var positions = fixture.positions("v.puffin", Optional.of("a"));
        var asVector = new DeleteFile.PositionDeletes(
                fixture.common("v.puffin", FileFormat.PUFFIN, PartitionTuple.EMPTY, positions.metrics()),
                positions.referencedDataFile());
        ManifestFile vector = fixture.deleteManifest(3, writer -> writer.added(asVector));
        ManifestFile equality = fixture.deleteManifest(3, writer -> writer.added(fixture.equality("e")));

        assertThatThrownBy(() -> ManifestReader.readDeletes(fixture.storage, vector))
                .isInstanceOf(InvalidTableException.class)
                .hasMessageContaining("content_offset")
                .hasMessageContaining(vector.path());
        assertThatThrownBy(() -> ManifestReader.readDeletes(fixture.storage, equality))
                .isInstanceOf(InvalidTableException.class)
                .hasMessageContaining("equality_ids");
    }

    @Test
    void givesOnlyWhatIsSelected() throws IOException {
        ManifestFixture partitioned = ManifestFixture.partitionedBy(Type.Simple.STRING);
        var bound = Map.of(1, Bytes.wrap(new byte[] {1}), 2, Bytes.wrap(new byte[] {2}));
        var metrics = new Metrics(9, Map.of(1, 1L), Map.of(1, 2L, 2, 3L), Map.of(1, 4L), Map.of(2, 5L), bound, bound);
        ManifestFile manifest = partitioned.dataManifest(2, writer -> {
            for (String value : List.of("x", "y")) {
                writer.added(new DataFile(
                        partitioned.common(value, FileFormat.PARQUET, PartitionTuple.of(value), metrics),
                        OptionalLong.empty()));
            }
            writer.deleted(entry(1, 1, 1, partitioned.data("gone", 1, "y")));
        });
        var selection = Selection.live()
                .inPartitions(tuple -> tuple.value(0).get().equals("y"))
                .withStatisticsOf(Set.of(2));

        assertThat(ManifestReader.readData(partitioned.storage, manifest, selection))
                .singleElement()
                .satisfies(entry -> {
                    assertThat(entry.file().path()).isEqualTo("y");
                    assertThat(entry.file().metrics())
                            .isEqualTo(new Metrics(
                                    9,
                                    Map.of(),
                                    Map.of(2, 3L),
                                    Map.of(),
                                    Map.of(2, 5L),
                                    Map.of(2, Bytes.wrap(new byte[] {2})),
                                    Map.of(2, Bytes.wrap(new byte[] {2}))));
                });
        assertThat(ManifestReader.readData(
                        partitioned.storage, manifest, Selection.live().withStatisticsOf(Set.of())))
                .extracting(entry -> entry.file().metrics())
                .containsExactly(Metrics.ofCount(9), Metrics.ofCount(9));
    }

    @Test
    void givesOfDeleteFilesTheBoundsOfThePathWhateverIsSelected() throws IOException {
        int id = MetadataFields.DELETE_FILE_PATH.id();
        var bounds =
                Map.of(1, Bytes.wrap(new byte[] {1}), 2, Bytes.wrap(new byte[] {2}), id, Bytes.wrap(new byte[] {'a'}));
        ManifestFile manifest = fixture.deleteManifest(2, writer -> writer.added(bounded("d", bounds, bounds)));

        assertThat(ManifestReader.readDeletes(
                        fixture.storage, manifest, Selection.live().withStatisticsOf(Set.of(2))))
                .singleElement()
                .satisfies(entry -> {
                    assertThat(entry.file().metrics().lowerBounds()).containsOnlyKeys(2, id);
                    assertThat(entry.file().scopedTo()).contains("a");
                });
        assertThat(ManifestReader.readDeletes(fixture.storage, manifest))
                .singleElement()
                .satisfies(entry ->
                        assertThat(entry.file().metrics().lowerBounds()).isEqualTo(bounds));
    }

    @Test
    void stopsWhenTheVisitorHasEnough() throws IOException {
        ManifestFile manifest = fixture.dataManifest(2, writer -> {
            for (int i = 0; i < 5; i++) {
                writer.added(fixture.data("a" + i, 1));
            }
        });
        var seen = new ArrayList<String>();

        ManifestReader.forEachData(fixture.storage, manifest, Selection.all(), entry -> {
            seen.add(entry.file().path());
            return seen.size() < 2;
        });

        assertThat(seen).containsExactly("a0", "a1");
    }

    @Test
    void readsAManifestOfSeveralBlocksAndChunks() throws IOException {
        var metrics = new Metrics(
                1, Map.of(), Map.of(), Map.of(), Map.of(), Map.of(1, Bytes.wrap(new byte[100_000])), Map.of());
        ManifestFile manifest = fixture.write(fixture.target(2, ManifestFile.Content.DATA, "uncompressed"), writer -> {
            for (int i = 0; i < 200; i++) {
                writer.added(new DataFile(
                        fixture.common("a" + i, FileFormat.PARQUET, PartitionTuple.EMPTY, metrics),
                        OptionalLong.empty()));
            }
        });

        assertThat(manifest.length()).isGreaterThan(16 * 1024 * 1024);
        assertThat(ManifestReader.readData(fixture.storage, manifest))
                .hasSize(200)
                .allSatisfy(entry -> assertThat(entry.file().metrics()).isEqualTo(metrics));
    }

    /** The last read then brings fewer bytes than the marker that ends a block. */
    @ParameterizedTest
    @ValueSource(ints = {1, 5, 15, 16, 17})
    void readsAManifestThatEndsShortlyAfterAChunk(int bytes) throws IOException {
        int chunk = 8 * 1024 * 1024;
        int padding = chunk - 20_000;
        byte[] content = padded(padding);
        padding += chunk + bytes - content.length;
        content = padded(padding);
        assertThat(content).hasSize(chunk + bytes);
        ManifestFile whole = fixture.foreign(content, ManifestFile.Content.DATA, 1);
        ManifestFile cut = fixture.foreign(Arrays.copyOf(content, content.length - 1), ManifestFile.Content.DATA, 1);
        byte[] other = content.clone();
        other[other.length - 1] ^= 1;
        ManifestFile damaged = fixture.foreign(other, ManifestFile.Content.DATA, 1);

        assertThat(ManifestReader.readData(fixture.storage, whole)).hasSize(1);
        for (ManifestFile manifest : List.of(cut, damaged)) {
            assertThatThrownBy(() -> ManifestReader.readData(fixture.storage, manifest))
                    .isInstanceOf(InvalidTableException.class);
        }
    }

    private byte[] padded(int padding) throws IOException {
        Schema schema = new Schema.Parser().parse(FOREIGN);
        try (var in = new DataFileStream<GenericRecord>(
                new ByteArrayInputStream(foreign(header())), new GenericDatumReader<>())) {
            var record = in.next();
            record.put("extra", List.of("x".repeat(padding)));
            var bytes = new ByteArrayOutputStream();
            try (var out = new DataFileWriter<GenericRecord>(new GenericDatumWriter<>())) {
                header().forEach(out::setMeta);
                out.create(schema, bytes);
                out.append(record);
            }
            return bytes.toByteArray();
        }
    }
}
