package dev.calve.manifest;

import dev.calve.io.InputFile;
import dev.calve.io.InvalidTableException;
import dev.calve.io.RangeInput;
import java.io.ByteArrayInputStream;
import java.io.Closeable;
import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.Optional;
import org.apache.avro.Schema;
import org.apache.avro.file.DataFileStream;
import org.apache.avro.io.BinaryDecoder;
import org.apache.avro.io.DatumReader;
import org.apache.avro.io.Decoder;
import org.apache.avro.io.DecoderFactory;
import org.jspecify.annotations.Nullable;

/**
 * An Avro file whose damage is told apart from storage that does not answer: the first is an
 * {@link InvalidTableException} that names the file, the second an {@link IOException}.
 *
 * <p>Avro takes a file that ends inside a block's header for a complete one, which would lose entries silently. So the
 * last bytes of the file must be the sync marker that ends every block.
 */
final class AvroInput<T> implements Closeable {

    /** Most manifests fit into one read. */
    private static final int CHUNK_BYTES = 8 * 1024 * 1024;

    private static final int SYNC_BYTES = 16;

    /** Reads one record after the written schema became known. */
    interface Records<T> {
        T read(Decoder in) throws IOException;
    }

    /** Makes the reader of records from the file's schema and metadata. */
    interface Compiler<T> {
        Records<T> compile(AvroInput<T> file) throws IOException;
    }

    private final String what;
    private final String location;
    private final ChunkedInput bytes;
    private final DataFileStream<T> stream;
    private final byte[] sync;
    private @Nullable Records<T> records;
    private long readOfBlock;

    /**
     * Opens the file and reads its header.
     *
     * @param what what the file is called in messages
     * @throws FileNotFoundException if it does not exist
     * @throws InvalidTableException if it is not an Avro file or the compiler refuses its schema
     */
    static <T> AvroInput<T> open(String what, InputFile file, Compiler<T> compiler) throws IOException {
        ChunkedInput bytes;
        try {
            bytes = new ChunkedInput(file.open(), file.length());
        } catch (FileNotFoundException e) {
            var missing = new FileNotFoundException(what + " '" + file.location() + "' must exist, but does not.");
            missing.initCause(e);
            throw missing;
        }
        try {
            var input = new AvroInput<T>(what, file.location(), bytes);
            try {
                input.records = compiler.compile(input);
            } catch (RuntimeException e) {
                throw input.corrupt(e);
            }
            return input;
        } catch (Throwable e) {
            bytes.close();
            throw e;
        }
    }

    private AvroInput(String what, String location, ChunkedInput bytes) throws IOException {
        this.what = what;
        this.location = location;
        this.bytes = bytes;
        try {
            stream = new DataFileStream<>(bytes, new RecordReader());
            sync = syncMarker(bytes.firstChunk());
        } catch (IOException | RuntimeException e) {
            throw corrupt(e);
        }
    }

    /** Avro keeps the marker to itself, so the header is read once more: magic, metadata map, marker. */
    private static byte[] syncMarker(byte[] start) throws IOException {
        BinaryDecoder in = DecoderFactory.get().binaryDecoder(new ByteArrayInputStream(start), null);
        in.skipFixed(4);
        for (long entries = in.readMapStart(); entries > 0; entries = in.mapNext()) {
            for (long i = 0; i < entries; i++) {
                in.skipString();
                in.skipBytes();
            }
        }
        var marker = new byte[SYNC_BYTES];
        in.readFixed(marker);
        return marker;
    }

    Schema schema() {
        return stream.getSchema();
    }

    /** A metadata value as text. */
    Optional<String> metadata(String key) {
        return Optional.ofNullable(stream.getMetaString(key));
    }

    /** A metadata value that the specification requires. */
    String required(String key) {
        return metadata(key)
                .orElseThrow(() -> new InvalidTableException(
                        "Avro metadata must have key '" + key + "', but has " + stream.getMetaKeys() + "."));
    }

