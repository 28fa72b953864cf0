package dev.calve.rowlevel.interleaving;

import static org.assertj.core.api.Assertions.assertThat;

import dev.calve.commit.CommitStateUnknownException;
import dev.calve.commit.Conflict;
import dev.calve.commit.LiveFiles;
import dev.calve.deletes.PositionBitmap;
import dev.calve.metadata.Snapshot;
import dev.calve.rowlevel.interleaving.Table.Stored;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** Holds what writers left against what they mean, one snapshot after the other. */
final class Verdict {

    private static final String EMPTY = "none";

    private final Start start;
    private final Table table;
    private final List<Client> clients;

    /** By id of the snapshot. */
    private final Map<String, NavigableMap<String, Row>> rowsAt = new HashMap<>();

    private final Map<String, LiveFiles> filesAt = new HashMap<>();
    private final Set<String> reachable;
    private final Map<String, Long> idByName;
    private final Map<Long, String> nameById = new HashMap<>();
    private final Set<Client> present = new HashSet<>();

    Verdict(Start start, Table table, List<Client> clients) {
        this.start = start;
        this.table = table;
        this.clients = clients;
        this.reachable = new HashSet<>(start.reachable());
        this.idByName = start.rowIds();
        idByName.forEach((name, id) -> nameById.put(id, name));
    }

    List<Client> clients() {
        return clients;
    }

    void check() throws IOException {
        rowsAt.put(idOf(start.head()), start.byName());
        List<Snapshot> snapshots = table.metadata().snapshots();
        List<Snapshot> added =
                snapshots.subList(start.table().metadata().snapshots().size(), snapshots.size());
        Optional<Snapshot> parent = start.head();
        for (Snapshot snapshot : added) {
            assertThat(snapshot.parentId()).isEqualTo(Client.optionalId(parent));
            check(snapshot, parent);
            parent = Optional.of(snapshot);
        }
        assertThat(table.metadata().currentSnapshot()).isEqualTo(parent);
        for (Client client : clients) {
            check(client);
        }
        checkStorage();
    }

    private static String idOf(Optional<Snapshot> snapshot) {
        return snapshot.map(at -> String.valueOf(at.id())).orElse(EMPTY);
    }

    private NavigableMap<String, Row> rows(Optional<Snapshot> at) {
        return Objects.requireNonNull(rowsAt.get(idOf(at)), "A snapshot nobody committed");
    }

    /** What a writer read; {@code now} for one that reads nothing. */
    private NavigableMap<String, Row> read(Client client, NavigableMap<String, Row> now) {
        return client.work().kind().isRowLevel() ? rows(client.read()) : now;
    }

    private void check(Snapshot snapshot, Optional<Snapshot> parent) throws IOException {
        Client client = clients.stream()
                .filter(one -> one.work().name().equals(snapshot.summary().get("writer")))
                .findFirst()
                .orElseThrow(() -> new AssertionError("Nobody's snapshot: " + snapshot));
        assertThat(present.add(client)).as("%s is there once", client.work()).isTrue();
        NavigableMap<String, Row> before = rows(parent);
        NavigableMap<String, Row> expected = client.work().applied(read(client, before), before);
        rowsAt.put(idOf(Optional.of(snapshot)), expected);
        LiveFiles files = LiveFiles.of(table.storage, table.metadata(), snapshot);
        filesAt.put(idOf(Optional.of(snapshot)), files);
        reachable.addAll(files.reachable());
        List<Stored> live = table.live(files);
        assertThat(Row.byName(live.stream().map(Stored::row).toList()))
                .as("rows after %s, which read at %s", client.work(), idOf(client.read()))
                .isEqualTo(expected);
        checkRowIds(snapshot, live);
        checkCounters(client, snapshot, before);
    }

