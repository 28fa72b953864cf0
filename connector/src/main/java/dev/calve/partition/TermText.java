package dev.calve.partition;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads partition transforms and sort keys as people write them in SQL: {@code category}, {@code bucket(16, id)}, {@code
 * days(event.ts) DESC NULLS FIRST}. The letter case of transforms and key words does not count; a name with spaces, commas or
 * parentheses stands in back quotes. {@link TransformText} reads the specification's texts.
 */
public final class TermText {

    private static final Pattern TOKEN = Pattern.compile("\\s*(?:`((?:[^`]|``)*)`|([(),.])|([^\\s`(),.]+))");
    private static final Pattern NUMBER = Pattern.compile("[+-]?\\d+");

    /** A piece of the text; quoted ones are names whatever they look like. */
    private record Token(String text, boolean quoted) {
        boolean is(String other) {
            return !quoted && text.equalsIgnoreCase(other);
        }

        boolean isWord() {
            return quoted || !(text.equals("(") || text.equals(")") || text.equals(",") || text.equals("."));
        }
    }

    private final String text;
    private final List<Token> tokens = new ArrayList<>();
    private int at;

    private TermText(String text) {
        this.text = text;
        String rest = text.strip();
        Matcher matcher = TOKEN.matcher(rest);
        int end = 0;
        while (end < rest.length()) {
            matcher.region(end, rest.length());
            if (!matcher.lookingAt()) {
                throw invalid("a back quote is not closed");
            }
            String quoted = matcher.group(1);
            String other = matcher.group(2) == null ? matcher.group(3) : matcher.group(2);
            tokens.add(quoted == null ? new Token(other, false) : new Token(quoted.replace("``", "`"), true));
            end = matcher.end();
        }
    }

    /**
     * Reads one transform.
     *
     * @throws IllegalArgumentException quoting the text, if it is none
     */
    public static ColumnTransform transform(String text) {
        var reader = new TermText(text);
        ColumnTransform result = reader.term();
        if (reader.at < reader.tokens.size()) {
            throw reader.invalid("nothing may follow it");
        }
        return result;
    }

    /**
     * Reads a list of sort keys, each a transform with {@code ASC} or {@code DESC} and {@code NULLS FIRST} or {@code NULLS
     * LAST} after it. Ascending is the default; nulls are first in ascending and last in descending order unless said
     * otherwise. A text without a key is no order.
     *
     * @throws IllegalArgumentException quoting the text, if it is none
     */
    public static List<SortKey> order(String text) {
        var reader = new TermText(text);
        var keys = new ArrayList<SortKey>();
        if (reader.tokens.isEmpty()) {
            return keys;
        }
        do {
            keys.add(reader.key());
        } while (reader.take(","));
        if (reader.at < reader.tokens.size()) {
            throw reader.invalid("its keys must be separated by commas");
        }
        return keys;
    }

    private SortKey key() {
        ColumnTransform term = term();
        boolean descending = take("DESC");
        if (!descending) {
            take("ASC");
        }
        boolean nullsFirst = !descending;
        if (take("NULLS")) {
            nullsFirst = take("FIRST");
            if (!nullsFirst && !take("LAST")) {
                throw invalid("NULLS must be followed by FIRST or LAST");
            }
        }
        return new SortKey(
                term,
                descending ? SortOrder.Direction.DESC : SortOrder.Direction.ASC,
                nullsFirst ? SortOrder.NullOrder.NULLS_FIRST : SortOrder.NullOrder.NULLS_LAST);
    }

    private ColumnTransform term() {
        boolean quoted = at < tokens.size() && tokens.get(at).quoted();
        String name = column();
        if (quoted || !take("(")) {
            return new ColumnTransform(name, Transform.IDENTITY);
        }
        Optional<String> column = Optional.empty();
        Optional<Integer> number = Optional.empty();
        do {
            if (number.isEmpty() && isNumber()) {
                number = Optional.of(number());
            } else if (column.isEmpty()) {
                column = Optional.of(column());
            } else {
                throw unknown();
            }
        } while (take(","));
        if (!take(")")) {
            throw invalid("a parenthesis is not closed");
        }
        return new ColumnTransform(column.orElseThrow(this::unknown), transform(name, number));
    }

    private Transform transform(String name, Optional<Integer> number) {
        String lower = name.toLowerCase(Locale.ROOT);
        if (number.isPresent()) {
            return switch (lower) {
                case "bucket" -> new Transform.Bucket(number.get());
                case "truncate" -> new Transform.Truncate(number.get());
                default -> throw unknown();
            };
        }
        return switch (lower) {
            case "identity" -> Transform.IDENTITY;
            case "year", "years" -> Transform.Time.YEAR;
            case "month", "months" -> Transform.Time.MONTH;
            case "day", "days", "date" -> Transform.Time.DAY;
            case "hour", "hours", "date_hour" -> Transform.Time.HOUR;
            default -> throw unknown();
        };
    }

    /** A name of one or more parts. */
    private String column() {
        var parts = new ArrayList<String>();
        do {
            if (at == tokens.size() || !tokens.get(at).isWord()) {
                throw unknown();
            }
            parts.add(tokens.get(at++).text());
        } while (take("."));
        return String.join(".", parts);
    }

    private boolean isNumber() {
        return at < tokens.size()
                && !tokens.get(at).quoted()
                && NUMBER.matcher(tokens.get(at).text()).matches();
    }

    private int number() {
        try {
            return Integer.parseInt(tokens.get(at++).text());
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("'" + text + "' must have a number of 32 bits.", e);
        }
    }

    private boolean take(String word) {
        boolean found = at < tokens.size() && tokens.get(at).is(word);
        if (found) {
            at++;
        }
        return found;
    }

    private IllegalArgumentException unknown() {
        return invalid("a term is a column, bucket(n, column), truncate(n, column),"
                + " or years, months, days or hours of a column");
    }

    private IllegalArgumentException invalid(String why) {
        return new IllegalArgumentException("'" + text + "' cannot be read: " + why + ".");
    }
}
