package dev.calve.commit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.calve.commit.SnapshotChange.Operation;
import dev.calve.expression.Expression;
import dev.calve.manifest.DataFile;
import dev.calve.manifest.ManifestEntry;
import dev.calve.manifest.ManifestEntry.Status;
import dev.calve.manifest.ManifestFile;
import dev.calve.manifest.ManifestReader;
import dev.calve.manifest.ManifestTarget;
import dev.calve.manifest.ManifestWriter;
import dev.calve.metadata.MetadataUpdate;
import dev.calve.metadata.Snapshot;
import dev.calve.metadata.SnapshotRef;
import dev.calve.scan.SnapshotManifests;
import dev.calve.schema.Type;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** What others did is seen however they wrote it down. */
class OtherSnapshotTest {

    private static final long IN_PLACE = 4711;

    private final CommitFixture table = CommitFixture.partitionedBy(Type.Simple.INT, 1);
    private final DataFile a = table.dataFile("a").in(1).build();
    private final DataFile b = table.dataFile("b").in(1).build();

    OtherSnapshotTest() {
        table.append(a, b);
    }

    private OtherSnapshot head() throws IOException {
        return OtherSnapshot.read(table.storage, table.head(), OptionalLong.empty());
    }

    private List<ManifestEntry<DataFile>> entries(ManifestFile manifest) throws IOException {
        return ManifestReader.readData(table.storage, manifest);
    }

    @Test
    void creditsASnapshotWithManifestsOfItsOwnOnly() throws IOException {
        table.append(table.dataFile("c").in(1).build());
        assertThat(head().written()).hasSize(1);
        assertThat(head().all()).hasSize(2);
        assertThat(head().by().addsData()).isTrue();
    }

    @Test
    void tellsWhetherRowsMayLiveOnElsewhere() throws IOException {
        assertThat(head().by().addsData()).isTrue();
        table.change(Operation.DELETE).remove(a).commit();
        assertThat(head().by().addsData()).isFalse();
        table.upgradeTo(2);
        table.change(Operation.DELETE).delete(table.positions("p", b)).commit();
        assertThat(head().by().addsData()).isFalse();
        table.change(Operation.OVERWRITE)
                .remove(b)
                .add(table.dataFile("c").in(1).build())
                .commit();
        assertThat(head().by().addsData()).isTrue();
    }

    @Test
    void movesRowsBetweenSpecsOnlyWithDataFilesOfSeveral() throws IOException {
        table.upgradeTo(2);
        table.evolve(new MetadataUpdate.AddSpec(dev.calve.partition.PartitionSpec.unpartitioned(1)));
        table.change(Operation.OVERWRITE)
                .remove(a)
                .add(table.dataFile("c").in(1).build())
                .delete(table.equality("e", 1))
                .commit();
        assertThat(head().movesBetweenSpecs()).isFalse();
        table.change(Operation.OVERWRITE)
                .remove(b)
                .add(table.dataFile("d").spec(1).build())
                .commit();
        assertThat(head().movesBetweenSpecs()).isTrue();
    }

    @Test
    void believesADeletedEntryThatNamesTheSnapshotWhichAddedTheFile() throws IOException {
        long adder = table.head().id();
        table.change(Operation.DELETE).remove(a).commit();
        ManifestFile written = head().written().get(0);
        ManifestEntry<DataFile> deleted = entries(written).stream()
                .filter(entry -> entry.status() == Status.DELETED)
                .findFirst()
                .orElseThrow();
        var asSomeWritersDo = new ManifestEntry<>(
                Status.DELETED, adder, deleted.sequenceNumber(), deleted.fileSequenceNumber(), deleted.file());
        assertThat(head().did(deleted)).isTrue();
        assertThat(head().did(asSomeWritersDo)).isTrue();
        assertThat(entries(written).stream().filter(entry -> entry.status() == Status.EXISTING))
                .isNotEmpty()
                .noneMatch(entry -> {
                    try {
                        return head().did(entry);
                    } catch (IOException e) {
                        throw new AssertionError(e);
                    }
                });
    }

    /** A snapshot as the first writers of version 1 made them: without a list, its manifests named in place. */
    private void commitInPlace(DataFile added, DataFile removed) throws IOException {
        Snapshot parent = table.head();
        String holder = table.live().manifestOf(removed.path());
        var manifests = new ArrayList<String>();
        var target = new ManifestTarget(
                table.storage,
                "memory:/t/metadata/in-place.avro",
                1,
                table.metadata().schema(),
                CommitFixture.byPart(),
                table.metadata().partitionType(0),
                IN_PLACE,
                ManifestFile.Content.DATA,
                "uncompressed");
        try (var writer = new ManifestWriter(target)) {
            for (ManifestFile manifest : SnapshotManifests.of(table.storage, parent)) {
                if (!manifest.path().equals(holder)) {
                    manifests.add(manifest.path());
                    continue;
                }
                for (ManifestEntry<DataFile> entry : entries(manifest)) {
                    if (entry.file().path().equals(removed.path())) {
                        writer.deleted(entry);
                    } else {
                        writer.existing(entry);
                    }
                }
            }
            writer.added(added);
            manifests.add(writer.finish().path());
        }
        var snapshot = new Snapshot(
                IN_PLACE,
                OptionalLong.of(parent.id()),
                0,
                table.metadata().lastUpdatedMillis() + 1,
                Optional.empty(),
                Map.of(),
                Optional.empty(),
                manifests,
                OptionalInt.empty(),
                OptionalLong.empty(),
                OptionalLong.empty(),
                Map.of());
        table.evolve(
                new MetadataUpdate.AddSnapshot(snapshot),
                new MetadataUpdate.SetSnapshotRef("main", SnapshotRef.branch(IN_PLACE)));
    }

    private SnapshotChange reading(ConflictRule rule) {
        return table.change(Operation.OVERWRITE)
                .add(table.dataFile("mine").in(1).build())
                .rule(rule)
                .build();
    }

    private List<Conflict> check(SnapshotChange change) throws IOException {
        return ConflictCheck.find(table.storage, table.metadata(), change);
    }

    @Test
    void seesWhatASnapshotWithoutAManifestListDid() throws IOException {
        DataFile c = table.dataFile("c").in(2).build();
        table.append(c);
        table.change(Operation.DELETE).remove(c).commit();
        SnapshotChange needsA = reading(new ConflictRule.FilesStillThere(GuardedTable.places(a)));
        SnapshotChange needsB = reading(new ConflictRule.FilesStillThere(GuardedTable.places(b)));
        SnapshotChange readsAll = reading(new ConflictRule.NoNewDataMatching(Expression.Constant.TRUE));
        // What it names in place holds entries of earlier snapshots too, which it did not do.
        SnapshotChange inOther = reading(new ConflictRule.NoChangeIn(java.util.Set.of(GuardedTable.place(c))));
        DataFile d = table.dataFile("d").in(1).build();
        commitInPlace(d, b);
        assertThat(check(needsA)).isEmpty();
        assertThat(check(inOther)).isEmpty();
        assertThat(check(needsB)).singleElement().satisfies(conflict -> {
            assertThat(((Conflict.DataFileRemoved) conflict).dataFile()).isEqualTo(b.path());
            assertThat(conflict.madeBy().orElseThrow().snapshotId()).isEqualTo(IN_PLACE);
        });
        assertThat(check(readsAll))
                .singleElement()
                .satisfies(conflict ->
                        assertThat(((Conflict.DataAdded) conflict).dataFile()).isEqualTo(d.path()));
    }
}
