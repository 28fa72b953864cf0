package dev.calve.manifest;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;

/**
 * What was made of the keys used last. For what is parsed from text that thousands of files repeat. Safe for use by several
 * threads; two of them may make the same value.
 */
final class Recent<K, V> {

    private final Map<K, V> made;

    /** @param most how many are kept */
    Recent(int most) {
        made = new LinkedHashMap<>(16, 0.75f, true) {
            private static final long serialVersionUID = 1L;

            @Override
            protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
                return size() > most;
            }
        };
    }

    /** The value of the key, made if it is not known; a key that cannot be made one of is tried anew each time. */
    V get(K key, Function<K, V> make) {
        synchronized (made) {
            V known = made.get(key);
            if (known != null) {
                return known;
            }
        }
        V value = make.apply(key);
        synchronized (made) {
            made.put(key, value);
        }
        return value;
    }
}
