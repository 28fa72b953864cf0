package dev.calve.manifest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RecentTest {

    private final Recent<Integer, String> recent = new Recent<>(2);
    private final List<Integer> made = new ArrayList<>();

    private String get(int key) {
        return recent.get(key, asked -> {
            made.add(asked);
            return "value " + asked;
        });
    }

    @Test
    void makesAValueOnceWhileItIsInUse() {
        assertThat(get(1)).isEqualTo("value 1");
        assertThat(get(2)).isEqualTo("value 2");
        assertThat(get(1)).isSameAs(get(1));

        assertThat(made).containsExactly(1, 2);
    }

    @Test
    void forgetsTheValueThatWasNotUsedForLongest() {
        get(1);
        get(2);
        get(1);
        get(3);
        get(1);
        get(2);

        assertThat(made).containsExactly(1, 2, 3, 2);
    }

    @Test
    void triesAgainWhatCouldNotBeMade() {
        assertThatThrownBy(() -> recent.get(1, key -> {
                    throw new IllegalArgumentException("no");
                }))
                .isInstanceOf(IllegalArgumentException.class);

        assertThat(get(1)).isEqualTo("value 1");
    }
}
