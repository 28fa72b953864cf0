package dev.calve.it;

import dev.calve.it.ModelTable.Column;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import scala.jdk.javaapi.CollectionConverters;

/** Random types, values, conditions and new values for the columns of a {@link ModelTable}, as SQL never fails on. */
final class ModelValues {

    static final StructType STRUCT =
            new StructType().add("x", DataTypes.IntegerType).add("y", DataTypes.StringType);

    private static final List<DataType> TYPES = List.of(
            DataTypes.IntegerType,
            DataTypes.IntegerType,
            DataTypes.LongType,
            DataTypes.StringType,
            DataTypes.StringType,
            new DecimalType(9, 2),
            DataTypes.FloatType,
            DataTypes.DoubleType,
            DataTypes.BooleanType,
            DataTypes.DateType,
            DataTypes.TimestampType,
            STRUCT,
            DataTypes.createArrayType(DataTypes.IntegerType),
            DataTypes.createMapType(DataTypes.StringType, DataTypes.IntegerType));

    private final Randomly random;

    ModelValues(Randomly random) {
        this.random = random;
    }

    DataType type() {
        return random.oneOf(TYPES);
    }

    /** Null for one in six. */
    Object value(DataType type) {
        return random.intBelow(6) == 0 ? null : present(type);
    }

    private Object present(DataType type) {
        if (type instanceof StructType struct) {
            var fields = new ArrayList<>();
            for (StructField field : struct.fields()) {
                fields.add(value(field.dataType()));
            }
            return RowFactory.create(fields.toArray());
        }
        if (type instanceof ArrayType array) {
            var elements = new ArrayList<>();
            for (int i = random.intBelow(3); i > 0; i--) {
                elements.add(value(array.elementType()));
            }
            return CollectionConverters.asScala(elements);
        }
        if (type instanceof MapType map) {
            Map<Object, Object> entries = new LinkedHashMap<>();
            for (int i = random.intBelow(3); i > 0; i--) {
                entries.put("k" + i, value(map.valueType()));
            }
            return CollectionConverters.asScala(entries);
        }
        if (type instanceof DecimalType decimal) {
            return new BigDecimal(random.intBetween(-300, 300)).movePointLeft(2).setScale(decimal.scale());
        }
        return switch (type.typeName()) {
            case "integer" -> random.intBetween(-3, 12);
            case "long" -> random.oneOf(-1L, 0L, 1L, 5L, 9L, 3_000_000_000L, (long) random.intBelow(20));
            case "string" -> random.oneOf("", "a", "b", "ab", "A b", "a/b=c", "\u00e9\ud83d\ude00", "it's", "zz");
            case "float" -> random.oneOf(-0.0f, 0.0f, 1.5f, Float.NaN, -2.25f, Float.POSITIVE_INFINITY);
            case "double" -> random.oneOf(-0.0, 0.0, 1.5, Double.NaN, -2.25, Double.NEGATIVE_INFINITY);
            case "boolean" -> random.yes();
            case "date" -> LocalDate.of(2020, 1, 1).plusDays(random.intBetween(-40, 40));
            case "timestamp" ->
                Instant.parse("2020-01-01T00:00:00Z")
                        .plusSeconds(random.intBetween(-200, 200) * 3_600L + random.intBelow(3))
                        .plusNanos(random.intBelow(3) * 1_000L);
            default -> throw new IllegalStateException(type.sql());
        };
    }

    /** The value as SQL of exactly the type. */
    static String literal(Object value, DataType type) {
        return "CAST(" + text(value, type) + " AS " + type.sql() + ")";
    }

    private static String text(Object value, DataType type) {
        if (value == null) {
            return "NULL";
        }
        if (type instanceof StructType struct) {
            var fields = new ArrayList<String>();
            for (int i = 0; i < struct.size(); i++) {
                StructField field = struct.fields()[i];
                fields.add("'" + field.name() + "', " + literal(((Row) value).get(i), field.dataType()));
            }
            return "named_struct(" + String.join(", ", fields) + ")";
        }
        if (type instanceof ArrayType array) {
            List<String> elements = CollectionConverters.asJava((scala.collection.Seq<?>) value).stream()
                    .map(element -> literal(element, array.elementType()))
                    .toList();
            return "array(" + String.join(", ", elements) + ")";
        }
        if (type instanceof MapType map) {
            var entries = new ArrayList<String>();
            CollectionConverters.asJava((scala.collection.Map<?, ?>) value).forEach((key, mapped) -> {
                entries.add(literal(key, map.keyType()));
                entries.add(literal(mapped, map.valueType()));
            });
            return "map(" + String.join(", ", entries) + ")";
        }
        if (value instanceof String string) {
            return "'" + string.replace("'", "\\'") + "'";
        }
        return value instanceof Number || value instanceof Boolean
                ? value instanceof Float || value instanceof Double ? "'" + value + "'" : value.toString()
                : "'" + value + "'";
    }

