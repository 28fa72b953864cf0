package dev.calve.spark.read;

import static dev.calve.spark.read.KeyFixture.ID;
import static dev.calve.spark.read.KeyFixture.UNPARTITIONED;
import static dev.calve.spark.read.ParquetFixture.rows;
import static dev.calve.spark.read.ParquetFixture.struct;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.deletes.KeyTable;
import dev.calve.deletes.LongKeys;
import dev.calve.manifest.DeleteFile;
import dev.calve.manifest.ManifestEntry;
import dev.calve.scan.FileTask;
import dev.calve.spark.read.KeyFixture.Layout;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class KeyCacheTest {

    private static final int KEYS = 1_000_000;
    private static final int FILES = 200;
    private static final Layout ID_ONLY = new Layout(true, Set.of(ID));

    private final KeyFixture table = new KeyFixture(1 << 30);
    private final AtomicInteger loads = new AtomicInteger();

    private ManifestEntry<DeleteFile> file(int rows) {
        return KeyFixture.entry(
                new DeleteFile.EqualityDeletes(table.put(new byte[rows], rows, UNPARTITIONED, null), List.of(ID)), 2);
    }

    private KeyTable get(KeyCache cache, ManifestEntry<DeleteFile> entry) throws IOException {
        var file = (DeleteFile.EqualityDeletes) entry.file();
        return cache.get(file, table.reads().keyFields(file), () -> {
            loads.incrementAndGet();
            return new LongKeys(file.recordCount());
        });
    }

    @Test
    void holdsWhatWasUsedLastUpToItsBound() throws IOException {
        long one = new LongKeys(1000).heapBytes();
        var cache = new KeyCache(3 * one);
        var files = List.of(file(1000), file(1001), file(1002), file(1003));
        for (int i = 0; i < 3; i++) {
            get(cache, files.get(i));
        }
        get(cache, files.get(0));
        get(cache, files.get(3));
        assertThat(loads).hasValue(4);
        assertThat(cache.heldBytes()).isEqualTo(3 * one);

        System.gc();
        for (int i : new int[] {0, 2, 3}) {
            get(cache, files.get(i));
        }
        assertThat(loads).hasValue(4);
        get(cache, files.get(1));
        assertThat(loads).hasValue(5);
        assertThat(cache.heldBytes()).isEqualTo(3 * one);
    }

    @Test
    void sharesWhatIsTooLargeToHoldWhileSomebodyUsesIt() throws IOException {
        var cache = new KeyCache(0);
        var file = file(1000);
        KeyTable used = get(cache, file);
        System.gc();

        assertThat(get(cache, file)).isSameAs(used);
        assertThat(loads).hasValue(1);
        assertThat(cache.heldBytes()).isZero();
    }

    @Test
    void readsAFileOnceForThoseWhoWantItAtOnce() throws Exception {
        var cache = new KeyCache(1 << 20);
        var file = file(1000);
        var start = new CountDownLatch(8);
        var pool = Executors.newFixedThreadPool(8);
        try {
            List<Callable<KeyTable>> calls = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                calls.add(() -> {
                    start.countDown();
                    start.await();
                    return get(cache, file);
                });
            }
            for (Future<KeyTable> answer : pool.invokeAll(calls)) {
                assertThat(answer.get()).isSameAs(get(cache, file));
            }
        } finally {
            pool.shutdownNow();
        }
        assertThat(loads).hasValue(1);
    }

    @Test
    void readsAgainAfterAFailure() throws IOException {
        var cache = new KeyCache(1 << 20);
        var file = (DeleteFile.EqualityDeletes) file(10).file();
        KeyFields fields = table.reads().keyFields(file);
        assertThatThrownBy(() -> cache.get(file, fields, () -> {
                    throw new IOException("once");
                }))
                .hasMessage("once");

        assertThat(cache.get(file, fields, () -> new LongKeys(0))).isNotNull();
    }

    /** 200 tasks, each with a data file, share a delete of a million keys. */
    @Test
    void aMillionKeysSharedByTwoHundredTasksAreReadAndHeldOnce() throws Exception {
        var group = ParquetFixture.schema(ID_ONLY.schema())
                .dictionary(false)
                .write(KEYS, (row, i) -> row.append("id", i * 3L));
        ManifestEntry<DeleteFile> delete = KeyFixture.entry(
                new DeleteFile.EqualityDeletes(table.put(group.bytes, KEYS, UNPARTITIONED, null), List.of(ID)),
                FILES + 1);
        List<FileTask> tasks = new ArrayList<>();
        for (int i = 0; i < FILES; i++) {
            List<Map<Integer, Object>> rows = new ArrayList<>();
            for (long id = i; id < i + 6; id++) {
                rows.add(Map.of(ID, id));
            }
            tasks.add(KeyFixture.task(table.data(ID_ONLY, rows, UNPARTITIONED, null, i), List.of(delete)));
        }
        long before = usedHeap();

        var pool = Executors.newFixedThreadPool(4);
        List<KeyDeletes> inUse = new ArrayList<>();
        List<RowFilter> filters = new ArrayList<>();
        try {
            List<Callable<Integer>> calls = new ArrayList<>();
            for (FileTask task : tasks) {
                var deletes = table.deletes(List.of(task));
                inUse.add(deletes);
                calls.add(() -> {
                    RowFilter filter = deletes.filter(task).orElseThrow();
                    synchronized (filters) {
                        filters.add(filter);
                    }
                    return rows(table.reads().read(task, struct()).filter(filter))
                            .size();
                });
            }
            for (Future<Integer> rows : pool.invokeAll(calls)) {
                assertThat(rows.get()).isEqualTo(4);
            }
        } finally {
            pool.shutdownNow();
        }

        assertThat(usedHeap() - before).as("heap with every task's keys in use").isLessThan(24L * KEYS);
        assertThat(filters).hasSize(FILES);
        assertThat(inUse).hasSize(FILES);
        assertThat(table.storage.requests().all().stream()
                        .filter(request ->
                                request.equals("OPEN " + delete.file().path())))
                .hasSize(1);
    }

    private static long usedHeap() {
        System.gc();
        Runtime runtime = Runtime.getRuntime();
        return runtime.totalMemory() - runtime.freeMemory();
    }
}
