package dev.calve.parquet;

import dev.calve.Fuzz;
import dev.calve.Fuzz.Target;
import dev.calve.deletes.PositionBitmap;
import dev.calve.io.MemoryStorage;
import dev.calve.metadata.TableProperties;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.parquet.example.data.simple.SimpleGroup;
import org.apache.parquet.hadoop.example.ExampleParquetWriter;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.apache.parquet.schema.MessageTypeParser;
import org.junit.jupiter.api.Test;

/** Damaged files of position deletes: ours, with checksums of pages, and others without. */
class PositionDeleteFuzzTest {

    private static final String FILE = "memory:/t/data/deletes.parquet";

    private static byte[] ours(String codec) throws IOException {
        var storage = new MemoryStorage();
        var settings = WriteSettings.forPositionDeletes(TableProperties.of(
                Map.of("write.delete.parquet.compression-codec", codec, "write.delete.parquet.page-row-limit", "20"),
                "db.t"));
        var writer = PositionDeleteWriter.create(storage, FILE, settings, ParquetFiles.UNPARTITIONED);
        for (int i = 0; i < 5; i++) {
            var positions = new PositionBitmap();
            for (int p = 0; p < 40; p++) {
                positions.add(p * 7L);
            }
            writer.delete("memory:/t/data/" + i + ".parquet", positions);
        }
        writer.close();
        return storage.bytes(FILE);
    }

    private static byte[] unchecked(CompressionCodecName codec, boolean dictionary) throws IOException {
        var storage = new MemoryStorage();
        var schema = MessageTypeParser.parseMessageType(
                "message table { required binary file_path (STRING) = 2147483546; required int64 pos = 2147483545; }");
        try (var writer = ExampleParquetWriter.builder(new StorageOutput(storage.create(FILE)))
                .withType(schema)
                .withConf(new Configuration(false))
                .withPageRowCountLimit(30)
                .withDictionaryEncoding(dictionary)
                .withPageWriteChecksumEnabled(false)
                .withCompressionCodec(codec)
                .build()) {
            for (int i = 0; i < 150; i++) {
                var row = new SimpleGroup(schema);
                row.add("file_path", "memory:/t/data/" + i / 50 + ".parquet");
                row.add("pos", (long) i);
                writer.write(row);
            }
        }
        return storage.bytes(FILE);
    }

    @Test
    void positionDeletes() throws Exception {
        var samples = new ArrayList<>(List.of(ours("zstd"), ours("uncompressed"), ours("gzip")));
        for (boolean dictionary : new boolean[] {true, false}) {
            samples.add(unchecked(CompressionCodecName.UNCOMPRESSED, dictionary));
            samples.add(unchecked(CompressionCodecName.SNAPPY, dictionary));
        }
        var wanted = Set.of("memory:/t/data/1.parquet", "memory:/t/data/2.parquet");
        Fuzz.run(Target.of(
                        "position-deletes",
                        FILE,
                        samples,
                        bytes -> PositionDeleteReader.read(
                                new MemoryStorage().put(FILE, bytes).input(FILE), wanted))
                .mostBytes(256L << 20)); // A page of 64 MiB is never doubted, and is copied.
    }
}
