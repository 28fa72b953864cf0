package dev.calve.parquet;

import static dev.calve.parquet.ParquetFiles.column;
import static dev.calve.parquet.ParquetFiles.settings;
import static org.assertj.core.api.Assertions.assertThat;

import dev.calve.io.RequestLog;
import dev.calve.manifest.DataFile;
import dev.calve.schema.Type;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class RollingDataWriterTest {

    private final ParquetFiles files = new ParquetFiles();

    @Test
    void beginsANewFileAtTheTargetSize() throws IOException {
        var writer = writer("100000");
        for (int i = 0; i < 50_000; i++) {
            writer.write(List.of(i * 0x9E3779B97F4A7C15L));
        }
        List<DataFile> written = writer.close();

        // 50,000 incompressible longs are 400,000 bytes; checked every 1,000 rows, 8,000 bytes.
        assertThat(written).hasSize(4);
        assertThat(written.subList(0, 3))
                .allSatisfy(file -> assertThat(file.fileSizeBytes()).isBetween(90_000L, 130_000L));
        assertThat(written.stream().mapToLong(DataFile::recordCount).sum()).isEqualTo(50_000);
        assertThat(written).extracting(DataFile::path).containsExactly("f0", "f1", "f2", "f3");
        assertThat(files.storage.locations()).containsExactly("f0", "f1", "f2", "f3");
    }

    @Test
    void withoutRowsThereIsNoFile() throws IOException {
        assertThat(writer("1000").close()).isEmpty();
        assertThat(files.storage.locations()).isEmpty();
    }

    @Test
    void abandoningLeavesNothing() throws IOException {
        var writer = writer("1000");
        for (long i = 0; i < 5_500; i++) {
            writer.write(List.of(i * 0x9E3779B97F4A7C15L));
        }
        assertThat(files.storage.locations()).hasSizeGreaterThan(1);
        writer.abandon();

        assertThat(files.storage.locations()).isEmpty();
    }

    @Test
    void abandoningLeavesNothingInAnInterruptedThread() throws IOException {
        var writer = writer("1000");
        for (long i = 0; i < 5_500; i++) {
            writer.write(List.of(i * 0x9E3779B97F4A7C15L));
        }
        files.storage.requests().failWhenInterrupted();
        files.storage.requests().interruptOn(RequestLog.Request.DELETE, 2);
        Thread.currentThread().interrupt();
        try {
            writer.abandon();
        } finally {
            assertThat(Thread.interrupted()).isTrue();
        }
        assertThat(files.storage.locations()).isEmpty();
    }

    private RollingDataWriter<List<?>> writer(String targetSize) {
        var counter = new AtomicInteger();
        return new RollingDataWriter<>(
                files.storage,
                () -> "f" + counter.getAndIncrement(),
                FileLayout.of(
                        column(Type.Simple.LONG),
                        settings(
                                "write.target-file-size-bytes",
                                targetSize,
                                "write.parquet.dict-encoding-enabled.column.c",
                                "false")),
                new ListRowReader(),
                ParquetFiles.UNPARTITIONED);
    }
}
