package dev.calve.schema;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PromotionTest {

    /** Spec: Schema Evolution. Columns: from, to, allowed in version 2, allowed in version 3. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "int | int | true | true",
                "int | long | true | true",
                "long | int | false | false",
                "int | float | false | false",
                "float | double | true | true",
                "double | float | false | false",
                "decimal(9,2) | decimal(10,2) | true | true",
                "decimal(9,2) | decimal(8,2) | false | false",
                "decimal(9,2) | decimal(10,3) | false | false",
                "date | timestamp | false | true",
                "date | timestamp_ns | false | true",
                "date | timestamptz | false | false",
                "date | timestamptz_ns | false | false",
                "unknown | string | false | true",
                "string | binary | false | false"
            })
    void allowsWhatTheSpecificationAllows(String from, String to, boolean version2, boolean version3) {
        assertThat(Promotion.isAllowed(type(from), type(to))).isEqualTo(version2);
        assertThat(Promotion.isAllowed(type(from), type(to), 1)).isEqualTo(version2);
        assertThat(Promotion.isAllowed(type(from), type(to), 2)).isEqualTo(version2);
        assertThat(Promotion.isAllowed(type(from), type(to), 3)).isEqualTo(version3);
    }

    private static Type type(String text) {
        return SchemaJson.typeFromJson(Json.parse("\"" + text + "\""));
    }
}
