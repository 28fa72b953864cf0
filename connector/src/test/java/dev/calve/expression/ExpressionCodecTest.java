package dev.calve.expression;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.expression.Expression.Column;
import dev.calve.expression.Expression.Comparison;
import dev.calve.expression.Expression.Constant;
import dev.calve.expression.Expression.IsNull;
import dev.calve.expression.Expression.Operator;
import dev.calve.expression.Expression.Transformed;
import dev.calve.partition.Transform;
import dev.calve.schema.Bytes;
import dev.calve.schema.Type;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class ExpressionCodecTest {

    @Test
    void carriesEveryTypeAndTransform() {
        for (Type type : List.of(
                new Type.Fixed(3),
                new Type.Decimal(38, 10),
                new Type.Geometry("srid:0"),
                new Type.Geography("", "karney"),
                Type.Simple.VARIANT)) {
            assertCarried(new IsNull(new Column(7, type, true)));
        }
        var column = new Column(7, Type.Simple.STRING, false);
        for (Transform transform : List.of(
                Transform.IDENTITY,
                new Transform.Bucket(16),
                new Transform.Truncate(3),
                Transform.Time.HOUR,
                Transform.VOID,
                new Transform.Unknown("zorder[2]"))) {
            assertCarried(new IsNull(new Transformed(column, transform, Type.Simple.STRING)));
        }
        assertCarried(Expressions.equal(new Column(7, new Type.Fixed(3), true), Bytes.wrap(new byte[] {1, 0, -1})));
        // The partition of -99 by truncate[10] has more digits than the type.
        assertCarried(
                new Comparison(new Column(7, new Type.Decimal(2, 0), false), Operator.LESS, new BigDecimal("-100")));
        assertCarried(Constant.FALSE);
    }

    private static void assertCarried(Expression expression) {
        assertThat(ExpressionCodec.fromBytes(ExpressionCodec.toBytes(expression)))
                .isEqualTo(expression);
    }

    @Test
    void refusesBytesThatAreNoExpression() {
        byte[] bytes = ExpressionCodec.toBytes(Expressions.startsWith(new Column(7, Type.Simple.STRING, false), "abc"));

        for (int length = 0; length < bytes.length; length++) {
            byte[] cut = Arrays.copyOf(bytes, length);
            assertThatThrownBy(() -> ExpressionCodec.fromBytes(cut)).isInstanceOf(IllegalArgumentException.class);
        }
        assertThatThrownBy(() -> ExpressionCodec.fromBytes(Arrays.copyOf(bytes, bytes.length + 1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("1 bytes follow");
        assertThatThrownBy(() -> ExpressionCodec.fromBytes(new byte[] {100}))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
