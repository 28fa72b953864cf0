package dev.calve.spark.inspect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class OnDriverTest {

    private static final List<Integer> INPUTS =
            IntStream.range(0, 3 * OnDriver.AT_ONCE + 1).boxed().toList();

    @Test
    void resultsComeInTheOrderOfTheInputsAndFewAreHeld() throws IOException {
        var held = new AtomicInteger();
        var most = new AtomicInteger();
        var used = new ArrayList<Integer>();

        OnDriver.each(
                INPUTS,
                input -> {
                    most.accumulateAndGet(held.incrementAndGet(), Math::max);
                    return input;
                },
                result -> {
                    held.decrementAndGet();
                    used.add(result);
                });

        assertThat(used).isEqualTo(INPUTS);
        assertThat(most.get()).isBetween(1, OnDriver.AT_ONCE);
    }

    @Test
    void aFailureEndsIt() {
        var used = new ArrayList<Integer>();

        assertThatThrownBy(() -> OnDriver.each(
                        INPUTS,
                        input -> {
                            if (input == OnDriver.AT_ONCE) {
                                throw new IOException("gone");
                            }
                            return input;
                        },
                        used::add))
                .isInstanceOf(IOException.class)
                .hasMessage("gone");
        assertThat(used).hasSize(OnDriver.AT_ONCE);
    }
}
