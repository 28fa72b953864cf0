package dev.calve.manifest;

import dev.calve.io.InvalidTableException;
import java.util.Locale;

/** The format of a data or delete file. Manifests spell it in either case. */
public enum FileFormat {
    PARQUET,
    AVRO,
    ORC,
    PUFFIN;

    public static FileFormat parse(String text) {
        try {
            return valueOf(text.toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException e) {
            throw new InvalidTableException("file_format must be parquet, avro, orc or puffin, not '" + text + "'.", e);
        }
    }
}
