package dev.calve.parquet;

import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdException;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.parquet.bytes.ByteBufferReleaser;
import org.apache.parquet.bytes.BytesInput;
import org.apache.parquet.bytes.HeapByteBufferAllocator;
import org.apache.parquet.compression.CompressionCodecFactory.BytesInputDecompressor;
import org.jspecify.annotations.Nullable;

/**
 * Decompresses zstd pages at once, into the array that the page keeps. parquet-java's way is a stream, which sets up a
 * decoder for each page and moves every byte twice more. What is odd about a page (too large, corrupt, of another size than
 * its header says) is left to parquet-java. Used by one thread; {@link #release} frees memory outside the heap, and not what
 * it was given.
 */
final class ZstdPages implements BytesInputDecompressor {

    /** No garbage is collected while a page is decompressed; a page of this size takes some milliseconds. */
    private static final int MOST_BYTES = 8 << 20;

    private final BytesInputDecompressor streaming;
    private @Nullable ZstdDecompressCtx zstd;

    ZstdPages(BytesInputDecompressor streaming) {
        this.streaming = streaming;
    }

    @Override
    public BytesInput decompress(BytesInput bytes, int plainBytes) throws IOException {
        if (plainBytes > MOST_BYTES || bytes.size() > MOST_BYTES) {
            return streaming.decompress(bytes, plainBytes);
        }
        var plain = new byte[plainBytes];
        try (var releaser = new ByteBufferReleaser(HeapByteBufferAllocator.getInstance())) {
            if (isDecompressed(bytes.toByteBuffer(releaser), plain)) {
                return BytesInput.from(plain);
            }
        }
        return streaming.decompress(bytes, plainBytes);
    }

    private boolean isDecompressed(ByteBuffer stored, byte[] plain) {
        if (!stored.hasArray()) {
            return false;
        }
        if (zstd == null) {
            zstd = new ZstdDecompressCtx();
        }
        try {
            int count = zstd.decompressByteArray(
                    plain,
                    0,
                    plain.length,
                    stored.array(),
                    stored.arrayOffset() + stored.position(),
                    stored.remaining());
            return count == plain.length;
        } catch (ZstdException e) {
            return false;
        }
    }

    @Override
    public void decompress(ByteBuffer input, int bytes, ByteBuffer output, int plainBytes) throws IOException {
        streaming.decompress(input, bytes, output, plainBytes);
    }

    @Override
    public void release() {
        if (zstd != null) {
            zstd.close();
            zstd = null;
        }
    }
}
