package dev.calve.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.io.InvalidTableException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonTest {

    @Test
    void takesNullForAbsent() {
        var json = Json.parse("{\"a\":null}");
        assertThat(Json.optionalInt(json, "a")).isEmpty();
        assertThat(Json.optionalLong(json, "b")).isEmpty();
        assertThat(Json.optionalText(json, "a")).isEmpty();
        assertThat(Json.stringMap(json, "a")).isEmpty();
        assertThatThrownBy(() -> Json.requiredInt(json, "a"))
                .isInstanceOf(InvalidTableException.class)
                .hasMessageContaining("'a'");
    }

    @Test
    void namesTheKeyOfAWrongValue() {
        var json = Json.parse("{\"n\":\"x\",\"big\":2147483648,\"half\":0.5,\"m\":{\"k\":1}}");
        assertThatThrownBy(() -> Json.requiredInt(json, "n"))
                .isInstanceOf(InvalidTableException.class)
                .hasMessageContaining("'n'")
                .hasMessageContaining("\"x\"");
        assertThatThrownBy(() -> Json.requiredInt(json, "big")).isInstanceOf(InvalidTableException.class);
        assertThat(Json.requiredLong(json, "big")).isEqualTo(2147483648L);
        assertThatThrownBy(() -> Json.requiredLong(json, "half")).isInstanceOf(InvalidTableException.class);
        assertThatThrownBy(() -> Json.stringMap(json, "m"))
                .isInstanceOf(InvalidTableException.class)
                .hasMessageContaining("'m.k'");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "  ", "{", "{\"a\":1} x", "nope"})
    void refusesTextThatIsNotOneJsonValue(String text) {
        assertThatThrownBy(() -> Json.parse(text)).isInstanceOf(InvalidTableException.class);
        assertThatThrownBy(() -> Json.parse(text.getBytes(StandardCharsets.UTF_8)))
                .isInstanceOf(InvalidTableException.class);
    }
}
