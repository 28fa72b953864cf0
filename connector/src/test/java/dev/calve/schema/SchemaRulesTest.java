package dev.calve.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SchemaRulesTest {

    @ParameterizedTest
    @CsvSource({
        "int, 1",
        "uuid, 1",
        "time, 1",
        "timestamptz, 1",
        "timestamp_ns, 3",
        "timestamptz_ns, 3",
        "variant, 3",
        "unknown, 3",
        "geometry, 3",
        "geography, 3"
    })
    void allowsTypesFromTheirVersionOn(String type, int first) {
        var deep = new Type.ListOf(2, false, SchemaJson.typeFromJson(Json.parse("\"" + type + "\"")));
        var schema = new Schema(0, List.of(Field.optional(1, "a", deep)));
        for (int version = 1; version <= 3; version++) {
            assertThat(SchemaRules.problems(schema, version).isEmpty())
                    .as("version %s", version)
                    .isEqualTo(version >= first);
        }
    }

    @Test
    void namesEveryFieldThatBreaksARule() {
        var schema = new Schema(
                0,
                List.of(
                        Field.optional(1, "v", Type.Simple.VARIANT),
                        Field.optional(MetadataFields.ROW_ID.id(), "mine", Type.Simple.LONG)));
        assertThatThrownBy(() -> SchemaRules.check(schema, 2))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'v' of type variant needs format version 3")
                .hasMessageContaining("'mine'")
                .hasMessageContaining("2147483540");
    }

    @Test
    void allowsDefaultsOnlyInVersion3AndOnlyForTypesWithValues() {
        var withDefault = new Schema(0, List.of(withDefault(Type.Simple.INT, 1)));
        assertThat(SchemaRules.problems(withDefault, 2)).hasSize(1);
        assertThat(SchemaRules.problems(withDefault, 3)).isEmpty();
        assertThat(SchemaRules.problems(new Schema(0, List.of(withDefault(Type.Simple.VARIANT, 1))), 3))
                .hasSize(1);
    }

    @Test
    void wantsUnknownFieldsOptional() {
        assertThat(SchemaRules.problems(new Schema(0, List.of(Field.required(1, "u", Type.Simple.UNKNOWN))), 3))
                .hasSize(1);
    }

    @Test
    void checksIdentifierFields() {
        assertThat(identifying(Field.required(1, "a", Type.Simple.STRING))).isEmpty();
        assertThat(identifying(Field.optional(1, "a", Type.Simple.STRING))).hasSize(1);
        assertThat(identifying(Field.required(1, "a", Type.Simple.DOUBLE))).hasSize(1);
        assertThat(identifying(Field.required(1, "a", Type.Simple.VARIANT))).hasSize(1);
        assertThat(identifying(Field.required(1, "a", new Type.Struct(List.of()))))
                .hasSize(1);

        var nested = new Type.Struct(List.of(Field.required(1, "a", Type.Simple.INT)));
        assertThat(identifying(Field.required(2, "s", nested))).isEmpty();
        assertThat(identifying(Field.optional(2, "s", nested))).hasSize(1);
        assertThat(identifying(Field.required(2, "l", new Type.ListOf(3, true, nested))))
                .hasSize(1);
    }

    private static List<String> identifying(Field top) {
        return SchemaRules.problems(new Schema(0, new Type.Struct(List.of(top)), Set.of(1)), 3);
    }

    private static Field withDefault(Type type, Object value) {
        return new Field(1, "a", false, type, Optional.empty(), Optional.empty(), Optional.of(value));
    }
}
