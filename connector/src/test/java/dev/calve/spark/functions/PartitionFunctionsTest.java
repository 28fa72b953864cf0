package dev.calve.spark.functions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.partition.Transform;
import dev.calve.partition.Transforms;
import dev.calve.schema.Bytes;
import dev.calve.schema.Type;
import dev.calve.spark.convert.SparkTypes;
import dev.calve.spark.convert.SparkValues;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.apache.spark.sql.connector.catalog.functions.BoundFunction;
import org.apache.spark.sql.connector.catalog.functions.ScalarFunction;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

@SuppressWarnings("NullAway") // SQL NULL is null in Spark, which does not say so in its types.
class PartitionFunctionsTest {

    private static final Type.Decimal DECIMAL = new Type.Decimal(20, 2);

    private static BoundFunction bind(String name, DataType... arguments) {
        var type = new StructType();
        for (DataType argument : arguments) {
            type = type.add("c" + type.size(), argument);
        }
        return PartitionFunctions.named(name).orElseThrow().bind(type);
    }

    /** Calls a bound function as Spark's generated code does. */
    private static Object call(BoundFunction function, Object... arguments) throws ReflectiveOperationException {
        Class<?>[] classes = Arrays.stream(function.inputTypes())
                .map(PartitionFunctionsTest::javaClass)
                .toArray(Class<?>[]::new);
        Method invoke = function.getClass().getDeclaredMethod(ScalarFunction.MAGIC_METHOD_NAME, classes);
        assertThat(Modifier.isStatic(invoke.getModifiers()) && Modifier.isPublic(invoke.getModifiers()))
                .isTrue();
        return invoke.invoke(null, arguments);
    }

    private static Class<?> javaClass(DataType type) {
        return switch (type.typeName().replaceAll("\\(.*", "")) {
            case "byte" -> byte.class;
            case "short" -> short.class;
            case "integer", "date" -> int.class;
            case "long", "timestamp", "timestamp_ntz" -> long.class;
            case "decimal" -> Decimal.class;
            case "string" -> UTF8String.class;
            case "binary" -> byte[].class;
            default -> throw new IllegalArgumentException(type.typeName());
        };
    }

    /** The specification's hash vectors, bucketed by the largest count, which shows all bits but the sign's. */
    static Stream<Arguments> hashVectors() {
        return Stream.of(
                Arguments.of(DataTypes.IntegerType, 34, 2017239379),
                Arguments.of(DataTypes.LongType, 34L, 2017239379),
                Arguments.of(DataTypes.createDecimalType(9, 2), Decimal.apply(new BigDecimal("14.20")), -500754589),
                Arguments.of(DataTypes.DateType, 17486, -653330422),
                Arguments.of(DataTypes.TimestampType, 1510871468000000L, -2047944441),
                Arguments.of(DataTypes.TimestampNTZType, 1510871468000001L, -1207196810),
                Arguments.of(DataTypes.StringType, UTF8String.fromString("iceberg"), 1210000089),
                Arguments.of(DataTypes.BinaryType, new byte[] {0, 1, 2, 3}, -188683207));
    }

    @ParameterizedTest
    @MethodSource("hashVectors")
    void bucketsByTheSpecifiedHash(DataType type, Object value, int hash) throws ReflectiveOperationException {
        assertThat(call(bind("bucket", DataTypes.IntegerType, type), Integer.MAX_VALUE, value))
                .isEqualTo((hash & Integer.MAX_VALUE) % Integer.MAX_VALUE);
    }

    private static List<Object> values(Type type) {
        var random = new Random(7);
        var values = new ArrayList<Object>();
        for (int i = 0; i < 200; i++) {
            long number = i == 0 ? 0 : i == 1 ? -1 : random.nextLong() >> random.nextInt(64);
            if (type == Type.Simple.INT) {
                values.add((int) number);
            } else if (type == Type.Simple.DATE) {
                values.add((int) (number % 100_000));
            } else if (type == Type.Simple.LONG) {
                values.add(number);
            } else if (type == Type.Simple.TIMESTAMP || type == Type.Simple.TIMESTAMPTZ) {
                values.add(number % 8_000_000_000_000_000L);
            } else if (type == Type.Simple.STRING) {
                values.add(Long.toString(number, 36) + "äß€\uD83E\uDDCA" + number);
            } else if (type == Type.Simple.BINARY) {
                values.add(Bytes.copyOf(Long.toString(number).getBytes(StandardCharsets.UTF_8)));
            } else {
                values.add(BigDecimal.valueOf(number % 1_000_000_000_000_000_000L, 2));
            }
        }
        return values;
    }

