package dev.calve.hadoop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.catalog.TableExistsException;
import dev.calve.catalog.TableName;
import dev.calve.catalog.warehouse.Directory;
import dev.calve.catalog.warehouse.Directory.Publication;
import dev.calve.catalog.warehouse.WarehouseCatalog;
import dev.calve.commit.SwapOutcome;
import dev.calve.commit.SwapRequest;
import dev.calve.commit.TableState;
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
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HadoopDirectoryTest {

    private static final UUID STATEMENT = UUID.randomUUID();

    private static final TableName NAME = new TableName(List.of("db"), "t");

    @TempDir
    Path temp;

    private final Directory directory = new HadoopDirectory(new HadoopStorage(new Configuration(false)));

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static List<String> names(Path folder) throws IOException {
        try (var files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    private static TableMetadata metadata(String location) {
        return MetadataUpdates.fresh(
                new Schema(0, List.of(Field.required(1, "id", Type.Simple.LONG))),
                PartitionSpec.unpartitioned(0),
                SortOrder.UNSORTED,
                location,
                Map.of("n", "0"),
                2,
                1000);
    }

    private static <T> List<T> together(int threads, Callable<T> work) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(threads);
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
    void publishesACompleteFileAndNothingElse() throws IOException {
        assertThat(directory.publish(temp + "/v1.metadata.json", bytes("one"), STATEMENT))
                .isEqualTo(new Publication.Published());
        assertThat(Files.readString(temp.resolve("v1.metadata.json"))).isEqualTo("one");
        assertThat(names(temp)).containsExactly("v1.metadata.json");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "file:", "file://"})
    void findsLocalFilesUnderEverySpelling(String prefix) throws IOException {
        String location = prefix + temp + "/a b%20c";
        assertThat(directory.publish(location, bytes("x"), STATEMENT)).isEqualTo(new Publication.Published());
        assertThat(names(temp)).containsExactly("a b%20c");
        assertThat(directory.read(location).orElseThrow()).isEqualTo(bytes("x"));
        assertThat(directory.exists(location)).isTrue();
        assertThat(directory.whyNotPublishable(location)).isEmpty();
    }

    @Test
    void neverReplacesWhatIsThere() throws IOException {
        Files.writeString(temp.resolve("v1"), "theirs");
        assertThat(directory.publish(temp + "/v1", bytes("ours"), STATEMENT)).isEqualTo(new Publication.Taken());
        assertThat(Files.readString(temp.resolve("v1"))).isEqualTo("theirs");
        assertThat(names(temp)).containsExactly("v1");
    }

    @Test
    void aMissingFolderIsACertainFailure() throws IOException {
        assertThat(directory.publish(temp + "/gone/v1", bytes("ours"), STATEMENT))
                .isInstanceOf(Publication.Failed.class);
        assertThat(names(temp)).isEmpty();
    }

    @Test
    void onlyARefusalSaysThatNoLinkWasMade() {
        assertThat(HadoopDirectory.certainlyNotMade(new FileSystemException("a", "b", "Operation not permitted")))
                .isTrue();
        assertThat(HadoopDirectory.certainlyNotMade(new NoSuchFileException("a")))
                .isTrue();
        assertThat(HadoopDirectory.certainlyNotMade(new AccessDeniedException("a")))
                .isTrue();
        assertThat(HadoopDirectory.certainlyNotMade(new FileSystemException("a", "b", "Input/output error")))
                .isFalse();
        assertThat(HadoopDirectory.certainlyNotMade(new FileSystemException("a")))
                .isFalse();
        assertThat(HadoopDirectory.certainlyNotMade(new IOException("timeout"))).isFalse();
    }

    @Test
    void anInterruptDoesNotLeaveAPublicationUnclear() {
        Thread.currentThread().interrupt();
        Publication publication = directory.publish(temp + "/v1", bytes("ours"), STATEMENT);
        assertThat(Thread.interrupted()).isTrue();
        assertThat(publication).isEqualTo(new Publication.Published());
    }

    @Test
    void removesChecksumFilesThatWouldContradictTheContent() throws IOException {
        Files.writeString(temp.resolve(".v1.crc"), "stale");
        Files.writeString(temp.resolve(".hint.crc"), "stale");
        Files.writeString(temp.resolve("hint"), "1");
        directory.publish(temp + "/v1", bytes("ours"), STATEMENT);
        directory.replace(temp + "/hint", bytes("2"), STATEMENT);
        assertThat(names(temp)).containsExactly("hint", "v1");
        assertThat(Files.readString(temp.resolve("hint"))).isEqualTo("2");
    }

    @Test
    void ofManyPublishersOneWins() throws Exception {
        for (int round = 0; round < 25; round++) {
            String location = temp + "/v" + round;
            var counter = new AtomicInteger();
            var winners = together(8, () -> {
                String content = "writer " + counter.incrementAndGet();
                return directory.publish(location, bytes(content), STATEMENT) instanceof Publication.Published
                        ? content
                        : "";
            });
            winners.removeIf(String::isEmpty);
            assertThat(winners).hasSize(1);
            assertThat(Files.readString(Path.of(location))).isEqualTo(winners.get(0));
        }
        assertThat(names(temp)).hasSize(25);
    }

    @Test
    void ofManyCommittersToOneVersionOneWins() throws Exception {
        String warehouse = "file:" + temp;
        var catalog = new WarehouseCatalog(warehouse, directory);
        catalog.create(NAME, metadata(catalog.defaultLocation(NAME)), UUID.randomUUID());
        int threads = 4;
        int each = 10;
        var rejections = new AtomicInteger();
        together(threads, () -> {
            var mine =
                    new WarehouseCatalog(warehouse, new HadoopDirectory(new HadoopStorage(new Configuration(false))));
            for (int done = 0; done < each; ) {
                TableState base = mine.load(NAME).orElseThrow();
                int n = Integer.parseInt(base.metadata().property("n").orElseThrow());
                TableMetadata result = MetadataUpdates.apply(
                        base.metadata(),
                        List.of(new MetadataUpdate.SetProperties(Map.of(
                                "n", "" + (n + 1), "by", Thread.currentThread().getName() + done))),
                        2000);
                SwapOutcome outcome = mine.committer(NAME)
                        .swap(new SwapRequest(UUID.randomUUID(), base, List.of(), List.of(), result));
                if (outcome instanceof SwapOutcome.Swapped) {
                    done++;
                } else {
                    assertThat(outcome).isInstanceOf(SwapOutcome.Rejected.class);
                    rejections.incrementAndGet();
                }
            }
            return 0;
        });
        TableState last = catalog.load(NAME).orElseThrow();
        assertThat(last.metadata().property("n")).contains("" + threads * each);
        assertThat(last.metadataLocation()).endsWith("/v" + (threads * each + 1) + ".metadata.json");
        assertThat(last.metadata().metadataLog()).hasSize(threads * each);
        assertThat(names(temp.resolve("db/t/metadata"))).noneMatch(name -> name.endsWith(".tmp"));
    }

    @Test
    void ofManyCreatorsOneWins() throws Exception {
        var catalog = new WarehouseCatalog(temp.toString(), directory);
        var created = together(6, () -> {
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
        assertThat(catalog.load(NAME).orElseThrow().metadata().uuid()).isEqualTo(created.get(0));
    }

    @Test
    void listsAndDeletesWithoutFollowingLinks() throws IOException {
        Path outside = Files.createDirectory(temp.resolve("outside"));
        Files.writeString(outside.resolve("keep"), "x");
        Path folder = Files.createDirectories(temp.resolve("t/metadata"));
        Files.writeString(folder.resolve("f"), "x");
        Files.createSymbolicLink(folder.resolve("link"), outside);

        assertThat(directory.list(temp.toString()))
                .containsExactlyInAnyOrder(new Directory.Entry("outside", true), new Directory.Entry("t", true));
        assertThat(directory.list(temp + "/t/metadata/f")).isEmpty();
        assertThat(directory.list(temp + "/nowhere")).isEmpty();
        assertThat(directory.isDirectory(temp + "/t")).isTrue();
        assertThat(directory.isDirectory(temp + "/t/metadata/f")).isFalse();
        assertThat(directory.read(temp + "/nowhere")).isEmpty();

        directory.deleteRecursively(temp + "/t");
        directory.deleteRecursively(temp + "/t");
        directory.deleteFile(temp + "/nowhere");
        assertThat(names(temp)).containsExactly("outside");
        assertThat(names(outside)).containsExactly("keep");
    }

    @Test
    void deletesOnlyEmptyFolders() throws IOException {
        Files.createDirectories(temp.resolve("full/empty"));
        Files.writeString(temp.resolve("full/f"), "x");

        assertThat(directory.deleteIfEmpty(temp + "/full")).isFalse();
        assertThat(directory.deleteIfEmpty(temp + "/full/empty")).isTrue();
        assertThat(directory.deleteIfEmpty(temp + "/nowhere")).isTrue();
        assertThat(names(temp.resolve("full"))).containsExactly("f");
    }

    @ParameterizedTest
    @ValueSource(strings = {"gs", "abfss", "wasb", "viewfs", "ftp", "s3", "s3n"})
    void refusesFileSystemsThatCannotPublish(String scheme) throws IOException {
        String location = scheme + "://host/wh";
        assertThat(directory.whyNotPublishable(location))
                .hasValueSatisfying(
                        why -> assertThat(why).contains("'" + scheme + "'").contains("file, hdfs and s3a"));
        assertThat(directory.publish(location + "/v1", bytes("x"), STATEMENT)).isInstanceOf(Publication.Failed.class);
        var catalog = new WarehouseCatalog(location, new Unlisted(directory));
        assertThatThrownBy(() -> catalog.create(NAME, metadata(catalog.defaultLocation(NAME)), UUID.randomUUID()))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("'" + scheme + "'");
    }

    @Test
    void s3IsAskedToWriteOnlyIfNothingIsThere() throws IOException {
        var s3 = new HadoopDirectory(new HadoopStorage(ConditionalFileSystem.configuration()));
        String location = "s3a://publish/db/t/metadata/v1.metadata.json";
        ConditionalFileSystem.MANDATORY_KEYS.clear();
        assertThat(s3.whyNotPublishable(location)).isEmpty();
        assertThat(s3.publish(location, bytes("one"), STATEMENT)).isEqualTo(new Publication.Published());
        assertThat(s3.publish(location, bytes("two"), STATEMENT)).isInstanceOf(Publication.Unknown.class);
        assertThat(s3.read(location).orElseThrow()).isEqualTo(bytes("one"));
        assertThat(ConditionalFileSystem.MANDATORY_KEYS)
                .hasSize(2)
                .allMatch(keys -> keys.contains("fs.option.create.conditional.overwrite"));
    }

    @Test
    void aTableOnS3IsCreatedCommittedAndDropped() throws IOException {
        var catalog = new WarehouseCatalog(
                "s3a://whole/wh", new HadoopDirectory(new HadoopStorage(ConditionalFileSystem.configuration())));
        TableState base = catalog.create(NAME, metadata(catalog.defaultLocation(NAME)), UUID.randomUUID());
        TableMetadata result = MetadataUpdates.apply(
                base.metadata(), List.of(new MetadataUpdate.SetProperties(Map.of("n", "1"))), 2000);
        TableMetadata other = MetadataUpdates.apply(
                base.metadata(), List.of(new MetadataUpdate.SetProperties(Map.of("n", "2"))), 2000);
        assertThat(catalog.committer(NAME).swap(new SwapRequest(UUID.randomUUID(), base, List.of(), List.of(), result)))
                .isInstanceOf(SwapOutcome.Swapped.class);
        assertThat(catalog.committer(NAME).swap(new SwapRequest(UUID.randomUUID(), base, List.of(), List.of(), other)))
                .isInstanceOf(SwapOutcome.Rejected.class);
        assertThat(catalog.load(NAME).orElseThrow().metadata().property("n")).contains("1");
        assertThat(catalog.tables(NAME.namespace())).containsExactly(NAME);
        assertThat(catalog.drop(NAME)).isTrue();
        assertThat(catalog.load(NAME)).isEmpty();
    }

    @Test
    void anOldS3ClientIsRefused() throws IOException {
        var s3 = new HadoopDirectory(new HadoopStorage(ConditionalFileSystem.configuration()));
        assertThat(s3.whyNotPublishable("s3a://old/wh"))
                .hasValueSatisfying(why -> assertThat(why).contains("Hadoop 3.4.2"));
        assertThat(s3.publish("s3a://old/wh/v1", bytes("x"), STATEMENT)).isInstanceOf(Publication.Failed.class);
        assertThat(s3.read("s3a://old/wh/v1")).isEmpty();
    }

    /** A place that cannot be looked at here: nothing is there. */
    private record Unlisted(Directory directory) implements Directory {

        @Override
        public List<Entry> list(String location) {
            return List.of();
        }

        @Override
        public boolean isDirectory(String location) {
            return false;
        }

        @Override
        public boolean exists(String location) {
            return false;
        }

        @Override
        public java.util.Optional<byte[]> read(String location) {
            return java.util.Optional.empty();
        }

        @Override
        public void makeDirectories(String location) {
            throw new AssertionError("must not be reached");
        }

        @Override
        public java.util.Optional<String> whyNotPublishable(String location) throws IOException {
            return directory.whyNotPublishable(location);
        }

        @Override
        public Publication publish(String location, byte[] content, UUID statement) {
            return directory.publish(location, content, statement);
        }

        @Override
        public void replace(String location, byte[] content, UUID statement) {
            throw new AssertionError("must not be reached");
        }

        @Override
        public void deleteFile(String location) {
            throw new AssertionError("must not be reached");
        }

        @Override
        public boolean deleteIfEmpty(String location) {
            throw new AssertionError("must not be reached");
        }

        @Override
        public void deleteRecursively(String location) {
            throw new AssertionError("must not be reached");
        }
    }
}
