package dev.calve.tools;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SqlSplitterIT {

    @Test
    void cutsAtSemicolonsAndKeepsWhatStandsAfterTheLast() {
        var parts = SqlSplitter.split("SELECT 1;\n SELECT 2 ;SELECT 3");

        assertThat(parts.statements()).containsExactly("SELECT 1", "SELECT 2");
        assertThat(parts.rest()).isEqualTo("SELECT 3");
        assertThat(parts.all()).containsExactly("SELECT 1", "SELECT 2", "SELECT 3");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT 'a;b'",
                "SELECT \"a;b\"",
                "SELECT 1 AS `a;b`",
                "SELECT 'it''s; fine'",
                "SELECT 'it\\'s; fine'",
                "SELECT 'ends in a backslash \\\\', ';'",
                "SELECT r'a\\', ';'",
                "SELECT '-- ; no comment', ';'",
                "SELECT `a\\`, ';'",
                "SELECT 1 -- a; 'comment",
                "SELECT /* a; /* nested; */ 'comment; */ 1",
                "SELECT /*+ BROADCAST(a;) */ 1"
            })
    void doesNotCutInside(String statement) {
        var parts = SqlSplitter.split(statement + "\n;");

        assertThat(parts.statements()).containsExactly(statement);
        assertThat(parts.rest()).isEmpty();
        assertThat(parts.open()).isFalse();
    }

    @Test
    void anRAtTheEndOfANameDoesNotMakeAStringRaw() {
        assertThat(SqlSplitter.split("SELECT bar'\\';x'; SELECT 2").statements())
                .containsExactly("SELECT bar'\\';x'");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "  ;; \n;", "-- only; this", "/* and; this */ ;"})
    void commentsAloneAreNoStatement(String text) {
        assertThat(SqlSplitter.split(text).all()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"SELECT 'a;", "SELECT `a;", "SELECT /* a;", "SELECT /* /* */ ;"})
    void saysThatATextEndsInsideSomething(String text) {
        assertThat(SqlSplitter.split(text).open()).isTrue();
        assertThat(SqlSplitter.split(text).statements()).isEmpty();
    }
}
