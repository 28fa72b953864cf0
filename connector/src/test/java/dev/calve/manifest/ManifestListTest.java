package dev.calve.manifest;

import static dev.calve.manifest.ManifestFixture.entry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.io.InvalidTableException;
import dev.calve.io.OpenFiles;
import dev.calve.io.RequestLog.Request;
import dev.calve.partition.FieldSummary;
import dev.calve.schema.Bytes;
import java.io.ByteArrayOutputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.avro.Schema;
import org.apache.avro.file.DataFileWriter;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class ManifestListTest {

    private static final ManifestFile.Counts COUNTS = ManifestFile.Counts.of(1, 2, 3, 10, 20, 30);

    private final ManifestFixture fixture = new ManifestFixture();

    private static ManifestFile manifest(String path, ManifestFile.Content content, long sequence, long min) {
        var summary =
                new FieldSummary(true, Optional.of(false), Optional.of(Bytes.wrap(new byte[] {1})), Optional.empty());
        return new ManifestFile(
                path,
                1234,
                2,
                content,
                sequence,
                min,
                55,
                COUNTS,
                Optional.of(List.of(summary)),
                Optional.empty(),
                OptionalLong.empty());
    }

    private ManifestList.WrittenList write(int formatVersion, long sequenceNumber, long nextRowId, ManifestFile... all)
            throws IOException {
        return ManifestList.write(
                fixture.storage,
                "memory:/list",
                formatVersion,
                1,
                OptionalLong.empty(),
                sequenceNumber,
                nextRowId,
                List.of(all));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void readsWhatWasWritten(int formatVersion) throws IOException {
        long number = formatVersion == 1 ? 0 : 4;
        ManifestFile data = manifest("a", ManifestFile.Content.DATA, number, number);
        ManifestFile deletes = manifest("b", ManifestFile.Content.DELETES, number, number);
        var manifests = formatVersion == 1 ? List.of(data) : List.of(data, deletes);

        ManifestList.WrittenList written = write(formatVersion, 9, 100, manifests.toArray(new ManifestFile[0]));

        assertThat(ManifestList.read(fixture.storage, "memory:/list")).isEqualTo(written.manifests());
        assertThat(written.manifests().get(0)).isEqualTo(formatVersion == 3 ? data.withFirstRowId(100) : data);
    }

    @Test
    void assignsSequenceNumbersOnlyWhereTheyAreOpen() throws IOException {
        ManifestList.WrittenList written = write(
                2,
                9,
                0,
                manifest("new", ManifestFile.Content.DATA, ManifestFile.UNASSIGNED, ManifestFile.UNASSIGNED),
                manifest("compacted", ManifestFile.Content.DATA, ManifestFile.UNASSIGNED, 4),
                manifest("old", ManifestFile.Content.DELETES, 6, 2));

        assertThat(written.manifests())
                .extracting(file -> file.path() + " " + file.sequenceNumber() + " " + file.minSequenceNumber())
                .containsExactly("new 9 9", "compacted 9 4", "old 6 2");
        assertThat(ManifestList.read(fixture.storage, "memory:/list")).isEqualTo(written.manifests());
    }

    /** Version 1 has no sequence numbers: what it stores is read as 0. Spec: Sequence Numbers. */
    @Test
    void assignsZeroInVersion1() throws IOException {
        ManifestList.WrittenList written = write(
                1, 9, 0, manifest("new", ManifestFile.Content.DATA, ManifestFile.UNASSIGNED, ManifestFile.UNASSIGNED));

        assertThat(written.manifests())
                .extracting(file -> file.sequenceNumber() + " " + file.minSequenceNumber())
                .containsExactly("0 0");
    }

    @Test
    void countsNothingForAListThatNeedsNoCounts() throws IOException {
        putOldList(manifest("nowhere", ManifestFile.Content.DATA, 0, 0));
        ManifestFile old = ManifestList.read(fixture.storage, "memory:/old").get(0);

        write(1, 0, 0, old);

        assertThat(ManifestList.read(fixture.storage, "memory:/list")).containsExactly(old);
    }

    @ParameterizedTest
    @ValueSource(ints = {500, 501, 502, 503})
    void refusesListsWithoutARequiredField(int id) throws IOException {
        write(2, 9, 0, manifest("a", ManifestFile.Content.DATA, 1, 1));
        fixture.storage.put("memory:/part", fixture.without("memory:/list", id));

        assertThatThrownBy(() -> ManifestList.read(fixture.storage, "memory:/part"))
                .isInstanceOf(InvalidTableException.class)
                .hasMessageStartingWith("Manifest list 'memory:/part' is corrupt: ")
                .hasMessageContaining("must have a field of id " + id + ",");
    }

    /** A summary that does not say whether there are nulls would prune the files that have them. */
    @Test
    void refusesSummariesThatDoNotSayWhetherThereAreNulls() throws IOException {
        write(2, 9, 0, manifest("a", ManifestFile.Content.DATA, 1, 1));
        fixture.storage.put("memory:/part", fixture.without("memory:/list", 509));

        assertThatThrownBy(() -> ManifestList.read(fixture.storage, "memory:/part"))
                .isInstanceOf(InvalidTableException.class)
                .hasMessageContaining("must have a field of id 509,");
    }

    @ParameterizedTest
    @EnumSource(
            value = Request.class,
            names = {"CREATE", "WRITE", "CLOSE"})
    void failsAndLeavesNothingOpenWhenStorageFails(Request request) {
        var storage = new OpenFiles(fixture.storage);
        fixture.storage.requests().failAll(request);

        assertThatThrownBy(() -> ManifestList.write(
                        storage,
                        "memory:/list",
                        2,
                        1,
                        OptionalLong.empty(),
                        9,
                        0,
                        List.of(manifest("a", ManifestFile.Content.DATA, 1, 1))))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("Injected: " + request);
        assertThat(storage.open()).isEmpty();
    }

    @Test
    void completesNoListThatItCouldNotWrite() throws IOException {
        ManifestList.write(fixture.storage, "memory:/first", 2, 1, OptionalLong.empty(), 9, 0, List.of());
        int writes = fixture.storage.requests().count(Request.WRITE);
        for (int nth = 1; nth <= writes; nth++) {
            fixture.storage.requests().reset();
            fixture.storage.requests().failOn(Request.WRITE, nth);
            String location = "memory:/list" + nth;
            assertThatThrownBy(() ->
                            ManifestList.write(fixture.storage, location, 2, 1, OptionalLong.empty(), 9, 0, List.of()))
                    .isInstanceOf(IOException.class);
            // Closing is what completes a file on an object store.
            assertThat(fixture.storage.requests().count(Request.CLOSE)).isZero();
        }
    }

    @Test
    void closesTheListItReads() throws IOException {
        write(2, 9, 0, manifest("a", ManifestFile.Content.DATA, 1, 1));
        var storage = new OpenFiles(fixture.storage);

        assertThat(ManifestList.read(storage, "memory:/list")).hasSize(1);
        assertThat(storage.open()).isEmpty();
    }

    @Test
    void assignsRowIdsInListOrderToDataManifestsWithoutThem() throws IOException {
        ManifestList.WrittenList written = write(
                3,
                9,
                1000,
                manifest("new", ManifestFile.Content.DATA, ManifestFile.UNASSIGNED, ManifestFile.UNASSIGNED),
                manifest("deletes", ManifestFile.Content.DELETES, 6, 2),
                manifest("kept", ManifestFile.Content.DATA, 6, 2).withFirstRowId(5),
                manifest("upgraded", ManifestFile.Content.DATA, 6, 2));

        // Each takes its added and existing rows: 10 + 20.
        assertThat(written.manifests())
                .extracting(ManifestFile::firstRowId)
                .containsExactly(
                        OptionalLong.of(1000), OptionalLong.empty(), OptionalLong.of(5), OptionalLong.of(1030));
        assertThat(written.nextRowId()).isEqualTo(1060);
    }

    @Test
    void assignsNoRowIdsBeforeVersion3() throws IOException {
        assertThat(write(2, 9, 1000, manifest("a", ManifestFile.Content.DATA, 1, 1))
                        .nextRowId())
                .isEqualTo(1000);
    }

    /** A list as writers of version 1 made them before counts and summaries existed. */
    private void putOldList(ManifestFile manifest) throws IOException {
        Schema schema = new Schema.Parser().parse("""
                {"type":"record","name":"manifest_file","fields":[
                  {"name":"added_data_files_count","type":["null","int"],"default":null,"field-id":504},
                  {"name":"manifest_path","type":"string","field-id":500},
                  {"name":"manifest_length","type":"long","field-id":501},
                  {"name":"added_snapshot_id","type":["null","long"],"default":null,"field-id":503},
                  {"name":"partition_spec_id","type":"int","field-id":502}]}""");
        var record = new GenericData.Record(schema);
        record.put("added_data_files_count", 1);
        record.put("manifest_path", manifest.path());
        record.put("manifest_length", manifest.length());
        record.put("added_snapshot_id", 8L);
        record.put("partition_spec_id", 0);
        var bytes = new ByteArrayOutputStream();
        try (var out = new DataFileWriter<GenericRecord>(new GenericDatumWriter<>())) {
            out.create(schema, bytes);
            out.append(record);
        }
        fixture.storage.put("memory:/old", bytes.toByteArray());
    }

    @Test
    void readsOldListsAsOfSequenceNumberZeroWithUnknownCounts() throws IOException {
        putOldList(manifest("a", ManifestFile.Content.DATA, 0, 0));

        assertThat(ManifestList.read(fixture.storage, "memory:/old"))
                .singleElement()
                .satisfies(file -> {
                    assertThat(file.content()).isEqualTo(ManifestFile.Content.DATA);
                    assertThat(file.sequenceNumber()).isZero();
                    assertThat(file.minSequenceNumber()).isZero();
                    assertThat(file.addedSnapshotId()).isEqualTo(8);
                    assertThat(file.counts().addedFiles()).hasValue(1);
                    assertThat(file.counts().existingFiles()).isEmpty();
                    assertThat(file.partitions()).isEmpty();
                    assertThat(file.mayHaveLiveFiles()).isTrue();
                });
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void countsWhatOldListsLeaveOutBeforeItWritesANewerOne(int formatVersion) throws IOException {
        putOldList(fixture.dataManifest(1, writer -> {
            writer.added(fixture.data("a", 10));
            writer.existing(entry(5, 0, 0, fixture.data("b", 7)));
            writer.deleted(entry(5, 0, 0, fixture.data("c", 3)));
        }));
        ManifestFile old = ManifestList.read(fixture.storage, "memory:/old").get(0);

        ManifestList.WrittenList written = write(formatVersion, 1, 0, old);

        assertThat(written.manifests()).singleElement().satisfies(file -> {
            assertThat(file.counts()).isEqualTo(ManifestFile.Counts.of(1, 1, 1, 10, 7, 3));
            assertThat(file.sequenceNumber()).isZero();
            assertThat(file.addedSnapshotId()).isEqualTo(8);
        });
        assertThat(written.nextRowId()).isEqualTo(formatVersion == 3 ? 17 : 0);
    }

    @Test
    void noticesEveryTruncationThatIsNotAtTheEndOfABlock() throws IOException {
        ManifestList.write(fixture.storage, "memory:/empty", 2, 1, OptionalLong.empty(), 9, 0, List.of());
        int header = fixture.storage.bytes("memory:/empty").length;
        write(2, 9, 0, manifest("a", ManifestFile.Content.DATA, 1, 1), manifest("b", ManifestFile.Content.DATA, 1, 1));
        byte[] whole = fixture.storage.bytes("memory:/list");
        for (int length = 0; length < whole.length; length += length < header - 20 ? 17 : 1) {
            if (length == header) {
                continue; // A whole list without manifests.
            }
            fixture.storage.put("memory:/cut", Arrays.copyOf(whole, length));
            assertThatThrownBy(() -> ManifestList.read(fixture.storage, "memory:/cut"))
                    .isInstanceOf(InvalidTableException.class)
                    .hasMessageContaining("memory:/cut");
        }
    }

    @Test
    void saysWhichListIsMissing() {
        assertThatThrownBy(() -> ManifestList.read(fixture.storage, "memory:/none"))
                .isInstanceOf(FileNotFoundException.class)
                .hasMessageContaining("memory:/none");
    }
}
