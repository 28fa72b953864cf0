package dev.calve.spark.read;

import static org.assertj.core.api.Assertions.assertThat;

import dev.calve.deletes.EncodedKeys;
import dev.calve.deletes.KeyTable;
import dev.calve.deletes.LongKeys;
import dev.calve.expression.Expression;
import dev.calve.expression.Expression.Column;
import dev.calve.expression.Expressions;
import dev.calve.expression.RowEvaluator;
import dev.calve.expression.Truth;
import dev.calve.schema.Bytes;
import dev.calve.schema.Type;
import dev.calve.spark.wire.WantedKeys;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.LongStream;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.unsafe.types.UTF8String;
import org.junit.jupiter.api.Test;

class SoughtKeysTest {

    private static final Column LONG = new Column(1, Type.Simple.LONG, false);
    private static final Column INT = new Column(2, Type.Simple.INT, false);
    private static final Column TEXT = new Column(3, Type.Simple.STRING, false);
    private static final Column DECIMAL = new Column(4, new Type.Decimal(30, 2), false);
    private static final Column BINARY = new Column(5, Type.Simple.BINARY, false);

    private static byte[] longs(long... values) {
        var keys = new KeyList(List.of(KeyKind.INTEGER), 1 << 20);
        for (long value : values) {
            assertThat(keys.add(value)).isTrue();
        }
        return keys.toBytes();
    }

    private static boolean matches(Expression condition, Column column, Object value) {
        return RowEvaluator.of(condition).evaluate(id -> id == column.fieldId() ? value : null) == Truth.TRUE;
    }

    @Test
    void keepsDistinctKeysWithoutNulls() {
        var keys = new KeyList(List.of(KeyKind.INTEGER, KeyKind.TEXT), 1 << 10);
        keys.add(7, UTF8String.fromString("a"));
        keys.add(7L, UTF8String.fromString("a"));
        keys.add(7L, null);
        keys.add(null, UTF8String.fromString("a"));
        keys.add((short) 7, UTF8String.fromString("b"));
        var again = new KeyList(List.of(KeyKind.INTEGER, KeyKind.TEXT), 1 << 10);
        again.addAll(keys.toBytes());
        again.addAll(keys.toBytes());

        assertThat(again.toBytes()).isEqualTo(keys.toBytes());
        assertThat(new WantedKeys(List.of(1, 2), false, keys.toBytes()).table())
                .isInstanceOfSatisfying(
                        EncodedKeys.class, table -> assertThat(table.size()).isEqualTo(2));
        var integers = (LongKeys) new WantedKeys(List.of(1), true, longs(0, -1, Long.MIN_VALUE, 0)).table();
        assertThat(integers.size()).isEqualTo(3);
        assertThat(integers.rank(Long.MIN_VALUE)).isZero();
        assertThat(integers.rankOfNull()).isEqualTo(KeyTable.ABSENT);
    }

    @Test
    void saysWhenThereIsNoRoom() {
        var keys = new KeyList(List.of(KeyKind.INTEGER), 16);
        assertThat(List.of(keys.add(1L), keys.add(1L), keys.add(2L), keys.add(2L), keys.add(3L)))
                .containsExactly(true, true, true, true, false);
        var other = new KeyList(List.of(KeyKind.TEXT), 1 << 12);
        assertThat(other.add(UTF8String.fromString("x".repeat(4000)))).isTrue();
        assertThat(other.addAll(other.toBytes())).isTrue();
        assertThat(other.add(UTF8String.fromString("y".repeat(100)))).isFalse();
    }

    @Test
    void fewValuesAreNamed() {
        assertThat(KeyCondition.of(List.of(INT), longs(5, 3, 1L << 40))).isEqualTo(Expressions.in(INT, List.of(3, 5)));
        assertThat(KeyCondition.of(List.of(INT), longs(1L << 40))).isEqualTo(Expression.Constant.FALSE);
        assertThat(KeyCondition.of(List.of(LONG), longs())).isEqualTo(Expression.Constant.FALSE);
    }

    @Test
    void manyIntegersBecomeRangesWithoutTheWidestGaps() {
        long[] values = LongStream.concat(
                        LongStream.of(Long.MIN_VALUE, Long.MAX_VALUE),
                        LongStream.range(0, 3000).map(i -> i / 100 * 1_000_000 + i % 100))
                .toArray();

        Expression condition = KeyCondition.of(List.of(LONG), longs(values));

        assertThat(((Expression.Or) condition).parts()).hasSize(64);
        for (long value : values) {
            assertThat(matches(condition, LONG, value)).as("%d", value).isTrue();
        }
        for (long value : new long[] {-1, 100, 500_000, 29_000_100, Long.MIN_VALUE + 1, Long.MAX_VALUE - 1}) {
            assertThat(matches(condition, LONG, value)).as("%d", value).isFalse();
        }
    }

    @Test
    void everyColumnOfAKeyHasItsPart() {
        var keys = new KeyList(List.of(KeyKind.INTEGER, KeyKind.TEXT, KeyKind.DECIMAL, KeyKind.BINARY), 1 << 20);
        for (int i = 0; i < 300; i++) {
            keys.add(
                    i,
                    UTF8String.fromString("k" + i),
                    Decimal.apply(
                            new BigDecimal("-1234567890123456789012345.00").add(BigDecimal.valueOf(i % 2)), 30, 2),
                    new byte[] {(byte) (i % 3)});
        }

        Expression condition = KeyCondition.of(List.of(INT, TEXT, DECIMAL, BINARY), keys.toBytes());

        assertThat(((Expression.And) condition).parts())
                .contains(
                        Expressions.comparison(TEXT, Expression.Operator.GREATER_OR_EQUAL, "k0"),
                        Expressions.comparison(TEXT, Expression.Operator.LESS_OR_EQUAL, "k99"),
                        Expressions.in(
                                DECIMAL,
                                List.of(
                                        new BigDecimal("-1234567890123456789012345.00"),
                                        new BigDecimal("-1234567890123456789012344.00"))),
                        Expressions.in(
                                BINARY,
                                List.of(
                                        Bytes.copyOf(new byte[] {0}),
                                        Bytes.copyOf(new byte[] {1}),
                                        Bytes.copyOf(new byte[] {2}))));
    }

    @Test
    void brokenTextIsNoReasonToLeaveRowsOut() {
        var keys = new KeyList(List.of(KeyKind.TEXT), 1 << 10);
        keys.add(UTF8String.fromBytes(new byte[] {'a', (byte) 0xFF}));
        keys.add(UTF8String.fromBytes("b".getBytes(StandardCharsets.UTF_8)));

        assertThat(KeyCondition.of(List.of(TEXT), keys.toBytes())).isEqualTo(Expression.Constant.TRUE);
    }
}
