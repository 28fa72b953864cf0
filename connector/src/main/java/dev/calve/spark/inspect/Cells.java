package dev.calve.spark.inspect;

import dev.calve.schema.Bytes;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.Function;
import org.apache.spark.sql.catalyst.util.ArrayBasedMapData;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.sql.catalyst.util.MapData;
import org.apache.spark.unsafe.types.UTF8String;
import org.jspecify.annotations.Nullable;

/** Values of metadata as Spark's internal rows hold them. */
final class Cells {

    private static final long MICROS_PER_MILLI = 1000;

    private Cells() {}

    static UTF8String text(String value) {
        return UTF8String.fromString(value);
    }

    static @Nullable UTF8String text(Optional<String> value) {
        return value.map(UTF8String::fromString).orElse(null);
    }

    static @Nullable Long number(OptionalLong value) {
        return value.isPresent() ? (Long) value.getAsLong() : null;
    }

    static @Nullable Integer number(OptionalInt value) {
        return value.isPresent() ? (Integer) value.getAsInt() : null;
    }

    static byte @Nullable [] bytes(Optional<Bytes> value) {
        return value.map(Bytes::toArray).orElse(null);
    }

    /** A timestamp of milliseconds since 1970. */
    static Long time(long millis) {
        return Math.multiplyExact(millis, MICROS_PER_MILLI);
    }

    static ArrayData list(List<?> values) {
        return new GenericArrayData(values.toArray());
    }

    static <K, V> MapData map(Map<K, V> map, Function<K, Object> key, Function<V, Object> value) {
        var keys = new Object[map.size()];
        var values = new Object[map.size()];
        int i = 0;
        for (Map.Entry<K, V> entry : map.entrySet()) {
            keys[i] = key.apply(entry.getKey());
            values[i] = value.apply(entry.getValue());
            i++;
        }
        return new ArrayBasedMapData(new GenericArrayData(keys), new GenericArrayData(values));
    }
}
