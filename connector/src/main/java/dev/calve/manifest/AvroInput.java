package dev.calve.manifest;

import dev.calve.io.InputFile;
import dev.calve.io.InvalidTableException;
import java.io.Closeable;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.Optional;
import org.apache.avro.Schema;
import org.jspecify.annotations.Nullable;

/**
 * An Avro file whose damage is told apart from storage that does not answer: the first is an
 * {@link InvalidTableException} that names the file, the second an {@link IOException}.
 *
 * <p>The header must lie within the first range fetched, which is 8 MiB.
 */
final class AvroInput<T> implements Closeable {

    /** Reads one record after the written schema became known. */
    interface Records<T> {
        T read(BlockDecoder in) throws IOException;
    }

    /** Makes the reader of records from the file's schema and metadata. */
    interface Compiler<T> {
        Records<T> compile(AvroInput<T> file) throws IOException;
    }

    private final String what;
    private final String location;
    private final ChunkedInput bytes;
    private final AvroHeader header;
    private final AvroBlocks blocks;
    private @Nullable Records<T> records;
    private AvroBlocks.Block block = new AvroBlocks.Block(0, BlockDecoder.of(new byte[0]));
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
            header = AvroHeader.read(bytes.firstChunk());
            blocks = AvroBlocks.of(header, bytes);
        } catch (IOException | RuntimeException e) {
            throw corrupt(e);
        }
    }

    Schema schema() {
        return header.schema();
    }

    /** A metadata value as text. */
    Optional<String> metadata(String key) {
        return Optional.ofNullable(header.metadata().get(key));
    }

    /** A metadata value that the specification requires. */
    String required(String key) {
        return metadata(key)
                .orElseThrow(() -> new InvalidTableException("Avro metadata must have key '" + key + "', but has "
                        + header.metadata().keySet() + "."));
    }

    /** Whether there is another record. */
    boolean hasNext() throws IOException {
        if (readOfBlock < block.records()) {
            return true;
        }
        try {
            Optional<AvroBlocks.Block> next = blocks.next();
            if (next.isPresent()) {
                block = next.get();
                readOfBlock = 0;
            }
            return next.isPresent();
        } catch (IOException | RuntimeException e) {
            throw corrupt(e);
        }
    }

    /** The next record, after {@link #hasNext()} said that there is one. */
    T next() throws IOException {
        if (records == null) {
            throw new IllegalStateException("Records of '" + location + "' are read before the header.");
        }
        try {
            T record = records.read(block.content());
            checkEnd();
            return record;
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
        blocks.close();
        bytes.close();
    }

    /** A block must end where its last record does; a field read with too few or too many bytes would pass otherwise. */
    private void checkEnd() {
        readOfBlock++;
        boolean last = readOfBlock == block.records();
        if (block.content().isEnd() != last) {
            throw new InvalidTableException("Record " + readOfBlock + " of " + block.records() + " of a block must "
                    + (last ? "end it." : "not end it."));
        }
    }
}
