package dev.calve.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.calve.catalog.TableExistsException;
import dev.calve.catalog.TableName;
import dev.calve.catalog.warehouse.Directory.Publication;
import dev.calve.catalog.warehouse.WarehouseCatalog;
import dev.calve.commit.SwapOutcome;
import dev.calve.commit.SwapRequest;
import dev.calve.commit.TableState;
import dev.calve.hadoop.HadoopDirectory;
import dev.calve.hadoop.HadoopStorage;
import dev.calve.metadata.MetadataUpdate;
import dev.calve.metadata.MetadataUpdates;
import dev.calve.metadata.TableMetadata;
import dev.calve.partition.PartitionSpec;
import dev.calve.partition.SortOrder;
import dev.calve.schema.Field;
import dev.calve.schema.Schema;
import dev.calve.schema.Type;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
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
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.hadoop.HadoopCatalog;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A warehouse on HDFS: a name node and a data node in this JVM. */
class HdfsWarehouseIT {

    private static final UUID STATEMENT = UUID.randomUUID();

    private static final TableName NAME = new TableName(List.of("db"), "t");

    @TempDir
    static Path folder;

    private static MiniDFSCluster cluster;
    private static Configuration configuration;

    @BeforeAll
    static void start() throws IOException {
        configuration = new Configuration();
        configuration.set(MiniDFSCluster.HDFS_MINIDFS_BASEDIR, folder.toString());
        cluster = new MiniDFSCluster.Builder(configuration).numDataNodes(1).build();
    }

    @AfterAll
    static void stop() {
        cluster.shutdown(true);
    }

    private static WarehouseCatalog catalog(String warehouse) {
        return new WarehouseCatalog(
                cluster.getURI() + "/" + warehouse, new HadoopDirectory(new HadoopStorage(configuration)));
    }

    private static TableMetadata metadata(String location) {
        return MetadataUpdates.fresh(
                new Schema(0, List.of(Field.required(1, "id", Type.Simple.LONG))),
                PartitionSpec.unpartitioned(0),
                SortOrder.UNSORTED,
                location,
                Map.of("n", "0"),
                2,
                System.currentTimeMillis());
    }

    private static <T> List<T> together(int threads, Callable<T> work) throws Exception {
        var pool = Executors.newFixedThreadPool(threads);
        try {
            var barrier = new CyclicBarrier(threads);
            var futures = new ArrayList<Future<T>>();
            for (int i = 0; i < threads; i++) {
                futures.add(pool.submit(() -> {
                    barrier.await();
                    return work.call();
                }));
            }
            var results = new ArrayList<T>();
            for (Future<T> future : futures) {
                results.add(future.get());
            }
            return results;
        } finally {
            pool.shutdownNow();
        }
    }

    @Test
    void aFileIsPublishedOnceAndNeverReplaced() throws IOException {
        var directory = new HadoopDirectory(new HadoopStorage(configuration));
        String location = cluster.getURI() + "/publish/v1.metadata.json";
        directory.makeDirectories(cluster.getURI() + "/publish");
        byte[] one = "one".getBytes(StandardCharsets.UTF_8);
        assertThat(directory.publish(location, one, STATEMENT)).isEqualTo(new Publication.Published());
        assertThat(directory.publish(location, "two".getBytes(StandardCharsets.UTF_8), STATEMENT))
                .isEqualTo(new Publication.Taken());
        assertThat(directory.read(location).orElseThrow()).isEqualTo(one);
        assertThat(directory.list(cluster.getURI() + "/publish")).hasSize(1);
    }

    @Test
    void ofManyCommittersToOneVersionOneWins() throws Exception {
        WarehouseCatalog catalog = catalog("race");
        catalog.create(NAME, metadata(catalog.defaultLocation(NAME)), UUID.randomUUID());
        int threads = 4;
        int each = 5;
        together(threads, () -> {
            WarehouseCatalog mine = catalog("race");
            for (int done = 0; done < each; ) {
                TableState base = mine.load(NAME).orElseThrow();
                int n = Integer.parseInt(base.metadata().property("n").orElseThrow());
                TableMetadata result = MetadataUpdates.apply(
                        base.metadata(),
                        List.of(new MetadataUpdate.SetProperties(Map.of(
                                "n", "" + (n + 1), "by", Thread.currentThread().getName() + done))),
                        System.currentTimeMillis());
                SwapOutcome outcome = mine.committer(NAME)
                        .swap(new SwapRequest(UUID.randomUUID(), base, List.of(), List.of(), result));
                if (outcome instanceof SwapOutcome.Swapped) {
                    done++;
                } else {
                    assertThat(outcome).isInstanceOf(SwapOutcome.Rejected.class);
                }
            }
            return 0;
        });
        TableState last = catalog.load(NAME).orElseThrow();
        assertThat(last.metadata().property("n")).contains("" + threads * each);
        assertThat(last.metadataLocation()).endsWith("/v" + (threads * each + 1) + ".metadata.json");
        var directory = new HadoopDirectory(new HadoopStorage(configuration));
        assertThat(directory.list(catalog.defaultLocation(NAME) + "/metadata"))
                .noneMatch(entry -> entry.name().endsWith(".tmp"));
    }

    @Test
    void ofManyCreatorsOneWins() throws Exception {
        WarehouseCatalog catalog = catalog("creators");
        var created = together(4, () -> {
            try {
                return catalog.create(NAME, metadata(catalog.defaultLocation(NAME)), UUID.randomUUID())
                        .metadata()
                        .uuid();
            } catch (TableExistsException e) {
                return "";
            }
        });
        created.removeIf(String::isEmpty);
        assertThat(created).hasSize(1);
    }

    @Test
    void thePeerTakesTurnsWithUs() throws IOException {
        WarehouseCatalog catalog = catalog("turns");
        TableState base = catalog.create(NAME, metadata(catalog.defaultLocation(NAME)), UUID.randomUUID());
        var peer = new HadoopCatalog(configuration, cluster.getURI() + "/turns");
        peer.loadTable(TableIdentifier.of("db", "t"))
                .updateProperties()
                .set("by", "them")
                .commit();
        TableState second = catalog.load(NAME).orElseThrow();
        assertThat(second.metadata().property("by")).contains("them");
        List<MetadataUpdate> updates = List.of(new MetadataUpdate.SetProperties(Map.of("by", "us")));
        TableMetadata result = MetadataUpdates.apply(second.metadata(), updates, System.currentTimeMillis());
        assertThat(catalog.committer(NAME).swap(new SwapRequest(UUID.randomUUID(), base, updates, List.of(), result)))
                .isInstanceOf(SwapOutcome.Rejected.class);
        assertThat(catalog.committer(NAME).swap(new SwapRequest(UUID.randomUUID(), second, updates, List.of(), result)))
                .isInstanceOf(SwapOutcome.Swapped.class);
        assertThat(peer.loadTable(TableIdentifier.of("db", "t")).properties()).containsEntry("by", "us");
        assertThat(catalog.drop(NAME)).isTrue();
        assertThat(peer.tableExists(TableIdentifier.of("db", "t"))).isFalse();
    }
}
