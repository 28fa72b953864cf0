package dev.calve.deletes;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PositionsByFileTest {

    @Test
    void groupsPositionsInAnyOrder() {
        var positions = new PositionsByFile();
        positions.add("a", 5);
        positions.add("b", 1);
        positions.add("a", 2);
        positions.add(String.valueOf(new char[] {'a'}), 5);

        assertThat(positions.of("a")).contains(PositionBitmap.of(2, 5));
        assertThat(positions.of("b")).contains(PositionBitmap.of(1));
        assertThat(positions.of("c")).isEmpty();
        assertThat(positions.asMap()).containsOnlyKeys("a", "b");
    }
}
