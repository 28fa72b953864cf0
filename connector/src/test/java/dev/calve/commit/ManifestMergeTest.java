package dev.calve.commit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.calve.Randomly;
import dev.calve.commit.SnapshotChange.Operation;
import dev.calve.manifest.ContentFile;
import dev.calve.manifest.DataFile;
import dev.calve.manifest.DeleteFile;
import dev.calve.manifest.ManifestEntry;
import dev.calve.manifest.ManifestEntry.Status;
import dev.calve.manifest.ManifestFile;
import dev.calve.manifest.ManifestFile.Content;
import dev.calve.metadata.MetadataUpdate;
import dev.calve.partition.PartitionField;
import dev.calve.partition.PartitionSpec;
import dev.calve.partition.Transform;
import dev.calve.scan.SnapshotManifests;
import dev.calve.schema.Field;
import dev.calve.schema.Schema;
import dev.calve.schema.Type;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ManifestMergeTest {

    private static CommitFixture merging(CommitFixture table, int minCount) {
        table.evolve(new MetadataUpdate.SetProperties(
                Map.of("commit.manifest.min-count-to-merge", Integer.toString(minCount))));
        return table;
    }

    private static List<ManifestFile> manifests(CommitFixture table, Content content) {
        return table.live().manifests().stream()
                .filter(manifest -> manifest.content() == content)
                .toList();
    }

    private static <F extends ContentFile> ManifestEntry<F> existing(ManifestEntry<F> before) {
        return new ManifestEntry<>(
                Status.EXISTING,
                before.snapshotId(),
                before.sequenceNumber(),
                before.fileSequenceNumber(),
                before.file());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void joinsWithTheCommitThatMakesThemEnough(int version) {
        var table = merging(CommitFixture.unpartitioned(version), 3);
        var a = table.dataFile("a.parquet").build();
        var b = table.dataFile("b.parquet").build();
        var c = table.dataFile("c.parquet").build();
        table.append(a);
        table.append(b);
        assertThat(table.live().manifests()).hasSize(2);
        var entryOfA = table.live().entry(a);
        var entryOfB = table.live().entry(b);
        table.append(c);

        var live = table.live();
        assertThat(live.statuses()).containsExactly("ADDED c.parquet", "EXISTING b.parquet", "EXISTING a.parquet");
        assertThat(live.entry(a)).isEqualTo(existing(entryOfA));
        assertThat(live.entry(b)).isEqualTo(existing(entryOfB));
        assertThat(live.entry(c).snapshotId()).isEqualTo(table.head().id());
        assertThat(live.entry(c).sequenceNumber()).isEqualTo(table.head().sequenceNumber());
        assertThat(live.entry(c).fileSequenceNumber()).isEqualTo(table.head().sequenceNumber());
        ManifestFile joined = live.manifests().get(0);
        assertThat(live.manifests()).hasSize(1);
        assertThat(joined.addedSnapshotId()).isEqualTo(table.head().id());
        assertThat(joined.sequenceNumber()).isEqualTo(table.head().sequenceNumber());
        assertThat(joined.minSequenceNumber()).isEqualTo(version == 1 ? 0 : 1);
        assertThat(joined.counts()).isEqualTo(ManifestFile.Counts.of(1, 2, 0, 10, 20, 0));
    }

    @Test
    void joinsNothingWhenTurnedOff() {
        var table = merging(CommitFixture.unpartitioned(2), 2);
        table.evolve(new MetadataUpdate.SetProperties(Map.of("commit.manifest-merge.enabled", "false")));
        for (int i = 0; i < 5; i++) {
            table.append(table.dataFile("f" + i + ".parquet").build());
        }
        assertThat(table.live().manifests())
                .hasSize(5)
                .allSatisfy(
                        manifest -> assertThat(manifest.counts().addedFiles()).hasValue(1));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void keepsWhatThisSnapshotRemovesDeletedAndDropsOlderRemovals(int version) {
        var table = merging(CommitFixture.unpartitioned(version), 100);
        var a = table.dataFile("a.parquet").build();
        var b = table.dataFile("b.parquet").build();
        var c = table.dataFile("c.parquet").build();
        var d = table.dataFile("d.parquet").build();
        table.append(a, b);
        table.append(c, d);
        table.change(Operation.DELETE).remove(a).commit();
        assertThat(table.live().statuses())
                .containsExactly("ADDED c.parquet", "ADDED d.parquet", "DELETED a.parquet", "EXISTING b.parquet");
        var before = table.live().entry(c);
        merging(table, 2);
        table.change(Operation.DELETE).remove(c).commit();

        var live = table.live();
        assertThat(live.statuses()).containsExactly("DELETED c.parquet", "EXISTING d.parquet", "EXISTING b.parquet");
        assertThat(live.entry(c))
                .isEqualTo(new ManifestEntry<>(
                        Status.DELETED,
                        table.head().id(),
                        before.sequenceNumber(),
                        before.fileSequenceNumber(),
                        before.file()));
        assertThat(live.manifests()).hasSize(1);
        assertThat(live.manifests().get(0).counts()).isEqualTo(ManifestFile.Counts.of(0, 2, 1, 0, 20, 10));
    }

    /** A manifest with nothing live is listed for its removals; joined with others it gives them to the joined one. */
    @Test
    void takesTheRemovalsOfAnEmptiedManifestAlong() {
        var table = merging(CommitFixture.unpartitioned(2), 2);
        var a = table.dataFile("a.parquet").build();
        table.append(a);
        table.change(Operation.OVERWRITE)
                .remove(a)
                .add(table.dataFile("b.parquet").build())
                .commit();
        assertThat(table.live().statuses()).containsExactly("ADDED b.parquet", "DELETED a.parquet");
        assertThat(table.live().manifests()).hasSize(1);
        table.append(table.dataFile("c.parquet").build());
        assertThat(table.live().statuses()).containsExactly("ADDED c.parquet", "EXISTING b.parquet");
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void keepsTheOlderNumberOfARewrittenFile(int version) {
        var table = merging(CommitFixture.unpartitioned(version), 2);
        var a = table.dataFile("a.parquet").build();
        table.append(a);
        table.append(table.dataFile("b.parquet").build());
        table.append(table.dataFile("c.parquet").build());
        var rewrite = table.change(Operation.OVERWRITE)
                .remove(a)
                .addRewritten(table.dataFile("a2.parquet").build())
                .build();
        table.append(table.dataFile("d.parquet").build());
        table.commit(rewrite);
        var rewritten = table.live().data("a2.parquet");
        assertThat(rewritten.status()).isEqualTo(Status.ADDED);
        assertThat(rewritten.sequenceNumber()).isEqualTo(3);
        assertThat(rewritten.fileSequenceNumber()).isEqualTo(5);
        assertThat(table.live().manifests()).hasSize(1);
        assertThat(table.live().manifests().get(0).minSequenceNumber()).isEqualTo(2);

        table.append(table.dataFile("e.parquet").build());
        rewritten = table.live().data("a2.parquet");
        assertThat(rewritten.status()).isEqualTo(Status.EXISTING);
        assertThat(rewritten.sequenceNumber()).isEqualTo(3);
        assertThat(rewritten.fileSequenceNumber()).isEqualTo(5);
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void joinsDeletesApartFromData(int version) {
        var table = merging(CommitFixture.unpartitioned(version), 4);
        var a = table.dataFile("a.parquet").build();
        var b = table.dataFile("b.parquet").build();
        table.append(a, b);
        DeleteFile ofA = version == 3 ? table.vector("va.puffin", a) : table.positions("pa.parquet", a);
        DeleteFile ofB = version == 3 ? table.vector("vb.puffin", b) : table.positions("pb.parquet", b);
        table.change(Operation.DELETE).delete(ofA).commit();
        ManifestEntry<DeleteFile> entryOfA =
                Objects.requireNonNull(table.live().deletes().get(ofA.key().toString()));
        table.change(Operation.DELETE).delete(ofB).commit();
        assertThat(table.live().manifests()).hasSize(3);
        table.append(table.dataFile("c.parquet").build());

        assertThat(manifests(table, Content.DATA)).hasSize(1);
        assertThat(manifests(table, Content.DELETES)).hasSize(1);
        assertThat(table.live().deletes().get(ofA.key().toString())).isEqualTo(existing(entryOfA));
        ManifestFile deletes = manifests(table, Content.DELETES).get(0);
        assertThat(deletes.firstRowId()).isEmpty();
        assertThat(deletes.minSequenceNumber()).isEqualTo(2);
        assertThat(deletes.counts()).isEqualTo(ManifestFile.Counts.of(0, 2, 0, 0, 4, 0));
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void joinsOneManifestPerSpec(int version) {
        var table = merging(CommitFixture.partitionedBy(Type.Simple.INT, version), 4);
        for (int i = 0; i < 2; i++) {
            table.append(table.dataFile("old" + i + ".parquet").in(i).build());
        }
        table.evolve(
                new MetadataUpdate.AddSpec(new PartitionSpec(
                        1, List.of(PartitionField.of(CommitFixture.ID, 1001, "id_bucket", new Transform.Bucket(4))))),
                new MetadataUpdate.SetDefaultSpec(-1));
        for (int i = 0; i < 2; i++) {
            table.append(table.dataFile("new" + i + ".parquet").in(i).build());
        }
        assertThat(table.live().manifests().stream().map(ManifestFile::specId)).containsExactly(1, 0);
        assertThat(table.live().data()).hasSize(4);
        assertThat(table.live().manifests())
                .allSatisfy(manifest -> assertThat(manifest.partitions().orElseThrow())
                        .hasSize(1)
                        .first()
                        .satisfies(summary -> assertThat(summary.lowerBound()).isNotEqualTo(summary.upperBound())));
    }

    /** Spec of a source that was dropped since: its values must survive. */
    @Test
    void keepsPartitionValuesOfADroppedColumn() {
        var table = merging(CommitFixture.partitionedBy(Type.Simple.INT, 2), 2);
        table.append(table.dataFile("a.parquet").in(7).build());
        table.evolve(
                new MetadataUpdate.AddSpec(PartitionSpec.unpartitioned(1)),
                new MetadataUpdate.SetDefaultSpec(-1),
                new MetadataUpdate.AddSchema(new Schema(1, List.of(Field.required(1, "id", Type.Simple.LONG))), 2),
                new MetadataUpdate.SetCurrentSchema(-1));
        table.append(table.dataFile("b.parquet").spec(0).in(8).build());
        assertThat(table.live().manifests()).hasSize(1);
        assertThat(table.live().data("a.parquet").file().partition().value(0)).contains(7);
        assertThat(table.live().data("b.parquet").file().partition().value(0)).contains(8);
    }

    /** Old schemas leave with the snapshots that had them; then nothing tells the type of the values any more. */
    @Test
    void leavesManifestsAloneWhoseSourceNoSchemaHas() {
        var table = merging(CommitFixture.partitionedBy(Type.Simple.INT, 2), 2);
        table.evolve(new MetadataUpdate.SetProperties(Map.of("commit.manifest-merge.enabled", "false")));
        table.append(table.dataFile("a.parquet").in(7).build());
        table.append(table.dataFile("b.parquet").in(8).build());
        table.evolve(
                new MetadataUpdate.SetProperties(Map.of("commit.manifest-merge.enabled", "true")),
                new MetadataUpdate.AddSpec(PartitionSpec.unpartitioned(1)),
                new MetadataUpdate.SetDefaultSpec(-1),
                new MetadataUpdate.AddSchema(new Schema(1, List.of(Field.required(1, "id", Type.Simple.LONG))), 2),
                new MetadataUpdate.SetCurrentSchema(-1));
        table.committer.removeSchema(0);
        var kept = list(table);
        table.append(table.dataFile("c.parquet").build());
        table.append(table.dataFile("d.parquet").build());
        assertThat(list(table)).hasSize(3).containsAll(kept);
    }

    @Test
    void givesEveryRowTheIdItHadAndNewRowsTheNextOnes() {
        var table = merging(CommitFixture.unpartitioned(3), 3);
        var a = table.dataFile("a.parquet").records(3).build();
        var b = table.dataFile("b.parquet").records(4).build();
        var c = table.dataFile("c.parquet").records(5).build();
        table.append(a);
        table.append(b);
        table.append(c);
        var live = table.live();
        assertThat(live.manifests()).hasSize(1);
        assertThat(live.entry(a).file().firstRowId()).hasValue(0);
        assertThat(live.entry(b).file().firstRowId()).hasValue(3);
        assertThat(live.entry(c).file().firstRowId()).hasValue(7);
        assertThat(live.manifests().get(0).firstRowId()).hasValue(7);
        // The joined manifest's range covers its old rows too, which have ids already: those are spent unused.
        assertThat(table.head().addedRows()).hasValue(12);
        assertThat(table.metadata().nextRowId()).isEqualTo(19);
    }

    /** Manifests from before version 3 have no ids to keep; their rows get them where they are joined, after the new rows. */
    @Test
    void givesIdsToRowsFromBeforeTheUpgrade() {
        var table = merging(CommitFixture.unpartitioned(2), 3);
        var a = table.dataFile("a.parquet").records(3).build();
        var b = table.dataFile("b.parquet").records(4).build();
        var c = table.dataFile("c.parquet").records(5).build();
        table.append(a);
        table.append(b);
        table.upgradeTo(3);
        table.append(c);
        var live = table.live();
        assertThat(live.manifests()).hasSize(1);
        assertThat(live.entry(c).file().firstRowId()).hasValue(0);
        assertThat(live.entry(b).file().firstRowId()).hasValue(5);
        assertThat(live.entry(a).file().firstRowId()).hasValue(9);
        assertThat(table.metadata().nextRowId()).isEqualTo(12);

        table.append(table.dataFile("d.parquet").build());
        table.append(table.dataFile("e.parquet").build());
        assertThat(table.live().manifests()).hasSize(1);
        assertThat(table.live().entry(a).file().firstRowId()).hasValue(9);
    }

    /** More than the hundred that are joined by default: with what follows the list never grows to a hundred again. */
    @Test
    void staysBelowAHundredManifestsHoweverManyAppends() {
        var table = CommitFixture.unpartitioned(3);
        var before = new HashSet<String>();
        long written = 0;
        for (int i = 0; i < 320; i++) {
            table.append(table.dataFile("f" + i + ".parquet").build());
            List<ManifestFile> listed = list(table);
            assertThat(listed).hasSizeLessThan(100);
            for (ManifestFile manifest : listed) {
                if (before.add(manifest.path())) {
                    written += manifest.counts().addedFiles().orElse(0)
                            + manifest.counts().existingFiles().orElse(0);
                }
            }
        }
        assertThat(table.live().data()).hasSize(320);
        assertThat(written).as("entries written, each file's first included").isLessThan(320 * 4);
    }

    private static List<ManifestFile> list(CommitFixture table) {
        try {
            return SnapshotManifests.of(table.storage, table.head());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void staysBelowTheCountHoweverManyDeletesAndUpdates(int version) {
        var table = merging(CommitFixture.unpartitioned(version), 10);
        var files = new ArrayList<DataFile>();
        for (int i = 0; i < 60; i++) {
            files.add(table.dataFile("f" + i + ".parquet").build());
        }
        table.append(files.toArray(DataFile[]::new));
        for (int i = 0; i < 60; i++) {
            DataFile file = files.get(i);
            var change = table.change(i % 2 == 0 ? Operation.DELETE : Operation.OVERWRITE)
                    .delete(version == 3 ? table.vector("v" + i + ".puffin", file) : table.positions("p" + i, file));
            if (i % 2 == 1) {
                change.add(table.dataFile("u" + i + ".parquet").records(1).build());
            }
            change.commit();
            assertThat(list(table)).hasSizeLessThan(10);
        }
        assertThat(table.live().data()).hasSize(90);
        assertThat(table.live().deletes()).hasSize(60);
    }

    /** Whatever is committed in which order: joined or not, all entries say the same. */
    @Test
    void changesNothingButWhereEntriesAreListed() {
        Randomly.check(6, random -> {
            int version = random.intBetween(2, 3);
            var merged = merging(CommitFixture.partitionedBy(Type.Simple.INT, version), random.intBetween(2, 5));
            var plain = merging(CommitFixture.partitionedBy(Type.Simple.INT, version), 1_000);
            for (int step = 0; step < 12; step++) {
                int kind = random.intBelow(4);
                int victim = random.intBelow(100);
                for (CommitFixture table : List.of(merged, plain)) {
                    apply(table, step, kind, victim);
                }
                if (version == 2 && step == 6) {
                    List.of(merged, plain).forEach(table -> table.upgradeTo(3));
                    version = 3;
                }
                assertThat(numbers(merged)).isEqualTo(numbers(plain));
            }
            assertThat(merged.live().manifests().size())
                    .isLessThanOrEqualTo(plain.live().manifests().size());
        });
    }

    private static void apply(CommitFixture table, int step, int kind, int victim) {
        var fresh = table.dataFile("f" + step + ".parquet")
                .in(step % 3)
                .records(step)
                .build();
        List<DataFile> live = table.metadata().currentSnapshot().isEmpty()
                ? List.of()
                : table.live().data().values().stream().map(ManifestEntry::file).toList();
        if (kind == 0 || live.isEmpty()) {
            table.append(fresh);
            return;
        }
        DataFile file = live.get(victim % live.size());
        List<DeleteFile> old = table.live().deletes().values().stream()
                .map(ManifestEntry::file)
                .filter(deletes -> deletes.isScopedToAny(Set.of(file.path())))
                .toList();
        if (kind == 1) {
            table.change(Operation.DELETE).remove(file).commit();
        } else if (kind == 2) {
            table.change(Operation.OVERWRITE).remove(file).addRewritten(fresh).commit();
        } else {
            DeleteFile deletes = table.metadata().formatVersion() == 3
                    ? table.vector("v" + step + ".puffin", file)
                    : table.positions("p" + step + ".parquet", file);
            table.change(Operation.DELETE)
                    .delete(deletes, old.toArray(DeleteFile[]::new))
                    .commit();
        }
    }

    /** Sequence numbers of every live file, and which of the data files have row ids. */
    private static Map<String, List<Object>> numbers(CommitFixture table) {
        var numbers = new HashMap<String, List<Object>>();
        if (table.metadata().currentSnapshot().isEmpty()) {
            return numbers;
        }
        table.live()
                .data()
                .forEach((path, entry) -> numbers.put(
                        path,
                        List.of(
                                entry.sequenceNumber(),
                                entry.fileSequenceNumber(),
                                entry.file().recordCount(),
                                entry.file().firstRowId().isPresent())));
        table.live()
                .deletes()
                .forEach((key, entry) -> numbers.put(
                        key,
                        List.of(
                                entry.sequenceNumber(),
                                entry.fileSequenceNumber(),
                                entry.file().recordCount(),
                                false)));
        return numbers;
    }

    /** A lost race leaves the same manifests to join: they are not joined again. */
    @Test
    void usesJoinedManifestsAgainInTheNextAttempt() {
        var table = merging(CommitFixture.unpartitioned(2), 3);
        table.append(table.dataFile("a.parquet").build());
        table.append(table.dataFile("b.parquet").build());
        table.committer.beforeSwap(() -> table.evolve(new MetadataUpdate.SetProperties(Map.of("other", "change"))));
        table.storage.requests().reset();
        table.append(table.dataFile("c.parquet").build());
        long created = table.storage.requests().all().stream()
                .filter(request -> request.matches("CREATE .*-m\\d+\\.avro"))
                .count();
        assertThat(created).as("one for the new file, one joined").isEqualTo(2);
        assertThat(table.live().manifests()).hasSize(1);
        assertThat(table.head().sequenceNumber()).isEqualTo(3);
    }

    /** Another writer's manifest joined the list: what was joined before is joined anew, and its leftovers go. */
    @Test
    void joinsAnewWhenTheManifestsAreOthersAndLeavesNothingBehind() {
        var table = merging(CommitFixture.unpartitioned(3), 3);
        var a = table.dataFile("a.parquet").build();
        table.append(a);
        table.append(table.dataFile("b.parquet").build());
        table.committer.beforeSwap(
                () -> table.change(Operation.DELETE).remove(a).commit());
        var c = table.dataFile("c.parquet").build();
        var statement = table.statement();
        statement.commit(table.appending(c));
        var reachable = new HashSet<String>();
        table.metadata()
                .snapshots()
                .forEach(snapshot -> reachable.addAll(
                        LiveFiles.of(table.storage, table.metadata(), snapshot).reachable()));
        assertThat(table.storage.locations()).isEqualTo(reachable);
        assertThat(table.live().data().keySet()).hasSize(2).contains(c.path());
    }

    @Test
    void splitsOnlyWhatFitsTheTargetSize() {
        var table = merging(CommitFixture.unpartitioned(2), 2);
        table.evolve(new MetadataUpdate.SetProperties(Map.of(
                "commit.manifest.target-size-bytes", "20000", "write.manifest.compression-codec", "uncompressed")));
        for (int i = 0; i < 30; i++) {
            var files = new DataFile[20];
            for (int j = 0; j < files.length; j++) {
                files[j] = table.dataFile("f" + i + "-" + j + ".parquet").build();
            }
            table.append(files);
        }
        assertThat(table.live().data()).hasSize(600);
        assertThat(table.live().manifests())
                .hasSizeBetween(3, 15)
                .allSatisfy(manifest -> assertThat(manifest.length()).isLessThan(20_000));
    }
}
