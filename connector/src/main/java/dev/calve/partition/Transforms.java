package dev.calve.partition;

import dev.calve.schema.Bytes;
import dev.calve.schema.TimeText;
import dev.calve.schema.Type;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.util.Base64;
import java.util.Locale;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What the transforms compute. Spec: Partition Transforms, and Appendix B for the hash. Every transform keeps null. */
public final class Transforms {

    private static final long MICROS_PER_HOUR = 3_600_000_000L;
    private static final long NANOS_PER_MICRO = 1_000L;
    private static final int EPOCH_YEAR = 1970;

    private Transforms() {}

    /**
     * The type of the partition values. A transform that is not known is typed string, as its values are in peers; of a
     * source that is not known, identity and truncate stay unknown.
     */
    public static Type resultType(Transform transform, Type source) {
        if (transform instanceof Transform.Bucket) {
            return Type.Simple.INT;
        }
        if (transform instanceof Transform.Time time) {
            // Spec: the result of day is a date, which is why its bounds and its text are dates as well.
            return time == Transform.Time.DAY ? Type.Simple.DATE : Type.Simple.INT;
        }
        if (transform instanceof Transform.Unknown) {
            return Type.Simple.STRING;
        }
        return source;
    }

    /** Whether the transform is defined for sources of the type; no transform that is not known can be applied. */
    public static boolean canApply(Transform transform, Type source) {
        if (transform instanceof Transform.Void) {
            return true;
        }
        if (!source.isPrimitive() || transform instanceof Transform.Unknown) {
            return false;
        }
        if (transform instanceof Transform.Identity) {
            return source != Type.Simple.VARIANT
                    && !(source instanceof Type.Geometry)
                    && !(source instanceof Type.Geography);
        }
        if (source instanceof Type.Decimal) {
            return transform instanceof Transform.Bucket || transform instanceof Transform.Truncate;
        }
        if (source instanceof Type.Fixed) {
            return transform instanceof Transform.Bucket;
        }
        if (!(source instanceof Type.Simple simple)) {
            return false;
        }
        return switch (simple) {
            case INT, LONG, STRING, BINARY ->
                transform instanceof Transform.Bucket || transform instanceof Transform.Truncate;
            case DATE ->
                transform instanceof Transform.Bucket
                        || (transform instanceof Transform.Time && transform != Transform.Time.HOUR);
            case TIMESTAMP, TIMESTAMPTZ, TIMESTAMP_NS, TIMESTAMPTZ_NS ->
                transform instanceof Transform.Bucket || transform instanceof Transform.Time;
            case TIME, UUID -> transform instanceof Transform.Bucket;
            case BOOLEAN, FLOAT, DOUBLE, VARIANT, UNKNOWN -> false;
        };
    }

    /**
     * The partition value of a source value, as {@code schema} names the classes of both.
     *
     * @throws UnsupportedOperationException if the transform is not known
     * @throws IllegalArgumentException if it is not defined for the type
     */
    public static @Nullable Object apply(Transform transform, Type source, @Nullable Object value) {
        if (transform instanceof Transform.Unknown) {
            throw new UnsupportedOperationException("Cannot compute partition values with transform '" + transform
                    + "': this version of the connector does not know it.");
        }
        if (value == null || transform instanceof Transform.Void) {
            return null;
        }
        if (transform instanceof Transform.Identity) {
            return value;
        }
        if (transform instanceof Transform.Bucket bucket) {
            return bucketOf(bucketHash(source, value), bucket.count());
        }
        if (transform instanceof Transform.Truncate truncate) {
            return truncate(source, value, truncate.width());
        }
        return time((Transform.Time) transform, source, value);
    }

    /** The bucket of a hash, from 0 to {@code count - 1}. */
    public static int bucketOf(int hash, int count) {
        return (hash & Integer.MAX_VALUE) % count;
    }

    /**
     * The hash that bucket takes modulo its count.
     *
     * @throws IllegalArgumentException if bucket is not defined for the type
     */
    public static int bucketHash(Type source, Object value) {
        if (source instanceof Type.Decimal) {
            return Murmur3.hash(((BigDecimal) value).unscaledValue().toByteArray());
        }
        if (source instanceof Type.Fixed) {
            return Murmur3.hash(((Bytes) value).toArray());
        }
        if (source instanceof Type.Simple simple) {
            return switch (simple) {
                case INT, DATE -> Murmur3.hash((long) (Integer) value);
                case LONG, TIME, TIMESTAMP, TIMESTAMPTZ -> Murmur3.hash((long) (Long) value);
                // Spec: hashed as microseconds, so that the bucket does not depend on the unit.
                case TIMESTAMP_NS, TIMESTAMPTZ_NS -> Murmur3.hash(Math.floorDiv((Long) value, NANOS_PER_MICRO));
                case STRING -> Murmur3.hash(((String) value).getBytes(StandardCharsets.UTF_8));
                case UUID -> hash((UUID) value);
                case BINARY -> Murmur3.hash(((Bytes) value).toArray());
                case BOOLEAN, FLOAT, DOUBLE, VARIANT, UNKNOWN -> throw notDefined("bucket", source);
            };
        }
        throw notDefined("bucket", source);
    }

