package dev.calve.tools;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import org.apache.spark.sql.SparkSession;
import org.jline.reader.CompletingParsedLine;
import org.jline.reader.EOFError;
import org.jline.reader.EndOfFileException;
import org.jline.reader.LineReader;
import org.jline.reader.LineReaderBuilder;
import org.jline.reader.ParsedLine;
import org.jline.reader.Parser;
import org.jline.reader.UserInterruptException;
import org.jline.reader.impl.DefaultParser;
import org.jline.terminal.Terminal;
import org.jline.terminal.TerminalBuilder;

/**
 * Asks for statements at a terminal, with line editing and a history that outlives the process. A statement may take
 * several lines; Enter runs it once it ends with a semicolon. Ctrl-C gives up the line or the running statement.
 */
final class SqlPrompt {

    private static final String HISTORY = ".calve_sql_history";

    private final Sql sql;
    private final SparkSession spark;

    SqlPrompt(Sql sql, SparkSession spark) {
        this.sql = sql;
        this.spark = spark;
    }

    /** Returns the exit code when the user is done; a statement that fails does not end it. */
    int run(String warehouse, boolean temporary) {
        try (Terminal terminal = TerminalBuilder.builder().system(true).build()) {
            terminal.writer()
                    .println("Spark " + spark.version() + ", catalog '"
                            + spark.conf().get("spark.sql.defaultCatalog") + "' at " + warehouse
                            + (temporary ? " (temporary)" : "")
                            + ". Statements end with ';', 'quit' or Ctrl-D leaves.");
            terminal.flush();
            terminal.handle(Terminal.Signal.INT, signal -> spark.sparkContext().cancelAllJobs());
            LineReader reader = LineReaderBuilder.builder()
                    .terminal(terminal)
                    .parser(new StatementParser())
                    .variable(LineReader.HISTORY_FILE, Path.of(System.getProperty("user.home"), HISTORY))
                    .variable(LineReader.SECONDARY_PROMPT_PATTERN, "   > ")
                    .option(LineReader.Option.DISABLE_EVENT_EXPANSION, true)
                    .build();
            return ask(reader);
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot use the terminal: " + e.getMessage(), e);
        }
    }

    private int ask(LineReader reader) {
        while (true) {
            try {
                String text = reader.readLine("sql> ");
                if (isFarewell(text)) {
                    return 0;
                }
                sql.runAll(text);
            } catch (UserInterruptException e) {
                // Ctrl-C at the prompt: the next line begins.
            } catch (EndOfFileException e) {
                return 0;
            }
        }
    }

    private static boolean isFarewell(String text) {
        String word = text.strip().replaceAll(";$", "").strip();
        return word.equalsIgnoreCase("quit") || word.equalsIgnoreCase("exit");
    }

    /** Lets the reader go on asking for lines until the text ends with a semicolon. */
    private static final class StatementParser extends DefaultParser {

        @Override
        public ParsedLine parse(String line, int cursor, Parser.ParseContext context) {
            if (context == Parser.ParseContext.ACCEPT_LINE && !isFarewell(line)) {
                SqlSplitter.Parts parts = SqlSplitter.split(line);
                if (parts.open() || !parts.rest().isEmpty()) {
                    throw new EOFError(-1, cursor, "statement without a semicolon");
                }
            }
            return new Whole(line, cursor);
        }
    }

    /** A line that is not taken apart: nothing is completed. */
    private record Whole(String line, int cursor) implements CompletingParsedLine {

        @Override
        public CharSequence escape(CharSequence candidate, boolean complete) {
            return candidate;
        }

        @Override
        public int rawWordCursor() {
            return cursor;
        }

        @Override
        public int rawWordLength() {
            return line.length();
        }

        @Override
        public String word() {
            return line;
        }

        @Override
        public int wordCursor() {
            return cursor;
        }

        @Override
        public int wordIndex() {
            return 0;
        }

        @Override
        public List<String> words() {
            return List.of(line);
        }
    }
}
