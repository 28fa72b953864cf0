package dev.calve.expression;

import dev.calve.Randomly;
import dev.calve.expression.Expression.Column;
import dev.calve.expression.Expression.Not;
import dev.calve.expression.Expression.Operator;
import dev.calve.expression.Expression.Term;
import dev.calve.expression.Expression.Transformed;
import dev.calve.partition.FieldSummary;
import dev.calve.partition.PartitionField;
import dev.calve.partition.PartitionSpec;
import dev.calve.partition.PartitionTuple;
import dev.calve.partition.Transform;
import dev.calve.partition.Transforms;
import dev.calve.schema.Bytes;
import dev.calve.schema.Field;
import dev.calve.schema.Schema;
import dev.calve.schema.Type;
import dev.calve.schema.ValueCodec;
import dev.calve.schema.Values;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Random rows, partition specs and expressions over a fixed schema whose value pools are small and full of edges. */
public final class Samples {

    /** SQL's meaning of a predicate, written down apart from the code under test. */
    public interface Oracle {
        Truth on(RowValues row);
    }

    public record Case(Expression expression, Oracle oracle) {}

    private static final Type DECIMAL = new Type.Decimal(4, 2);

    public static final Schema SCHEMA = new Schema(
            0,
            List.of(
                    Field.optional(1, "int", Type.Simple.INT),
                    Field.optional(2, "long", Type.Simple.LONG),
                    Field.optional(3, "float", Type.Simple.FLOAT),
                    Field.optional(4, "double", Type.Simple.DOUBLE),
                    Field.optional(5, "string", Type.Simple.STRING),
                    Field.optional(6, "date", Type.Simple.DATE),
                    Field.optional(7, "timestamp", Type.Simple.TIMESTAMP),
                    Field.optional(8, "nanos", Type.Simple.TIMESTAMPTZ_NS),
                    Field.optional(9, "decimal", DECIMAL),
                    Field.optional(10, "binary", Type.Simple.BINARY),
                    Field.optional(11, "boolean", Type.Simple.BOOLEAN),
                    Field.optional(12, "uuid", Type.Simple.UUID),
                    Field.optional(13, "time", Type.Simple.TIME),
                    Field.required(14, "requiredInt", Type.Simple.INT)));

    private static final List<Transform> TRANSFORMS = List.of(
            Transform.IDENTITY,
            new Transform.Bucket(2),
            new Transform.Bucket(7),
            new Transform.Truncate(1),
            new Transform.Truncate(2),
            new Transform.Truncate(3),
            new Transform.Truncate(10),
            Transform.Time.YEAR,
            Transform.Time.MONTH,
            Transform.Time.DAY,
            Transform.Time.HOUR,
            Transform.VOID);

    private final Randomly random;

    public Samples(Randomly random) {
        this.random = random;
    }

    /** Rows of two or three columns' worth of values; every column has one, or null. */
    public List<Map<Integer, Object>> rows(int most) {
        int nullPercent = random.oneOf(0, 0, 20, 100);
        int size = random.intBetween(1, most);
        var rows = new ArrayList<Map<Integer, Object>>();
        for (int i = 0; i < size; i++) {
            var row = new HashMap<Integer, Object>();
            for (Field field : SCHEMA.fields()) {
                if (field.required() || !random.percent(nullPercent)) {
                    row.put(field.id(), value(field.type()));
                }
            }
            rows.add(row);
        }
        return rows;
    }

    public Object value(Type type) {
        if (type instanceof Type.Decimal decimal) {
            return new BigDecimal(random.oneOf(
                            "-10.01", "-10.00", "-0.11", "-0.10", "-0.01", "0.00", "0.01", "0.09", "99.99"))
                    .setScale(decimal.scale());
        }
        return switch ((Type.Simple) type) {
            case BOOLEAN -> random.yes();
            case INT -> integer();
            case LONG ->
                random.yes()
                        ? (Object) (long) integer()
                        : (Object) random.oneOf(
                                Long.MIN_VALUE,
                                Long.MIN_VALUE + 1,
                                Long.MIN_VALUE + 9,
                                Long.MAX_VALUE - 1,
                                Long.MAX_VALUE);
            case FLOAT ->
                random.oneOf(
                        Float.NaN,
                        -0f,
                        0f,
                        1.5f,
                        -1.5f,
                        Float.MAX_VALUE,
                        Float.POSITIVE_INFINITY,
                        Float.NEGATIVE_INFINITY);
            case DOUBLE ->
                random.oneOf(
                        Double.NaN,
                        -0d,
                        0d,
                        Double.MIN_VALUE,
                        -2.5,
                        Double.POSITIVE_INFINITY,
                        Double.NEGATIVE_INFINITY);
            case DATE -> days();
            case TIME -> random.oneOf(0L, 1L, 3_599_999_999L, 86_399_999_999L);
            case TIMESTAMP, TIMESTAMPTZ ->
                days() * 86_400_000_000L + random.oneOf(0L, 1L, 3_599_999_999L, 86_399_999_999L);
            case TIMESTAMP_NS, TIMESTAMPTZ_NS ->
                days() * 86_400_000_000_000L + random.oneOf(0L, 1L, 999L, 3_599_999_999_999L, 86_399_999_999_999L);
            case STRING -> string(4);
            case UUID -> new UUID(random.oneOf(-1L, 0L, 1L, Long.MIN_VALUE), random.oneOf(-1L, 1L));
            case BINARY -> binary();
            case VARIANT, UNKNOWN -> throw new IllegalArgumentException(type.toString());
        };
    }

