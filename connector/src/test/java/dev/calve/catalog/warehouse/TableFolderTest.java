package dev.calve.catalog.warehouse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.catalog.TableName;
import dev.calve.commit.Committer;
import dev.calve.commit.SwapOutcome;
import dev.calve.commit.SwapRequest;
import dev.calve.commit.TableState;
import dev.calve.io.InvalidTableException;
import dev.calve.metadata.MetadataUpdate;
import dev.calve.metadata.MetadataUpdates;
import dev.calve.metadata.TableMetadata;
import dev.calve.metadata.TableMetadataJson;
import dev.calve.partition.PartitionSpec;
import dev.calve.partition.SortOrder;
import dev.calve.schema.Field;
import dev.calve.schema.Schema;
import dev.calve.schema.Type;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TableFolderTest {

    private static final TableName NAME = new TableName(List.of("db"), "t");
    private static final String METADATA = "mem:/wh/db/t/metadata/";
    private static final String HINT = METADATA + "version-hint.text";

    private final MemoryDirectory directory = new MemoryDirectory();
    private final WarehouseCatalog catalog = new WarehouseCatalog("mem:/wh", directory);

    private TableMetadata fresh(String... properties) {
        var map = new HashMap<String, String>();
        for (int i = 0; i < properties.length; i += 2) {
            map.put(properties[i], properties[i + 1]);
        }
        return MetadataUpdates.fresh(
                new Schema(0, List.of(Field.required(1, "id", Type.Simple.LONG))),
                PartitionSpec.unpartitioned(0),
                SortOrder.UNSORTED,
                "mem:/wh/db/t",
                map,
                2,
                1000);
    }

    private TableState created(String... properties) throws IOException {
        return catalog.create(NAME, fresh(properties), UUID.randomUUID());
    }

    private static TableMetadata with(TableState base, String key, String value) {
        return MetadataUpdates.apply(
                base.metadata(),
                List.of(new MetadataUpdate.SetProperties(Map.of(key, value))),
                base.metadata().lastUpdatedMillis() + 1);
    }

    private SwapOutcome swap(TableState base, String key, String value) {
        return swap(base, with(base, key, value));
    }

    /** Throws what a certain failure says. */
    private SwapOutcome swap(TableState base, TableMetadata result) {
        SwapOutcome outcome =
                catalog.committer(NAME).swap(new SwapRequest(UUID.randomUUID(), base, List.of(), List.of(), result));
        if (outcome instanceof SwapOutcome.Failed failed) {
            throw failed.failure();
        }
        return outcome;
    }

    private TableState swapped(TableState base, String key, String value) {
        return ((SwapOutcome.Swapped) swap(base, key, value)).state();
    }

    private TableState load() throws IOException {
        return catalog.load(NAME).orElseThrow();
    }

    @Test
    void aNewTableIsVersion1WithAHint() throws IOException {
        TableState state = created();
        assertThat(directory.locations()).containsExactly(METADATA + "v1.metadata.json", HINT);
        assertThat(directory.text(HINT)).isEqualTo("1");
        assertThat(state.metadataLocation()).isEqualTo(METADATA + "v1.metadata.json");
        assertThat(load()).isEqualTo(state);
    }

    @Test
    void aCommitPublishesTheNextVersionAndLogsTheOneBefore() throws IOException {
        TableState first = created();
        TableState second = swapped(first, "k", "v");

        assertThat(second.metadataLocation()).isEqualTo(METADATA + "v2.metadata.json");
        assertThat(second.metadata().metadataLog())
                .containsExactly(new TableMetadata.MetadataLogEntry(1000, METADATA + "v1.metadata.json"));
        assertThat(directory.text(HINT)).isEqualTo("2");
        assertThat(load()).isEqualTo(second);
        assertThat(load().metadata().properties()).containsEntry("k", "v");
    }

    @Test
    void theBaseNamesTheNextFile() throws IOException {
        TableState first = created("write.metadata.compression-codec", "gzip");
        assertThat(first.metadataLocation()).endsWith("/v1.metadata.json");
        TableState second = swapped(first, "write.metadata.compression-codec", "none");
        assertThat(second.metadataLocation()).endsWith("/v2.gz.metadata.json");
        assertThat(directory.content(second.metadataLocation())[0]).isEqualTo((byte) 0x1f);
        TableState third = swapped(second, "k", "v");
        assertThat(third.metadataLocation()).endsWith("/v3.metadata.json");
        assertThat(load()).isEqualTo(third);
    }

    @ParameterizedTest
    @ValueSource(strings = {"v2.metadata.json", "v2.gz.metadata.json", "v2.metadata.json.gz"})
    void theLoserOfARaceIsRejectedWhateverTheWinnersSpelling(String winner) throws IOException {
        TableState base = created();
        byte[] content = TableMetadataJson.print(with(base, "k", "winner"), winner);
        directory.put(METADATA + winner, content);

        SwapOutcome outcome = swap(base, "k", "loser");

        assertThat(outcome).isInstanceOf(SwapOutcome.Rejected.class);
        assertThat(((SwapOutcome.Rejected) outcome).reason())
                .contains("version 2")
                .contains(winner);
        assertThat(directory.content(METADATA + winner)).isEqualTo(content);
        assertThat(load().metadata().properties()).containsEntry("k", "winner");
        assertThat(directory.locations()).hasSize(3);
    }

    @Test
    void theLoserIsRejectedIfTheWinnerComesAtTheLastMoment() throws IOException {
        TableState base = created();
        directory.intrude(TableMetadataJson.print(with(base, "k", "winner"), "v2.metadata.json"));
        assertThat(swap(base, "k", "loser")).isInstanceOf(SwapOutcome.Rejected.class);
        assertThat(load().metadata().properties()).containsEntry("k", "winner");
    }

    @ParameterizedTest
    @ValueSource(strings = {"LOST_ANSWER", "REPEATED"})
    void aLostAnswerIsFoundOutByReadingBack(String fault) throws IOException {
        TableState base = created();
        directory.next(MemoryDirectory.Fault.valueOf(fault));
        TableState second = swapped(base, "k", "v");
        assertThat(load()).isEqualTo(second);
        assertThat(directory.text(HINT)).isEqualTo("2");
    }

    @ParameterizedTest
    @ValueSource(strings = {"LOST_REQUEST", "SURPRISE"})
    void aRequestThatMayStillArriveIsUnknown(String fault) throws IOException {
        TableState base = created();
        directory.next(MemoryDirectory.Fault.valueOf(fault));
        assertThat(swap(base, "k", "v")).isInstanceOf(SwapOutcome.Unknown.class);
        assertThat(directory.text(HINT)).isEqualTo("1");
    }

    @Test
    void aTornBeginningOfOurFileIsUnknown() throws IOException {
        TableState base = created();
        TableMetadata result = with(base, "k", "v");
        TableState probe = swapped(base, "k", "v");
        byte[] whole = directory.content(probe.metadataLocation());
        directory.remove(probe.metadataLocation());
        directory.next(MemoryDirectory.Fault.LOST_REQUEST);
        directory.intrude(Arrays.copyOf(whole, 40));
        assertThat(swap(base, result)).isInstanceOf(SwapOutcome.Unknown.class);
    }

    @Test
    void anUnclearRequestIsRejectedIfSomebodyElsesFileIsThere() throws IOException {
        TableState base = created();
        directory.next(MemoryDirectory.Fault.LOST_REQUEST);
        directory.intrude(TableMetadataJson.print(with(base, "k", "winner"), "v2.metadata.json"));
        assertThat(swap(base, "k", "loser")).isInstanceOf(SwapOutcome.Rejected.class);
    }

    @Test
    void aWriteThatFailedForSureIsAnErrorAndChangesNothing() throws IOException {
        TableState base = created();
        directory.next(MemoryDirectory.Fault.FAILED);
        assertThatThrownBy(() -> swap(base, "k", "v"))
                .isInstanceOf(UncheckedIOException.class)
                .hasMessageContaining("nothing was changed")
                .hasRootCauseMessage("disk full");
        assertThat(load()).isEqualTo(base);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "1",
                "0",
                "-3",
                "99",
                "two",
                "1\n",
                " 3 ",
                "3garbage",
                "99999999999999999999",
                "\u0000\u0001",
                "v3"
            })
    void anyHintLeadsToTheNewestVersion(String hint) throws IOException {
        TableState third = swapped(swapped(created(), "k", "2"), "k", "3");
        directory.put(HINT, hint);
        assertThat(load()).isEqualTo(third);
    }

    @Test
    void noHintIsNeeded() throws IOException {
        TableState third = swapped(swapped(created(), "k", "2"), "k", "3");
        directory.remove(HINT);
        assertThat(load()).isEqualTo(third);
    }

    @Test
    void aCrashBetweenPublicationAndHintIsNotSeen() throws IOException {
        TableState base = created();
        directory.failReplace(true);
        TableState second = swapped(base, "k", "2");
        assertThat(directory.text(HINT)).isEqualTo("1");
        assertThat(load()).isEqualTo(second);
        directory.failReplace(false);
        TableState third = swapped(load(), "k", "3");
        assertThat(load()).isEqualTo(third);
        assertThat(directory.text(HINT)).isEqualTo("3");
    }

    @Test
    void aTornTemporaryFileIsIgnored() throws IOException {
        TableState base = created();
        directory.put(METADATA + "0b4c7e0e-9d0b-4a8e-8f0a-2b1f0d6d0c11-v2-metadata-json.tmp", "{\"format-ver");
        directory.put(METADATA + "0b4c7e0e-9d0b-4a8e-8f0a-2b1f0d6d0c11.metadata.json", "{\"format-ver");
        directory.put(METADATA + ".v2.metadata.json.crc", "crc");
        directory.remove(HINT);
        assertThat(load()).isEqualTo(base);
        assertThat(swapped(base, "k", "v").metadataLocation()).endsWith("/v2.metadata.json");
    }

    @ParameterizedTest
    @ValueSource(strings = {"v3.metadata.json", "v3.gz.metadata.json"})
    void aTornNewestVersionIsAnErrorAndNotAStepBack(String name) throws IOException {
        TableState second = swapped(created(), "k", "2");
        byte[] whole = TableMetadataJson.print(with(second, "k", "3"), name);
        for (int length : new int[] {0, 5, whole.length / 2, whole.length - 1}) {
            directory.put(METADATA + name, Arrays.copyOf(whole, length));
            assertThatThrownBy(this::load)
                    .isInstanceOf(InvalidTableException.class)
                    .hasMessageContaining(METADATA + name)
                    .hasMessageContaining(length + " bytes");
        }
    }

    @Test
    void twoFilesOfOneVersionAreAnError() throws IOException {
        TableState base = created();
        swapped(base, "k", "2");
        directory.put(
                METADATA + "v2.gz.metadata.json", TableMetadataJson.print(with(base, "k", "x"), "v2.gz.metadata.json"));
        assertThatThrownBy(this::load)
                .isInstanceOf(InvalidTableException.class)
                .hasMessageContaining("version 2")
                .hasMessageContaining("v2.gz.metadata.json");
    }

    @Test
    void creatingAndCommittingAreRefusedWhereTheyAreNotSafe() throws IOException {
        TableState base = created();
        directory.refuse("it is a floppy disk.");
        assertThatThrownBy(() -> swap(base, "k", "v"))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("db.t")
                .hasMessageEndingWith("it is a floppy disk.");
        var other = new TableName(List.of("db"), "u");
        var metadata = MetadataUpdates.fresh(
                base.metadata().schema(),
                PartitionSpec.unpartitioned(0),
                SortOrder.UNSORTED,
                catalog.defaultLocation(other),
                Map.of(),
                2,
                1000);
        assertThatThrownBy(() -> catalog.create(other, metadata, UUID.randomUUID()))
                .isInstanceOf(UnsupportedOperationException.class);
        assertThat(directory.isDirectory("mem:/wh/db/u")).isFalse();
        assertThat(load()).isEqualTo(base);
    }

    @Test
    void aTableStaysInItsFolderWithItsMetadata() throws IOException {
        TableState base = created();
        assertThatThrownBy(() -> swap(
                        base,
                        MetadataUpdates.apply(
                                base.metadata(), List.of(new MetadataUpdate.SetLocation("mem:/else")), 2000)))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("mem:/else");
        assertThatThrownBy(() -> swap(base, "write.metadata.path", "mem:/else"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("write.metadata.path");
        assertThatThrownBy(() -> {
                    var other = new WarehouseCatalog("mem:/wh2", directory);
                    other.create(
                            NAME,
                            MetadataUpdates.fresh(
                                    base.metadata().schema(),
                                    PartitionSpec.unpartitioned(0),
                                    SortOrder.UNSORTED,
                                    "mem:/wh2/db/t",
                                    Map.of("write.metadata.path", "mem:/else"),
                                    2,
                                    1000),
                            UUID.randomUUID());
                })
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("write.metadata.path");
        assertThat(load()).isEqualTo(base);
    }

    @Test
    void aCommitToATableThatIsGoneIsRejected() throws IOException {
        TableState base = created();
        catalog.drop(NAME);
        assertThat(swap(base, "k", "v")).isInstanceOf(SwapOutcome.Rejected.class);
        assertThat(directory.locations()).isEmpty();
        Committer committer = catalog.committer(NAME);
        assertThatThrownBy(committer::load)
                .isInstanceOf(InvalidTableException.class)
                .hasMessageContaining("db.t");
    }

    @Test
    void evictedMetadataIsDeletedOldestFirstUpToOneThatStays() throws IOException {
        TableState state = created(
                "write.metadata.previous-versions-max", "2", "write.metadata.delete-after-commit.enabled", "true");
        for (int version = 2; version <= 5; version++) {
            state = swapped(state, "k", "" + version);
        }
        assertThat(directory.locations())
                .containsExactly(
                        METADATA + "v3.metadata.json",
                        METADATA + "v4.metadata.json",
                        METADATA + "v5.metadata.json",
                        HINT);
        directory.failDelete(METADATA + "v3.metadata.json");
        state = swapped(state, "k", "6");
        assertThat(directory.locations()).contains(METADATA + "v3.metadata.json", METADATA + "v6.metadata.json");
        assertThat(load()).isEqualTo(state);
    }

    private TableState createdToForget(int remembered) throws IOException {
        return created(
                "write.metadata.previous-versions-max",
                "" + remembered,
                "write.metadata.delete-after-commit.enabled",
                "true");
    }

    @ParameterizedTest
    @ValueSource(strings = {"LOST_REQUEST", "SURPRISE", "FAILED"})
    void evictedMetadataStaysUnlessTheCommitIsCertain(String fault) throws IOException {
        TableState second = swapped(createdToForget(1), "k", "2");
        directory.next(MemoryDirectory.Fault.valueOf(fault));
        try {
            assertThat(swap(second, "k", "3")).isInstanceOf(SwapOutcome.Unknown.class);
        } catch (UncheckedIOException certain) {
            assertThat(certain).hasRootCauseMessage("disk full");
        }
        assertThat(directory.locations()).contains(METADATA + "v1.metadata.json", METADATA + "v2.metadata.json");
    }

    @Test
    void theLoserOfARaceDeletesNothing() throws IOException {
        TableState second = swapped(createdToForget(1), "k", "2");
        directory.intrude(TableMetadataJson.print(with(second, "k", "winner"), "v3.metadata.json"));
        assertThat(swap(second, "k", "loser")).isInstanceOf(SwapOutcome.Rejected.class);
        assertThat(directory.locations()).contains(METADATA + "v1.metadata.json", METADATA + "v2.metadata.json");
    }

    /** Whoever begins at the old hint would take the version before the gap for the newest. */
    @Test
    void evictedMetadataStaysWhileTheHintIsOld() throws IOException {
        TableState second = swapped(createdToForget(1), "k", "2");
        directory.failReplace(true);
        TableState third = swapped(second, "k", "3");
        assertThat(directory.locations()).contains(METADATA + "v1.metadata.json");
        assertThat(load()).isEqualTo(third);
    }

    @Test
    void aShorterLogLetsAllFilesBeyondItGo() throws IOException {
        TableState state = createdToForget(10);
        for (int version = 2; version <= 5; version++) {
            state = swapped(state, "k", "" + version);
        }
        TableState sixth = swapped(state, "write.metadata.previous-versions-max", "2");
        assertThat(sixth.metadata().metadataLog())
                .extracting(TableMetadata.MetadataLogEntry::file)
                .containsExactly(METADATA + "v4.metadata.json", METADATA + "v5.metadata.json");
        assertThat(directory.locations())
                .containsExactly(
                        METADATA + "v4.metadata.json",
                        METADATA + "v5.metadata.json",
                        METADATA + "v6.metadata.json",
                        HINT);
    }

    /** The name is free again, but not for a commit that starts from what the others started from. */
    @Test
    void aNameThatOthersUsedAndDeletedIsNotTakenForACommit() throws IOException {
        TableState base = createdToForget(1);
        directory.beforePublication(() -> {
            TableState state = base;
            for (int version = 2; version <= 4; version++) {
                state = swapped(state, "other", "" + version);
            }
        });
        assertThat(swap(base, "k", "late")).isInstanceOf(SwapOutcome.Unknown.class);
        assertThat(load().metadata().properties()).containsEntry("other", "4").doesNotContainKey("k");
    }

    @Test
    void evictedMetadataStaysByDefault() throws IOException {
        TableState state = created("write.metadata.previous-versions-max", "1");
        for (int version = 2; version <= 4; version++) {
            state = swapped(state, "k", "" + version);
        }
        assertThat(state.metadata().metadataLog()).hasSize(1);
        assertThat(directory.locations()).hasSize(5);
    }

    @Test
    void twoWhoCreateOneTableAreOneWinnerAndOneLoser() throws IOException {
        directory.intrude(TableMetadataJson.print(fresh("who", "other"), "v1.metadata.json"));
        assertThatThrownBy(() -> created("who", "me"))
                .isInstanceOf(dev.calve.catalog.TableExistsException.class)
                .hasMessageContaining("db.t");
        assertThat(load().metadata().properties()).containsEntry("who", "other");
    }

    @Test
    void anUnclearCreationSaysSo() {
        directory.next(MemoryDirectory.Fault.LOST_REQUEST);
        assertThatThrownBy(this::created)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("Cannot tell whether table db.t was created");
    }

    /** Spark from 4.1 on loads a table twice for a query, Spark Connect twice more. */
    @Test
    void aLoadCostsTwoReadsAndSixLookUpsAndParsesWhatIsNewOnly() throws IOException {
        TableState base = created();
        for (int version = 2; version <= 5; version++) {
            base = ((SwapOutcome.Swapped) swap(base, "k", "v" + version)).state();
        }
        var asked = new ArrayList<String>();
        var counting = (Directory) java.lang.reflect.Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Directory.class}, (proxy, method, arguments) -> {
                    asked.add(method.getName());
                    return method.invoke(directory, arguments);
                });
        var counted = new WarehouseCatalog("mem:/wh", counting);
        TableState first = counted.load(NAME).orElseThrow();
        assertThat(first).isEqualTo(base);
        assertThat(asked)
                .containsExactlyInAnyOrder("read", "read", "exists", "exists", "exists", "exists", "exists", "exists");
        assertThat(new WarehouseCatalog("mem:/wh", directory)
                        .load(NAME)
                        .orElseThrow()
                        .metadata())
                .as("in another session")
                .isSameAs(first.metadata());
        swap(base, "k", "v6");
        assertThat(counted.load(NAME).orElseThrow().metadata().property("k")).contains("v6");
    }
}
