package dev.calve.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.catalog.LoadedTable;
import dev.calve.commit.CommitFixture;
import dev.calve.metadata.MetadataUpdate;
import dev.calve.metadata.ReadPoint;
import dev.calve.metadata.ReadState;
import dev.calve.metadata.Snapshot;
import dev.calve.metadata.SnapshotRef;
import dev.calve.scan.ScanRange;
import dev.calve.schema.Field;
import dev.calve.schema.Schema;
import dev.calve.schema.Type;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.sql.catalyst.analysis.NoSuchTableException;
import org.apache.spark.sql.connector.catalog.Identifier;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which state of which table names and options mean. */
class NamedTablesTest {

    private final CommitFixture fixture = CommitFixture.unpartitioned(2);
    private final Map<String, LoadedTable> catalog = new HashMap<>();
    private final NamedTables tables = new NamedTables(this::find);
    private long first;
    private long second;

    /** Two snapshots, branch b at the first; the second came with another column. */
    @BeforeEach
    void makesHistory() {
        first = fixture.append(fixture.dataFile("a").build()).snapshotId();
        fixture.evolve(new MetadataUpdate.SetSnapshotRef("b", SnapshotRef.branch(first)));
        var schema = new Schema(1, List.of(Field.required(1, "id", Type.Simple.LONG)));
        fixture.evolve(new MetadataUpdate.AddSchema(schema, 2), new MetadataUpdate.SetCurrentSchema(-1));
        second = fixture.append(fixture.dataFile("b").build()).snapshotId();
        catalog.put("db.t", loaded("lake.db.t"));
    }

