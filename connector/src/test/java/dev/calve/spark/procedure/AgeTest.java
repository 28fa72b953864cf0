package dev.calve.spark.procedure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AgeTest {

    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "86400000, 86400000",
        "5 ms, 5",
        "5 milliseconds, 5",
        "1 second, 1000",
        "2minutes, 120000",
        "1 hour, 3600000",
        "' 7  DAYS ', 604800000",
        "2 weeks, 1209600000",
        "1 day 12 hours 30 minutes, 131400000",
    })
    void readsSpansOfTime(String text, long millis) {
        assertThat(Age.millis(text)).isEqualTo(millis);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "soon", "days", "7 moons", "1 day 12", "1 day, 2 hours", "-1 day", "1.5 days"})
    void refusesWhatIsNone(String text) {
        assertThatThrownBy(() -> Age.millis(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("not '" + text + "'");
    }

    @Test
    void refusesSpansThatCannotBeStored() {
        assertThatThrownBy(() -> Age.millis("99999999999999999999")).hasMessageContaining("longer than can be stored");
        assertThatThrownBy(() -> Age.millis("9223372036854775807 days"))
                .hasMessageContaining("longer than can be stored");
    }
}
