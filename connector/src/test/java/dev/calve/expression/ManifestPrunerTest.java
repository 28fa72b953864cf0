package dev.calve.expression;

import static org.assertj.core.api.Assertions.assertThat;

import dev.calve.expression.Expression.Column;
import dev.calve.expression.Expression.Operator;
import dev.calve.partition.FieldSummary;
import dev.calve.schema.Field;
import dev.calve.schema.Type;
import dev.calve.schema.ValueCodec;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ManifestPrunerTest {

    private static boolean may(
            Type type,
            Expression projected,
            boolean nulls,
            @Nullable Boolean nans,
            @Nullable Object lower,
            @Nullable Object upper) {
        var summary = new FieldSummary(
                nulls,
                Optional.ofNullable(nans),
                Optional.ofNullable(lower).map(value -> ValueCodec.encode(type, value)),
                Optional.ofNullable(upper).map(value -> ValueCodec.encode(type, value)));
        var partitionType = new Type.Struct(List.of(Field.optional(1000, "p", type)));
        return new ManifestPruner(partitionType, projected).mightMatch(Optional.of(List.of(summary)));
    }

    private static Expression compare(Type type, Operator operator, Object literal) {
        return Expressions.comparison(new Column(1000, type, false), operator, literal);
    }

    @Test
    void boundsExcludeWhatLiesOutside() {
        Type type = Type.Simple.INT;

        assertThat(may(type, compare(type, Operator.EQUAL, 4), false, false, 5, 9))
                .isFalse();
        assertThat(may(type, compare(type, Operator.EQUAL, 5), false, false, 5, 9))
                .isTrue();
        assertThat(may(type, compare(type, Operator.NOT_EQUAL, 5), true, false, 5, 5))
                .isFalse();
        assertThat(may(type, Expressions.isNull(new Column(1000, type, false)), false, false, 5, 5))
                .isFalse();
        assertThat(may(type, Expressions.isNull(new Column(1000, type, false)), true, false, 5, 5))
                .isTrue();
    }

    @Test
    void noBoundsMeanNothingButNullsAndNaN() {
        Type type = Type.Simple.DOUBLE;

        assertThat(may(type, compare(type, Operator.LESS, 4d), true, false, null, null))
                .isFalse();
        assertThat(may(type, compare(type, Operator.GREATER, 4d), true, false, null, null))
                .isFalse();
        assertThat(may(type, compare(type, Operator.GREATER, 4d), false, true, null, null))
                .isTrue();
        assertThat(may(type, compare(type, Operator.LESS, 4d), false, false, null, null))
                .as("a summary of nothing at all")
                .isTrue();
    }

    @Test
    void unsaidNaNMayExceedTheUpperBound() {
        Type type = Type.Simple.DOUBLE;

        assertThat(may(type, compare(type, Operator.GREATER, 4d), false, null, 1d, 2d))
                .isTrue();
        assertThat(may(type, compare(type, Operator.GREATER, 4d), false, true, 1d, 2d))
                .isTrue();
        assertThat(may(type, compare(type, Operator.GREATER, 4d), false, false, 1d, 2d))
                .isFalse();
    }

    @Test
    void boundsOfATypeThatWasPromotedAreWidened() {
        var partitionType = new Type.Struct(List.of(Field.optional(1000, "p", Type.Simple.INT)));
        var bound = Optional.of(ValueCodec.encode(Type.Simple.INT, 7));
        var summaries = Optional.of(List.of(new FieldSummary(false, Optional.of(false), bound, bound)));

        assertThat(new ManifestPruner(partitionType, compare(Type.Simple.LONG, Operator.EQUAL, 7L))
                        .mightMatch(summaries))
                .isTrue();
        assertThat(new ManifestPruner(partitionType, compare(Type.Simple.LONG, Operator.EQUAL, 8L))
                        .mightMatch(summaries))
                .isFalse();
    }

    @Test
    void boundsOfAFieldWhoseSourceIsGoneExcludeNothing() {
        var partitionType = new Type.Struct(List.of(Field.optional(1000, "p", Type.Simple.UNKNOWN)));
        var bound = Optional.of(ValueCodec.encode(Type.Simple.INT, 7));
        var summaries = Optional.of(List.of(new FieldSummary(false, Optional.of(false), bound, bound)));

        assertThat(new ManifestPruner(partitionType, compare(Type.Simple.INT, Operator.EQUAL, 8)).mightMatch(summaries))
                .isTrue();
    }

    /** Apache Iceberg 1.12 compares UUIDs as two signed numbers; the specification's order is that of unsigned bytes. */
    @Test
    void boundsOfUuidsHoldInTheSignedAndTheUnsignedOrder() {
        Type type = Type.Simple.UUID;
        var negative = new UUID(-2, 4);
        var positive = new UUID(5, 32);
        for (var value : List.of(negative, positive, new UUID(-1, -1), new UUID(1, 1))) {
            Expression equal = compare(type, Operator.EQUAL, value);
            assertThat(may(type, equal, false, false, new UUID(-3, 0), new UUID(6, 0)))
                    .as("signed")
                    .isTrue();
            assertThat(may(type, equal, false, false, new UUID(0, 0), new UUID(-1, -1)))
                    .as("unsigned")
                    .isTrue();
        }
        Expression equal = compare(type, Operator.EQUAL, new UUID(5, 7));
        assertThat(may(type, equal, false, false, new UUID(5, -1), new UUID(6, 0)))
                .as("signed")
                .isTrue();
        assertThat(may(type, equal, false, false, new UUID(4, 0), new UUID(5, -1)))
                .as("unsigned")
                .isTrue();
        assertThat(may(type, equal, false, false, positive, positive)).isFalse();
        assertThat(may(type, equal, false, false, new UUID(6, 0), new UUID(7, 0)))
                .isFalse();
        assertThat(may(type, equal, false, false, new UUID(-6, 0), new UUID(-5, 0)))
                .isFalse();
    }

    @Test
    void missingSummariesExcludeNothing() {
        var partitionType = new Type.Struct(List.of(Field.optional(1000, "p", Type.Simple.INT)));
        var pruner = new ManifestPruner(partitionType, compare(Type.Simple.INT, Operator.EQUAL, 7));

        assertThat(pruner.mightMatch(Optional.empty())).isTrue();
        assertThat(pruner.mightMatch(Optional.of(List.of()))).isTrue();
    }
}
