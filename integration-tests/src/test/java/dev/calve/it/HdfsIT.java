package dev.calve.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.calve.catalog.TableName;
import dev.calve.catalog.warehouse.WarehouseCatalog;
import dev.calve.commit.SwapOutcome;
import dev.calve.commit.SwapRequest;
import dev.calve.commit.TableState;
import dev.calve.hadoop.HadoopDirectory;
import dev.calve.hadoop.HadoopStorage;
import dev.calve.metadata.MetadataUpdate;
import dev.calve.metadata.MetadataUpdates;
import dev.calve.metadata.TableMetadata;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Spark's statements on tables in HDFS: a name node and a data node in this JVM. */
class HdfsIT {

    private static final String WAREHOUSE = "/warehouse";

    @TempDir
    static Path folder;

    private static MiniDFSCluster cluster;

    @BeforeAll
    static void start() throws IOException {
        var configuration = new Configuration();
        configuration.set(MiniDFSCluster.HDFS_MINIDFS_BASEDIR, folder.toString());
        cluster = new MiniDFSCluster.Builder(configuration).numDataNodes(1).build();
        var conf = SparkTestSession.spark().conf();
        conf.set("spark.sql.catalog.hdfs", "dev.calve.spark.CalveCatalog");
        conf.set("spark.sql.catalog.hdfs.warehouse", warehouse());
        conf.set("spark.sql.catalog.hdfspeer", "org.apache.iceberg.spark.SparkCatalog");
        conf.set("spark.sql.catalog.hdfspeer.type", "hadoop");
        conf.set("spark.sql.catalog.hdfspeer.warehouse", warehouse());
        conf.set("spark.sql.catalog.hdfspeer.cache-enabled", "false");
    }

    @AfterAll
    static void stop() {
        cluster.shutdown(true);
    }

    private static String warehouse() {
        return cluster.getURI() + WAREHOUSE;
    }

    private static List<String> files(String below) throws IOException {
        FileSystem hdfs = cluster.getFileSystem();
        var result = new ArrayList<String>();
        RemoteIterator<LocatedFileStatus> files =
                hdfs.listFiles(new org.apache.hadoop.fs.Path(WAREHOUSE + "/" + below), true);
        while (files.hasNext()) {
            result.add(files.next().getPath().getName());
        }
        return result;
    }

    @ParameterizedTest
    @CsvSource({"3,merge-on-read", "2,merge-on-read", "3,copy-on-write"})
    void rowsComeAndGo(int version, String mode) throws IOException {
        String name = Sql.unique("t");
        Sql.run(
                "CREATE TABLE hdfs.ns.%s (id bigint, part int) USING calve PARTITIONED BY (part)"
                        + " TBLPROPERTIES ('format-version'='%d', 'write.delete.mode'='%s')",
                name, version, mode);
        Sql.run("INSERT INTO hdfs.ns.%s SELECT id, CAST(id %% 2 AS int) FROM range(10)", name);
        Sql.run("DELETE FROM hdfs.ns.%s WHERE id IN (2, 3, 4)", name);
        Sql.run("DELETE FROM hdfs.ns.%s WHERE id = 6", name);
        Sql.run("INSERT INTO hdfs.ns.%s VALUES (10, 0)", name);
        var expected = List.of(0L, 1L, 5L, 7L, 8L, 9L, 10L);
        assertThat(Sql.longs("SELECT id FROM hdfs.ns." + name)).isEqualTo(expected);
        assertThat(Sql.longs("SELECT id FROM hdfspeer.ns." + name)).isEqualTo(expected);
        assertThat(files("ns/" + name))
                .contains("version-hint.text", "v5.metadata.json")
                .noneMatch(file -> file.endsWith(".tmp"));
        assertThat(files("ns/" + name).stream().anyMatch(file -> file.endsWith(".puffin")))
                .isEqualTo(version == 3 && mode.equals("merge-on-read"));

        Sql.run("DROP TABLE hdfs.ns." + name);
        assertThat(cluster.getFileSystem().exists(new org.apache.hadoop.fs.Path(WAREHOUSE + "/ns/" + name)))
                .isFalse();
    }

    @Test
    void ofEightCommittersToOneVersionExactlyOneWins() throws Exception {
        Sql.run("CREATE TABLE hdfs.ns.race (id bigint) USING calve");
        var storage = new HadoopStorage(SparkTestSession.spark().sessionState().newHadoopConf());
        var table = new TableName(List.of("ns"), "race");
        TableState base = new WarehouseCatalog(warehouse(), new HadoopDirectory(storage))
                .load(table)
                .orElseThrow();
        int committers = 8;
        var barrier = new CyclicBarrier(committers);
        var work = new ArrayList<Callable<SwapOutcome>>();
        for (int committer = 0; committer < committers; committer++) {
            List<MetadataUpdate> updates = List.of(new MetadataUpdate.SetProperties(Map.of("winner", "" + committer)));
            TableMetadata result = MetadataUpdates.apply(base.metadata(), updates, System.currentTimeMillis());
            // A catalog each, as if each were a process of its own.
            var catalog = new WarehouseCatalog(warehouse(), new HadoopDirectory(storage));
            work.add(() -> {
                barrier.await();
                return catalog.committer(table)
                        .swap(new SwapRequest(UUID.randomUUID(), base, updates, List.of(), result));
            });
        }
        var winners = new ArrayList<SwapOutcome.Swapped>();
        var pool = Executors.newFixedThreadPool(committers);
        try {
            for (Future<SwapOutcome> outcome : pool.invokeAll(work)) {
                if (outcome.get() instanceof SwapOutcome.Swapped swapped) {
                    winners.add(swapped);
                } else {
                    assertThat(outcome.get()).isInstanceOf(SwapOutcome.Rejected.class);
                }
            }
        } finally {
            pool.shutdownNow();
        }
        assertThat(winners).hasSize(1);
        String winner = winners.get(0).state().metadata().property("winner").orElseThrow();
        assertThat(Sql.rows("SHOW TBLPROPERTIES hdfs.ns.race ('winner')")).containsExactly("[winner," + winner + "]");
        assertThat(files("ns/race"))
                .containsExactlyInAnyOrder("v1.metadata.json", "v2.metadata.json", "version-hint.text");
    }

    @Test
    void threadsInsertIntoOneTable() throws Exception {
        Sql.run("CREATE TABLE hdfs.ns.many (id bigint) USING calve TBLPROPERTIES ('format-version'='3')");
        var work = new ArrayList<Callable<Integer>>();
        for (int i = 0; i < 6; i++) {
            int id = i;
            work.add(() -> {
                Sql.run("INSERT INTO hdfs.ns.many VALUES (%d)", id);
                return id;
            });
        }
        var pool = Executors.newFixedThreadPool(3);
        try {
            for (Future<Integer> done : pool.invokeAll(work)) {
                done.get();
            }
        } finally {
            pool.shutdownNow();
        }
        assertThat(Sql.longs("SELECT id FROM hdfspeer.ns.many")).containsExactly(0L, 1L, 2L, 3L, 4L, 5L);
        assertThat(files("ns/many")).noneMatch(file -> file.endsWith(".tmp"));
    }
}
