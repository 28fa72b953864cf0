package dev.calve.manifest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.calve.Fuzz;
import dev.calve.Fuzz.Target;
import dev.calve.commit.CommitFixture;
import dev.calve.commit.SnapshotChange.Operation;
import dev.calve.io.MemoryStorage;
import dev.calve.metadata.MetadataUpdate;
import dev.calve.partition.PartitionSpec;
import dev.calve.schema.Type;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.apache.avro.file.CodecFactory;
import org.apache.avro.file.DataFileConstants;
import org.apache.avro.file.DataFileStream;
import org.apache.avro.file.DataFileWriter;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericRecord;
import org.junit.jupiter.api.Test;

/** Damaged manifests and manifest lists, each as we write it and again uncompressed, where damage goes deeper. */
class ManifestFuzzTest {

    private static final String MANIFEST = "memory:/t/metadata/m.avro";
    private static final String LIST = "memory:/t/metadata/snap.avro";

    private final List<byte[]> lists = new ArrayList<>();
    private final List<byte[]> manifests = new ArrayList<>();

    ManifestFuzzTest() throws IOException {
        for (int version = 1; version <= 3; version++) {
            for (Type type :
                    List.of(Type.Simple.STRING, new Type.Decimal(20, 3), new Type.Fixed(3), Type.Simple.DATE)) {
                CommitFixture table = table(version, type);
                String list = table.head().manifestList().orElseThrow();
                addTo(lists, table.storage.bytes(list));
                for (ManifestFile manifest : ManifestList.read(table.storage, list)) {
                    addTo(manifests, table.storage.bytes(manifest.path()));
                }
            }
        }
    }

    private static CommitFixture table(int version, Type type) {
        var table = CommitFixture.partitionedBy(type, version);
        var a = table.dataFile("a").in((Object) null).ids(1, 10).build();
        var b = table.dataFile("b").in((Object) null).ids(5, 500).build();
        table.append(a, b);
        if (version == 3) {
            table.change(Operation.DELETE)
                    .delete(table.vector("v", a))
                    .delete(table.vector("v", b, 44, 3))
                    .commit();
        } else if (version == 2) {
            table.change(Operation.DELETE)
                    .delete(table.positions("p", a))
                    .delete(table.equality("e", 0, (Object) null))
                    .commit();
        }
        table.change(Operation.DELETE).remove(b).commit();
        table.evolve(new MetadataUpdate.AddSpec(PartitionSpec.unpartitioned(1)), new MetadataUpdate.SetDefaultSpec(-1));
        table.append(table.dataFile("c").build());
        return table;
    }

    private static void addTo(List<byte[]> samples, byte[] file) throws IOException {
        samples.add(file);
        samples.add(withCodec(file, CodecFactory.nullCodec()));
        samples.add(withCodec(file, CodecFactory.snappyCodec()));
        samples.add(withCodec(file, CodecFactory.zstandardCodec(1)));
    }

    private static byte[] withCodec(byte[] file, CodecFactory codec) throws IOException {
        var bytes = new ByteArrayOutputStream();
        try (var in = new DataFileStream<GenericRecord>(new ByteArrayInputStream(file), new GenericDatumReader<>());
                var out = new DataFileWriter<GenericRecord>(new GenericDatumWriter<>())) {
            out.setCodec(codec);
            for (String key : in.getMetaKeys()) {
                if (!key.equals(DataFileConstants.SCHEMA) && !key.equals(DataFileConstants.CODEC)) {
                    out.setMeta(key, in.getMeta(key));
                }
            }
            out.create(in.getSchema(), bytes);
            for (GenericRecord record : in) {
                out.append(record);
            }
        }
        return bytes.toByteArray();
    }

    private static void readManifest(byte[] bytes) throws IOException {
        var none = OptionalLong.empty();
        var listed = new ManifestFile(
                MANIFEST,
                bytes.length,
                0,
                ManifestFile.Content.DATA,
                0,
                0,
                99,
                new ManifestFile.Counts(none, none, none, none, none, none),
                Optional.empty(),
                Optional.empty(),
                OptionalLong.of(1000));
        var storage = new MemoryStorage().put(MANIFEST, bytes);
        for (Selection selection : List.of(
                Selection.all(),
                Selection.live().inPartitions(tuple -> false),
                Selection.all().withStatisticsOf(Set.of(CommitFixture.ID)),
                Selection.all().toldAsWritten())) {
            try (var reader = ManifestReader.open(storage, listed, selection)) {
                if (reader.header().content() == ManifestFile.Content.DATA) {
                    reader.forEach(DataFile.class, entry -> !entry.toString().isEmpty());
                } else {
                    reader.forEach(DeleteFile.class, entry -> !entry.toString().isEmpty());
                }
            }
        }
    }

    @Test
    void manifestsAndLists() throws Exception {
        Fuzz.run(
                Target.of("manifest", MANIFEST, manifests, ManifestFuzzTest::readManifest),
                Target.of(
                        "manifest-list",
                        LIST,
                        lists,
                        bytes -> assertThat(ManifestList.read(new MemoryStorage().put(LIST, bytes), LIST))
                                .isNotNull()));
    }
}
