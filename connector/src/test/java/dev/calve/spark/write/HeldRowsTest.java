package dev.calve.spark.write;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.JoinedRow;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class HeldRowsTest {

    private static final StructType ROWS = StructType.fromDDL("id BIGINT, s STRING, d DOUBLE");

    private static InternalRow row(@Nullable Object... values) {
        return new GenericInternalRow(values);
    }

    @Test
    void givesRowsBackAsTheyWere() throws IOException {
        var held = new HeldRows(ROWS, 1000);
        assertThat(held.offer(row(1L, UTF8String.fromString("é"), -0.0))).isTrue();
        assertThat(held.offer(row(null, null, Double.NaN))).isTrue();
        assertThat(held.offer(new JoinedRow(row(3L, null), row(1.5)))).isTrue();
        var rows = new ArrayList<InternalRow>();
        HeldRows.forEach(held.toBytes(), 3, rows::add);
        assertThat(rows).hasSize(3);
        assertThat(rows.get(0).getLong(0)).isEqualTo(1);
        assertThat(rows.get(0).getUTF8String(1)).hasToString("é");
        assertThat(Double.doubleToRawLongBits(rows.get(0).getDouble(2))).isEqualTo(Double.doubleToRawLongBits(-0.0));
        assertThat(rows.get(1).isNullAt(0)).isTrue();
        assertThat(rows.get(1).isNullAt(1)).isTrue();
        assertThat(rows.get(1).getDouble(2)).isNaN();
        assertThat(rows.get(2).getDouble(2)).isEqualTo(1.5);
    }

    @Test
    void holdsNoMoreThanItsLimit() throws IOException {
        // A length, eight bytes of null bits and three times eight bytes.
        var held = new HeldRows(ROWS, 2 * 36);
        assertThat(held.offer(row(1L, null, 0.0))).isTrue();
        assertThat(held.offer(row(2L, UTF8String.fromString("longer"), 0.0))).isFalse();
        assertThat(held.offer(row(3L, null, 0.0))).isTrue();
        assertThat(held.offer(row(4L, null, 0.0))).isFalse();
        assertThat(held.toBytes()).hasSize(72);
        assertThat(new HeldRows(ROWS, 0).offer(row(1L, null, 0.0))).isFalse();
    }
}