    /** A row keeps its id, whatever happens to it, and no two rows ever had the same. */
    private void checkRowIds(Snapshot snapshot, List<Stored> live) {
        for (Stored stored : live) {
            String name = stored.row().name();
            assertThat(stored.rowId().isPresent())
                    .as("%s has a row id in a snapshot with row ids", name)
                    .isEqualTo(snapshot.firstRowId().isPresent());
            if (stored.rowId().isPresent()) {
                long id = stored.rowId().getAsLong();
                Long earlier = idByName.put(name, id);
                assertThat(earlier == null || earlier == id)
                        .as("row id of %s is %s, and was %s", name, id, earlier)
                        .isTrue();
                String other = nameById.put(id, name);
                assertThat(other == null || other.equals(name))
                        .as("row id %s is that of %s and of %s", id, name, other)
                        .isTrue();
            }
        }
    }

    /** Row counters that are told must be exact. */
    private void checkCounters(Client client, Snapshot snapshot, NavigableMap<String, Row> before) {
        if (!client.work().kind().isRowLevel()) {
            return;
        }
        Delta delta = client.work().seen(rows(client.read()), before);
        Map<String, Integer> counts = new TreeMap<>();
        counts.put("calve.rows-updated", delta.changed().size());
        counts.put("calve.rows-inserted", delta.added().size());
        counts.put("calve.rows-deleted", (int)
                delta.gone().stream().filter(before::containsKey).count());
        counts.forEach((key, count) -> {
            String told = snapshot.summary().get(key);
            if (told != null) {
                assertThat(told).as("%s of %s", key, client.work()).isEqualTo(String.valueOf(count));
            }
        });
    }

    private void check(Client client) throws IOException {
        Ending ending = client.ending();
        Optional<String> own = table.metadata().snapshots().stream()
                .filter(snapshot ->
                        client.work().name().equals(snapshot.summary().get("writer")))
                .map(snapshot -> String.valueOf(snapshot.id()))
                .findFirst();
        if (ending instanceof Ending.Committed committed) {
            assertThat(own).as("snapshot of %s", client.work()).hasValue(String.valueOf(committed.snapshotId()));
            return;
        }
        if (ending instanceof Ending.Unknown unknown) {
            checkUnknown(client, unknown.unknown(), own);
            return;
        }
        assertThat(own)
                .as("%s, which ended %s, is not in the table", client.work(), ending)
                .isEmpty();
        if (ending instanceof Ending.Nothing) {
            NavigableMap<String, Row> seen = rows(client.seen());
            assertThat(client.work().applied(read(client, seen), seen))
                    .as("%s had nothing to do at %s", client.work(), idOf(client.seen()))
                    .isEqualTo(seen);
        }
        if (ending instanceof Ending.Refused refused) {
            new Refusal(client, refused.conflict().conflicts()).check();
        }
        if (ending instanceof Ending.Failed failed && failed.failure() instanceof UnsupportedOperationException) {
            Set<Work.Kind> reasons = client.work().kind() == Work.Kind.DELETE_ACROSS
                    ? Set.of(Work.Kind.UPSERT, Work.Kind.UPGRADE)
                    : Set.of(Work.Kind.UPSERT);
            assertThat(clients)
                    .as("%s", failed)
                    .anyMatch(other -> reasons.contains(other.work().kind()));
        }
    }

    private void checkUnknown(Client client, CommitStateUnknownException unknown, Optional<String> own) {
        if (!client.work().kind().addsNoSnapshot()) {
            own.ifPresent(id -> assertThat(unknown.getMessage()).contains("snapshot " + id));
        }
        assertThat(table.storage.locations())
                .as("all that %s wrote", client.work())
                .containsAll(client.ledger.written());
    }

    private void checkStorage() {
        Set<String> there = table.storage.locations();
        assertThat(there).as("files that snapshots refer to").containsAll(reachable);
        var left = new ArrayList<>(there);
        left.removeAll(reachable);
        left.removeIf(location -> clients.stream()
                .anyMatch(client ->
                        client.ending() instanceof Ending.Unknown && location.contains(client.id.toString())));
        assertThat(left).as("files nobody needs").isEmpty();
    }

    /** A statement was refused: what it was told must be true, and some statements never are. */
    private final class Refusal {
        private final Client client;
        private final List<Conflict> conflicts;

        Refusal(Client client, List<Conflict> conflicts) {
            this.client = client;
            this.conflicts = conflicts;
        }

