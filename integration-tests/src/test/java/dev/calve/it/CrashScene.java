package dev.calve.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.calve.catalog.LoadedTable;
import dev.calve.it.CoreReading.Row;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.iceberg.Table;

/**
 * A table that a writer left, and what must hold of it.
 *
 * @param before the rows when the writer began
 * @param what happened, for messages
 */
record CrashScene(Path warehouse, CoreTable table, CoreReading reading, List<Row> before, String what) {

    private static final String HINT = "metadata/version-hint.text";

    /** What a publication leaves that ends in the middle. Nobody looks at such a file. */
    private static final Pattern METADATA = Pattern.compile(".*metadata/v(\\d+)\\.metadata\\.json");

    CrashScene {
        before = List.copyOf(before);
    }

    /** The table as it is now, before anybody does anything to it. */
    static CrashScene before(Path warehouse, CoreTable table, String what) throws IOException {
        var reading = new CoreReading(warehouse, table);
        return new CrashScene(warehouse, table, reading, reading.byCalve(table.load()), what);
    }

    /** The same with more to say. */
    CrashScene with(String more) {
        return new CrashScene(warehouse, table, reading, before, what + more);
    }

    private Path folder() {
        return warehouse.resolve("ns").resolve(table.name().name());
    }

    /** What happened, and what it left. */
    private String whole() throws IOException {
        return what + ", left over: " + leftovers();
    }

    /** Both sides load the same snapshot and read these rows; those that were there before are the same. */
    void assertRows(Set<Long> ids) throws IOException {
        String whole = whole();
        LoadedTable ours = table.load();
        Table theirs = reading.peersTable();
        assertThat(ours.metadata().currentSnapshotId())
                .as("current snapshot; %s", whole)
                .hasValue(theirs.currentSnapshot().snapshotId());
        List<Row> rows = reading.byCalve(ours);
        assertThat(rows.stream().map(Row::id).sorted().toList())
                .as("ids of rows; %s", whole)
                .isEqualTo(ids.stream().sorted().toList());
        for (Row row : rows) {
            assertThat(List.of(row.part(), row.text()))
                    .as("row %d; %s", row.id(), whole)
                    .isEqualTo(List.of(CoreTable.part(row.id()), CoreTable.text(row.id())));
        }
        assertThat(reading.byPeer(theirs))
                .as("rows as the peer reads them; %s", whole)
                .containsExactlyInAnyOrderElementsOf(rows);
        if (ours.metadata().formatVersion() >= 3) {
            assertRowIds(rows, whole);
        }
        assertFiles(theirs, whole);
        assertThat(TableAudit.findings(Path.of(URI.create(ours.state().metadataLocation()))))
                .as("audit; %s", whole)
                .isEmpty();
    }

    private void assertRowIds(List<Row> rows, String whole) {
        assertThat(rows)
                .extracting(Row::rowId)
                .as("row ids; %s", whole)
                .doesNotContainNull()
                .doesNotHaveDuplicates();
        Map<Long, Row> byId = new HashMap<>();
        before.forEach(row -> byId.put(row.id(), row));
        for (Row row : rows) {
            assertThat(row).as("a row that was there; %s", whole).isEqualTo(byId.getOrDefault(row.id(), row));
        }
    }

    private static void assertFiles(Table found, String whole) throws IOException {
        LiveFiles live = LiveFiles.of(found);
        live.assertSound(whole);
        assertThat(live.dangling()).as("deletes without a data file; %s", whole).isEmpty();
        assertThat(found.currentSnapshot().summary()).as("totals; %s", whole).containsAllEntriesOf(live.totals());
        Set<Path> gone = CoreReading.reached(found);
        gone.removeIf(Files::exists);
        assertThat(gone)
                .as("files that are gone though a snapshot or the log refers to them; %s", whole)
                .isEmpty();
    }

    /** Paths below the table's folder of files that nothing refers to. */
    Set<String> leftovers() throws IOException {
        Set<Path> reached = CoreReading.reached(reading.peersTable());
        reached.add(folder().resolve(HINT));
        var left = new TreeSet<String>();
        for (Path file : FolderState.filesBelow(folder())) {
            if (!reached.contains(file)) {
                left.add(folder().relativize(file).toString());
            }
        }
        return left;
    }

    /**
     * What is left over carries the id of one of the statements.
     *
     * @param oldMetadata whether metadata may be left as well that is older than all the log lists
     */
    void assertLeftovers(Set<UUID> statements, boolean oldMetadata) throws IOException {
        long oldest = table.load().metadata().metadataLog().stream()
                .mapToLong(entry -> version(entry.file()))
                .min()
                .orElseThrow();
        Set<String> unknown = leftovers();
        unknown.removeIf(file -> statements.stream().anyMatch(id -> file.contains(id.toString()))
                || (oldMetadata && version(file) < oldest));
        assertThat(unknown)
                .as("left over without an id of %s; %s", statements, whole())
                .isEmpty();
    }

    private static long version(String metadata) {
        Matcher matcher = METADATA.matcher(metadata);
        return matcher.matches() ? Long.parseLong(matcher.group(1)) : Long.MAX_VALUE;
    }

    /** Without the hint, both sides find the version they find with it. */
    void assertHintIsOnlyAHint() throws IOException {
        Path hint = folder().resolve(HINT);
        String location = table.load().state().metadataLocation();
        byte[] content = Files.readAllBytes(hint);
        Files.delete(hint);
        assertThat(table.load().state().metadataLocation())
                .as("newest version without the hint; %s", whole())
                .isEqualTo(location);
        assertThat(reading.peersTable().currentSnapshot().snapshotId())
                .as("newest snapshot without the hint, by the peer; %s", whole())
                .isEqualTo(table.load().metadata().currentSnapshotId().orElseThrow());
        Files.write(hint, content);
    }
}
