package dev.calve.manifest;

import static dev.calve.manifest.ManifestFixture.SNAPSHOT;
import static dev.calve.manifest.ManifestFixture.entry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.io.OpenFiles;
import dev.calve.io.RequestLog.Request;
import dev.calve.io.Storage;
import dev.calve.partition.FieldSummary;
import dev.calve.partition.PartitionTuple;
import dev.calve.schema.Bytes;
import dev.calve.schema.Type;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ManifestWriterTest {

    private final ManifestFixture fixture = new ManifestFixture();

    @Test
    void leavesToTheReaderWhatARetryWouldChange() throws IOException {
        ManifestFile manifest = fixture.dataManifest(3, writer -> {
            writer.added(fixture.data("a", 1).withFirstRowId(OptionalLong.of(9)));
            writer.added(fixture.data("b", 1), 6);
        });

        assertThat(fixture.records(manifest.path()))
                .extracting(record -> record.get("status") + " " + record.get("snapshot_id") + " "
                        + record.get("sequence_number") + " " + record.get("file_sequence_number") + " "
                        + ((org.apache.avro.generic.GenericRecord) record.get("data_file")).get("first_row_id"))
                .containsExactly("1 77 null null null", "1 77 6 null null");
    }

    @Test
    void writesEveryNumberOfEntriesThatAreNotAdded() throws IOException {
        DataFile file = fixture.data("a", 1).withFirstRowId(OptionalLong.of(9));
        ManifestFile manifest = fixture.dataManifest(3, writer -> {
            writer.existing(entry(5, 6, 7, file));
            writer.deleted(entry(5, 6, 7, file));
            writer.deleted(entry(5, -1, -1, file), 55);
        });

        assertThat(fixture.records(manifest.path()))
                .extracting(record -> record.get("status") + " " + record.get("snapshot_id") + " "
                        + record.get("sequence_number") + " " + record.get("file_sequence_number") + " "
                        + ((org.apache.avro.generic.GenericRecord) record.get("data_file")).get("first_row_id"))
                .containsExactly("0 5 6 7 9", "2 77 6 7 9", "2 55 null null 9");
    }

    @Test
    void countsEntriesAndRowsByStatus() throws IOException {
        ManifestFile manifest = fixture.dataManifest(2, writer -> {
            writer.added(fixture.data("a", 1));
            writer.added(fixture.data("b", 2));
            writer.existing(entry(5, 6, 7, fixture.data("c", 10)));
            writer.deleted(entry(5, 6, 7, fixture.data("d", 100)));
            writer.deleted(entry(5, 6, 7, fixture.data("e", 200)));
            writer.deleted(entry(5, 6, 7, fixture.data("f", 300)));
            assertThat(writer.entries()).isEqualTo(6);
        });

        assertThat(manifest.counts()).isEqualTo(ManifestFile.Counts.of(2, 1, 3, 3, 10, 600));
        assertThat(manifest.length()).isEqualTo(fixture.storage.bytes(manifest.path()).length);
        assertThat(manifest.addedSnapshotId()).isEqualTo(SNAPSHOT);
        assertThat(manifest.sequenceNumber()).isEqualTo(ManifestFile.UNASSIGNED);
    }

    @Test
    void takesTheLowestSequenceNumberOfLiveEntriesOnly() throws IOException {
        ManifestFile explicit = fixture.dataManifest(2, writer -> {
            writer.added(fixture.data("a", 1));
            writer.added(fixture.data("b", 1), 8);
            writer.existing(entry(5, 6, 7, fixture.data("c", 1)));
            writer.deleted(entry(5, 2, 2, fixture.data("d", 1)));
        });
        ManifestFile inherited = fixture.dataManifest(2, writer -> {
            writer.added(fixture.data("a", 1));
            writer.deleted(entry(5, 2, 2, fixture.data("d", 1)));
        });

        ManifestFile compacted = fixture.dataManifest(2, writer -> {
            writer.added(fixture.data("a", 1), 9);
            writer.added(fixture.data("b", 1), 8);
        });

        assertThat(explicit.minSequenceNumber()).isEqualTo(6);
        assertThat(compacted.minSequenceNumber()).isEqualTo(8);
        assertThat(inherited.minSequenceNumber()).isEqualTo(ManifestFile.UNASSIGNED);
    }

    @Test
    void sumsUpPartitionsOfAllEntriesDeletedOnesIncluded() throws IOException {
        ManifestFixture partitioned = ManifestFixture.partitionedBy(Type.Simple.INT);
        ManifestFile manifest = partitioned.dataManifest(2, writer -> {
            writer.added(partitioned.data("a", 1, 4));
            writer.added(partitioned.data("b", 1, (Object) null));
            writer.deleted(entry(5, 2, 2, partitioned.data("d", 1, 258)));
        });

        assertThat(manifest.partitions())
                .contains(List.of(new FieldSummary(
                        true,
                        Optional.of(false),
                        Optional.of(Bytes.wrap(new byte[] {4, 0, 0, 0})),
                        Optional.of(Bytes.wrap(new byte[] {2, 1, 0, 0})))));
        assertThat(manifest.specId()).isEqualTo(5);
    }

    @Test
    void leavesNanOutOfTheBoundsOfPartitions() throws IOException {
        ManifestFixture partitioned = ManifestFixture.partitionedBy(Type.Simple.FLOAT);
        ManifestFile some = partitioned.dataManifest(2, writer -> {
            writer.added(partitioned.data("a", 1, Float.NaN));
            writer.added(partitioned.data("b", 1, 1f));
        });
        ManifestFile only = partitioned.dataManifest(2, writer -> writer.added(partitioned.data("a", 1, Float.NaN)));

        var one = Optional.of(Bytes.wrap(new byte[] {0, 0, (byte) 0x80, 0x3f}));
        assertThat(some.partitions()).contains(List.of(new FieldSummary(false, Optional.of(true), one, one)));
        assertThat(only.partitions())
                .contains(List.of(new FieldSummary(false, Optional.of(true), Optional.empty(), Optional.empty())));
    }

    @Test
    void leavesNanOutOfTheBoundsOfPartitionsOfDoublesToo() throws IOException {
        ManifestFixture partitioned = ManifestFixture.partitionedBy(Type.Simple.DOUBLE);
        ManifestFile manifest = partitioned.dataManifest(2, writer -> {
            writer.added(partitioned.data("a", 1, 1d));
            writer.added(partitioned.data("b", 1, Double.NaN));
        });

        var one = Optional.of(Bytes.wrap(new byte[] {0, 0, 0, 0, 0, 0, (byte) 0xf0, 0x3f}));
        assertThat(manifest.partitions()).contains(List.of(new FieldSummary(false, Optional.of(true), one, one)));
    }

    @Test
    void widensPartitionValuesOfAColumnThatWasPromotedSince() throws IOException {
        ManifestFixture longs = ManifestFixture.partitionedBy(Type.Simple.LONG);
        ManifestFixture doubles = ManifestFixture.partitionedBy(Type.Simple.DOUBLE);
        ManifestFile wideLong = longs.dataManifest(2, writer -> {
            writer.added(longs.data("a", 1, 7));
            writer.added(longs.data("b", 1, 8L));
        });
        ManifestFile wideDouble = doubles.dataManifest(2, writer -> writer.added(doubles.data("a", 1, 1.5f)));

        assertThat(ManifestReader.readData(longs.storage, wideLong))
                .extracting(entry -> entry.file().partition())
                .containsExactly(PartitionTuple.of(7L), PartitionTuple.of(8L));
        assertThat(wideLong.partitions())
                .contains(List.of(new FieldSummary(
                        false,
                        Optional.of(false),
                        Optional.of(Bytes.wrap(new byte[] {7, 0, 0, 0, 0, 0, 0, 0})),
                        Optional.of(Bytes.wrap(new byte[] {8, 0, 0, 0, 0, 0, 0, 0})))));
        assertThat(ManifestReader.readData(doubles.storage, wideDouble))
                .extracting(entry -> entry.file().partition())
                .containsExactly(PartitionTuple.of(1.5d));
    }

    @Test
    void refusesAValueWhoseTypeNobodyKnows() throws IOException {
        ManifestFixture unknown = ManifestFixture.partitionedBy(Type.Simple.UNKNOWN);
        try (var writer = new ManifestWriter(unknown.target(2, ManifestFile.Content.DATA))) {
            writer.added(unknown.data("a", 1, (Object) null));
            assertThatThrownBy(() -> writer.added(unknown.data("b", 1, 7)))
                    .hasRootCauseInstanceOf(IllegalArgumentException.class)
                    .hasStackTraceContaining("not '7' as unknown");
        }
    }

    @Test
    void refusesWhatDoesNotBelong() throws IOException {
        DataFile file = fixture.data("a", 1);
        var otherSpec = new ContentFile.Common(
                "a",
                FileFormat.PARQUET,
                9,
                PartitionTuple.EMPTY,
                file.metrics(),
                1,
                List.of(),
                file.common().sortOrderId(),
                Optional.empty());
        var dead = new ManifestEntry<>(ManifestEntry.Status.DELETED, 1, 1, 1, file);
        try (var writer = new ManifestWriter(fixture.target(2, ManifestFile.Content.DATA))) {
            assertThatThrownBy(() -> writer.added(new DataFile(otherSpec, OptionalLong.empty())))
                    .hasMessageContaining("partition spec 0")
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> writer.added(fixture.data("a", 1, 5)))
                    .hasMessageContaining("[5]")
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> writer.added(fixture.equality("e", 1)))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> writer.existing(entry(1, -1, 1, file)))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> writer.existing(entry(1, 1, -1, file)))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> writer.added(file, ManifestFile.UNASSIGNED))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> writer.existing(dead)).isInstanceOf(IllegalArgumentException.class);
        }
        try (var writer = new ManifestWriter(fixture.target(2, ManifestFile.Content.DELETES))) {
            assertThatThrownBy(() -> writer.added(fixture.vector("v", "a", 4)))
                    .isInstanceOf(IllegalArgumentException.class);
        }
        assertThatThrownBy(() -> fixture.target(1, ManifestFile.Content.DELETES))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> fixture.target(2, ManifestFile.Content.DATA, "lzo"))
                .hasMessageContaining("'lzo'")
                .isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"gzip", "GZIP", "zstd", "snappy", "uncompressed"})
    void compressesAsAsked(String codec) throws IOException {
        ManifestFile manifest = fixture.write(
                fixture.target(2, ManifestFile.Content.DATA, codec), writer -> writer.added(fixture.data("a", 1)));

        assertThat(ManifestReader.readData(fixture.storage, manifest)).hasSize(1);
    }

    @Test
    void growsSoThatACallerCanRoll() throws IOException {
        try (var writer = new ManifestWriter(fixture.target(2, ManifestFile.Content.DATA, "uncompressed"))) {
            long header = writer.position();
            for (int i = 0; i < 2000; i++) {
                writer.added(fixture.data("some/quite/long/path/to/a/file-" + i, 1));
            }
            assertThat(writer.position()).isGreaterThan(header + 60_000);
            assertThat(writer.finish().length()).isGreaterThan(writer.entries() * 30);
        }
    }

    @Test
    void leavesAnExistingFileAlone() throws IOException {
        ManifestTarget target = fixture.target(2, ManifestFile.Content.DATA);
        fixture.storage.put(target.location(), new byte[] {1});

        assertThatThrownBy(() -> new ManifestWriter(target)).isInstanceOf(FileAlreadyExistsException.class);
        assertThat(fixture.storage.bytes(target.location())).containsExactly(1);
    }

    @Test
    void leavesNothingOpenWhetherItIsFinishedOrNot() throws IOException {
        var storage = new OpenFiles(fixture.storage);
        var finished = new ManifestWriter(on(storage, "memory:/finished"));
        finished.added(fixture.data("a", 1));
        finished.finish();
        finished.close();
        try (var abandoned = new ManifestWriter(on(storage, "memory:/abandoned"))) {
            abandoned.added(fixture.data("a", 1));
            assertThat(storage.open()).containsExactly("memory:/abandoned");
        }

        assertThat(storage.open()).isEmpty();
        // Closing is what completes a file on an object store.
        assertThat(fixture.storage.requests().all())
                .contains("CLOSE memory:/finished")
                .doesNotContain("CLOSE memory:/abandoned");
    }

    @Test
    void leavesNothingOpenWhenTheHeaderCannotBeWritten() {
        var storage = new OpenFiles(fixture.storage);
        fixture.storage.requests().failAll(Request.WRITE);

        assertThatThrownBy(() -> new ManifestWriter(on(storage, "memory:/m")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("Injected");
        assertThat(storage.open()).isEmpty();
        assertThat(fixture.storage.requests().count(Request.CLOSE)).isZero();
    }

    private ManifestTarget on(Storage storage, String location) {
        return new ManifestTarget(
                storage,
                location,
                2,
                fixture.schema,
                fixture.spec,
                fixture.spec.partitionType(fixture.schema),
                SNAPSHOT,
                ManifestFile.Content.DATA,
                ManifestTarget.DEFAULT_COMPRESSION_CODEC);
    }

    @Test
    void cannotBeFinishedTwiceOrAfterItWasAbandoned() throws IOException {
        try (var writer = new ManifestWriter(fixture.target(2, ManifestFile.Content.DATA))) {
            writer.finish();
            assertThatThrownBy(writer::finish).isInstanceOf(IllegalStateException.class);
        }
        try (var writer = new ManifestWriter(fixture.target(2, ManifestFile.Content.DATA))) {
            writer.abandon();
            assertThatThrownBy(writer::finish).isInstanceOf(IllegalStateException.class);
        }
    }
}