    /**
     * A condition on columns; unknown where they are null, often.
     *
     * @param prefix before names of columns, such as {@code t.}
     * @param simple only what a connector is handed as a predicate
     */
    String condition(List<Column> columns, String prefix, boolean simple) {
        int kind = random.intBelow(10);
        if (kind == 0) {
            return "NOT (" + condition(columns, prefix, simple) + ")";
        }
        if (kind <= 2) {
            return "(" + condition(columns, prefix, simple) + (kind == 1 ? " AND " : " OR ")
                    + condition(columns, prefix, simple) + ")";
        }
        Column column = random.oneOf(columns);
        String name = prefix + column.name();
        if (column.type() instanceof StructType struct && random.percent(80)) {
            StructField field = random.oneOf(struct.fields());
            return comparison(name + "." + field.name(), field.dataType(), simple);
        }
        if (!simple && column.type() instanceof ArrayType) {
            return random.oneOf(
                    "array_contains(" + name + ", 3)", "size(" + name + ") > 1", "get(" + name + ", 0) > 2");
        }
        if (!simple && column.type() instanceof MapType) {
            return random.oneOf("element_at(" + name + ", 'k1') > 3", "size(" + name + ") = 1");
        }
        return comparison(name, column.type(), simple);
    }

    private String comparison(String name, DataType type, boolean simple) {
        boolean nested = type instanceof ArrayType || type instanceof MapType || type instanceof StructType;
        if (nested || random.intBelow(8) == 0) {
            return name + (random.yes() ? " IS NULL" : " IS NOT NULL");
        }
        String literal = literal(present(type), type);
        int kind = random.intBelow(10);
        if (kind == 0) {
            return name + " IN (" + literal + ", " + literal(present(type), type) + ", " + literal(present(type), type)
                    + ")";
        }
        if (kind == 1) {
            return name + " BETWEEN " + literal + " AND " + literal(present(type), type);
        }
        if (kind == 2) {
            return name + " <=> " + literal(value(type), type);
        }
        if (kind == 3 && type.equals(DataTypes.StringType)) {
            return name + random.oneOf(" LIKE 'a%'", " LIKE '%b'", " LIKE '%a%'");
        }
        if (kind <= 4 && !simple) {
            List<String> tests = switch (type.typeName()) {
                case "integer", "long" -> List.of(name + " % 3 = 1", name + " % 2 = 0", "abs(" + name + ") < 4");
                case "string" -> List.of("length(" + name + ") = 1", "upper(" + name + ") = 'A'", name + " RLIKE '^a'");
                case "date", "timestamp" ->
                    List.of("year(" + name + ") = 2019", "month(" + name + ") = 1", "day(" + name + ") > 15");
                default -> List.of();
            };
            if (!tests.isEmpty()) {
                return random.oneOf(tests);
            }
        }
        return name + random.oneOf(" = ", " <> ", " < ", " <= ", " > ", " >= ") + literal;
    }

    /** A new value of a type, made of values of the same type, perhaps. */
    String expression(DataType type, List<String> names) {
        String cast = " AS " + type.sql() + ")";
        if (names.isEmpty() || random.percent(35)) {
            return literal(value(type), type);
        }
        String name = random.oneOf(names);
        return switch (type.typeName()) {
            case "integer", "long" -> random.oneOf(name, "CAST(" + name + " % 50 + 1" + cast);
            case "string" -> random.oneOf(name, "right(concat(" + name + ", 'x'), 4)", "nullif(" + name + ", 'a')");
            // Not a change of sign: that of NaN depends on who computes it.
            case "double", "float" -> random.oneOf(name, "CAST(" + name + " + 1" + cast);
            case "boolean" -> random.oneOf(name, "NOT " + name);
            default -> name;
        };
    }
}
