package dev.calve.spark.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.schema.Field;
import dev.calve.schema.Schema;
import dev.calve.schema.Type;
import dev.calve.spark.convert.SparkTypes;
import java.util.List;
import java.util.Optional;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.catalyst.CatalystTypeConverters;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import scala.jdk.javaapi.CollectionConverters;

class RowShapeTest {

    /** What the table gets of a row, as text. The row comes as Spark's tasks have it, in one piece of memory. */
    private static String shaped(String table, String rows, @Nullable Object... values) {
        Schema schema = SparkTypes.fromSpark(StructType.fromDDL(table));
        return shaped(schema.fields(), SparkTypes.toSpark(schema), rows, values);
    }

    private static String shaped(List<Field> fields, StructType tableType, String rows, @Nullable Object... values) {
        StructType type = StructType.fromDDL(rows);
        var row = (InternalRow)
                CatalystTypeConverters.createToCatalystConverter(type).apply(RowFactory.create(values));
        InternalRow made = RowShape.of(fields, type, false)
                .apply(UnsafeProjection.create(type).apply(row));
        return String.valueOf(
                CatalystTypeConverters.createToScalaConverter(tableType).apply(made));
    }

    @Test
    void columnsGoByName() {
        assertThat(shaped("a int, b string", "b string, A int", "x", 1)).isEqualTo("[1,x]");
        assertThat(shaped("a int, b string", "a int, b string", 1, "x")).isEqualTo("[1,x]");
        assertThat(shaped("a int, b string", "b string", "x")).isEqualTo("[null,x]");
        assertThat(shaped("a int, b string", "a int, b void", 1, null)).isEqualTo("[1,null]");
    }

    @Test
    void nestedFieldsToo() {
        Row nested = RowFactory.create(1, "x");
        assertThat(shaped("s struct<b: string, a: int, c: int>", "s struct<a: int, b: string>", nested))
                .isEqualTo("[[x,1,null]]");
        assertThat(shaped("s struct<b: string, a: int>", "s struct<a: int, b: string>", new Object[] {null}))
                .isEqualTo("[null]");
        var list = CollectionConverters.asScala(java.util.Arrays.asList(nested, null))
                .toSeq();
        assertThat(shaped("l array<struct<b: string, a: int>>", "l array<struct<a: int, b: string>>", list))
                .isEqualTo("[ArraySeq([x,1], null)]");
        var map = CollectionConverters.asScala(java.util.Map.of("k", nested));
        assertThat(shaped("m map<string, struct<b: string>>", "m map<string, struct<a: int, b: string>>", map))
                .isEqualTo("[Map(k -> [x])]");
    }

    @Test
    void narrowerValuesAreWidened() {
        assertThat(shaped("a bigint, b double, c int", "a int, b float, c smallint", -1, 1.5f, (short) -7))
                .isEqualTo("[-1,1.5,-7]");
        assertThat(shaped("a bigint, b int", "a tinyint, b tinyint", (byte) -3, (byte) 4))
                .isEqualTo("[-3,4]");
        var decimal = new java.math.BigDecimal("12.34");
        assertThat(shaped("a decimal(38, 2)", "a decimal(4, 2)", decimal)).isEqualTo("[12.34]");
        var list = CollectionConverters.asScala(List.of(1, 2)).toSeq();
        assertThat(shaped("a array<bigint>", "a array<int>", list)).isEqualTo("[ArraySeq(1, 2)]");
    }

    @Test
    void aColumnThatIsMissingHasItsDefault() {
        var field =
                new Field(1, "a", true, Type.Simple.STRING, Optional.empty(), Optional.of("old"), Optional.of("new"));
        var fields = List.of(field, Field.optional(2, "b", Type.Simple.INT));
        assertThat(shaped(fields, SparkTypes.toSpark(new Schema(0, fields)), "b int", 7))
                .isEqualTo("[new,7]");
    }

    @Test
    void refusesWhatTheTableCannotHold() {
        assertThatThrownBy(() -> shaped("a int NOT NULL, b int", "b int", 1))
                .hasMessage("Rows must have column 'a', which must not be null and has no default.");
        assertThatThrownBy(() -> shaped("s struct<a: int>", "s struct<a: bigint>", RowFactory.create(1L)))
                .hasMessage("Column 's.a' of type int cannot hold values of type bigint.");
        assertThatThrownBy(() -> shaped("a decimal(4, 2)", "a decimal(5, 2)", new java.math.BigDecimal("1.00")))
                .hasMessageContaining("Column 'a' of type decimal(4, 2) cannot hold values of type decimal(5,2).");
        assertThatThrownBy(() -> shaped("a int", "a int, A int", 1, 2))
                .hasMessageContaining("Rows must have one column 'a', not several");
    }
}
