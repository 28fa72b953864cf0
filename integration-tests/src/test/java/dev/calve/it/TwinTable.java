package dev.calve.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.calve.catalog.TableName;
import dev.calve.catalog.warehouse.WarehouseCatalog;
import dev.calve.commit.CommitTarget;
import dev.calve.commit.FileLedger;
import dev.calve.commit.MetadataCommit;
import dev.calve.commit.Removal;
import dev.calve.commit.Resettle;
import dev.calve.commit.SnapshotChange;
import dev.calve.commit.Statement;
import dev.calve.commit.TableCommit;
import dev.calve.commit.TableState;
import dev.calve.expression.Expression;
import dev.calve.hadoop.HadoopDirectory;
import dev.calve.hadoop.HadoopStorage;
import dev.calve.metadata.MetadataUpdate;
import dev.calve.metadata.MetadataUpdates;
import dev.calve.metadata.TableMetadata;
import dev.calve.partition.PartitionField;
import dev.calve.partition.PartitionSpec;
import dev.calve.partition.SortOrder;
import dev.calve.partition.Transform;
import dev.calve.scan.FileTask;
import dev.calve.scan.ScanPlanner;
import dev.calve.schema.Field;
import dev.calve.schema.Schema;
import dev.calve.schema.Type;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.ManifestFile;
import org.apache.iceberg.ManifestFiles;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.hadoop.HadoopCatalog;
import org.apache.iceberg.types.Types;

/**
 * Two tables that were made alike and are changed alike, one by the peer and one by us, and then must have written the same
 * down. The files they list need not exist: see {@link TwinFile}.
 */
final class TwinTable {

    private static final TableIdentifier THEIRS = TableIdentifier.of("db", "t");
    private static final TableName OURS = new TableName(List.of("db"), "t");

    /** What differs in every snapshot and is right to. */
    private static final List<Difference> ALWAYS = List.of(
            new Difference(
                    "metadata\\.snapshots\\[\\d+]\\.summary\\.iceberg-version", "the peer says which version it is"),
            new Difference(
                    "metadata\\.snapshots\\[\\d+]\\.summary\\.calve\\..*",
                    "counts of rows, which the peer does not make"),
            new Difference(
                    "metadata\\.snapshots\\[\\d+]\\.summary\\.(engine|app)-.*",
                    "a Spark session that ran in the JVM before has the peer name it"),
            new Difference(
                    "list\\(.*\\)\\[\\d+]\\.key\\(schema-id\\)",
                    "Spec: Manifests, schema-id is required; the peer writes it only inside schema"));

    /**
     * A difference that is meant to be.
     *
     * @param fields regular expression of the paths of {@link WrittenState}
     * @param reason why it is right
     */
    record Difference(String fields, String reason) {
        boolean covers(String field) {
            return Pattern.matches(fields, field);
        }
    }

    private final Path folder;
    private final WarehouseCatalog catalog;
    private final HadoopCatalog theirCatalog;
    private final HadoopCatalog theirViewOfOurs;
    private final HadoopStorage storage = new HadoopStorage(new Configuration());
    private final List<Difference> lasting = new ArrayList<>();
    private final Set<Difference> seen = new LinkedHashSet<>();
    private int compared;

    private TwinTable(Path folder) {
        this.folder = folder;
        // Names of equal length, so that nothing depends on the length of a path.
        catalog = new WarehouseCatalog("file:" + folder.resolve("calve"), new HadoopDirectory(storage));
        var configuration = new Configuration();
        configuration.setClass("fs.file.impl", LocalFilesWithoutPermissions.class, FileSystem.class);
        // Hadoop keeps one instance of each kind for the whole JVM, and other tests need their own.
        configuration.setBoolean("fs.file.impl.disable.cache", true);
        theirCatalog = new HadoopCatalog(configuration, "file:" + folder.resolve("peers"));
        theirViewOfOurs = new HadoopCatalog(configuration, "file:" + folder.resolve("calve"));
    }

