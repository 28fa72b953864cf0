package dev.calve.rewrite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.Randomly;
import dev.calve.deletes.PositionBitmap;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PositionMapTest {

    @Test
    void mapsRowsThatSurvivedAndNoOthers() {
        PositionMap map = PositionMap.builder()
                .addRun("a", 0, 3, "x", 0)
                .addRun("a", 5, 2, "x", 3)
                .addRun("b", 1, 4, "x", 5)
                .build();
        assertThat(map.map("a", PositionBitmap.of(0, 2, 3, 4, 5, 6, 7)))
                .isEqualTo(Map.of("x", PositionBitmap.of(0, 2, 3, 4)));
        assertThat(map.map("b", PositionBitmap.of(0, 1, 4, 5))).isEqualTo(Map.of("x", PositionBitmap.of(5, 8)));
        assertThat(map.map("a", PositionBitmap.of(3, 4))).isEmpty();
        assertThat(map.map("a", new PositionBitmap())).isEmpty();
        assertThat(map.rowsOf("x")).isEqualTo(9);
        assertThat(map.rowsOf("y")).isZero();
    }

    @Test
    void namesTheOutputsOfASource() {
        PositionMap map = PositionMap.builder()
                .add("a", 0, "x", 0)
                .add("a", 1, "y", 0)
                .add("a", 2, "x", 1)
                .add("b", 0, "z", 0)
                .source("empty")
                .build();
        assertThat(map.outputsOf("a")).containsExactlyInAnyOrder("x", "y");
        assertThat(map.outputsOf("b")).containsExactly("z");
        assertThat(map.outputsOf("empty")).isEmpty();
        assertThatThrownBy(() -> map.outputsOf("c")).hasMessageContaining("c is none of its 3 sources");
    }

    @Test
    void mapsPositionsBeyondFourBillion() {
        long far = 1L << 33;
        PositionMap map = PositionMap.builder().addRun("a", far, far, "x", 7).build();
        assertThat(map.map("a", PositionBitmap.of(0, far - 1, far, 2 * far - 1, 2 * far)))
                .isEqualTo(Map.of("x", PositionBitmap.of(7, far + 6)));
    }

    /** Rows of an unknown file must not be taken for rows that did not survive. */
    @Test
    void refusesToMapAFileThatIsNoSource() {
        PositionMap map =
                PositionMap.builder().source("empty").add("a", 0, "x", 0).build();
        assertThat(map.map("empty", PositionBitmap.of(1))).isEmpty();
        assertThat(map.sources()).containsExactlyInAnyOrder("a", "empty");
        assertThatThrownBy(() -> map.map("b", PositionBitmap.of(1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("b is none of its 2 sources");
    }

    @Test
    void refusesRowsOfASourceThatDoNotAscend() {
        var builder = PositionMap.builder().addRun("a", 3, 2, "x", 0);
        assertThatThrownBy(() -> builder.add("a", 4, "x", 2)).hasMessageContaining("position 4 follows 4");
        assertThatThrownBy(() -> builder.add("a", 0, "y", 0)).hasMessageContaining("must ascend");
    }

    @Test
    void refusesRowsThatChangeTheirOrder() {
        var builder = PositionMap.builder().add("a", 0, "x", 5).add("a", 1, "x", 3);
        assertThatThrownBy(builder::build)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("position 1 went to 3");
    }

    @Test
    void keepsTheOrderPerOutputOnly() {
        PositionMap map = PositionMap.builder()
                .add("a", 0, "x", 0)
                .add("a", 1, "y", 0)
                .add("a", 2, "x", 1)
                .build();
        assertThat(map.map("a", PositionBitmap.of(0, 1, 2)))
                .isEqualTo(Map.of("x", PositionBitmap.of(0, 1), "y", PositionBitmap.of(0)));
    }

    @Test
    void refusesTwoSourcesOfOneRow() {
        var builder = PositionMap.builder().addRun("a", 0, 5, "x", 0).addRun("b", 0, 5, "x", 4);
        assertThatThrownBy(builder::build)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("position 4 has two");
    }

    @Test
    void refusesRunsThatAreNone() {
        var builder = PositionMap.builder();
        assertThatThrownBy(() -> builder.addRun("a", 0, 0, "x", 0)).hasMessageContaining("0 rows");
        assertThatThrownBy(() -> builder.addRun("a", -1, 1, "x", 0)).hasMessageContaining("from -1");
        assertThatThrownBy(() -> builder.addRun("a", 0, 1, "x", -1)).hasMessageContaining("to -1");
    }

    /** A row of a source and where it went. */
    private record Move(String output, long position) {}

    @Test
    void equalsAMapOfSingleRows() {
        Randomly.check(300, random -> {
            int outputs = random.intBetween(1, 3);
            var next = new HashMap<String, Long>();
            var naive = new HashMap<String, Map<Long, Move>>();
            var builder = PositionMap.builder();
            int sources = random.intBetween(1, 4);
            for (int s = 0; s < sources; s++) {
                String source = "s" + s;
                builder.source(source);
                Map<Long, Move> moves = naive.computeIfAbsent(source, key -> new HashMap<>());
                int kept = random.oneOf(0, 50, 95, 100);
                int rows = random.intBelow(200);
                String output = "o" + random.intBelow(outputs);
                for (long row = 0; row < rows; row++) {
                    if (random.percent(3)) {
                        output = "o" + random.intBelow(outputs);
                    }
                    if (random.percent(kept)) {
                        long at = next.merge(output, 1L, Long::sum) - 1;
                        builder.add(source, row, output, at);
                        moves.put(row, new Move(output, at));
                    }
                }
            }
            PositionMap map = builder.build();
            naive.forEach((source, moves) -> {
                List<Long> asked = new ArrayList<>(random.listOf(60, () -> random.longBelow(250)));
                if (random.yes()) {
                    asked.addAll(moves.keySet());
                }
                var expected = new HashMap<String, PositionBitmap>();
                for (Long row : asked) {
                    Move move = moves.get(row);
                    if (move != null) {
                        expected.computeIfAbsent(move.output(), key -> new PositionBitmap())
                                .add(move.position());
                    }
                }
                var positions = PositionBitmap.of(
                        asked.stream().mapToLong(Long::longValue).toArray());
                assertThat(map.map(source, positions)).isEqualTo(expected);
            });
            next.forEach((output, rows) -> assertThat(map.rowsOf(output)).isEqualTo(rows));
        });
    }
}
