package dev.calve.schema;

import dev.calve.Randomly;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;

/** Random types, values and schemas for property tests. */
public final class AnyType {

    private AnyType() {}

    /** A primitive type that has single values. */
    public static Type withValues(Randomly random) {
        return random.oneOf(
                Type.Simple.BOOLEAN,
                Type.Simple.INT,
                Type.Simple.LONG,
                Type.Simple.FLOAT,
                Type.Simple.DOUBLE,
                Type.Simple.DATE,
                Type.Simple.TIME,
                Type.Simple.TIMESTAMP,
                Type.Simple.TIMESTAMPTZ,
                Type.Simple.TIMESTAMP_NS,
                Type.Simple.TIMESTAMPTZ_NS,
                Type.Simple.STRING,
                Type.Simple.UUID,
                Type.Simple.BINARY,
                new Type.Fixed(random.intBetween(0, 20)),
                decimal(random));
    }

    public static Type.Decimal decimal(Randomly random) {
        int precision = random.intBetween(1, 38);
        return new Type.Decimal(precision, random.intBetween(0, precision));
    }

    public static Type primitive(Randomly random) {
        return random.percent(80)
                ? withValues(random)
                : random.oneOf(
                        Type.Simple.VARIANT,
                        Type.Simple.UNKNOWN,
                        new Type.Geometry(""),
                        new Type.Geometry("srid:3857"),
                        new Type.Geography("", ""),
                        new Type.Geography("OGC:CRS84", ""),
                        new Type.Geography("OGC:CRS84", "karney"));
    }

    public static Object value(Randomly random, Type type) {
        if (type instanceof Type.Decimal decimal) {
            var digits = new BigInteger(1, random.bytes(16)).mod(BigInteger.TEN.pow(decimal.precision()));
            return new BigDecimal(random.yes() ? digits : digits.negate(), decimal.scale());
        }
        if (type instanceof Type.Fixed fixed) {
            return Bytes.wrap(random.bytes(fixed.length()));
        }
        return switch ((Type.Simple) type) {
            case BOOLEAN -> random.yes();
            case INT -> (int) random.anyLong();
            case DATE -> random.intBetween(-800_000, 800_000);
            case LONG, TIMESTAMP_NS, TIMESTAMPTZ_NS -> random.anyLong();
            case TIME -> random.longBelow(86_400_000_000L);
            case TIMESTAMP, TIMESTAMPTZ -> random.anyLong() / 1000;
            case FLOAT -> (float) random.anyLong() / 8;
            case DOUBLE -> (double) random.anyLong() / 8;
            case STRING -> random.string(12);
            case UUID -> new UUID(random.anyLong(), random.anyLong());
            case BINARY -> Bytes.wrap(random.bytes(random.intBelow(12)));
            case VARIANT, UNKNOWN -> throw new IllegalArgumentException("No values: " + type);
        };
    }

    /** A schema with unique ids and names, defaults and identifier fields, up to three levels deep. */
    public static Schema schema(Randomly random) {
        var ids = new AtomicInteger(random.intBelow(100));
        var struct = struct(random, ids, 3);
        var first = struct.fields().get(0).id();
        return new Schema(random.intBelow(50), struct, random.yes() ? Set.of() : Set.of(first));
    }

    private static Type.Struct struct(Randomly random, AtomicInteger ids, int depth) {
        List<Field> fields = new ArrayList<>();
        int size = random.intBetween(1, 6);
        for (int i = 0; i < size; i++) {
            int id = ids.incrementAndGet();
            Type type = type(random, ids, depth - 1);
            boolean hasValues = type instanceof Type.Fixed
                    || type instanceof Type.Decimal
                    || (type instanceof Type.Simple && type != Type.Simple.VARIANT && type != Type.Simple.UNKNOWN);
            fields.add(new Field(
                    id,
                    "f" + i + random.string(3).replace('.', '_'),
                    random.yes(),
                    type,
                    random.yes() ? Optional.of(random.string(20)) : Optional.empty(),
                    hasValues && random.percent(30) ? Optional.of(value(random, type)) : Optional.empty(),
                    hasValues && random.percent(30) ? Optional.of(value(random, type)) : Optional.empty()));
        }
        return new Type.Struct(fields);
    }

    private static Type type(Randomly random, AtomicInteger ids, int depth) {
        if (depth == 0 || random.percent(70)) {
            return primitive(random);
        }
        int id = ids.incrementAndGet();
        if (random.percent(40)) {
            return struct(random, ids, depth);
        }
        return random.yes()
                ? new Type.ListOf(id, random.yes(), type(random, ids, depth - 1))
                : new Type.MapOf(
                        id, primitive(random), ids.incrementAndGet(), random.yes(), type(random, ids, depth - 1));
    }
}