    /** Tables {@code (id long, part int, x double)}, partitioned by part. */
    static TwinTable create(Path folder, int formatVersion, String... properties) {
        var twins = new TwinTable(folder);
        Map<String, String> all = new HashMap<>(Map.of("write.summary.partition-limit", "3"));
        for (int i = 0; i < properties.length; i += 2) {
            all.put(properties[i], properties[i + 1]);
        }
        twins.createOurs(formatVersion, all);
        all.put("format-version", "" + formatVersion);
        twins.createTheirs(all);
        return twins;
    }

    private void createOurs(int formatVersion, Map<String, String> properties) {
        var schema = new Schema(
                0,
                List.of(
                        Field.required(1, "id", Type.Simple.LONG),
                        Field.optional(2, "part", Type.Simple.INT),
                        Field.optional(3, "x", Type.Simple.DOUBLE)));
        var spec = new PartitionSpec(0, List.of(PartitionField.of(2, 1000, "part", Transform.IDENTITY)));
        try {
            catalog.create(
                    OURS,
                    MetadataUpdates.fresh(
                            schema,
                            spec,
                            SortOrder.UNSORTED,
                            catalog.defaultLocation(OURS),
                            properties,
                            formatVersion,
                            System.currentTimeMillis()),
                    UUID.randomUUID());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void createTheirs(Map<String, String> properties) {
        var schema = new org.apache.iceberg.Schema(
                Types.NestedField.required(1, "id", Types.LongType.get()),
                Types.NestedField.optional(2, "part", Types.IntegerType.get()),
                Types.NestedField.optional(3, "x", Types.DoubleType.get()));
        theirCatalog
                .buildTable(THEIRS, schema)
                .withPartitionSpec(org.apache.iceberg.PartitionSpec.builderFor(schema)
                        .identity("part")
                        .build())
                .withProperties(properties)
                .create();
    }

    Path ourWarehouse() {
        return folder.resolve("calve");
    }

    HadoopStorage storage() {
        return storage;
    }

    /** The peer's table, as it is now. */
    Table theirs() {
        return theirCatalog.loadTable(THEIRS);
    }

    /** Our table as the peer loads it. */
    Table oursAsTheyReadIt() {
        return theirViewOfOurs.loadTable(THEIRS);
    }

    /** Our table, as it is now. */
    TableMetadata ours() {
        return state().metadata();
    }

    private TableState state() {
        try {
            return catalog.load(OURS).orElseThrow();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A change that is not a snapshot, made in both tables by the peer. */
    void evolve(Consumer<Table> change) {
        change.accept(theirs());
        change.accept(oursAsTheyReadIt());
    }

    /** A change that is not a snapshot, made by each engine itself. */
    void evolve(Consumer<Table> theirChange, MetadataUpdate... ourChange) {
        theirChange.accept(theirs());
        TableMetadata before = ours();
        try {
            new MetadataCommit(UUID.randomUUID(), "db.t", before.uuid(), catalog.committer(OURS), Clock.systemUTC())
                    .commit(found -> found.equals(before) ? List.of(ourChange) : List.of());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Where our data files are live, for a change that removes them. */
    List<Removal.Known> known(String ref, TwinFile... files) {
        TableMetadata metadata = ours();
        List<FileTask> tasks = new ScanPlanner(
                        storage, metadata, metadata.commitParent(ref).orElseThrow())
                .plan(Expression.Constant.TRUE)
                .tasks();
        return Arrays.stream(files)
                .map(file -> tasks.stream()
                        .filter(task -> task.file().path().endsWith("/" + file.name()))
                        .map(task -> Removal.Known.of(task.file(), task.manifest()))
                        .findFirst()
                        .orElseThrow(() -> new AssertionError("No live " + file.name())))
                .toList();
    }

    /** A delete file of the peer's newest snapshot, as the peer needs it to remove it. */
    DeleteFile theirDelete(TwinFile file) {
        Table table = theirs();
        Snapshot snapshot = table.currentSnapshot();
        for (ManifestFile manifest : snapshot.deleteManifests(table.io())) {
            try (var files = ManifestFiles.readDeleteManifest(manifest, table.io(), table.specs())) {
                for (DeleteFile found : files) {
                    boolean sameBlob = file.contentOffset().isEmpty()
                            || found.contentOffset() == file.contentOffset().getAsLong();
                    if (found.location().endsWith("/" + file.name()) && sameBlob) {
                        return found.copy();
                    }
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        throw new AssertionError("No live " + file.name());
    }

    /** Commits ours, undisturbed. */
    void commit(SnapshotChange change) {
        var target = new CommitTarget("db.t", ours().uuid(), catalog.committer(OURS), storage);
        var statement = Statement.of(UUID.randomUUID(), "TEST", new FileLedger(storage));
        assertThat(new TableCommit(target, statement, Clock.systemUTC())
                        .commit(change, Resettle.never())
                        .committed())
                .isPresent();
    }

    /** From here on the fields may differ. */
    void differ(String fields, String reason) {
        lasting.add(new Difference(fields, reason));
    }

    /** Both tables have written the same down, but for what is listed, and the peer reads ours as its own. */
    void assertSame(String step) {
        NavigableMap<String, String> theirs = WrittenState.of(folder.resolve("peers/db/t"));
        NavigableMap<String, String> ours = WrittenState.of(folder.resolve("calve/db/t"));
        compared += theirs.size();
        var fields = new TreeMap<>(theirs);
        fields.putAll(ours);
        var unexpected = new ArrayList<String>();
        for (String field : fields.keySet()) {
            String expected = String.valueOf(theirs.get(field));
            String actual = String.valueOf(ours.get(field));
            if (!expected.equals(actual) && !isMeant(field)) {
                unexpected.add(field + ": theirs " + expected + ", ours " + actual);
            }
        }
        assertThat(unexpected).as("differences after: %s", step).isEmpty();
        assertThat(live(oursAsTheyReadIt())).as("files after: %s", step).isEqualTo(live(theirs()));
    }

    private boolean isMeant(String field) {
        boolean meant = false;
        for (Difference difference : concat()) {
            if (difference.covers(field)) {
                seen.add(difference);
                meant = true;
            }
        }
        return meant;
    }

    private List<Difference> concat() {
        var all = new ArrayList<>(ALWAYS);
        all.addAll(lasting);
        return all;
    }

    /** Every listed difference was there, so that the list says nothing that is not so. */
    void assertEveryDifferenceWasSeen() {
        assertThat(seen).containsAll(lasting);
    }

    /** Fields of the peer that were compared with ours, or found among the differences. */
    int compared() {
        return compared;
    }

    /** Live files with all that they inherit, as the peer reads them. */
    private static List<String> live(Table table) {
        var lines = new ArrayList<String>();
        if (table.currentSnapshot() == null) {
            return lines;
        }
        try (var tasks = table.newScan().planFiles()) {
            tasks.forEach(task -> {
                var file = task.file();
                lines.add(name(file.location()) + " spec " + file.specId() + " number " + file.dataSequenceNumber()
                        + "/"
                        + file.fileSequenceNumber() + " rows " + file.firstRowId() + " deletes "
                        + task.deletes().stream()
                                .map(delete -> name(delete.location()) + "@" + delete.contentOffset() + " number "
                                        + delete.dataSequenceNumber() + "/" + delete.fileSequenceNumber())
                                .sorted()
                                .toList());
            });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        lines.sort(null);
        return lines;
    }

    private static String name(String location) {
        return location.substring(location.lastIndexOf('/') + 1);
    }

    /** Hadoop's own starts a process for each file it makes, to set permissions that do not matter here. */
    public static final class LocalFilesWithoutPermissions extends RawLocalFileSystem {
        @Override
        public String getScheme() {
            return "file";
        }

        @Override
        public void setPermission(org.apache.hadoop.fs.Path path, FsPermission permission) {}
    }
}
