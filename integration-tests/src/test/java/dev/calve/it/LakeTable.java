package dev.calve.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.hadoop.HadoopCatalog;
import org.apache.iceberg.util.SnapshotUtil;

/**
 * A table made for one test by Calve. Statements on it are run by Calve; what its metadata lists is read by the peer's Java
 * API, so that an expected value never comes from the code under test.
 *
 * @param namespace below the catalog
 * @param table its name alone
 */
record LakeTable(String namespace, String table) {

    private static final int RANDOM_SEED = 7;

    /**
     * Creates it; of version 1 by the peer, since Calve does not.
     *
     * @param properties {@code 'key'='value', …} as SQL has them, or nothing
     */
    static LakeTable create(String namespace, int version, String columns, String partitions, String properties) {
        Sql.run("CREATE NAMESPACE IF NOT EXISTS %s.%s", SparkTestSession.LAKE, namespace);
        var made = new LakeTable(namespace, Sql.unique("t"));
        Sql.run(
                "CREATE TABLE %s (%s) USING iceberg %s TBLPROPERTIES ('format-version'='%d'%s)",
                made.in(version == 1 ? SparkTestSession.PEER : SparkTestSession.LAKE),
                columns,
                partitions.isEmpty() ? "" : "PARTITIONED BY (" + partitions + ")",
                version,
                properties.isEmpty() ? "" : ", " + properties);
        return made;
    }

    static String deleteMode(String mode) {
        return "'write.delete.mode'='" + mode + "'";
    }

    /** For SQL. */
    String name() {
        return in(SparkTestSession.LAKE);
    }

    /** The same table through another catalog on the same warehouse. */
    String in(String catalog) {
        return catalog + "." + namespace + "." + table;
    }

    Path folder() {
        return SparkTestSession.warehouse().resolve(namespace).resolve(table);
    }

    FolderState state() {
        return FolderState.of(folder());
    }

    /** Names of all files below the folder that hold rows or deletes, listed in the table or not. */
    List<Path> stored() {
        return FolderState.filesBelow(folder().resolve("data"));
    }

    Table peer() {
        var catalog = new HadoopCatalog(new Configuration(), "file:" + SparkTestSession.warehouse());
        return catalog.loadTable(TableIdentifier.of(namespace, table));
    }

    LiveFiles live() {
        return LiveFiles.of(peer());
    }

    /** Live data files in the order of their paths. */
    List<DataFile> data() {
        return live().data().stream()
                .sorted(Comparator.comparing(DataFile::location))
                .toList();
    }

    DataFile onlyData() {
        return only(live().data());
    }

    DeleteFile onlyDelete() {
        return only(live().deletes());
    }

    private static <T> T only(List<T> found) {
        if (found.size() != 1) {
            throw new AssertionError("There must be one, not " + found);
        }
        return found.get(0);
    }

    Snapshot newest() {
        return peer().currentSnapshot();
    }

    /** With the operation among the entries, as the metadata file has it. */
    Map<String, String> summary() {
        var summary = new HashMap<String, String>(newest().summary());
        summary.put("operation", newest().operation());
        return summary;
    }

    /** Waits until the folder is as it was, since a task that is killed cleans up in its own time. */
    void awaitState(FolderState expected) throws InterruptedException {
        long end = System.nanoTime() + 15_000_000_000L;
        while (!state().equals(expected) && System.nanoTime() < end) {
            Thread.sleep(20);
        }
        assertThat(state()).isEqualTo(expected);
    }

    /** Ids of all snapshots the newest descends from, itself first. */
    List<Long> history() {
        return new ArrayList<>(SnapshotUtil.currentAncestorIds(peer()));
    }

    /** The id of the newest snapshot, or {@code none}. */
    String snapshot() {
        Snapshot newest = newest();
        return newest == null ? "none" : String.valueOf(newest.snapshotId());
    }

    LakeTable insert(String query) {
        Sql.run("INSERT INTO %s %s", name(), query);
        return this;
    }

    void delete(String condition) {
        Sql.run("DELETE FROM %s WHERE %s", name(), condition);
    }

    String deleteFailure(String condition) {
        return Sql.failure("DELETE FROM %s WHERE %s", name(), condition);
    }

    void set(String property, String value) {
        Sql.run("ALTER TABLE %s SET TBLPROPERTIES ('%s'='%s')", name(), property, value);
    }

    /** Rows as Calve reads them, as sorted text. */
    List<String> rows(String columns) {
        return Sql.rows("SELECT %s FROM %s", columns, name());
    }

    /** Rows as the peer reads them, as sorted text. */
    List<String> peerRows(String columns) {
        return Sql.rows("SELECT %s FROM %s", columns, in(SparkTestSession.PEER));
    }

    /** The column, a {@code bigint}, of rows that match. */
    List<Long> longs(String column, String condition) {
        return Sql.longs("SELECT %s FROM %s WHERE %s", column, name(), condition);
    }

    static Path path(String location) {
        return location.startsWith("/") ? Path.of(location) : Path.of(URI.create(location));
    }

    /** Overwrites a file with noise of the same length: who opens it fails. */
    static void garble(String location) {
        garble(path(location), 0, Long.MAX_VALUE);
    }

    /** Overwrites the bytes [start, end) of a file with noise. */
    static void garble(Path file, long start, long end) {
        try {
            byte[] content = Files.readAllBytes(file);
            var noise = new byte[content.length];
            new Random(RANDOM_SEED).nextBytes(noise);
            int from = Math.toIntExact(start);
            int to = (int) Math.min(end, content.length);
            System.arraycopy(noise, from, content, from, to - from);
            Files.write(file, content);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
