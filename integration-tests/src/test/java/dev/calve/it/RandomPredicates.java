package dev.calve.it;

import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Conditions as SQL text over the columns of {@link PredicateOracleIT}, none of which can fail on a row. */
final class RandomPredicates {

    private record Column(String name, List<String> literals) {}

    private static final List<Column> COLUMNS = List.of(
            new Column("id", List.of("0L", "17L", "150L", "399L", "-1L", "9223372036854775807L")),
            new Column("i", List.of("0", "-5", "12", "2147483647", "-2147483648", "3")),
            new Column("l", List.of("0L", "40L", "-40L", "9223372036854775807L", "-9223372036854775808L")),
            new Column("f", List.of("0.0F", "-0.0F", "float('NaN')", "float('Infinity')", "1.5F", "-2.25F")),
            new Column("d", List.of("0.0D", "-0.0D", "double('NaN')", "double('-Infinity')", "3.5D", "-1e10D")),
            new Column("dec", List.of("0.00BD", "1.25BD", "-1.25BD", "9999999.99BD", "CAST(7 AS decimal(9,2))")),
            new Column("s", List.of("''", "'a'", "'ab'", "'ab\\u0000'", "'żółw'", "'zzz'", "'😀'", "'AB'")),
            new Column(
                    "dt",
                    List.of(
                            "DATE'1969-12-31'",
                            "DATE'1970-01-01'",
                            "DATE'2024-02-29'",
                            "DATE'0001-01-01'",
                            "DATE'2024-03-01'")),
            new Column(
                    "ts",
                    List.of(
                            "TIMESTAMP'1970-01-01 00:00:00'",
                            "TIMESTAMP'2024-03-10 12:00:00'",
                            "TIMESTAMP'2024-03-10 02:30:00'",
                            "TIMESTAMP'2024-03-10 10:00:00.000001Z'",
                            "TIMESTAMP'1969-12-31 23:59:59.999999Z'")),
            new Column(
                    "ntz",
                    List.of(
                            "TIMESTAMP_NTZ'1970-01-01 00:00:00'",
                            "TIMESTAMP_NTZ'2024-03-10 02:30:00'",
                            "TIMESTAMP_NTZ'1969-12-31 23:59:59.999999'")),
            new Column("b", List.of("true", "false")),
            new Column("bin", List.of("X''", "X'00'", "X'80FF'", "X'7F'")),
            new Column("st.x", List.of("0", "5", "-5", "11")),
            new Column("st.y", List.of("''", "'y3'", "'y9'")));

    private static final List<String> YEARS = List.of("1969", "1970", "2023", "2024", "1");

    private static final List<String> COMPARISONS = List.of("=", "<>", "<", "<=", ">", ">=", "<=>");

    private final Random random;

    RandomPredicates(long seed) {
        this.random = new Random(seed);
    }

    /** The next condition. */
    String next() {
        return tree(random.nextInt(3));
    }

    private String tree(int depth) {
        if (depth == 0) {
            return leaf();
        }
        return switch (random.nextInt(5)) {
            case 0 -> "NOT (" + tree(depth - 1) + ")";
            case 1, 2 -> "(" + tree(depth - 1) + ") OR (" + tree(depth - 1) + ")";
            default -> "(" + tree(depth - 1) + ") AND (" + tree(depth - 1) + ")";
        };
    }

    private <T> T oneOf(List<T> choices) {
        return choices.get(random.nextInt(choices.size()));
    }

    private String leaf() {
        Column column = oneOf(COLUMNS);
        String name = column.name();
        List<Supplier<String>> kinds = List.of(
                () -> name + " " + oneOf(COMPARISONS) + " " + oneOf(column.literals()),
                () -> name + " " + oneOf(COMPARISONS) + " " + oneOf(column.literals()),
                () -> name + " " + oneOf(COMPARISONS) + " " + oneOf(column.literals()),
                () -> oneOf(column.literals()) + " " + oneOf(COMPARISONS) + " " + name,
                () -> name + " IS " + oneOf(List.of("", "NOT ")) + "NULL",
                () -> name + oneOf(List.of("", " NOT")) + " IN (" + literals(column) + ")",
                () -> name + oneOf(List.of("", " NOT")) + " BETWEEN " + oneOf(column.literals()) + " AND "
                        + oneOf(column.literals()),
                this::special,
                this::special);
        return oneOf(kinds).get();
    }

    private String literals(Column column) {
        return IntStream.range(0, 1 + random.nextInt(4))
                // Spark 4.1 fails to print a plan with a NULL of type binary that a source is to delete by, whatever
                // the source.
                .mapToObj(
                        i -> random.nextInt(8) == 0 && !column.name().equals("bin") ? "NULL" : oneOf(column.literals()))
                .collect(Collectors.joining(", "));
    }

    private String special() {
        int n = random.nextInt(20);
        return oneOf(List.of(
                "id % 7 = " + n % 7,
                "id + " + n + " > 2 * " + n,
                "id * 3 - " + n + " <= 600",
                "d / 2.0D > " + n,
                "-f < " + n,
                "abs(id - 200) < " + (n * 5),
                "s LIKE 'a%'",
                "s LIKE '%b'",
                "s NOT LIKE 'ż%'",
                "s LIKE '%" + "ab" + "%'",
                "startswith(s, 'ab')",
                "CASE WHEN i > " + n + " THEN l > 0 WHEN s IS NULL THEN b ELSE d < 0 END",
                "coalesce(s, 'none') = 'none'",
                "coalesce(i, " + n + ") >= " + n,
                "CAST(dt AS timestamp) < TIMESTAMP'2024-03-01 00:00:00'",
                "CAST(ts AS date) = DATE'2024-03-10'",
                "CAST(ntz AS date) <= DATE'2024-03-10'",
                "CAST(dt AS timestamp_ntz) >= TIMESTAMP_NTZ'2024-02-29 00:00:00.000001'",
                "year(ts) = " + oneOf(YEARS),
                "year(ntz) < " + oneOf(YEARS),
                "year(dt) IN (2024, " + oneOf(YEARS) + ")",
                "trunc(dt, '" + oneOf(List.of("year", "quarter", "MM", "week")) + "') >= DATE'2024-01-01'",
                "trunc(CAST(ts AS date), 'MM') <> DATE'2024-03-01'",
                "date_trunc('month', ts) = TIMESTAMP'2024-03-01 00:00:00'",
                "lake.system.bucket(2, i) = " + n % 3,
                "lake.system.days(ts) > DATE'1970-01-01'",
                "lake.system.truncate(1, s) IN ('a', 'k', 'ż')",
                "lake.system.years(ntz) <=> 54",
                "i > " + n + ".5",
                "i <= " + n + ".25D",
                "l > " + n + ".5",
                "dec < " + n + ".001",
                "CAST(i AS bigint) < l",
                "i < l",
                "f = d",
                "s = st.y",
                "d <=> CAST(f AS double)",
                "CAST(dec AS double) > " + n,
                "st IS NULL",
                "b",
                "NOT b",
                "id IN (" + many(n) + ")",
                "id NOT IN (" + many(n) + ")",
                "s IN (" + manyTexts(n) + ")",
                "i IN (" + many(n) + ", NULL)"));
    }

    private static String many(int n) {
        return IntStream.range(0, 11 + n)
                .mapToObj(i -> Long.toString(i * 19L % 400))
                .collect(Collectors.joining(", "));
    }

    private static String manyTexts(int n) {
        return IntStream.range(0, 11 + n)
                .mapToObj(i -> "'k" + i * 31 % 60 + "'")
                .collect(Collectors.joining(", ", "'ab', ", ""));
    }
}
