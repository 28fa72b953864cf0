package dev.calve.spark.convert;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.InSet;
import org.apache.spark.sql.connector.expressions.Expression;
import org.apache.spark.sql.connector.expressions.Expressions;
import org.apache.spark.sql.connector.expressions.filter.And;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.Test;

@SuppressWarnings("NullAway") // SQL NULL is null in Spark, which does not say so in its types.
class CatalystConditionTest {

    private static final StructType COLUMNS =
            StructType.fromDDL("id int, s struct<a: int, b: struct<c: int, d: int>, e: string>, name string");

    private static Predicate compare(String operator, String column, int value) {
        return new Predicate(operator, new Expression[] {Expressions.column(column), Expressions.literal(value)});
    }

    private static Optional<CatalystCondition> bind(boolean caseSensitive, Predicate... predicates) {
        return CatalystCondition.of(predicates, List.of(COLUMNS.fields()), "UTC", caseSensitive);
    }

    private static InternalRow row(Object... values) {
        return new GenericInternalRow(values);
    }

    @Test
    void readsOnlyTheFieldsOfAStructThatItNeeds() {
        CatalystCondition condition =
                bind(true, compare("=", "s.b.d", 4), compare(">", "s.a", 1)).orElseThrow();
        assertThat(condition.columns().toDDL()).isEqualTo("s STRUCT<a: INT, b: STRUCT<d: INT>>");
        assertThat(condition.expression().eval(row(row(2, row(4))))).isEqualTo(true);
        assertThat(condition.expression().eval(row(row(1, row(4))))).isEqualTo(false);
        assertThat(condition.expression().eval(row(row(2, null)))).isNull();
        assertThat(condition.expression().eval(row((Object) null))).isNull();
    }

    @Test
    void readsAWholeStructThatIsAskedForAsSuch() {
        Predicate isNull = new Predicate("IS_NULL", new Expression[] {Expressions.column("s.b")});
        CatalystCondition condition =
                bind(true, isNull, compare("=", "s.b.c", 1)).orElseThrow();
        assertThat(condition.columns().toDDL()).isEqualTo("s STRUCT<b: STRUCT<c: INT, d: INT>>");
    }

    @Test
    void findsNamesAsTheSessionComparesThem() {
        assertThat(bind(false, compare("=", "S.B.c", 1)).orElseThrow().columns().toDDL())
                .isEqualTo("s STRUCT<b: STRUCT<c: INT>>");
        assertThat(bind(true, compare("=", "S.b.c", 1))).isEmpty();
        assertThat(bind(true, compare("=", "s.B.c", 1))).isEmpty();
        assertThat(bind(true, compare("=", "s.x", 1))).isEmpty();
        assertThat(bind(true, compare("=", "id.x", 1))).isEmpty();
    }

    @Test
    void keepsTheOrderOfConjuncts() {
        CatalystCondition condition = bind(true, new And(compare("<>", "id", 0), compare("=", "s.a", 3)))
                .orElseThrow();
        assertThat(List.of(condition.columns().fields()).stream().map(StructField::name))
                .containsExactly("id", "s");
        assertThat(condition.expression().eval(row(0, row(3)))).isEqualTo(false);
    }

    @Test
    void looksLongListsUpInASet() {
        var in = new ArrayList<Expression>();
        in.add(Expressions.column("id"));
        for (int i = 0; i < 20; i++) {
            in.add(Expressions.literal(i * 2));
        }
        CatalystCondition condition =
                bind(true, new Predicate("IN", in.toArray(Expression[]::new))).orElseThrow();
        assertThat(condition.expression()).isInstanceOf(InSet.class);
        assertThat(condition.expression().eval(row(38))).isEqualTo(true);
        assertThat(condition.expression().eval(row(37))).isEqualTo(false);
        assertThat(condition.expression().eval(row((Object) null))).isNull();
    }
}
