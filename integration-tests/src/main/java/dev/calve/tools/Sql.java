package dev.calve.tools;

import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.NumericType;

/**
 * Runs SQL on a local Spark session with Calve's catalog and prints the answers as tables. The main of {@code dev/sql} and
 * {@code dev/peer}.
 */
public final class Sql {

    static final String HELP = """
            sql [-e "SQL"] [-f FILE] [--warehouse DIR] [--conf KEY=VALUE] [--max-rows N] [--debug]

              -e "SQL"          runs these statements; can be repeated and mixed with -f
              -f FILE           runs the statements of a file, or of standard input for '-'
              --warehouse DIR   where the tables are; without it a temporary folder that goes at the end
              --conf KEY=VALUE  a setting of Spark
              --max-rows N      prints at most so many rows of an answer (1000)
              --peer            also configures Apache Iceberg's own catalog, 'peer', and begins in it (dev/peer)
              --debug           prints the stack of a failure

            Statements end with ';'. With neither -e nor -f they are asked for, or read from standard input if that is no
            terminal. The exit code is 1 if a statement fails; those after it do not run, except when they are asked for.
            """;

    private static final int DEFAULT_MAX_ROWS = 1000;

    private final SparkSession spark;
    private final int maxRows;
    private final boolean debug;
    private final PrintStream out;
    private final PrintStream err;

    Sql(SparkSession spark, int maxRows, boolean debug, PrintStream out, PrintStream err) {
        this.spark = spark;
        this.maxRows = maxRows;
        this.debug = debug;
        this.out = out;
        this.err = err;
    }

    public static void main(String[] arguments) {
        System.exit(run(arguments));
    }

    private static int run(String[] arguments) {
        try {
            var parsed = Arguments.parse(
                    arguments,
                    Set.of("-e", "-f", "--warehouse", "--conf", "--max-rows"),
                    Set.of("--peer", "--debug", "--help", "-h"));
            if (parsed.has("--help") || parsed.has("-h")) {
                System.out.print(HELP);
                return 0;
            }
            if (!parsed.rest().isEmpty()) {
                throw new IllegalArgumentException("SQL must be given with -e or -f, not as '"
                        + parsed.rest().get(0) + "'; see --help.");
            }
            return run(parsed);
        } catch (IllegalArgumentException | UncheckedIOException e) {
            System.err.println("Error: " + e.getMessage());
            return 2;
        }
    }

    private static int run(Arguments arguments) {
        List<String> scripts = scripts(arguments);
        Map<String, String> configuration = configuration(arguments);
        int maxRows = arguments.number("--max-rows", DEFAULT_MAX_ROWS);
        boolean temporary = arguments.value("--warehouse").isEmpty();
        String warehouse = arguments
                .value("--warehouse")
                .map(ToolSession::warehouse)
                .orElseGet(() -> ToolSession.temporaryFolder("calve-warehouse-").toString());
        boolean peer = arguments.has("--peer");
        if (peer) {
            configuration.putIfAbsent("spark.sql.defaultCatalog", ToolSession.PEER);
        }
        try (var session = ToolSession.start("calve-sql", warehouse, peer, configuration)) {
            var sql = new Sql(session.spark(), maxRows, arguments.has("--debug"), System.out, System.err);
            if (scripts.isEmpty()) {
                return new SqlPrompt(sql, session.spark()).run(warehouse, temporary);
            }
            return scripts.stream().allMatch(sql::runAll) ? 0 : 1;
        }
    }

    /** What -e and -f give, in their order; standard input if there is neither and it is no terminal. */
    private static List<String> scripts(Arguments arguments) {
        var scripts = new ArrayList<String>();
        for (var option : arguments.options()) {
            switch (option.name()) {
                case "-e" -> scripts.add(option.value());
                case "-f" -> scripts.add(option.value().equals("-") ? standardInput() : file(option.value()));
                default -> {}
            }
        }
        if (scripts.isEmpty() && !isTerminal()) {
            scripts.add(standardInput());
        }
        return scripts;
    }

