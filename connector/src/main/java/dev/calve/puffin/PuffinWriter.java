package dev.calve.puffin;

import com.github.luben.zstd.Zstd;
import dev.calve.io.PositionOutput;
import dev.calve.io.Storage;
import dev.calve.puffin.PuffinFormat.Footer;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Writes one Puffin file: blobs with {@link #add}, then {@link #finish()}. Closing it unfinished leaves a file that is not
 * a Puffin file, which the caller deletes. Used by one thread.
 */
public final class PuffinWriter implements Closeable {

    private static final String CREATED_BY = "created-by";

    private final PositionOutput output;
    private final Map<String, String> properties;
    private final List<BlobMetadata> blobs = new ArrayList<>();
    private boolean finished;
    private boolean closed;
    private long footerSize;

    private PuffinWriter(PositionOutput output, String createdBy) {
        this.output = output;
        this.properties = createdBy.isEmpty() ? Map.of() : Map.of(CREATED_BY, createdBy);
    }

    /**
     * Creates the file.
     *
     * @param createdBy application and version, stored as the file's property {@code created-by}; nothing is stored if empty
     * @throws java.nio.file.FileAlreadyExistsException if something exists at the location
     */
    public static PuffinWriter create(Storage storage, String location, String createdBy) throws IOException {
        var writer = new PuffinWriter(storage.create(location), createdBy);
        try {
            writer.output.write(PuffinFormat.magic());
        } catch (IOException | RuntimeException e) {
            writer.abandonAfter(e);
            throw e;
        }
        return writer;
    }

    /**
     * Writes a blob and says where it lies. The content is not kept.
     *
     * @param content bytes before compression
     * @throws UnsupportedOperationException for a codec other than {@code zstd}
     */
    public BlobMetadata add(BlobSpec spec, byte[] content) throws IOException {
        if (finished || closed) {
            throw new IllegalStateException("A Puffin file takes no blobs once it is finished or closed.");
        }
        byte[] stored =
                spec.compressionCodec().map(codec -> compress(codec, content)).orElse(content);
        long offset = output.position();
        output.write(stored);
        var blob = new BlobMetadata(
                spec.type(),
                spec.fields(),
                spec.snapshotId(),
                spec.sequenceNumber(),
                offset,
                stored.length,
                spec.compressionCodec(),
                spec.properties());
        blobs.add(blob);
        return blob;
    }

    /** Bytes written so far. */
    public long position() {
        return output.position();
    }

    /** Writes the footer, closes the file and returns its length in bytes. */
    public long finish() throws IOException {
        if (finished || closed) {
            throw new IllegalStateException("A Puffin file is finished once.");
        }
        byte[] payload = PuffinFormat.toJson(new Footer(blobs, properties));
        long footerStart = output.position();
        output.write(PuffinFormat.magic());
        output.write(payload);
        output.write(ByteBuffer.allocate(PuffinFormat.FOOTER_STRUCT_BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(payload.length)
                .putInt(0)
                .put(PuffinFormat.magic())
                .array());
        long length = output.position();
        output.close();
        finished = true;
        footerSize = length - footerStart;
        return length;
    }

    /**
     * Bytes of the footer with both magics, as table metadata wants it for statistics files.
     *
     * @throws IllegalStateException before {@link #finish()}
     */
    public long footerSize() {
        if (!finished) {
            throw new IllegalStateException("The size of a Puffin footer is known once the file is finished.");
        }
        return footerSize;
    }

    /** Blobs written so far, in order. */
    public List<BlobMetadata> blobs() {
        return List.copyOf(blobs);
    }

    /** Abandons the file unless it was finished. Doing it twice is harmless. */
    @Override
    public void close() throws IOException {
        if (!finished && !closed) {
            closed = true;
            output.abandon();
        }
    }

    private void abandonAfter(Exception failure) {
        try {
            close();
        } catch (IOException e) {
            failure.addSuppressed(e);
        }
    }

    private static byte[] compress(String codec, byte[] content) {
        if (!codec.equals(PuffinFormat.ZSTD)) {
            throw new UnsupportedOperationException(
                    "Puffin blobs are written with codec 'zstd' or none, not with '" + codec + "'.");
        }
        return Zstd.compress(content);
    }
}
