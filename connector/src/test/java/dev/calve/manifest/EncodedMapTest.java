package dev.calve.manifest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.expression.Metrics;
import dev.calve.io.InvalidTableException;
import dev.calve.schema.Bytes;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import org.apache.avro.Schema;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.EncoderFactory;
import org.junit.jupiter.api.Test;

class EncodedMapTest {

    private static final Schema COUNTS = mapOf(Schema.create(Schema.Type.LONG));
    private static final Schema BOUNDS = mapOf(Schema.create(Schema.Type.BYTES));

    /** Ids 1 and 300, then 7 in a block that says its length, with values 10, -1 and 64. */
    private static final byte[] THREE_COUNTS = {4, 2, 20, -40, 4, 1, 1, 6, 14, -128, 1, 0};

    private static Schema mapOf(Schema value) {
        Schema pair = Schema.createRecord("pair", null, null, false);
        pair.setFields(
                List.of(new Schema.Field("key", Schema.create(Schema.Type.INT)), new Schema.Field("value", value)));
        return Schema.createArray(pair);
    }

    @SuppressWarnings("unchecked")
    private static <V> Map<Integer, V> read(Schema array, byte[] bytes) throws IOException {
        var in = BlockDecoder.of(bytes);
        Object map = EncodedMap.reader(array).orElseThrow().read(in);
        assertThat(in.isEnd()).isTrue();
        return (Map<Integer, V>) java.util.Objects.requireNonNull(map);
    }

    private static byte[] written(EncodedMap<?> map) throws IOException {
        var bytes = new ByteArrayOutputStream();
        BinaryEncoder out = EncoderFactory.get().binaryEncoder(bytes, null);
        map.writeTo(out);
        out.flush();
        return bytes.toByteArray();
    }

    @Test
    void holdsThePairsOfEveryBlock() throws IOException {
        Map<Integer, Long> map = read(COUNTS, THREE_COUNTS);

        assertThat(map).isInstanceOf(EncodedMap.class).hasSize(3);
        assertThat(map).containsExactlyInAnyOrderEntriesOf(Map.of(1, 10L, 300, -1L, 7, 64L));
        assertThat(new ArrayList<>(map.keySet())).containsExactly(1, 300, 7);
        assertThat(map.get(7)).isEqualTo(64);
        assertThat(map.get(300)).isEqualTo(-1);
        assertThat(map.get(2)).isNull();
        assertThat(map.containsKey(300)).isTrue();
        assertThat(map.containsKey(2)).isFalse();
        assertThat(((Map<?, ?>) map).containsKey("1")).isFalse();
    }

    @Test
    void equalsEveryMapOfTheSamePairs() throws IOException {
        Map<Integer, Long> map = read(COUNTS, THREE_COUNTS);
        var same = new HashMap<>(Map.of(1, 10L, 300, -1L, 7, 64L));
        Map<Integer, Long> inOneBlock = read(COUNTS, new byte[] {6, 2, 20, 14, -128, 1, -40, 4, 1, 0});
        Map<Integer, Long> other = read(COUNTS, new byte[] {6, 2, 20, 14, -128, 1, -40, 4, 2, 0});

        assertThat(map).isEqualTo(same).hasSameHashCodeAs(same);
        assertThat(same).isEqualTo(map);
        assertThat(map).isEqualTo(inOneBlock).hasSameHashCodeAs(inOneBlock).isNotEqualTo(other);
        assertThat(map).isEqualTo(read(COUNTS, THREE_COUNTS)).isNotEqualTo(Map.of(1, 10L));
    }

    @Test
    void tellsCountsFromBoundsOfTheSameBytes() throws IOException {
        byte[] bytes = {2, 2, 0, 0};
        Map<Integer, Object> counts = read(COUNTS, bytes);
        Map<Integer, Object> bounds = read(BOUNDS, bytes);

        assertThat(counts).isEqualTo(Map.of(1, 0L)).isNotEqualTo(bounds);
        assertThat(bounds).isEqualTo(Map.of(1, Bytes.wrap(new byte[0])));
    }

    @Test
    void givesBoundsThatNobodyCanChange() throws IOException {
        Map<Integer, Bytes> map = read(BOUNDS, new byte[] {4, 6, 4, 97, 98, 2, 0, 0});
        Iterator<Map.Entry<Integer, Bytes>> pairs = map.entrySet().iterator();

        assertThat(pairs.next()).isEqualTo(Map.entry(3, Bytes.wrap(new byte[] {97, 98})));
        assertThat(pairs.next()).isEqualTo(Map.entry(1, Bytes.wrap(new byte[0])));
        assertThat(pairs.hasNext()).isFalse();
        assertThatThrownBy(pairs::next).isInstanceOf(NoSuchElementException.class);
        assertThatThrownBy(pairs::remove).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(map::clear).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> map.put(1, Bytes.wrap(new byte[0]))).isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    void isWrittenBackAsItWasRead() throws IOException {
        assertThat(written((EncodedMap<?>) read(COUNTS, THREE_COUNTS))).isEqualTo(THREE_COUNTS);
    }

    @Test
    void isKeptByMetricsAsItIs() throws IOException {
        Map<Integer, Long> map = read(COUNTS, THREE_COUNTS);

        var metrics = new Metrics(1, map, Map.of(), Map.of(), Map.of(), Map.of(), Map.of());
        assertThat(metrics.columnSizes()).isSameAs(map);
    }

    @Test
    void isAPlainMapIfThereIsNothingInIt() throws IOException {
        assertThat(read(COUNTS, new byte[] {0})).isSameAs(Map.of());
    }

    @Test
    void refusesAFieldThatIsThereTwice() {
        byte[] apart = {6, 2, 20, 4, 20, 2, 20, 0};
        byte[] together = {4, 2, 20, 2, 20, 0};
        for (byte[] twice : List.of(apart, together)) {
            assertThatThrownBy(() -> read(COUNTS, twice))
                    .isInstanceOf(InvalidTableException.class)
                    .hasMessageContaining("has 1 twice");
        }
    }

    @Test
    void leavesOtherEncodingsToOthers() {
        for (Schema value : List.of(
                Schema.create(Schema.Type.INT),
                Schema.createFixed("f", null, null, 2),
                Schema.createUnion(Schema.create(Schema.Type.NULL), Schema.create(Schema.Type.LONG)))) {
            assertThat(EncodedMap.reader(mapOf(value))).isEmpty();
        }
        Schema pair = Schema.createRecord("pair", null, null, false);
        pair.setFields(List.of(
                new Schema.Field("key", Schema.create(Schema.Type.LONG)),
                new Schema.Field("value", Schema.create(Schema.Type.LONG))));
        assertThat(EncodedMap.reader(Schema.createArray(pair))).isEqualTo(Optional.empty());
    }
}
