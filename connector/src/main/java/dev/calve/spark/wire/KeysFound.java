package dev.calve.spark.wire;

import java.io.Serializable;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What one task says of the keys it collected. */
public final class KeysFound implements Serializable {

    private static final long serialVersionUID = 1L;

    private final byte @Nullable [] keys;

    /** @param keys as {@link WantedKeys} has them; empty if there are too many */
    public KeysFound(Optional<byte[]> keys) {
        this.keys = keys.orElse(null);
    }

    /** Empty if there are too many. */
    public Optional<byte[]> keys() {
        return Optional.ofNullable(keys);
    }
}
