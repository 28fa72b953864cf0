package dev.calve.tools;

import java.util.ArrayList;
import java.util.List;

/**
 * Cuts text into SQL statements at semicolons, as Spark's grammar reads it: a semicolon in a string, a quoted name or a
 * comment cuts nothing. Comments stay in the statement they stand in; a piece of nothing but comments is no statement.
 * SQL scripts ({@code BEGIN … END}), which have semicolons inside, are not known here.
 */
final class SqlSplitter {

    /**
     * What a text holds.
     *
     * @param statements those that a semicolon ends, without it
     * @param rest what stands after the last of them; empty if that is only space and comments
     * @param open whether the text ends inside a string, a quoted name or a comment that needs its end
     */
    record Parts(List<String> statements, String rest, boolean open) {
        Parts {
            statements = List.copyOf(statements);
        }

        /** All statements; what stands after the last semicolon is one as well. */
        List<String> all() {
            var all = new ArrayList<>(statements);
            if (!rest.isEmpty()) {
                all.add(rest);
            }
            return all;
        }
    }

    private final String text;
    private final List<String> statements = new ArrayList<>();
    private int at;
    private int begin;
    private boolean hasContent;
    private boolean open;

    private SqlSplitter(String text) {
        this.text = text;
    }

    static Parts split(String text) {
        return new SqlSplitter(text).split();
    }

    private Parts split() {
        while (at < text.length()) {
            char c = text.charAt(at);
            if (text.startsWith("--", at)) {
                skipLine();
            } else if (text.startsWith("/*", at)) {
                skipComment();
            } else if (c == '\'' || c == '"' || c == '`') {
                hasContent = true;
                skipQuoted(c, c != '`' && !isRaw());
            } else if (c == ';') {
                endStatement();
            } else {
                hasContent |= !Character.isWhitespace(c);
                at++;
            }
        }
        return new Parts(statements, hasContent ? text.substring(begin).strip() : "", open);
    }

    private void endStatement() {
        if (hasContent) {
            statements.add(text.substring(begin, at).strip());
        }
        at++;
        begin = at;
        hasContent = false;
    }

    private void skipLine() {
        while (at < text.length() && text.charAt(at) != '\n') {
            at++;
        }
    }

    /** Comments nest. A hint looks like one and is content, but never stands alone. */
    private void skipComment() {
        int depth = 0;
        do {
            if (text.startsWith("/*", at)) {
                depth++;
                at += 2;
            } else if (text.startsWith("*/", at)) {
                depth--;
                at += 2;
            } else {
                at++;
            }
        } while (depth > 0 && at < text.length());
        open = depth > 0;
    }

    /** A doubled quote ends one string and begins the next, which cuts nothing either. */
    private void skipQuoted(char quote, boolean escapes) {
        for (at++; at < text.length(); at++) {
            char c = text.charAt(at);
            if (c == quote) {
                at++;
                return;
            }
            if (c == '\\' && escapes) {
                at++;
            }
        }
        at = text.length();
        open = true;
    }

    /** Whether the quote follows an {@code r} that is not the end of a name: a string in which a backslash is only one. */
    private boolean isRaw() {
        boolean r = at > begin && (text.charAt(at - 1) == 'r' || text.charAt(at - 1) == 'R');
        return r && (at - 1 == begin || !Character.isJavaIdentifierPart(text.charAt(at - 2)));
    }
}
