package dev.calve.tools;

import static org.assertj.core.api.Assertions.assertThat;

import dev.calve.it.SparkTestSession;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class SqlIT {

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    private Sql sql(int maxRows) {
        return new Sql(
                SparkTestSession.spark(),
                maxRows,
                false,
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8));
    }

    private List<String> printed() {
        return out.toString(StandardCharsets.UTF_8).lines().toList();
    }

    @Test
    void printsAlignedRowsAndTheirNumber() {
        assertThat(sql(10).runAll(
                                "SELECT id, id AS id, text, X'00ff' AS bytes FROM VALUES (1, 'größer'), (20, NULL), (3, 'a\\nb')"
                                        + " AS t(id, text) ORDER BY t.id"))
                .isTrue();

        assertThat(printed().subList(0, 5))
                .containsExactly(
                        "id  id  text    bytes",
                        "--  --  ------  -----",
                        " 1   1  größer  00FF",
                        " 3   3  a\\nb    00FF",
                        "20  20  NULL    00FF");
        assertThat(printed().get(5)).matches("3 rows \\(\\d+\\.\\d\\d s\\)");
    }

    @Test
    void saysWhenThereAreMoreRowsThanItPrints() {
        assertThat(sql(2).runAll("SELECT id FROM range(5) ORDER BY id")).isTrue();

        assertThat(printed().get(4)).startsWith("first 2 rows, there are more (");
    }

    @Test
    void stopsAtTheFirstFailureAndTellsItInOneLine() {
        assertThat(sql(10).runAll("SELECT 1 AS one; SELECT * FROM nowhere.nothing; SELECT 2 AS two"))
                .isFalse();

        assertThat(printed()).contains("one").doesNotContain("two");
        assertThat(err.toString(StandardCharsets.UTF_8).lines())
                .singleElement()
                .asString()
                .startsWith("Error: [TABLE_OR_VIEW_NOT_FOUND]")
                .contains("nothing");
    }

    @Test
    void tellsWhatFailedInATaskAndNotThatAStageFailed() {
        assertThat(sql(10).runAll("SELECT raise_error('the reason') FROM range(2)"))
                .isFalse();

        assertThat(err.toString(StandardCharsets.UTF_8).lines())
                .singleElement()
                .asString()
                .contains("the reason")
                .doesNotContain("Job aborted");
    }
}
