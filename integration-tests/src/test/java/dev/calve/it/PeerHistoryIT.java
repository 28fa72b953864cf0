package dev.calve.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.calve.catalog.warehouse.WarehouseCatalog;
import dev.calve.commit.CommitConflictException;
import dev.calve.commit.CommitTarget;
import dev.calve.commit.Committer;
import dev.calve.commit.Conflict;
import dev.calve.commit.ConflictRule;
import dev.calve.commit.FileLedger;
import dev.calve.commit.Removal;
import dev.calve.commit.Resettle;
import dev.calve.commit.SnapshotChange;
import dev.calve.commit.Statement;
import dev.calve.commit.SwapOutcome;
import dev.calve.commit.SwapRequest;
import dev.calve.commit.TableCommit;
import dev.calve.commit.TableState;
import dev.calve.expression.Expression;
import dev.calve.hadoop.HadoopDirectory;
import dev.calve.hadoop.HadoopStorage;
import dev.calve.metadata.Snapshot;
import dev.calve.partition.PartitionTuple;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.FileMetadata;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.ReplacePartitions;
import org.apache.iceberg.RewriteFiles;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.hadoop.HadoopTables;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.types.Types;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Whatever the peer does to a table, and however it merges, rewrites and drops manifests, a commit of ours sees every file that
 * came or went since it read. What came and went is told by the peer's own scans before and after. No Spark session is needed.
 */
@Tag("iceberg-peer")
class PeerHistoryIT {

    private static final int COMMITS = 25;
    private static final Schema SCHEMA = new Schema(
            Types.NestedField.required(1, "id", Types.LongType.get()),
            Types.NestedField.optional(2, "part", Types.IntegerType.get()));

    @TempDir
    private Path folder;

    private final HadoopStorage storage = new HadoopStorage(new Configuration());
    private final Map<String, DataFile> live = new TreeMap<>();
    private final Map<String, Integer> parts = new HashMap<>();
    private Random random = new Random(0);
    private int version;
    private int names;
    private Table table;

    /** What one commit of the peer did, and the table afterwards. */
    private record Step(
            TableState state, boolean replace, Set<String> added, Set<String> removed, Set<String> deletedFrom) {}

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void seesEverythingThePeerDoes(int formatVersion) throws IOException {
        long seed = Long.getLong("calve.seed", System.nanoTime());
        random = new Random(seed);
        version = formatVersion;
        PartitionSpec spec = PartitionSpec.builderFor(SCHEMA).identity("part").build();
        table = new HadoopTables(new Configuration())
                .create(
                        SCHEMA,
                        spec,
                        Map.of(
                                "format-version",
                                Integer.toString(version),
                                "commit.manifest.min-count-to-merge",
                                "2",
                                "commit.manifest.target-size-bytes",
                                "20000"),
                        folder.resolve("t").toString());
        var steps = new ArrayList<Step>();
        steps.add(step(this::append));
        for (int i = 1; i < COMMITS; i++) {
            steps.add(step(anyChange()));
        }
        int conflicts = 0;
        for (int from = 0; from < steps.size(); from++) {
            for (int to : new int[] {from + 1, from + 2, steps.size() - 1}) {
                if (to > from && to < steps.size()) {
                    conflicts += check("seed " + seed + ", " + from + " to " + to, steps, from, to);
                }
            }
        }
        assertThat(conflicts).as("files that came or went").isGreaterThan(COMMITS);
    }

    /** A change to the peer's table; the data files it deletes rows from. */
    private interface Change {
        Set<String> run();
    }

    private Change anyChange() {
        List<Change> changes = new ArrayList<>(List.of(
                this::append,
                this::fastAppend,
                this::removeFile,
                this::removePartition,
                this::overwrite,
                this::replacePartition,
                this::compact,
                this::rewriteManifests));
        if (version == 2) {
            changes.add(this::positions);
            changes.add(this::positions);
            changes.add(this::equality);
        }
        if (version == 3) {
            changes.add(this::vector);
            changes.add(this::vector);
            changes.add(this::equality);
        }
        return live.size() < 4 ? this::append : changes.get(random.nextInt(changes.size()));
    }

