package dev.calve.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.io.InvalidTableException;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NameMappingTest {

    /** Spec: Appendix C, Name Mapping Serialization: its example, and a field without id. */
    private static final String EXAMPLE = """
            [ { "field-id": 1, "names": ["id", "record_id"] },
              { "field-id": 2, "names": ["data"] },
              { "names": ["stray"] },
              { "field-id": 3, "names": ["location"], "fields": [
                { "field-id": 4, "names": ["latitude", "lat"] },
                { "field-id": 5, "names": ["longitude", "long"] } ] } ]
            """;

    @Test
    void findsIdsByEveryNameOfAField() {
        var mapping = NameMapping.parse(EXAMPLE);
        assertThat(mapping.fieldId(List.of("id"))).hasValue(1);
        assertThat(mapping.fieldId(List.of("record_id"))).hasValue(1);
        assertThat(mapping.fieldId(List.of("location"))).hasValue(3);
        assertThat(mapping.fieldId(List.of("location", "lat"))).hasValue(4);
        assertThat(mapping.fieldId(List.of("location", "long"))).hasValue(5);
    }

    @Test
    void findsNothingForUnknownNamesAndFieldsWithoutId() {
        var mapping = NameMapping.parse(EXAMPLE);
        assertThat(mapping.fieldId(List.of("lat"))).isEmpty();
        assertThat(mapping.fieldId(List.of("ID"))).isEmpty();
        assertThat(mapping.fieldId(List.of("stray"))).isEmpty();
        assertThat(mapping.entry("stray")).isPresent();
        assertThat(mapping.fieldId(List.of("data", "x"))).isEmpty();
    }

    @Test
    void writesWhatItRead() {
        assertThat(Json.parse(NameMapping.parse(EXAMPLE).toJson())).isEqualTo(Json.parse(EXAMPLE));
    }

    @Test
    void mapsAllFieldsOfASchema() {
        var point = new Type.Struct(List.of(Field.required(7, "x", Type.Simple.DOUBLE)));
        var schema = new Schema(
                0,
                List.of(
                        Field.required(1, "id", Type.Simple.LONG),
                        Field.optional(2, "tags", new Type.ListOf(4, true, Type.Simple.STRING)),
                        Field.optional(3, "points", new Type.MapOf(5, Type.Simple.STRING, 6, false, point))));

        var mapping = NameMapping.of(schema);

        assertThat(mapping.fieldId(List.of("id"))).hasValue(1);
        assertThat(mapping.fieldId(List.of("tags", "element"))).hasValue(4);
        assertThat(mapping.fieldId(List.of("points", "key"))).hasValue(5);
        assertThat(mapping.fieldId(List.of("points", "value", "x"))).isEqualTo(OptionalInt.of(7));
        assertThat(NameMapping.parse(mapping.toJson())).isEqualTo(mapping);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "[{\"field-id\":1}]",
                "[{\"field-id\":1,\"names\":\"a\"}]",
                "[{\"field-id\":1,\"names\":[\"a\"]},{\"field-id\":2,\"names\":[\"b\",\"a\"]}]"
            })
    void refusesWhatIsNotAMapping(String json) {
        assertThatThrownBy(() -> NameMapping.parse(json)).isInstanceOf(InvalidTableException.class);
    }
}
