package dev.calve.manifest;

import dev.calve.io.InvalidTableException;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Optional;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import org.apache.avro.file.DataFileConstants;
import org.apache.avro.file.DataFileStream;
import org.apache.avro.generic.GenericDatumReader;

/**
 * The blocks of an Avro file, decompressed. Spec of Avro: Object Container Files.
 *
 * <p>Blocks of codec {@code deflate}, which nearly all manifests have, are inflated here, each with one call: Avro's own codec
 * takes twice the time, which is most of what planning costs. All other codecs are Avro's.
 */
sealed interface AvroBlocks extends Closeable {

    int SYNC_BYTES = 16;

    /**
     * A block.
     *
     * @param records how many it holds
     * @param content valid until the next block is asked for
     */
    record Block(long records, BlockDecoder content) {}

    /**
     * The next block; empty at the end of the file.
     *
     * @throws EOFException if the file does not end where a block does
     */
    Optional<Block> next() throws IOException;

    /** Opens the blocks behind a header, of a file of which only the first chunk was fetched. */
    static AvroBlocks of(AvroHeader header, ChunkedInput in) throws IOException {
        byte[] marker = header.marker().toArray();
        String codec = header.metadata().get(DataFileConstants.CODEC);
        if (DataFileConstants.DEFLATE_CODEC.equals(codec)) {
            in.rewindTo(header.length());
            return new Deflated(in, marker);
        }
        in.rewindTo(0);
        var checked = new CheckedFrames(in, header.length(), DataFileConstants.SNAPPY_CODEC.equals(codec));
        return new OfAnyCodec(in, new DataFileStream<>(checked, new GenericDatumReader<>()), marker);
    }

    /** Inflates by itself. */
    final class Deflated implements AvroBlocks {

        /** A little more than what writers put into one block, unless the file is small. */
        private static final int USUAL_BYTES = 80 * 1024;

        private static final int USUAL_RATIO = 8;

        private final ChunkedInput in;
        private final byte[] marker;
        private final byte[] found = new byte[SYNC_BYTES];
        private final Inflater inflater = new Inflater(true);
        private byte[] deflated = new byte[0];
        private byte[] inflated;

        private Deflated(ChunkedInput in, byte[] marker) {
            this.in = in;
            this.marker = marker;
            inflated = new byte[(int) Math.min(USUAL_BYTES, USUAL_RATIO * in.remaining() + 1)];
        }

        @Override
        public Optional<Block> next() throws IOException {
            while (in.remaining() > 0) {
                Block block = read();
                if (block.records() > 0) {
                    return Optional.of(block);
                }
                // Apache Iceberg for Python writes the list of a table without files as one block of none.
                if (!block.content().isEnd()) {
                    throw new InvalidTableException("A block of 0 records must be empty.");
                }
            }
            return Optional.empty();
        }

        private Block read() throws IOException {
            long records = readLong();
            long length = readLong();
            if (records < 0 || length < 0) {
                throw new InvalidTableException(
                        "A block must not be of " + records + " records and " + length + " bytes.");
            }
            if (length > in.remaining() - SYNC_BYTES) {
                throw new EOFException("the file does not end where a block ends");
            }
            int size = Math.toIntExact(length);
            if (deflated.length < size) {
                deflated = new byte[size];
            }
            readFully(deflated, size);
            readFully(found, SYNC_BYTES);
            if (!Arrays.equals(found, marker)) {
                throw new InvalidTableException("A block must end with the file's marker, but does not.");
            }
            int end = inflate(size);
            return new Block(records, BlockDecoder.of(inflated, 0, end));
        }

        /**
         * Inflates the block and returns its length; the array grows to fit. Bytes behind the end of the deflated data are
         * passed over: Python's libraries leave most of zlib's checksum there.
         */
        private int inflate(int size) {
            inflater.reset();
            inflater.setInput(deflated, 0, size);
            int done = 0;
            try {
                while (!inflater.finished()) {
                    if (done == inflated.length) {
                        inflated = Arrays.copyOf(inflated, Math.multiplyExact(inflated.length, 2));
                    }
                    int more = inflater.inflate(inflated, done, inflated.length - done);
                    if (more == 0 && !inflater.finished() && (inflater.needsInput() || inflater.needsDictionary())) {
                        throw new InvalidTableException("The content of a block must be whole, but ends early.");
                    }
                    done += more;
                }
            } catch (DataFormatException e) {
                throw new InvalidTableException("The content of a block cannot be inflated: " + e.getMessage(), e);
            }
            return done;
        }

        private long readLong() throws IOException {
            long zigzag = 0;
            for (int shift = 0; shift < Long.SIZE; shift += 7) {
                int part = in.read();
                if (part < 0) {
                    throw new EOFException("the file does not end where a block ends");
                }
                zigzag |= (part & 0x7fL) << shift;
                if (part < 0x80) {
                    return (zigzag >>> 1) ^ -(zigzag & 1);
                }
            }
            throw new InvalidTableException("A long must end after 10 bytes.");
        }

        private void readFully(byte[] target, int length) throws IOException {
            if (in.readNBytes(target, 0, length) < length) {
                throw new EOFException("the file does not end where a block ends");
            }
        }

        @Override
        public void close() {
            inflater.end();
        }
    }

    /**
     * Decompressed by Avro, which takes a file that ends inside a block's header for a complete one. That would lose entries
     * silently, so the last bytes of the file must be the marker.
     */
    final class OfAnyCodec implements AvroBlocks {

        private final ChunkedInput in;
        private final DataFileStream<Object> stream;
        private final byte[] marker;

        private OfAnyCodec(ChunkedInput in, DataFileStream<Object> stream, byte[] marker) {
            this.in = in;
            this.stream = stream;
            this.marker = marker;
        }

        @Override
        public Optional<Block> next() throws IOException {
            if (stream.hasNext()) {
                long records = stream.getBlockCount();
                ByteBuffer content = stream.nextBlock();
                return Optional.of(new Block(records, BlockDecoder.of(content)));
            }
            if (!in.endsWith(marker)) {
                throw new EOFException("the file does not end where a block ends");
            }
            return Optional.empty();
        }

        @Override
        public void close() {
            // The stream holds nothing but the input, which is closed by whoever opened it.
        }
    }
}
