package dev.calve.spark.convert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.schema.Field;
import dev.calve.schema.Schema;
import dev.calve.schema.Type;
import java.util.List;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PlaceholdersTest {

    private static final Type POINT = new Type.Geometry("EPSG:4326");

    private static final Schema SCHEMA = new Schema(
            0,
            List.of(
                    Field.required(1, "id", Type.Simple.LONG),
                    Field.optional(2, "geo", new Type.Geography("", "")),
                    Field.optional(
                            3,
                            "s",
                            new Type.Struct(
                                    List.of(Field.optional(4, "x", Type.Simple.INT), Field.optional(5, "p", POINT)))),
                    Field.optional(6, "l", new Type.ListOf(7, false, POINT)),
                    Field.optional(8, "m", new Type.MapOf(9, Type.Simple.INT, 10, false, POINT)),
                    Field.optional(
                            11,
                            "deep",
                            new Type.ListOf(12, false, new Type.Struct(List.of(Field.optional(13, "p", POINT))))),
                    Field.optional(14, "plain", new Type.ListOf(15, false, Type.Simple.BINARY))));

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "geo binary | geo | geography",
                "id bigint, s struct<x: int, p: binary> | s.p | geometry(EPSG:4326)",
                "s struct<p: binary> | s.p | geometry(EPSG:4326)",
                "l array<binary> | l.element | geometry(EPSG:4326)",
                "m map<int, binary> | m.value | geometry(EPSG:4326)",
                "deep array<struct<p: binary>> | deep.element.p | geometry(EPSG:4326)"
            })
    void readingThemIsRefusedByNameTypeAndTable(String wanted, String column, String type) {
        assertThatThrownBy(() -> Placeholders.refuseReading(SCHEMA, StructType.fromDDL(wanted), "cat.db.t"))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessage("Cannot read column '" + column + "' of cat.db.t: its type " + type
                        + " has no form in Spark. Select other columns: id, plain.");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "id bigint",
                "s struct<x: int>",
                "plain array<binary>, _pos bigint, _partition struct<geo: binary>"
            })
    void allElseIsRead(String wanted) {
        assertThatCode(() -> Placeholders.refuseReading(SCHEMA, StructType.fromDDL(wanted), "t"))
                .doesNotThrowAnyException();
    }

    @Test
    void copyingIsRefusedWhereverTheyAre() {
        for (Field field : SCHEMA.fields()) {
            var schema = new Schema(0, List.of(field));
            if (List.of("id", "plain").contains(field.name())) {
                assertThatCode(() -> Placeholders.refuseCopying(schema, "delete", "Do not."))
                        .doesNotThrowAnyException();
            } else {
                assertThatThrownBy(() -> Placeholders.refuseCopying(schema, "delete", "Do not."))
                        .isInstanceOf(UnsupportedOperationException.class)
                        .hasMessageContaining("column '" + field.name())
                        .hasMessageContaining("Do not.");
            }
        }
    }

    @Test
    void writingIsRefusedWhereTheyCannotBeLeftOut() {
        for (Field field : SCHEMA.fields()) {
            var schema = new Schema(0, List.of(field));
            if (List.of("l", "m", "deep").contains(field.name())) {
                assertThatThrownBy(() -> Placeholders.refuseWriting(schema, "t"))
                        .isInstanceOf(UnsupportedOperationException.class)
                        .hasMessageContaining("column '" + field.name() + ".");
            } else {
                assertThatCode(() -> Placeholders.refuseWriting(schema, "t")).doesNotThrowAnyException();
            }
        }
        assertThatThrownBy(() ->
                        Placeholders.refuseWriting(new Schema(0, List.of(Field.required(1, "geo", POINT))), "cat.db.t"))
                .hasMessageContaining("Cannot write to cat.db.t: column 'geo'");
    }

    @Test
    void commentsSayWhatNumbersAndPlaceholdersStandFor() {
        var schema = new Schema(
                0,
                List.of(
                        Field.optional(1, "t", Type.Simple.TIME),
                        Field.optional(2, "ns", new Type.ListOf(3, false, Type.Simple.TIMESTAMP_NS)),
                        Field.optional(4, "geo", POINT),
                        Field.optional(5, "id", Type.Simple.LONG)));

        StructType shown = SparkTypes.toSpark(schema);

        assertThat(shown.simpleString()).isEqualTo("struct<t:bigint,ns:array<bigint>,geo:binary,id:bigint>");
        assertThat(shown.apply("t").getComment().get()).isEqualTo("time, as microseconds since midnight");
        assertThat(shown.apply("ns").getComment().get())
                .isEqualTo("elements are timestamp_ns, as nanoseconds since 1970-01-01 00:00:00");
        assertThat(shown.apply("geo").getComment().get()).isEqualTo("geometry(EPSG:4326), which cannot be read");
        assertThat(shown.apply("id").getComment().isDefined()).isFalse();
    }
}
