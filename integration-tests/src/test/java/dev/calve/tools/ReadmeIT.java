package dev.calve.tools;

import static org.assertj.core.api.Assertions.assertThat;

import dev.calve.it.SparkTestSession;
import dev.calve.metadata.TableProperties;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.Test;

/** What the README says can be run is run, and what it lists is complete. */
class ReadmeIT {

    private static final Pattern BLOCK = Pattern.compile("```(sql|text)\\n(.*?)```", Pattern.DOTALL);
    private static final Pattern TEST_CLASS = Pattern.compile("`([A-Z]\\w+(?:Test|IT))`");

    private static final Path ROOT = findRoot();
    private static final String README = read(ROOT.resolve("README.md"));

    @Test
    void everySqlBlockGivesTheAnswerPrintedBelowIt() {
        int answers = 0;
        List<String> last = List.of();
        var blocks = BLOCK.matcher(README);
        while (blocks.find()) {
            if (blocks.group(1).equals("sql")) {
                last = runAll(blocks.group(2));
            } else {
                assertThat(last)
                        .isEqualTo(blocks.group(2).stripTrailing().lines().toList());
                answers++;
            }
        }
        assertThat(answers).isEqualTo(7);
    }

    /** Runs the statements; returns what the last one of them answers. */
    private static List<String> runAll(String script) {
        List<String> lines = List.of();
        for (String statement : SqlSplitter.split(script).all()) {
            Dataset<Row> answer = SparkTestSession.spark().sql(statement);
            lines = answer.schema().isEmpty()
                    ? List.of()
                    : Sql.answer(answer, 100).table().lines();
        }
        return lines;
    }

    @Test
    void thePropertyTableListsEveryPropertyAsTheCodeHasIt() {
        var rows = TableProperties.all().stream()
                .map(property -> "| `" + property.name() + (property.name().endsWith(".") ? "<column>" : "") + "` | "
                        + property.defaultText() + " | " + property.doc() + " |")
                .toList();

        var section = README.substring(README.indexOf("## Table properties"));
        assertThat(section.lines().filter(line -> line.startsWith("| `"))).containsExactlyElementsOf(rows);
    }

    @Test
    void everyTestItNamesExists() throws IOException {
        var named = TEST_CLASS
                .matcher(README)
                .results()
                .map(match -> match.group(1) + ".java")
                .collect(Collectors.toSet());
        var missing = new ArrayList<>(named);
        try (Stream<Path> files = Files.walk(ROOT)) {
            files.filter(path -> path.toString().contains("src"))
                    .forEach(path -> missing.remove(path.getFileName().toString()));
        }

        assertThat(named).hasSizeGreaterThan(5);
        assertThat(missing).isEmpty();
    }

    /** The tests run in their module or in the root, depending on who starts them. */
    private static Path findRoot() {
        return Stream.iterate(Path.of("").toAbsolutePath(), Objects::nonNull, Path::getParent)
                .filter(folder -> Files.exists(folder.resolve("dev/ARCHITECTURE.md")))
                .findFirst()
                .orElseThrow();
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