    /** The hash reads little-endian words, a uuid is big-endian bytes. */
    private static int hash(UUID uuid) {
        return Murmur3.hash(
                Long.reverseBytes(uuid.getMostSignificantBits()), Long.reverseBytes(uuid.getLeastSignificantBits()));
    }

    private static Object truncate(Type source, Object value, int width) {
        if (source == Type.Simple.INT) {
            int number = (Integer) value;
            return number - Math.floorMod(number, width);
        }
        if (source == Type.Simple.LONG) {
            long number = (Long) value;
            return number - Math.floorMod(number, (long) width);
        }
        if (source == Type.Simple.STRING) {
            return prefix((String) value, width);
        }
        if (source == Type.Simple.BINARY) {
            return ((Bytes) value).prefix(width);
        }
        if (source instanceof Type.Decimal) {
            var number = (BigDecimal) value;
            BigInteger unscaled = number.unscaledValue();
            BigInteger rest = unscaled.mod(BigInteger.valueOf(width));
            return new BigDecimal(unscaled.subtract(rest), number.scale());
        }
        throw notDefined("truncate", source);
    }

    private static String prefix(String text, int codePoints) {
        if (text.length() <= codePoints || text.codePointCount(0, text.length()) <= codePoints) {
            return text;
        }
        return text.substring(0, text.offsetByCodePoints(0, codePoints));
    }

    private static int time(Transform.Time transform, Type source, Object value) {
        if (source == Type.Simple.DATE && transform != Transform.Time.HOUR) {
            return fromDays(transform, (Integer) value);
        }
        if (!(source instanceof Type.Simple simple)) {
            throw notDefined(transform.toString(), source);
        }
        long hours = switch (simple) {
            case TIMESTAMP, TIMESTAMPTZ -> Math.floorDiv((Long) value, MICROS_PER_HOUR);
            case TIMESTAMP_NS, TIMESTAMPTZ_NS -> Math.floorDiv((Long) value, MICROS_PER_HOUR * NANOS_PER_MICRO);
            default -> throw notDefined(transform.toString(), source);
        };
        return transform == Transform.Time.HOUR
                ? Math.toIntExact(hours)
                : fromDays(transform, Math.toIntExact(Math.floorDiv(hours, 24L)));
    }

    private static int fromDays(Transform.Time transform, int days) {
        if (transform == Transform.Time.DAY) {
            return days;
        }
        LocalDate date = LocalDate.ofEpochDay(days);
        int years = date.getYear() - EPOCH_YEAR;
        return transform == Transform.Time.YEAR ? years : years * 12 + date.getMonthValue() - 1;
    }

    /**
     * A partition value as people read it, the text of partition paths; {@code null} for null.
     *
     * @param type the source's type; where that and {@link #resultType} differ, either will do
     */
    public static String toHuman(Transform transform, Type type, @Nullable Object partitionValue) {
        if (partitionValue == null || transform instanceof Transform.Void) {
            return "null";
        }
        if (transform instanceof Transform.Time time) {
            int value = (Integer) partitionValue;
            return switch (time) {
                case YEAR -> String.format(Locale.ROOT, "%04d", EPOCH_YEAR + value);
                case MONTH ->
                    String.format(
                            Locale.ROOT,
                            "%04d-%02d",
                            EPOCH_YEAR + Math.floorDiv(value, 12),
                            Math.floorMod(value, 12) + 1);
                case DAY -> TimeText.date(value);
                case HOUR ->
                    String.format(
                            Locale.ROOT, "%s-%02d", TimeText.date(Math.floorDiv(value, 24)), Math.floorMod(value, 24));
            };
        }
        if (transform instanceof Transform.Identity || transform instanceof Transform.Truncate) {
            return valueToHuman(type, partitionValue);
        }
        return partitionValue.toString();
    }

    private static String valueToHuman(Type type, Object value) {
        if (value instanceof Bytes bytes) {
            return Base64.getEncoder().encodeToString(bytes.toArray());
        }
        if (value instanceof BigDecimal decimal) {
            return decimal.toPlainString();
        }
        if (!(type instanceof Type.Simple simple)) {
            return value.toString();
        }
        return switch (simple) {
            case DATE -> TimeText.date((Integer) value);
            case TIME -> TimeText.time((Long) value);
            case TIMESTAMP -> TimeText.timestamp((Long) value, false, false);
            case TIMESTAMPTZ -> TimeText.timestamp((Long) value, false, true);
            case TIMESTAMP_NS -> TimeText.timestamp((Long) value, true, false);
            case TIMESTAMPTZ_NS -> TimeText.timestamp((Long) value, true, true);
            case BOOLEAN, INT, LONG, FLOAT, DOUBLE, STRING, UUID, BINARY, VARIANT, UNKNOWN -> value.toString();
        };
    }

    private static IllegalArgumentException notDefined(String transform, Type source) {
        return new IllegalArgumentException(
                "Transform '" + transform + "' must have a source of a type it is defined for, not " + source + ".");
    }
}
