package dev.calve.schema;

import java.math.BigDecimal;
import java.util.Comparator;

/** The order of values of a primitive type, as the package describes it. */
public final class Values {

    private Values() {}

    /** Compares two non-null values of the type: NaN last, -0.0 before +0.0, strings by code point. */
    public static Comparator<Object> comparator(Type type) {
        if (type == Type.Simple.STRING) {
            return (left, right) -> compareByCodePoint((String) left, (String) right);
        }
        if (type instanceof Type.Decimal) {
            return (left, right) -> ((BigDecimal) left).compareTo((BigDecimal) right);
        }
        if (type == Type.Simple.UUID) {
            return Values::compareUuids;
        }
        return Values::compareNatural;
    }

    /** Compares strings as their UTF-8 bytes compare. */
    public static int compareByCodePoint(String left, String right) {
        int length = Math.min(left.length(), right.length());
        for (int i = 0; i < length; i++) {
            char a = left.charAt(i);
            char b = right.charAt(i);
            if (a != b) {
                boolean aSurrogate = Character.isSurrogate(a);
                if (aSurrogate != Character.isSurrogate(b)) {
                    return aSurrogate ? 1 : -1;
                }
                return Character.compare(a, b);
            }
        }
        return Integer.compare(left.length(), right.length());
    }

    private static int compareUuids(Object left, Object right) {
        var a = (java.util.UUID) left;
        var b = (java.util.UUID) right;
        int high = Long.compareUnsigned(a.getMostSignificantBits(), b.getMostSignificantBits());
        return high != 0 ? high : Long.compareUnsigned(a.getLeastSignificantBits(), b.getLeastSignificantBits());
    }

    @SuppressWarnings("unchecked")
    private static int compareNatural(Object left, Object right) {
        return ((Comparable<Object>) left).compareTo(right);
    }
}
