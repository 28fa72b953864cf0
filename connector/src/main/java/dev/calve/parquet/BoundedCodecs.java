package dev.calve.parquet;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.parquet.bytes.BytesInput;
import org.apache.parquet.compression.CompressionCodecFactory;
import org.apache.parquet.hadoop.CodecFactory;
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.apache.parquet.hadoop.metadata.ParquetMetadata;
import org.jspecify.annotations.Nullable;

/**
 * parquet-java's codecs, which allocate as much as a page's header says, with a limit: no page is larger than what the
 * footer says of the largest column chunk. Until the footer is read nothing is decompressed. Used by one thread.
 */
public final class BoundedCodecs implements CompressionCodecFactory {

    /** Pages up to this size are never doubted, because footers of some writers are. */
    private static final int NEVER_TOO_LARGE = 64 << 20;

    private final CodecFactory codecs;
    private @Nullable ZstdPages zstd;
    private long mostBytes = NEVER_TOO_LARGE;

    public BoundedCodecs(CodecFactory codecs) {
        this.codecs = codecs;
    }

    /** Sets the limit by the file's footer. */
    public void limitBy(ParquetMetadata footer) {
        long largestChunkBytes = footer.getBlocks().stream()
                .flatMap(block -> block.getColumns().stream())
                .mapToLong(ColumnChunkMetaData::getTotalUncompressedSize)
                .max()
                .orElse(0);
        mostBytes = Math.max(NEVER_TOO_LARGE, largestChunkBytes);
    }

    @Override
    public BytesInputCompressor getCompressor(CompressionCodecName name) {
        return codecs.getCompressor(name);
    }

    @Override
    public BytesInputDecompressor getDecompressor(CompressionCodecName name) {
        BytesInputDecompressor codec = codecs.getDecompressor(name);
        return new Bounded(
                name == CompressionCodecName.ZSTD ? zstd(codec) : codec, name == CompressionCodecName.SNAPPY);
    }

    private ZstdPages zstd(BytesInputDecompressor codec) {
        if (zstd == null) {
            zstd = new ZstdPages(codec);
        }
        return zstd;
    }

    @Override
    public void release() {
        if (zstd != null) {
            zstd.release();
            zstd = null;
        }
        codecs.release();
    }

    private final class Bounded implements BytesInputDecompressor {
        private final BytesInputDecompressor codec;
        private final boolean snappy;

        Bounded(BytesInputDecompressor codec, boolean snappy) {
            this.codec = codec;
            this.snappy = snappy;
        }

        @Override
        @SuppressWarnings("deprecation") // What took its place needs an allocator, and pages are in memory already.
        public BytesInput decompress(BytesInput bytes, int plainBytes) throws IOException {
            check(plainBytes);
            if (snappy) {
                ByteBuffer page = bytes.toByteBuffer();
                check(snappyBytes(page.duplicate()));
                return codec.decompress(BytesInput.from(page), plainBytes);
            }
            return codec.decompress(bytes, plainBytes);
        }

        @Override
        public void decompress(ByteBuffer input, int bytes, ByteBuffer output, int plainBytes) throws IOException {
            check(plainBytes);
            codec.decompress(input, bytes, output, plainBytes);
        }

        /** Snappy allocates what a page itself says first: its size as a varint. */
        private long snappyBytes(ByteBuffer page) {
            long size = 0;
            for (int shift = 0; shift < 35 && page.hasRemaining(); shift += 7) {
                byte next = page.get();
                size |= (next & 0x7FL) << shift;
                if (next >= 0) {
                    break;
                }
            }
            return size;
        }

        private void check(long plainBytes) throws IOException {
            if (plainBytes < 0 || plainBytes > mostBytes) {
                throw new IOException("A page must have at most %d bytes, as much as the largest column chunk, not %d"
                        .formatted(mostBytes, plainBytes));
            }
        }

        @Override
        public void release() {
            codec.release();
        }
    }
}