    private Step step(Change change) throws IOException {
        Set<String> before = new HashSet<>(live.keySet());
        Set<String> deletedFrom = change.run();
        table.refresh();
        live.clear();
        try (CloseableIterable<FileScanTask> tasks = table.newScan().planFiles()) {
            tasks.forEach(task -> live.put(task.file().location(), task.file()));
        }
        Set<String> added = new TreeSet<>(live.keySet());
        added.removeAll(before);
        Set<String> removed = new TreeSet<>(before);
        removed.removeAll(live.keySet());
        TableState state = WarehouseCatalog.loadPath(table.location(), new HadoopDirectory(storage))
                .orElseThrow();
        return new Step(state, table.currentSnapshot().operation().equals("replace"), added, removed, deletedFrom);
    }

    private DataFile newFile(int part) {
        String path = table.location() + "/data/f" + names++ + ".parquet";
        parts.put(path, part);
        return DataFiles.builder(table.spec())
                .withPath(path)
                .withFormat(FileFormat.PARQUET)
                .withPartitionPath("part=" + part)
                .withFileSizeInBytes(100)
                .withRecordCount(10)
                .build();
    }

    private int anyPart() {
        return random.nextInt(3);
    }

    private DataFile anyLive() {
        return new ArrayList<>(live.values()).get(random.nextInt(live.size()));
    }

    private Set<String> append() {
        table.newAppend()
                .appendFile(newFile(anyPart()))
                .appendFile(newFile(anyPart()))
                .commit();
        return Set.of();
    }

    private Set<String> fastAppend() {
        table.newFastAppend().appendFile(newFile(anyPart())).commit();
        return Set.of();
    }

    private Set<String> removeFile() {
        table.newDelete().deleteFile(anyLive()).commit();
        return Set.of();
    }

    private Set<String> removePartition() {
        table.newDelete()
                .deleteFromRowFilter(Expressions.equal("part", anyPart()))
                .commit();
        return Set.of();
    }

    private Set<String> overwrite() {
        DataFile old = anyLive();
        table.newOverwrite().deleteFile(old).addFile(newFile(anyPart())).commit();
        return Set.of();
    }

    private Set<String> replacePartition() {
        ReplacePartitions replace = table.newReplacePartitions();
        replace.addFile(newFile(anyPart())).commit();
        return Set.of();
    }

    private Set<String> compact() {
        DataFile old = anyLive();
        RewriteFiles rewrite =
                table.newRewrite().validateFromSnapshot(table.currentSnapshot().snapshotId());
        rewrite.deleteFile(old)
                .addFile(newFile(old.partition().get(0, Integer.class)))
                .commit();
        return Set.of();
    }

    private Set<String> rewriteManifests() {
        table.rewriteManifests()
                .clusterBy(file -> file.partition().get(0, Integer.class) % 2)
                .commit();
        return Set.of();
    }

    private Set<String> positions() {
        DataFile of = anyLive();
        boolean scoped = random.nextBoolean();
        FileMetadata.Builder deletes = deletes(of).ofPositionDeletes().withFormat(FileFormat.PARQUET);
        if (scoped) {
            deletes.withReferencedDataFile(of.location());
        }
        table.newRowDelta().addDeletes(deletes.build()).commit();
        return scoped
                ? Set.of(of.location())
                : live.values().stream()
                        .filter(file -> file.partition().equals(of.partition()))
                        .map(DataFile::location)
                        .collect(Collectors.toSet());
    }