    private int integer() {
        return random.yes()
                ? random.intBetween(-12, 12)
                : random.oneOf(
                        Integer.MIN_VALUE,
                        Integer.MIN_VALUE + 1,
                        Integer.MIN_VALUE + 9,
                        -1,
                        0,
                        1,
                        Integer.MAX_VALUE - 1,
                        Integer.MAX_VALUE);
    }

    private int days() {
        return random.oneOf(-731, -366, -365, -32, -31, -2, -1, 0, 1, 30, 31, 364, 365);
    }

    private String string(int most) {
        var text = new StringBuilder();
        for (int i = random.intBelow(most + 1); i > 0; i--) {
            text.append(random.oneOf("a", "a", "b", "\u00e9", "\uE000", "\uFFFF", "\uD83D\uDE00", "\uD800\uDC00"));
        }
        return text.toString();
    }

    private Bytes binary() {
        var bytes = new byte[random.intBelow(4)];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = random.oneOf((byte) 0, (byte) 1, (byte) 0x7f, (byte) 0x80, (byte) 0xff);
        }
        return Bytes.wrap(bytes);
    }

    private Column column() {
        Field field = random.oneOf(SCHEMA.fields());
        return new Column(field.id(), field.type(), field.required());
    }

    private Transform transformFor(Type type) {
        return random.oneOf(TRANSFORMS.stream()
                .filter(transform -> Transforms.canApply(transform, type))
                .toList());
    }

    public PartitionSpec spec() {
        var fields = new ArrayList<PartitionField>();
        int size = random.intBetween(1, 3);
        for (int i = 0; i < size; i++) {
            Column column = column();
            Transform transform = random.percent(5) ? new Transform.Unknown("zorder") : transformFor(column.type());
            fields.add(PartitionField.of(column.fieldId(), 1000 + i, "p" + i, transform));
        }
        return new PartitionSpec(0, fields);
    }

    /** The tuple a writer stores for the row; early ones rounded negative times up. */
    PartitionTuple tuple(PartitionSpec spec, Map<Integer, Object> row) {
        var values = new ArrayList<@Nullable Object>();
        for (PartitionField field : spec.fields()) {
            Type source = SCHEMA.field(field.sourceId()).orElseThrow().type();
            if (field.transform() instanceof Transform.Unknown) {
                values.add("z");
                continue;
            }
            Object value = Transforms.apply(field.transform(), source, row.get(field.sourceId()));
            boolean rounds = field.transform() instanceof Transform.Time time
                    && !(time == Transform.Time.DAY && source == Type.Simple.DATE);
            if (rounds && value instanceof Integer unit && unit < 0 && random.percent(30)) {
                value = unit + 1;
            }
            values.add(value);
        }
        return PartitionTuple.copyOf(values);
    }

    /** An expression that looks mostly at the columns of the spec. */
    public Case expression(PartitionSpec spec, int depth) {
        int choice = random.intBelow(depth > 0 ? 10 : 6);
        if (choice < 6) {
            return predicate(spec);
        }
        if (choice < 7) {
            Case part = expression(spec, depth - 1);
            Expression negated = random.yes() ? new Not(part.expression()) : Expressions.not(part.expression());
            return new Case(negated, row -> part.oracle().on(row).negated());
        }
        var parts = new ArrayList<Case>();
        int size = random.intBetween(1, 3);
        for (int i = 0; i < size; i++) {
            parts.add(expression(spec, depth - 1));
        }
        List<Expression> expressions = parts.stream().map(Case::expression).toList();
        return choice < 9
                ? new Case(Expressions.and(expressions), row -> and(parts, row))
                : new Case(
                        Expressions.or(expressions),
                        row -> and(negated(parts), row).negated());
    }

    private static List<Case> negated(List<Case> parts) {
        return parts.stream()
                .map(part ->
                        new Case(part.expression(), row -> part.oracle().on(row).negated()))
                .toList();
    }

    private static Truth and(List<Case> parts, RowValues row) {
        List<Truth> truths = parts.stream().map(part -> part.oracle().on(row)).toList();
        if (truths.contains(Truth.FALSE)) {
            return Truth.FALSE;
        }
        return truths.contains(Truth.UNKNOWN) ? Truth.UNKNOWN : Truth.TRUE;
    }

    private Case predicate(PartitionSpec spec) {
        Column column = column();
        Transform transform = Transform.IDENTITY;
        if (random.percent(80)) {
            PartitionField field = random.oneOf(spec.fields());
            Field source = SCHEMA.field(field.sourceId()).orElseThrow();
            column = new Column(source.id(), source.type(), source.required());
            transform = field.transform();
        }
        Term term = column;
        if (random.percent(20) && !(transform instanceof Transform.Void || transform instanceof Transform.Unknown)) {
            term = Expressions.transformed(column, random.yes() ? transform : transformFor(column.type()));
        }
        return predicate(term);
    }

    private Object literal(Term term) {
        Object value = value(term.column().type());
        if (term instanceof Transformed transformed) {
            Object result =
                    Transforms.apply(transformed.transform(), term.column().type(), value);
            return result == null ? value : result;
        }
        return value;
    }

    private static @Nullable Object of(Term term, RowValues row) {
        Object value = row.value(term.column().fieldId());
        return term instanceof Transformed transformed
                ? Transforms.apply(transformed.transform(), term.column().type(), value)
                : value;
    }

    private Case predicate(Term term) {
        int choice = random.intBelow(20);
        if (choice == 0) {
            return new Case(Expressions.isNull(term), row -> Truth.of(of(term, row) == null));
        }
        if (choice == 1) {
            return new Case(Expressions.notNull(term), row -> Truth.of(of(term, row) != null));
        }
        if (choice == 2) {
            return new Case(Expressions.isNaN(term), row -> Truth.of(isNaN(of(term, row))));
        }
        if (choice == 3) {
            Object literal = literal(term);
            return new Case(Expressions.nullSafeEqual(term, literal), row -> {
                Object value = of(term, row);
                return Truth.of(value != null && sqlCompare(value, literal) == 0);
            });
        }
        if (choice < 7) {
            List<Object> literals = random.listOf(4, () -> literal(term));
            return new Case(Expressions.in(term, literals), row -> {
                Object value = of(term, row);
                if (value == null && !literals.isEmpty()) {
                    return Truth.UNKNOWN;
                }
                return Truth.of(
                        value != null && literals.stream().anyMatch(literal -> sqlCompare(value, literal) == 0));
            });
        }
        if (choice < 10 && term.type() == Type.Simple.STRING) {
            String prefix = string(3);
            return new Case(Expressions.startsWith(term, prefix), row -> {
                Object value = of(term, row);
                return value == null ? Truth.UNKNOWN : Truth.of(utf8(value).startsWith(utf8(prefix)));
            });
        }
        Object literal = literal(term);
        Operator operator = random.oneOf(Operator.values());
        return new Case(Expressions.comparison(term, operator, literal), row -> {
            Object value = of(term, row);
            if (value == null) {
                return Truth.UNKNOWN;
            }
            int order = sqlCompare(value, literal);
            return Truth.of(
                    switch (operator) {
                        case EQUAL -> order == 0;
                        case NOT_EQUAL -> order != 0;
                        case LESS -> order < 0;
                        case LESS_OR_EQUAL -> order <= 0;
                        case GREATER -> order > 0;
                        case GREATER_OR_EQUAL -> order >= 0;
                    });
        });
    }

    private static boolean isNaN(@Nullable Object value) {
        return value instanceof Number number && Double.isNaN(number.doubleValue());
    }

    private static Bytes utf8(Object text) {
        return Bytes.wrap(((String) text).getBytes(StandardCharsets.UTF_8));
    }

    @SuppressWarnings("unchecked")
    private static int sqlCompare(Object left, Object right) {
        if (left instanceof String) {
            return utf8(left).compareTo(utf8(right));
        }
        if (left instanceof UUID) {
            return left.toString().compareTo(right.toString());
        }
        if (left instanceof Float || left instanceof Double) {
            double a = ((Number) left).doubleValue();
            double b = ((Number) right).doubleValue();
            return a == b ? 0 : Double.compare(a, b);
        }
        return ((Comparable<Object>) left).compareTo(right);
    }

    /** What a writer may record of the rows: bounds cut or left out, counts left out, nulls of nested fields not counted. */
    Metrics metrics(List<Map<Integer, Object>> rows) {
        var values = new HashMap<Integer, Long>();
        var nulls = new HashMap<Integer, Long>();
        var nans = new HashMap<Integer, Long>();
        var lower = new HashMap<Integer, Bytes>();
        var upper = new HashMap<Integer, Bytes>();
        for (Field field : SCHEMA.fields()) {
            int id = field.id();
            List<@Nullable Object> column = new ArrayList<>();
            rows.forEach(row -> column.add(row.get(id)));
            long nullCount = column.stream().filter(Objects::isNull).count();
            boolean countsNulls = random.percent(80);
            keep(values, id, rows.size() - (countsNulls ? 0 : nullCount));
            keep(nulls, id, countsNulls ? nullCount : 0);
            if (field.type().isFloating()) {
                keep(nans, id, column.stream().filter(Samples::isNaN).count());
            }
            List<Object> ordinary = ordinary(field.type(), column);
            if (!ordinary.isEmpty()) {
                int cut = random.oneOf(1, 2, 3, 100);
                keep(lower, id, lowerBound(field.type(), ordinary.get(0), cut));
                keep(upper, id, upperBound(field.type(), ordinary.get(ordinary.size() - 1), cut));
            }
        }
        return new Metrics(rows.size(), Map.of(), values, nulls, nans, lower, upper);
    }

    private <T> void keep(Map<Integer, T> map, int id, T value) {
        if (random.percent(85)) {
            map.put(id, value);
        }
    }

    private static List<Object> ordinary(Type type, List<@Nullable Object> values) {
        var ordinary = new ArrayList<Object>();
        for (Object value : values) {
            if (value != null && !isNaN(value)) {
                ordinary.add(value);
            }
        }
        ordinary.sort(Values.comparator(type));
        return ordinary;
    }

    private static Bytes lowerBound(Type type, Object least, int cut) {
        return ValueCodec.encode(type, isCut(least, cut) ? prefix(least, cut) : least);
    }

    private static Bytes upperBound(Type type, Object most, int cut) {
        if (!isCut(most, cut)) {
            return ValueCodec.encode(type, most);
        }
        // Above everything that starts with the prefix, as nothing generated contains what is appended.
        if (most instanceof String) {
            return ValueCodec.encode(type, prefix(most, cut) + "\uDBFF\uDFFF");
        }
        byte[] above = Arrays.copyOf(((Bytes) most).prefix(cut).toArray(), cut + 4);
        Arrays.fill(above, cut, cut + 4, (byte) 0xff);
        return Bytes.wrap(above);
    }

    private static boolean isCut(Object value, int cut) {
        return !prefix(value, cut).equals(value);
    }

    private static Object prefix(Object value, int cut) {
        if (value instanceof String text) {
            int[] points = text.codePoints().limit(cut).toArray();
            return new String(points, 0, points.length);
        }
        return value instanceof Bytes bytes ? bytes.prefix(cut) : value;
    }

    Optional<List<FieldSummary>> summaries(PartitionSpec spec, List<PartitionTuple> tuples) {
        if (random.percent(5)) {
            return Optional.empty();
        }
        var summaries = new ArrayList<FieldSummary>();
        List<Field> fields = spec.partitionType(SCHEMA).fields();
        for (int i = 0; i < fields.size(); i++) {
            int index = i;
            Type type = fields.get(i).type();
            List<@Nullable Object> column = new ArrayList<>();
            tuples.forEach(tuple -> column.add(tuple.values().get(index)));
            List<Object> ordinary = ordinary(type, column);
            boolean hasNaN = column.stream().anyMatch(Samples::isNaN);
            summaries.add(new FieldSummary(
                    column.contains(null),
                    random.percent(80) ? Optional.of(hasNaN) : Optional.empty(),
                    ordinary.isEmpty() ? Optional.empty() : Optional.of(ValueCodec.encode(type, ordinary.get(0))),
                    ordinary.isEmpty()
                            ? Optional.empty()
                            : Optional.of(ValueCodec.encode(type, ordinary.get(ordinary.size() - 1)))));
        }
        return Optional.of(summaries);
    }
}