    static Stream<Arguments> transforms() {
        var numbers = List.<Type>of(Type.Simple.INT, Type.Simple.LONG, Type.Simple.STRING, Type.Simple.BINARY, DECIMAL);
        var times = List.<Type>of(Type.Simple.DATE, Type.Simple.TIMESTAMP, Type.Simple.TIMESTAMPTZ);
        var all = new ArrayList<Arguments>();
        Stream.concat(numbers.stream(), times.stream())
                .forEach(type -> all.add(Arguments.of("bucket", new Transform.Bucket(13), type)));
        numbers.forEach(type -> all.add(Arguments.of("truncate", new Transform.Truncate(7), type)));
        for (Transform.Time time : Transform.Time.values()) {
            times.stream()
                    .filter(type -> Transforms.canApply(time, type))
                    .forEach(type -> all.add(Arguments.of(time.toString() + "s", time, type)));
        }
        return all.stream();
    }

    @Test
    void coversEveryPairOfTransformAndTypeThatSparkCanHold() {
        assertThat(transforms()).hasSize(8 + 5 + 3 * 3 + 2);
    }

    @ParameterizedTest
    @MethodSource("transforms")
    void agreesWithTheTransformThatPlacesRows(String name, Transform transform, Type type)
            throws ReflectiveOperationException {
        DataType sparkType = SparkTypes.toSpark(type, "c");
        boolean withNumber = !(transform instanceof Transform.Time);
        BoundFunction function = withNumber ? bind(name, DataTypes.IntegerType, sparkType) : bind(name, sparkType);
        int number = transform instanceof Transform.Bucket bucket
                ? bucket.count()
                : transform instanceof Transform.Truncate truncate ? truncate.width() : 0;
        Type resultType = Transforms.resultType(transform, type);
        assertThat(function.resultType()).isEqualTo(SparkTypes.toSpark(resultType, "c"));
        for (Object value : values(type)) {
            Object spark = SparkValues.toSpark(type, value);
            Object result = withNumber ? call(function, number, spark) : call(function, spark);

            assertThat(SparkValues.fromSpark(resultType, result))
                    .as("%s of %s", name, value)
                    .contains(Transforms.apply(transform, type, value));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"bucket", "truncate"})
    void keepsNull(String name) throws ReflectiveOperationException {
        for (DataType type : List.of(DataTypes.StringType, DataTypes.BinaryType, DataTypes.createDecimalType(9, 2))) {
            assertThat(call(bind(name, DataTypes.IntegerType, type), 4, null)).isNull();
        }
    }

    @Test
    void truncatesSmallIntegersInTheirOwnType() throws ReflectiveOperationException {
        assertThat(call(bind("truncate", DataTypes.IntegerType, DataTypes.ByteType), 10, (byte) -7))
                .isEqualTo((byte) -10);
        assertThat(call(bind("truncate", DataTypes.ByteType, DataTypes.ShortType), 10, (short) 19))
                .isEqualTo((short) 10);
    }

    @Test
    void refusesACountOrWidthThatIsNotPositive() {
        assertThatThrownBy(() -> Bucket.invoke(0, 1L)).hasMessageContaining("positive number of buckets, not 0");
        assertThatThrownBy(() -> Truncate.invoke(-1, 1L)).hasMessageContaining("positive width, not -1");
    }

    @Test
    void refusesTypesTheTransformIsNotDefinedFor() {
        assertThatThrownBy(() -> bind("bucket", DataTypes.IntegerType, DataTypes.DoubleType))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("not double");
        assertThatThrownBy(() -> bind("truncate", DataTypes.IntegerType, DataTypes.DateType))
                .hasMessageContaining("not date");
        assertThatThrownBy(() -> bind("hours", DataTypes.DateType)).hasMessageContaining("not date");
        assertThatThrownBy(() -> bind("years", DataTypes.LongType)).hasMessageContaining("not bigint");
        assertThatThrownBy(() -> bind("bucket", DataTypes.StringType, DataTypes.LongType))
                .hasMessageContaining("int as its first argument, not string");
        assertThatThrownBy(() -> bind("bucket", DataTypes.LongType)).hasMessageContaining("two arguments");
        assertThatThrownBy(() -> bind("days", DataTypes.DateType, DataTypes.DateType))
                .hasMessageContaining("one argument");
    }

    @Test
    void isFoundInTheEmptyNamespaceAndInSystem() {
        assertThat(PartitionFunctions.areIn(new String[0])).isTrue();
        assertThat(PartitionFunctions.areIn(new String[] {"system"})).isTrue();
        assertThat(PartitionFunctions.areIn(new String[] {"db"})).isFalse();
        assertThat(PartitionFunctions.named("BUCKET")).isPresent();
        assertThat(PartitionFunctions.named("minutes")).isEmpty();
        assertThat(PartitionFunctions.names())
                .containsExactly("bucket", "truncate", "years", "months", "days", "hours");
    }
}
