package dev.calve.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.Randomly;
import dev.calve.io.InvalidTableException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SchemaJsonTest {

    private static final String NESTED = """
            {"type":"struct","schema-id":3,"identifier-field-ids":[1],"fields":[
             {"id":1,"name":"id","required":true,"type":"long"},
             {"id":2,"name":"tags","required":false,"type":
               {"type":"list","element-id":4,"element":"string","element-required":true},"doc":"free text"},
             {"id":3,"name":"points","required":false,"type":
               {"type":"map","key-id":5,"key":"string","value-id":6,"value":
                 {"type":"struct","fields":[{"id":7,"name":"x","required":true,"type":"double"}]},
                "value-required":false}},
             {"id":8,"name":"n","required":true,"type":"int","initial-default":5,"write-default":6}]}
            """;

    @Test
    void readsAndWritesTheSpecificationsForm() {
        Schema schema = SchemaJson.fromJson(Json.parse(NESTED));

        var point = new Type.Struct(List.of(Field.required(7, "x", Type.Simple.DOUBLE)));
        assertThat(schema)
                .isEqualTo(new Schema(
                        3,
                        new Type.Struct(List.of(
                                Field.required(1, "id", Type.Simple.LONG),
                                Field.optional(2, "tags", new Type.ListOf(4, true, Type.Simple.STRING))
                                        .withDoc("free text"),
                                Field.optional(3, "points", new Type.MapOf(5, Type.Simple.STRING, 6, false, point)),
                                new Field(
                                        8,
                                        "n",
                                        true,
                                        Type.Simple.INT,
                                        Optional.empty(),
                                        Optional.of(5),
                                        Optional.of(6)))),
                        Set.of(1)));
        assertThat(SchemaJson.toJson(schema)).isEqualTo(Json.parse(NESTED));
    }

    @Test
    void readsBackWhatItWrote() {
        Randomly.check(300, random -> {
            Schema schema = AnyType.schema(random);
            assertThat(SchemaJson.fromJson(Json.parse(Json.write(SchemaJson.toJson(schema)))))
                    .isEqualTo(schema);
        });
    }

    @Test
    void givesSchemasWithoutAnIdTheId0() {
        assertThat(SchemaJson.fromJson(Json.parse("{\"type\":\"struct\",\"fields\":[]}"))
                        .id())
                .isZero();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "boolean | boolean",
                "int | int",
                "LONG | long",
                "timestamptz | timestamptz",
                "timestamp_ns | timestamp_ns",
                "timestamptz_ns | timestamptz_ns",
                "variant | variant",
                "unknown | unknown",
                "fixed[16] | fixed[16]",
                "fixed[ 16 ] | fixed[16]",
                "decimal(9,2) | decimal(9, 2)",
                "decimal( 38 , 10 ) | decimal(38, 10)",
                "geometry | geometry",
                "geometry(srid:3857) | geometry(srid:3857)",
                "geography | geography",
                "geometry(OGC:CRS84) | geometry",
                "geography(OGC:CRS84) | geography",
                "geography(OGC:CRS84, spherical) | geography",
                "geography(srid:4269) | geography(srid:4269)",
                "geography(OGC:CRS84, karney) | geography(OGC:CRS84, karney)"
            })
    void readsTheNamesOfPrimitiveTypes(String text, String written) {
        Type type = SchemaJson.typeFromJson(Json.parse("\"" + text + "\""));
        assertThat(SchemaJson.typeToJson(type).textValue()).isEqualTo(written);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"interval\"",
                "\"decimal(39,2)\"",
                "\"decimal(2,3)\"",
                "\"decimal\"",
                "\"fixed\"",
                "\"fixed[99999999999]\"",
                "\"\"",
                "17",
                "{\"type\":\"set\"}"
            })
    void refusesWhatIsNotATypeQuotingIt(String json) {
        assertThatThrownBy(() -> SchemaJson.typeFromJson(Json.parse(json)))
                .isInstanceOf(InvalidTableException.class)
                .hasMessageStartingWith("Cannot parse type from json: ")
                .hasMessageContaining(
                        json.replace("\"", "").replace("{type:", "").replace("}", ""));
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '`',
            delimiter = '|',
            value = {
                "{\"type\":\"struct\"} | 'fields'",
                "{\"type\":\"struct\",\"fields\":[{\"id\":1,\"required\":true,\"type\":\"int\"}]} | 'name'",
                "{\"type\":\"struct\",\"fields\":[{\"id\":1,\"name\":\"a\",\"type\":\"int\"}]} | 'required'",
                "{\"type\":\"struct\",\"fields\":[{\"id\":\"1\",\"name\":\"a\",\"required\":true,\"type\":\"int\"}]} | 'id'",
                "{\"type\":\"struct\",\"identifier-field-ids\":[9],\"fields\":[]} | 9",
                "{\"type\":\"list\",\"element-id\":1,\"element-required\":true,\"element\":\"int\"} | struct",
                "{\"type\":\"struct\",\"fields\":[{\"id\":1,\"name\":\"a\",\"required\":true,\"type\":\"int\"},{\"id\":1,\"name\":\"b\",\"required\":true,\"type\":\"int\"}]} | unique"
            })
    void refusesSchemasThatAreNotNamingTheFault(String json, String named) {
        assertThatThrownBy(() -> SchemaJson.fromJson(Json.parse(json)))
                .isInstanceOf(InvalidTableException.class)
                .hasMessageContaining(named);
    }
}
