package dev.calve.partition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.io.InvalidTableException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TransformTextTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "identity",
                "void",
                "bucket[16]",
                "truncate[4]",
                "year",
                "month",
                "day",
                "hour",
                "zorder",
                "ZOrder[3]",
                "bucket",
                "bucket[x]",
                ""
            })
    void writesWhatItRead(String text) {
        assertThat(TransformText.parse(text)).hasToString(text);
    }

    @Test
    void readsKnownTransformsInAnyCase() {
        assertThat(TransformText.parse("identity")).isEqualTo(Transform.IDENTITY);
        assertThat(TransformText.parse("Bucket[16]")).isEqualTo(new Transform.Bucket(16));
        assertThat(TransformText.parse("truncate[4]")).isEqualTo(new Transform.Truncate(4));
        assertThat(TransformText.parse("DAY")).isEqualTo(Transform.Time.DAY);
        assertThat(TransformText.parse("void")).isEqualTo(Transform.VOID);
        assertThat(TransformText.parse("days")).isEqualTo(new Transform.Unknown("days"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"bucket[0]", "truncate[-1]", "bucket[2147483648]"})
    void refusesNumbersThatCannotBe(String text) {
        assertThatThrownBy(() -> TransformText.parse(text))
                .isInstanceOf(InvalidTableException.class)
                .hasMessageContaining(text);
    }
}
