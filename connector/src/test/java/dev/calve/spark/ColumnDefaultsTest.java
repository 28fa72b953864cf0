package dev.calve.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.schema.Bytes;
import dev.calve.schema.Field;
import dev.calve.schema.Schema;
import dev.calve.schema.Type;
import dev.calve.spark.convert.SparkTypes;
import java.math.BigDecimal;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.apache.spark.sql.AnalysisException;
import org.apache.spark.sql.catalyst.util.ResolveDefaultColumns;
import org.apache.spark.sql.connector.catalog.Column;
import org.apache.spark.sql.connector.catalog.ColumnDefaultValue;
import org.apache.spark.sql.connector.expressions.Literal;
import org.apache.spark.sql.connector.expressions.LiteralValue;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ColumnDefaultsTest {

    private static Optional<Object> value(Type type, String sql) {
        return ColumnDefaults.value("c", type, sql);
    }

    /** What Spark makes of the default it is shown: the value rows without one get. */
    private static Object shown(Type type, Object value) {
        Schema schema = new Schema(0, List.of(Field.optional(1, "c", type).withWriteDefault(Optional.of(value))));
        StructField field = VisibleSchema.of(schema).apply("c");
        String sql = field.metadata().getString("CURRENT_DEFAULT");
        assertThat(field.metadata().getString("EXISTS_DEFAULT")).isEqualTo(sql);
        return ResolveDefaultColumns.analyze("c", field.dataType(), sql, "INSERT")
                .eval(null);
    }

    @Test
    void foldsExpressionsToValuesOfTheType() {
        assertThat(value(Type.Simple.INT, "2 + 3")).contains(5);
        assertThat(value(Type.Simple.LONG, "5")).contains(5L);
        assertThat(value(Type.Simple.BOOLEAN, "1 = 1")).contains(true);
        assertThat(value(Type.Simple.DOUBLE, "1.5")).contains(1.5);
        assertThat(value(new Type.Decimal(9, 2), "1.5")).contains(new BigDecimal("1.50"));
        assertThat(value(Type.Simple.STRING, "concat('it''s', ' ', upper('x'))"))
                .contains("it's X");
        assertThat(value(Type.Simple.BINARY, "X'0aff'")).contains(Bytes.wrap(new byte[] {10, -1}));
        assertThat(value(Type.Simple.DATE, "DATE '1970-01-03'")).contains(2);
        assertThat(value(Type.Simple.TIMESTAMPTZ, "TIMESTAMP '1970-01-01 00:00:01+01:00'"))
                .contains(-3_599_000_000L);
        assertThat(value(Type.Simple.TIMESTAMP, "TIMESTAMP_NTZ '1970-01-01 00:00:01.5'"))
                .contains(1_500_000L);
        assertThat(value(Type.Simple.UUID, "'f79c3e09-677c-4bbd-a479-3f349cb785e7'"))
                .contains(UUID.fromString("f79c3e09-677c-4bbd-a479-3f349cb785e7"));
        assertThat(value(Type.Simple.INT, "NULL")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "current_timestamp()",
                "CURRENT_DATE",
                "now()",
                "date_add(current_date(), 1)",
                "unix_timestamp()",
                "upper(user())",
                "rand()",
                "uuid()"
            })
    void refusesWhatIsAnotherValueForEachStatement(String sql) {
        assertThatThrownBy(() -> value(Type.Simple.STRING, sql))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("Column 'c' cannot have the default " + sql)
                .hasMessageContaining("one value for all rows");
    }

    @Test
    void refusesValuesTheTypeDoesNotHave() {
        assertThat(value(Type.Simple.LONG, "unix_timestamp('1970-01-01 00:00:01 UTC', 'yyyy-MM-dd HH:mm:ss z')"))
                .contains(1L);
        assertThatThrownBy(() -> value(Type.Simple.UUID, "'abc'")).hasMessageContaining("has no such value");
        assertThatThrownBy(() -> value(new Type.ListOf(1, false, Type.Simple.INT), "array(1)"))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("no struct, list or map");
        assertThatThrownBy(() -> value(Type.Simple.INT, "1 +"))
                .isInstanceOf(AnalysisException.class)
                .hasMessageContaining("PARSE_SYNTAX_ERROR");
    }

    /** Oracle: Spark's own analysis of the text. */
    @Test
    void sparkReadsBackWhatItIsShown() {
        assertThat(shown(Type.Simple.INT, -5)).isEqualTo(-5);
        assertThat(shown(Type.Simple.LONG, Long.MIN_VALUE)).isEqualTo(Long.MIN_VALUE);
        assertThat(shown(Type.Simple.FLOAT, 1.1f)).isEqualTo(1.1f);
        assertThat(shown(Type.Simple.DOUBLE, -0.1)).isEqualTo(-0.1);
        assertThat(shown(Type.Simple.BOOLEAN, false)).isEqualTo(false);
        assertThat(shown(Type.Simple.STRING, "a'b\\c\n`ü")).isEqualTo(UTF8String.fromString("a'b\\c\n`ü"));
        assertThat((byte[]) shown(Type.Simple.BINARY, Bytes.wrap(new byte[] {0, -1})))
                .containsExactly(0, -1);
        assertThat((byte[]) shown(new Type.Fixed(2), Bytes.wrap(new byte[] {0, -1})))
                .containsExactly(0, -1);
        assertThat(shown(Type.Simple.DATE, -1)).isEqualTo(-1);
        assertThat(shown(new Type.Decimal(38, 10), new BigDecimal("1234567890123456789012345678.0123456789")))
                .hasToString("1234567890123456789012345678.0123456789");
        assertThat(shown(Type.Simple.UUID, UUID.fromString("f79c3e09-677c-4bbd-a479-3f349cb785e7")))
                .isEqualTo(UTF8String.fromString("f79c3e09-677c-4bbd-a479-3f349cb785e7"));
        assertThat(shown(Type.Simple.TIMESTAMP, 1_500_001L)).isEqualTo(1_500_001L);
    }

    @Test
    void timestampsMeanTheSameInEveryTimeZone() {
        SQLConf conf = SQLConf.get();
        String before = conf.sessionLocalTimeZone();
        try {
            // The hour that comes twice.
            for (long micros : new long[] {1_729_987_200_000_001L, 1_729_990_800_000_001L}) {
                conf.setConfString("spark.sql.session.timeZone", "Europe/Berlin");
                assertThat(shown(Type.Simple.TIMESTAMPTZ, micros)).isEqualTo(micros);
                conf.setConfString("spark.sql.session.timeZone", "Asia/Tokyo");
                assertThat(shown(Type.Simple.TIMESTAMPTZ, micros)).isEqualTo(micros);
            }
        } finally {
            conf.setConfString("spark.sql.session.timeZone", before);
        }
    }

    @Test
    void aNewTableStoresTheDefaultOfRowsToCome() {
        var declared = new ColumnDefaultValue("2 + 3", LiteralValue.apply(5, DataTypes.IntegerType));
        StructType columns = VisibleSchema.of(new Column[] {
            Column.create("a", DataTypes.IntegerType, true, "why", declared, null),
            Column.create("b", DataTypes.IntegerType)
        });

        Schema schema = ColumnDefaults.declared(columns, SparkTypes.fromSpark(columns));

        Field a = schema.field("a").orElseThrow();
        assertThat(a.writeDefault()).contains(5);
        assertThat(a.initialDefault()).isEmpty();
        assertThat(a.doc()).contains("why");
        assertThat(schema.field("b").orElseThrow().writeDefault()).isEmpty();
    }

    @Test
    void anAddedColumnHasTheValueSparkFolded() {
        Literal<?> five = LiteralValue.apply(5L, DataTypes.LongType);

        assertThat(ColumnDefaults.value("c", Type.Simple.LONG, new ColumnDefaultValue("2 + 3", five)))
                .contains(5L);
        assertThat(ColumnDefaults.value(
                        "c",
                        Type.Simple.LONG,
                        new ColumnDefaultValue("NULL", LiteralValue.apply(null, DataTypes.LongType))))
                .isEmpty();
        assertThatThrownBy(() ->
                        ColumnDefaults.value("c", Type.Simple.LONG, new ColumnDefaultValue("unix_timestamp()", five)))
                .isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    void aQueryHandsOnNoDefaults() {
        var declared = new ColumnDefaultValue("now()", LiteralValue.apply(5, DataTypes.IntegerType));
        Column column = Column.create("a", DataTypes.IntegerType, false, "why", declared, null);

        assertThat(ColumnDefaults.removedFrom(new Column[] {column}))
                .containsExactly(Column.create("a", DataTypes.IntegerType, false, "why", null));
    }
}