    /** Whether there is another record. */
    boolean hasNext() throws IOException {
        try {
            if (stream.hasNext()) {
                return true;
            }
            if (!bytes.endsWith(sync)) {
                throw new EOFException("the file does not end where a block ends");
            }
            return false;
        } catch (IOException | RuntimeException e) {
            throw corrupt(e);
        }
    }

    T next() throws IOException {
        try {
            return stream.next(null);
        } catch (IOException | RuntimeException e) {
            throw corrupt(e);
        }
    }

    /** The exception to throw for one that came up while decoding; throws what storage threw, if it did. */
    InvalidTableException corrupt(Exception cause) throws IOException {
        IOException failure = bytes.failure();
        if (failure != null) {
            throw failure;
        }
        String detail = cause instanceof InvalidTableException ? cause.getMessage() : cause.toString();
        return new InvalidTableException(what + " '" + location + "' is corrupt: " + detail, cause);
    }

    @Override
    public void close() throws IOException {
        bytes.close();
    }

    /** A block must end where its last record does; a field read with too few or too many bytes would pass otherwise. */
    private void checkEnd(Decoder in) throws IOException {
        readOfBlock++;
        boolean last = readOfBlock == stream.getBlockCount();
        if (in instanceof BinaryDecoder decoder && decoder.isEnd() != last) {
            throw new InvalidTableException("Record " + readOfBlock + " of " + stream.getBlockCount()
                    + " of a block must " + (last ? "end it." : "not end it."));
        }
        if (last) {
            readOfBlock = 0;
        }
    }

    private final class RecordReader implements DatumReader<T> {
        @Override
        public void setSchema(Schema schema) {
            // Known to the stream; the reader is compiled when metadata is known too.
        }

        @Override
        public T read(@Nullable T reuse, Decoder in) throws IOException {
            if (records == null) {
                throw new IllegalStateException("Records of '" + location + "' are read before the header.");
            }
            T record = records.read(in);
            checkEnd(in);
            return record;
        }
    }

    /** A file as a stream, fetched in large ranges. Remembers the first chunk, the last bytes, and what storage threw. */
    private static final class ChunkedInput extends InputStream {

        private final RangeInput in;
        private final long length;
        private byte[] first = new byte[0];
        private byte[] chunk = new byte[0];
        private byte[] tail = new byte[0];
        private int at;
        private long fetched;
        private @Nullable IOException failure;

        ChunkedInput(RangeInput in, long length) {
            this.in = in;
            this.length = length;
        }

        private boolean fill() throws IOException {
            if (at < chunk.length) {
                return true;
            }
            if (fetched >= length) {
                return false;
            }
            var next = new byte[(int) Math.min(CHUNK_BYTES, length - fetched)];
            try {
                in.readFully(fetched, next, 0, next.length);
            } catch (EOFException e) {
                throw e;
            } catch (IOException e) {
                failure = e;
                throw e;
            }
            if (fetched == 0) {
                first = next;
            }
            fetched += next.length;
            chunk = next;
            at = 0;
            tail = tail(tail, next);
            return true;
        }

        private static byte[] tail(byte[] before, byte[] next) {
            if (next.length >= SYNC_BYTES) {
                return Arrays.copyOfRange(next, next.length - SYNC_BYTES, next.length);
            }
            byte[] joined = Arrays.copyOf(before, before.length + next.length);
            System.arraycopy(next, 0, joined, before.length, next.length);
            return Arrays.copyOfRange(joined, Math.max(0, joined.length - SYNC_BYTES), joined.length);
        }

        @Override
        public int read() throws IOException {
            return fill() ? chunk[at++] & 0xff : -1;
        }

        @Override
        public int read(byte[] target, int offset, int count) throws IOException {
            if (count == 0) {
                return 0;
            }
            if (!fill()) {
                return -1;
            }
            int taken = Math.min(count, chunk.length - at);
            System.arraycopy(chunk, at, target, offset, taken);
            at += taken;
            return taken;
        }

        byte[] firstChunk() {
            return first;
        }

        boolean endsWith(byte[] marker) {
            return fetched == length && Arrays.equals(tail, marker);
        }

        @Nullable IOException failure() {
            return failure;
        }

        @Override
        public void close() throws IOException {
            in.close();
        }
    }
}
