package dev.calve.it;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.spark.sql.AnalysisException;
import org.apache.spark.sql.Row;

/** Statements in the session of {@link SparkTestSession}, and their answers as plain values. */
@SuppressWarnings("AnnotateFormatMethod") // The annotation would need another dependency.
final class Sql {

    private static final AtomicInteger NAMES = new AtomicInteger();

    private Sql() {}

    static void run(String statement, Object... arguments) {
        SparkTestSession.spark().sql(statement.formatted(arguments)).collectAsList();
    }

    /** Rows as text, in the order of the text, so that answers compare whatever order they come in. */
    static List<String> rows(String query, Object... arguments) {
        return SparkTestSession.spark().sql(query.formatted(arguments)).collectAsList().stream()
                .map(Row::toString)
                .sorted(Comparator.naturalOrder())
                .toList();
    }

    /** The first column, a {@code bigint}, ascending. */
    static List<Long> longs(String query, Object... arguments) {
        return SparkTestSession.spark().sql(query.formatted(arguments)).collectAsList().stream()
                .map(row -> row.getLong(0))
                .sorted(Comparator.naturalOrder())
                .toList();
    }

    static long count(String table) {
        return SparkTestSession.spark()
                .sql("SELECT count(*) FROM " + table)
                .head()
                .getLong(0);
    }

    /** The table's current snapshot as its properties tell it: a number or {@code none}. */
    static String snapshot(String table) {
        return SparkTestSession.spark()
                .sql("SHOW TBLPROPERTIES " + table + " ('current-snapshot-id')")
                .head()
                .getString(1);
    }

    /** The messages of the failure a statement must end in, with those of its causes, one a line. */
    static String failure(String statement, Object... arguments) {
        try {
            run(statement, arguments);
        } catch (Throwable e) { // Spark throws checked exceptions that its methods do not declare.
            return messages(e);
        }
        throw new AssertionError("This must fail: " + statement.formatted(arguments));
    }

    static String messages(Throwable failure) {
        var messages = new ArrayList<String>();
        for (Throwable at = failure; at != null; at = at.getCause()) {
            String condition = at instanceof AnalysisException analysis ? " " + analysis.getCondition() : "";
            messages.add(at.getClass().getName() + condition + ": " + at.getMessage());
        }
        return String.join("\n", messages);
    }

    /** A name no other test of this JVM has got. */
    static String unique(String prefix) {
        return prefix + NAMES.incrementAndGet();
    }
}
