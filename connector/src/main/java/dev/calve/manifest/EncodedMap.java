package dev.calve.manifest;

import dev.calve.expression.StatisticsMap;
import dev.calve.io.InvalidTableException;
import dev.calve.schema.Bytes;
import java.io.IOException;
import java.util.AbstractSet;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.Set;
import org.apache.avro.Schema;
import org.apache.avro.io.Encoder;
import org.jspecify.annotations.Nullable;

/**
 * Statistics of one file as the manifest holds them: an Avro array of pairs of field id and value. Each look-up goes through
 * the pairs, since nearly all statistics are asked for once or never, and are written back as they are; that saves planning
 * and rewriting of a manifest most of their time and memory.
 *
 * <p>The bytes were walked through once, so that they are known to be whole and no field id to be there twice.
 */
final class EncodedMap<V> extends StatisticsMap<V> {

    /** What the pairs hold. */
    private enum Values {
        COUNTS {
            @Override
            Object read(BlockDecoder in) throws IOException {
                return in.readLong();
            }

            @Override
            void skip(BlockDecoder in) throws IOException {
                in.skipLong();
            }
        },
        BOUNDS {
            @Override
            Object read(BlockDecoder in) throws IOException {
                return Bytes.wrap(in.readBytes());
            }

            @Override
            void skip(BlockDecoder in) throws IOException {
                in.skipBytes();
            }
        };

        abstract Object read(BlockDecoder in) throws IOException;

        abstract void skip(BlockDecoder in) throws IOException;
    }

    private final byte[] encoded;
    private final int size;
    private final Values values;

    private EncodedMap(byte[] encoded, int size, Values values) {
        this.encoded = encoded;
        this.size = size;
        this.values = values;
    }

    /** Reads an array of pairs without decoding it; empty if its pairs are not encoded as those this project writes. */
    static Optional<AvroValues.Reader> reader(Schema array) {
        List<Schema.Field> pair = array.getElementType().getFields();
        if (pair.get(0).schema().getType() != Schema.Type.INT) {
            return Optional.empty();
        }
        return switch (pair.get(1).schema().getType()) {
            case LONG -> Optional.of(in -> read(in, Values.COUNTS));
            case BYTES -> Optional.of(in -> read(in, Values.BOUNDS));
            default -> Optional.empty();
        };
    }

    private static Object read(BlockDecoder in, Values values) throws IOException {
        int start = in.position();
        int size = 0;
        boolean ascending = true;
        int last = Integer.MIN_VALUE;
        for (long count = in.readArrayStart(); count > 0; count = in.arrayNext()) {
            for (long i = 0; i < count; i++) {
                int id = in.readInt();
                values.skip(in);
                ascending &= id > last;
                last = id;
                size++;
            }
        }
        if (size == 0) {
            return Map.of();
        }
        var map = new EncodedMap<Object>(in.copy(start, in.position()), size, values);
        if (!ascending) {
            map.requireDistinctKeys();
        }
        return map;
    }

    private void requireDistinctKeys() {
        var seen = new HashSet<Integer>();
        for (Integer id : keySet()) {
            if (!seen.add(id)) {
                throw new InvalidTableException(
                        "A map of statistics must have a field once, but has " + id + " twice.");
            }
        }
    }

    /** Writes the pairs as they were read. */
    void writeTo(Encoder out) throws IOException {
        out.writeFixed(encoded);
    }

    @Override
    public int size() {
        return size;
    }

    @Override
    public boolean containsKey(@Nullable Object key) {
        return get(key) != null;
    }

    @Override
    @SuppressWarnings("unchecked")
    public @Nullable V get(@Nullable Object key) {
        if (!(key instanceof Integer wanted)) {
            return null;
        }
        var in = BlockDecoder.of(encoded);
        try {
            for (long count = in.readArrayStart(); count > 0; count = in.arrayNext()) {
                for (long i = 0; i < count; i++) {
                    if (in.readInt() == wanted) {
                        return (V) values.read(in);
                    }
                    values.skip(in);
                }
            }
            return null;
        } catch (IOException e) {
            throw impossible(e);
        }
    }

    private static IllegalStateException impossible(IOException e) {
        return new IllegalStateException("Statistics that were whole when they were read must stay so.", e);
    }

    @Override
    public Set<Entry<Integer, V>> entrySet() {
        return new AbstractSet<>() {
            @Override
            public int size() {
                return size;
            }

            @Override
            public Iterator<Entry<Integer, V>> iterator() {
                return new Pairs();
            }
        };
    }

    private final class Pairs implements Iterator<Entry<Integer, V>> {

        private final BlockDecoder in = BlockDecoder.of(encoded);
        private int given;
        private long leftOfBlock;

        @Override
        public boolean hasNext() {
            return given < size;
        }

        @Override
        @SuppressWarnings("unchecked")
        public Entry<Integer, V> next() {
            if (given == size) {
                throw new NoSuchElementException();
            }
            try {
                if (leftOfBlock == 0) {
                    leftOfBlock = in.readArrayStart();
                }
                given++;
                leftOfBlock--;
                int id = in.readInt();
                return Map.entry(id, (V) values.read(in));
            } catch (IOException e) {
                throw impossible(e);
            }
        }
    }

    @Override
    public boolean equals(@Nullable Object other) {
        boolean same =
                other instanceof EncodedMap<?> map && values == map.values && Arrays.equals(encoded, map.encoded);
        return same || super.equals(other);
    }

    @Override
    public int hashCode() {
        return super.hashCode();
    }
}
