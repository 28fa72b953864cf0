package dev.calve.schema;

import java.util.Optional;

/**
 * Shortens bounds of strings and bytes so that they still bound. A lower bound is a prefix; an upper bound is a prefix
 * whose last unit was increased. Units are code points of strings and bytes of fixed and binary; values of other types,
 * and values that are short enough, stay as they are. Spec: Manifests, {@code lower_bounds} and {@code upper_bounds}.
 */
public final class BoundTruncation {

    private BoundTruncation() {}

    /**
     * A value that is not above the given one.
     *
     * @param length most units to keep, 1 or more
     */
    public static Object lower(Type type, Object value, int length) {
        if (type == Type.Simple.STRING) {
            return lower((String) value, length);
        }
        return isBytes(type) ? ((Bytes) value).prefix(length) : value;
    }

    /**
     * A value that is not below the given one; empty if none is that short, and then the bound must be left out.
     *
     * @param length most units to keep, 1 or more
     */
    public static Optional<Object> upper(Type type, Object value, int length) {
        if (type == Type.Simple.STRING) {
            return upper((String) value, length).map(bound -> bound);
        }
        return isBytes(type) ? upper((Bytes) value, length).map(bound -> bound) : Optional.of(value);
    }

    public static String lower(String value, int codePoints) {
        return isShort(value, codePoints) ? value : value.substring(0, value.offsetByCodePoints(0, codePoints));
    }

    /** Empty if every code point of the prefix is the highest one. */
    public static Optional<String> upper(String value, int codePoints) {
        if (isShort(value, codePoints)) {
            return Optional.of(value);
        }
        int end = value.offsetByCodePoints(0, codePoints);
        while (end > 0) {
            int last = value.codePointBefore(end);
            end -= Character.charCount(last);
            if (last < Character.MAX_CODE_POINT) {
                return Optional.of(value.substring(0, end) + Character.toString(next(last)));
            }
        }
        return Optional.empty();
    }

    /** The next code point that UTF-8 can encode: surrogates are skipped. */
    private static int next(int codePoint) {
        boolean beforeSurrogates = codePoint >= Character.MIN_SURROGATE - 1 && codePoint <= Character.MAX_SURROGATE;
        return beforeSurrogates ? Character.MAX_SURROGATE + 1 : codePoint + 1;
    }

    private static boolean isShort(String value, int codePoints) {
        return value.length() <= codePoints || value.codePointCount(0, value.length()) <= codePoints;
    }

    /** Empty if every byte of the prefix is 0xFF. */
    public static Optional<Bytes> upper(Bytes value, int length) {
        if (value.length() <= length) {
            return Optional.of(value);
        }
        for (int last = length - 1; last >= 0; last--) {
            if (value.at(last) != (byte) 0xff) {
                byte[] bound = value.prefix(last + 1).toArray();
                bound[last]++;
                return Optional.of(Bytes.wrap(bound));
            }
        }
        return Optional.empty();
    }

    private static boolean isBytes(Type type) {
        return type == Type.Simple.BINARY || type instanceof Type.Fixed;
    }
}