    private LoadedTable loaded(String name) {
        try {
            return new LoadedTable(name, fixture.committer.load(), fixture.storage, fixture.committer);
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private Optional<LoadedTable> find(Identifier identifier) {
        if (identifier.name().contains("/")) {
            throw new IllegalArgumentException("not a folder's name");
        }
        return Optional.ofNullable(catalog.get(String.join(".", identifier.namespace()) + "." + identifier.name()));
    }

    private static Identifier identifier(String name) {
        String[] parts = name.split("\\.", -1);
        return Identifier.of(java.util.Arrays.copyOf(parts, parts.length - 1), parts[parts.length - 1]);
    }

    private CalveTable named(String name) {
        return named(name, Optional.empty());
    }

    private CalveTable named(String name, Optional<ReadPoint> asked) {
        try {
            return (CalveTable) tables.named(identifier(name), asked);
        } catch (NoSuchTableException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void aSelectorIsTheLastPartOfTheName() {
        assertThat(Selector.of("branch_x")).contains(new ReadPoint.OfBranch("x"));
        assertThat(Selector.of("tag_a_b")).contains(new ReadPoint.AtTag("a_b"));
        assertThat(Selector.of("snapshot_id_5")).contains(new ReadPoint.AtSnapshot(5));
        assertThat(Selector.of("at_timestamp_1700000000000")).contains(new ReadPoint.AsOf(1_700_000_000_000L));
        for (String none : List.of(
                "t",
                "branch_",
                "tag_",
                "snapshot_id_",
                "snapshot_id_x",
                "snapshot_id_-5",
                "at_timestamp_1.5",
                "Branch_x",
                "snapshot_id_99999999999999999999")) {
            assertThat(Selector.of(none)).as(none).isEmpty();
        }
    }

    @Test
    void aNameMeansATableOrAStateOfIt() {
        assertThat(named("db.t").schema().fieldNames()).containsExactly("id");
        assertThat(named("db.t.snapshot_id_" + first).schema().fieldNames()).containsExactly("id", "part");
        assertThat(named("db.t.branch_b").schema().fieldNames()).containsExactly("id");
        assertThat(named("db.t", Optional.of(new ReadPoint.Version("" + first)))
                        .schema()
                        .fieldNames())
                .containsExactly("id", "part");
        assertThat(named("db.t.branch_b")).isNotEqualTo(named("db.t")).isEqualTo(named("db.t.branch_b"));
        assertThat(named("db.t").version()).isNotNull();
    }

    @Test
    void statesHaveNamesThatMeanThem() {
        for (ReadPoint point : List.of(
                new ReadPoint.AtSnapshot(5),
                new ReadPoint.AsOf(7),
                new ReadPoint.OfBranch("a.b c"),
                new ReadPoint.AtTag("branch_x"))) {
            assertThat(Selector.name(point).flatMap(Selector::of)).contains(point);
        }
        for (ReadPoint nameless : List.of(
                new ReadPoint.AtSnapshot(-5),
                new ReadPoint.AsOf(-1),
                new ReadPoint.OfBranch(""),
                new ReadPoint.Version("x"),
                new ReadPoint.Current())) {
            assertThat(Selector.name(nameless)).as("%s", nameless).isEmpty();
        }
    }

    @Test
    void aTableOfThatNameComesFirst() {
        catalog.put("db.t.branch_b", loaded("lake.db.t.branch_b"));
        assertThat(named("db.t.branch_b").name()).isEqualTo("lake.db.t.branch_b");
        catalog.put("db.branch_b", loaded("lake.db.branch_b"));
        assertThat(named("db.branch_b").name()).isEqualTo("lake.db.branch_b");
    }

    @Test
    void whatIsNotThereIsNoTable() {
        for (String missing : List.of("db.u", "db.u.branch_b", "db.t.other", "db.branch_b", "t.branch_b")) {
            assertThatThrownBy(() -> tables.named(identifier(missing), Optional.empty()))
                    .as(missing)
                    .isInstanceOf(NoSuchTableException.class);
        }
        assertThatThrownBy(() -> named("db.t.branch_x/y"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("branch 'x/y'")
                .hasMessageContaining("[b, main]");
    }

    @Test
    void twoStatesCannotBeAskedForAtOnce() {
        assertThatThrownBy(() -> named("db.t.branch_b", Optional.of(new ReadPoint.Version("b"))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("version 'b'")
                .hasMessageContaining("of branch 'b' by its name already");
    }

    private ChosenRange chosen(ReadPoint loadedAt, String... options) {
        LoadedTable table = loaded("lake.db.t");
        ReadState state = loadedAt.in(table.metadata(), table.name());
        var map = new HashMap<String, String>();
        for (int i = 0; i < options.length; i += 2) {
            map.put(options[i], options[i + 1]);
        }
        return ChosenRange.of(table, state, new CaseInsensitiveStringMap(map));
    }

    private static void assertReads(ChosenRange chosen, long snapshot, int columns) {
        assertThat(chosen.range().snapshot().map(Snapshot::id)).contains(snapshot);
        assertThat(chosen.range()).isInstanceOf(ScanRange.AtSnapshot.class);
        assertThat(chosen.schema().fields()).hasSize(columns);
    }

    @Test
    void optionsOfAReadChooseAStateWithTheColumnsSparkHas() {
        assertReads(chosen(new ReadPoint.Current()), second, 1);
        assertReads(chosen(new ReadPoint.Current(), "branch", "b"), first, 1);
        assertReads(chosen(new ReadPoint.Current(), "snapshot-id", "" + second), second, 1);
        assertThatThrownBy(() -> chosen(new ReadPoint.Current(), "snapshot-id", "" + first))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("columns were others then")
                .hasMessageContaining("VERSION AS OF " + first);
    }

    @Test
    void optionsThatRepeatWhatTheTableWasLoadedForAreFine() {
        assertReads(chosen(new ReadPoint.AtSnapshot(first), "snapshot-id", "" + first), first, 2);
        assertReads(chosen(new ReadPoint.Version("" + first), "versionAsOf", "" + first), first, 2);
        assertReads(chosen(new ReadPoint.Version("" + first), "snapshot-id", "" + first), first, 2);
        assertThatThrownBy(() -> chosen(new ReadPoint.Version("" + first), "snapshot-id", "" + second))
                .hasMessageContaining("already");
        assertThatThrownBy(() -> chosen(new ReadPoint.OfBranch("b"), "snapshot-id", "" + first))
                .as("a branch may move")
                .hasMessageContaining("of branch 'b' already");
    }

    @Test
    void whatWasAppendedIsReadWithTheTablesColumns() {
        ChosenRange chosen = chosen(new ReadPoint.Current(), "start-snapshot-id", "" + first);
        assertThat(chosen.schema().fields()).hasSize(1);
        assertThat(((ScanRange.Appended) chosen.range()).appends())
                .extracting(Snapshot::id)
                .containsExactly(second);
        assertThatThrownBy(() -> chosen(new ReadPoint.AtSnapshot(second), "start-snapshot-id", "" + first))
                .hasMessageContaining("all rows of a state");
    }
}
