package dev.calve.partition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.partition.SortOrder.Direction;
import dev.calve.partition.SortOrder.NullOrder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TermTextTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "category             | category  | identity",
                "identity(category)   | category  | identity",
                "bucket(16, id)       | id        | bucket[16]",
                "BUCKET( id ,16 )     | id        | bucket[16]",
                "truncate(4,name)     | name      | truncate[4]",
                "truncate(name, 4)    | name      | truncate[4]",
                "year(ts)             | ts        | year",
                "years(ts)            | ts        | year",
                "month(ts)            | ts        | month",
                "months(ts)           | ts        | month",
                "day(ts)              | ts        | day",
                "Days(ts)             | ts        | day",
                "date(ts)             | ts        | day",
                "hour(ts)             | ts        | hour",
                "hours(ts)            | ts        | hour",
                "date_hour(ts)        | ts        | hour",
                "days(event.ts)       | event.ts  | day",
                "days                 | days      | identity",
                "`days(ts)`           | days(ts)  | identity",
                "`a b`.`c``d`         | a b.c`d   | identity",
                "bucket(4, `16`)      | 16        | bucket[4]",
                "bucket(4, 16)        | 16        | bucket[4]",
                "order-id             | order-id  | identity",
                "größe                | größe     | identity",
            })
    void readsTransformsAsSqlWritesThem(String text, String column, String transform) {
        ColumnTransform term = TermText.transform(text);

        assertThat(term.column()).isEqualTo(column);
        assertThat(term.transform()).hasToString(transform);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "  ",
                "(ts)",
                "bucket(id)",
                "bucket(16)",
                "bucket(16, id",
                "bucket(16, id) x",
                "bucket(16, id, x)",
                "bucket(16, 17, id)",
                "bucket(0, id)",
                "bucket(-1, id)",
                "bucket(3000000000, id)",
                "days(4, ts)",
                "days()",
                "void(ts)",
                "nope(ts)",
                "a.",
                ".a",
                "a b",
                "a, b",
                "`a",
                "`days`(ts)",
            })
    void refusesWhatIsNoTransform(String text) {
        assertThatThrownBy(() -> TermText.transform(text)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void quotesTheTextThatCannotBeRead() {
        assertThatThrownBy(() -> TermText.transform("nope(ts)"))
                .hasMessage("'nope(ts)' cannot be read: a term is a column, bucket(n, column), truncate(n, column),"
                        + " or years, months, days or hours of a column.");
        assertThatThrownBy(() -> TermText.order("a ASC b"))
                .hasMessage("'a ASC b' cannot be read: its keys must be separated by commas.");
    }

    @Test
    void readsKeysWithTheDefaultsOfSql() {
        var a = new ColumnTransform("a", Transform.IDENTITY);

        assertThat(TermText.order("a")).containsExactly(new SortKey(a, Direction.ASC, NullOrder.NULLS_FIRST));
        assertThat(TermText.order("a asc")).containsExactly(new SortKey(a, Direction.ASC, NullOrder.NULLS_FIRST));
        assertThat(TermText.order("a DESC")).containsExactly(new SortKey(a, Direction.DESC, NullOrder.NULLS_LAST));
        assertThat(TermText.order("a nulls last")).containsExactly(new SortKey(a, Direction.ASC, NullOrder.NULLS_LAST));
        assertThat(TermText.order("category ASC NULLS FIRST, bucket(8,id) DESC nulls first , `x,y`"))
                .hasToString("[category ASC NULLS FIRST, bucket(8, id) DESC NULLS FIRST, x,y ASC NULLS FIRST]");
        assertThat(TermText.order(" ")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"a,", ",a", "a NULLS", "a NULLS ASC", "a NULLS FIRST DESC", "a ASC DESC", "a b", "days(a"})
    void refusesWhatIsNoOrder(String text) {
        assertThatThrownBy(() -> TermText.order(text)).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "bucket(16, a)", "truncate(4, a)", "years(a)", "months(a)", "days(a)", "hours(a)"})
    void writesWhatItReads(String text) {
        assertThat(TermText.transform(text)).hasToString(text);
    }
}
