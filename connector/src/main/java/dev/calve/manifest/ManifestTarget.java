package dev.calve.manifest;

import dev.calve.io.Storage;
import dev.calve.partition.PartitionSpec;
import dev.calve.schema.Schema;
import dev.calve.schema.Type;
import java.util.Locale;
import java.util.Objects;
import java.util.zip.Deflater;
import org.apache.avro.file.CodecFactory;

/**
 * Where a manifest goes and what all its entries share.
 *
 * @param schema the table's current schema
 * @param partitionType the type of the tuples of {@code spec}, by a schema that still has the source fields
 * @param snapshotId the snapshot the manifest is written for
 * @param compressionCodec gzip, zstd, snappy or uncompressed, in any case
 */
public record ManifestTarget(
        Storage storage,
        String location,
        int formatVersion,
        Schema schema,
        PartitionSpec spec,
        Type.Struct partitionType,
        long snapshotId,
        ManifestFile.Content content,
        String compressionCodec) {

    /**
     * For manifests the lowest level: it takes a third of the time of the usual one, which is most of what rewriting a manifest
     * costs, for 7% more bytes.
     */
    private static final int DEFLATE_LEVEL = Deflater.BEST_SPEED;

    /** What tables use that do not say. */
    public static final String DEFAULT_COMPRESSION_CODEC = "gzip";

    public ManifestTarget {
        Objects.requireNonNull(storage);
        Objects.requireNonNull(location);
        Objects.requireNonNull(schema);
        Objects.requireNonNull(content);
        codec(compressionCodec);
        if (partitionType.fields().size() != spec.fields().size()) {
            throw new IllegalArgumentException(
                    "A partition type must have the fields of " + spec + ", not " + partitionType);
        }
        if (formatVersion == 1 && content == ManifestFile.Content.DELETES) {
            throw new IllegalArgumentException(
                    "A table of format version 1 must not have delete files; upgrade it first.");
        }
    }

    CodecFactory codec() {
        return codec(compressionCodec);
    }

    private static CodecFactory codec(String name) {
        return switch (name.toLowerCase(Locale.ROOT)) {
            case "gzip", "deflate" -> CodecFactory.deflateCodec(DEFLATE_LEVEL);
            case "zstd", "zstandard" -> CodecFactory.zstandardCodec(CodecFactory.DEFAULT_ZSTANDARD_LEVEL);
            case "snappy" -> CodecFactory.snappyCodec();
            case "uncompressed", "none", "null" -> CodecFactory.nullCodec();
            default ->
                throw new IllegalArgumentException(
                        "A manifest's compression codec must be gzip, zstd, snappy or uncompressed, not '" + name
                                + "'.");
        };
    }
}