    private Set<String> vector() {
        DataFile of = anyLive();
        try (CloseableIterable<FileScanTask> tasks = table.newScan().planFiles()) {
            for (FileScanTask task : tasks) {
                boolean hasVector = task.deletes().stream().anyMatch(file -> file.format() == FileFormat.PUFFIN);
                if (task.file().location().equals(of.location()) && hasVector) {
                    return append();
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        DeleteFile vector = deletes(of)
                .ofPositionDeletes()
                .withFormat(FileFormat.PUFFIN)
                .withReferencedDataFile(of.location())
                .withContentOffset(4)
                .withContentSizeInBytes(44)
                .build();
        table.newRowDelta().addDeletes(vector).commit();
        return Set.of(of.location());
    }

    private Set<String> equality() {
        table.newRowDelta()
                .addDeletes(deletes(anyLive())
                        .ofEqualityDeletes(1)
                        .withFormat(FileFormat.PARQUET)
                        .build())
                .addRows(newFile(anyPart()))
                .commit();
        return Set.of();
    }

    private FileMetadata.Builder deletes(DataFile of) {
        return FileMetadata.deleteFileBuilder(table.spec())
                .withPath(table.location() + "/data/d" + names++)
                .withPartition(of.partition())
                .withFileSizeInBytes(100)
                .withRecordCount(1);
    }

    // What a statement is told that read one state and finds a later one.

    private int check(String what, List<Step> steps, int from, int to) {
        Set<String> known = new HashSet<>();
        for (Step step : steps.subList(0, to + 1)) {
            known.addAll(step.added());
        }
        var removed = new TreeMap<String, Long>();
        var added = new TreeMap<String, Long>();
        var deletedFrom = new TreeSet<String>();
        for (Step step : steps.subList(from + 1, to + 1)) {
            long id = head(step).id();
            step.removed().forEach(path -> removed.put(path, id));
            if (!step.replace()) {
                step.added().forEach(path -> added.put(path, id));
            }
            step.deletedFrom().forEach(path -> deletedFrom.add(path + " by " + id));
        }
        List<Conflict> conflicts = conflicts(steps.get(from), steps.get(to), known);
        var seenRemoved = new TreeMap<String, Long>();
        var seenAdded = new TreeMap<String, Long>();
        var seenDeletedFrom = new TreeSet<String>();
        for (Conflict conflict : conflicts) {
            long by = conflict.madeBy().orElseThrow().snapshotId();
            if (conflict instanceof Conflict.DataFileRemoved gone) {
                seenRemoved.put(gone.dataFile(), by);
            } else if (conflict instanceof Conflict.DataAdded come) {
                seenAdded.put(come.dataFile(), by);
            } else {
                seenDeletedFrom.add(((Conflict.RowsDeleted) conflict).dataFile() + " by " + by);
            }
        }
        assertThat(seenRemoved).as("removed, %s", what).isEqualTo(removed);
        assertThat(seenAdded).as("added, %s", what).isEqualTo(added);
        // A delete file of a partition may name files that were removed before: those are told of too.
        assertThat(seenDeletedFrom).as("deleted from, %s", what).containsAll(deletedFrom);
        return conflicts.size();
    }

    private List<Conflict> conflicts(Step read, Step found, Set<String> files) {
        Map<String, ConflictRule.Place> places = new HashMap<>();
        for (String path : files) {
            places.put(path, new ConflictRule.Place(0, PartitionTuple.of(Objects.requireNonNull(parts.get(path)))));
        }
        var change = new SnapshotChange(
                SnapshotChange.Operation.OVERWRITE,
                "main",
                OptionalLong.of(head(read).id()),
                version,
                List.of(),
                List.of(),
                List.of(new Removal.Matching(Expression.Constant.FALSE)),
                List.of(
                        new ConflictRule.FilesStillThere(places),
                        new ConflictRule.DeletesUnchanged(places),
                        new ConflictRule.NoNewDataMatching(Expression.Constant.TRUE)),
                Map.of());
        var seen = new ArrayList<Conflict>();
        var target = new CommitTarget("t", found.state().metadata().uuid(), new At(found.state()), storage);
        Resettle telling = (state, conflicts, old) -> {
            seen.addAll(conflicts);
            throw new Resettle.Refused(conflicts);
        };
        try {
            new TableCommit(target, Statement.of(UUID.randomUUID(), "TEST", new FileLedger(storage)), Clock.systemUTC())
                    .commit(change, telling);
        } catch (CommitConflictException e) {
            assertThat(seen).isNotEmpty();
        }
        return seen;
    }

    private static Snapshot head(Step step) {
        return step.state().metadata().currentSnapshot().orElseThrow();
    }

    /** A table that stays as it was at some time. */
    private record At(TableState state) implements Committer {

        @Override
        public TableState load() {
            return state;
        }

        @Override
        public SwapOutcome swap(SwapRequest request) {
            return new SwapOutcome.Failed(new IllegalStateException("Nothing is to be committed."));
        }
    }
}