    /** Always true from Java 22 on; the prompt then reads what is no terminal line by line. */
    @SuppressWarnings("SystemConsoleNull")
    private static boolean isTerminal() {
        return System.console() != null;
    }

    private static String file(String name) {
        try {
            return Files.readString(Path.of(name));
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot read '" + name + "': " + e, e);
        }
    }

    private static String standardInput() {
        try {
            return new String(System.in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot read standard input: " + e, e);
        }
    }

    /** What the options {@code --conf} say. */
    static Map<String, String> configuration(Arguments arguments) {
        var configuration = new LinkedHashMap<String, String>();
        for (String setting : arguments.values("--conf")) {
            int equals = setting.indexOf('=');
            if (equals < 1) {
                throw new IllegalArgumentException("Option --conf must have KEY=VALUE, not '" + setting + "'.");
            }
            configuration.put(setting.substring(0, equals), setting.substring(equals + 1));
        }
        return configuration;
    }

    /** Runs the statements of a text up to the first that fails; tells whether none did. */
    boolean runAll(String script) {
        SqlSplitter.Parts parts = SqlSplitter.split(script);
        return parts.all().stream().allMatch(this::runOne);
    }

    /** Runs one statement and prints its answer or its failure; tells whether it succeeded. */
    boolean runOne(String statement) {
        try {
            long start = System.nanoTime();
            Dataset<Row> answer = spark.sql(statement);
            if (answer.schema().isEmpty()) {
                out.println("OK (" + seconds(start) + ")");
            } else {
                print(answer, start);
            }
            out.println();
            return true;
        } catch (Exception e) {
            // Spark throws checked exceptions that Java does not know of, so no narrower type would do.
            err.println("Error: " + Failures.oneLine(e));
            if (debug) {
                e.printStackTrace(err);
            }
            return false;
        }
    }

    private void print(Dataset<Row> answer, long start) {
        Answer found = answer(answer, maxRows);
        found.table().lines().forEach(out::println);
        int rows = found.table().rows().size();
        out.println((found.complete() ? "" : "first ") + rows + (rows == 1 ? " row" : " rows")
                + (found.complete() ? "" : ", there are more") + " (" + seconds(start) + ")");
    }

    /**
     * The rows of an answer as text.
     *
     * @param complete whether there are no more rows than these
     */
    record Answer(TextTable table, boolean complete) {}

    /** Runs the query, for at most {@code maxRows} rows. Values look as Spark's CAST AS STRING makes them. */
    static Answer answer(Dataset<Row> query, int maxRows) {
        var fields = query.schema().fields();
        // Names may be equal; positions are not.
        String[] positions = IntStream.range(0, fields.length)
                .mapToObj(column -> "c" + column)
                .toArray(String[]::new);
        Column[] texts = IntStream.range(0, fields.length)
                .mapToObj(column -> text(functions.col(positions[column]), fields[column].dataType()))
                .toArray(Column[]::new);
        List<Row> rows = query.toDF(positions).select(texts).takeAsList(maxRows + 1);
        var table = new TextTable(
                List.of(query.columns()),
                IntStream.range(0, fields.length)
                        .mapToObj(column -> fields[column].dataType() instanceof NumericType)
                        .toList(),
                rows.stream().limit(maxRows).map(Sql::texts).toList());
        return new Answer(table, rows.size() <= maxRows);
    }

    private static Column text(Column value, DataType type) {
        return type.equals(DataTypes.BinaryType) ? functions.hex(value) : value.cast("string");
    }

    private static List<String> texts(Row row) {
        return IntStream.range(0, row.size())
                .mapToObj(column -> row.isNullAt(column) ? "NULL" : row.getString(column))
                .toList();
    }

    private static String seconds(long start) {
        return String.format(Locale.ROOT, "%.2f s", (System.nanoTime() - start) / 1e9);
    }
}