        void check() throws IOException {
            switch (client.work().kind()) {
                case APPEND, DELETE, OVERWRITE, UPSERT, UPGRADE, SET_PROPERTY ->
                    throw new AssertionError(client.work() + " must find a way, but was refused: " + conflicts);
                case DELETE_ACROSS, UPDATE, DERIVE, MERGE, READ_AND_OVERWRITE, COMPACT -> {
                    for (Conflict conflict : conflicts) {
                        check(conflict);
                    }
                }
            }
        }

        private void check(Conflict conflict) throws IOException {
            if (conflict instanceof Conflict.ByOther other) {
                assertThat(filesAt)
                        .as("%s is since", conflict)
                        .containsKey(String.valueOf(other.by().snapshotId()));
            }
            if (conflict instanceof Conflict.DataFileRemoved removed) {
                assertThat(files(removed.by()).data()).as("%s", removed).doesNotContainKey(removed.dataFile());
            } else if (conflict instanceof Conflict.DataAdded added) {
                assertThat(client.work().isolation().toString()).as("%s", added).isEqualToIgnoringCase("serializable");
                assertThat(files(added.by()).data()).as("%s", added).containsKey(added.dataFile());
            } else if (conflict instanceof Conflict.RowsOverlap overlap) {
                checkOverlap(overlap);
            } else if (conflict instanceof Conflict.RowsDeleted deleted) {
                assertThat(client.work().kind()).as("%s", deleted).isIn(Work.Kind.MERGE, Work.Kind.DERIVE);
                if (isCompacted(deleted.dataFile())) {
                    // Which rows a compaction moved there is not known to who read them elsewhere.
                    return;
                }
                assertThat(lost(deleted.dataFile(), deleted.by()).stream())
                        .as("rows %s depends on among those of %s", client.work(), deleted)
                        .anyMatch(client.work().where().holds());
            } else if (conflict instanceof Conflict.KeysDeleted keys) {
                assertThat(files(keys.by()).reachable()).contains(keys.deletes().path());
            } else {
                assertThat(conflict)
                        .isInstanceOfAny(
                                Conflict.PartitionChanged.class,
                                Conflict.RowIdsAssigned.class,
                                Conflict.FormatChanged.class);
            }
        }

        private boolean isCompacted(String dataFile) {
            return clients.stream()
                    .anyMatch(other ->
                            other.work().kind() == Work.Kind.COMPACT && dataFile.contains(other.id.toString()));
        }

        private LiveFiles files(Conflict.Other by) {
            return Objects.requireNonNull(filesAt.get(String.valueOf(by.snapshotId())));
        }

        /** Rows of the file that were alive when the writer read and are not after the snapshot. */
        private List<Row> lost(String dataFile, Conflict.Other by) throws IOException {
            NavigableMap<String, Row> read = rows(client.read());
            var entry = Objects.requireNonNull(files(by).data().get(dataFile), dataFile);
            var alive = new HashSet<Row>();
            table.live(files(by)).forEach(stored -> alive.add(stored.row()));
            return table.rows(entry.file()).stream()
                    .map(Stored::row)
                    .filter(row -> row.equals(read.get(row.name())) && !alive.contains(row))
                    .toList();
        }

        private void checkOverlap(Conflict.RowsOverlap overlap) throws IOException {
            var entry = Objects.requireNonNull(files(overlap.by()).data().get(overlap.dataFile()), overlap.dataFile());
            NavigableMap<String, Row> read = rows(client.read());
            Delta delta = client.work().effect().on(read.values());
            List<Row> lost = lost(overlap.dataFile(), overlap.by());
            PositionBitmap positions = overlap.positions();
            assertThat(positions.isEmpty()).as("%s names rows", overlap).isFalse();
            List<Stored> rows = table.rows(entry.file());
            for (int i = 0; i < rows.size(); i++) {
                Row row = rows.get(i).row();
                if (positions.contains(i)) {
                    assertThat(lost).as("rows of %s", overlap).contains(row);
                    assertThat(delta.touches(row))
                            .as("%s touches %s", client.work(), row)
                            .isTrue();
                }
            }
        }
    }
}
