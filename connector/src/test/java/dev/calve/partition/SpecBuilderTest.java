package dev.calve.partition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.schema.Field;
import dev.calve.schema.Schema;
import dev.calve.schema.Type;
import java.util.List;
import org.junit.jupiter.api.Test;

class SpecBuilderTest {

    private static final Type.Struct POINT = new Type.Struct(List.of(Field.optional(7, "x", Type.Simple.INT)));

    private static final Schema SCHEMA = new Schema(
            0,
            List.of(
                    Field.required(1, "id", Type.Simple.LONG),
                    Field.optional(2, "data", Type.Simple.STRING),
                    Field.optional(3, "ts", Type.Simple.TIMESTAMPTZ),
                    Field.optional(4, "id_bucket", Type.Simple.INT),
                    Field.optional(5, "point", POINT),
                    Field.optional(6, "list", new Type.ListOf(8, true, Type.Simple.INT)),
                    Field.optional(9, "d", Type.Simple.DATE)));

    private final SpecBuilder builder = new SpecBuilder(SCHEMA);

    @Test
    void namesAndNumbersFieldsAsPeersDo() {
        var spec = builder.add("id", Transform.IDENTITY)
                .add("data", new Transform.Bucket(16))
                .add("data", new Transform.Truncate(4))
                .add("ts", Transform.Time.HOUR)
                .add("d", Transform.Time.YEAR)
                .add("point.x", Transform.IDENTITY)
                .add("id", new Transform.Bucket(4), "shard")
                .build(0);
        assertThat(spec.fields())
                .containsExactly(
                        PartitionField.of(1, 1000, "id", Transform.IDENTITY),
                        PartitionField.of(2, 1001, "data_bucket", new Transform.Bucket(16)),
                        PartitionField.of(2, 1002, "data_trunc", new Transform.Truncate(4)),
                        PartitionField.of(3, 1003, "ts_hour", Transform.Time.HOUR),
                        PartitionField.of(9, 1004, "d_year", Transform.Time.YEAR),
                        PartitionField.of(7, 1005, "point.x", Transform.IDENTITY),
                        PartitionField.of(1, 1006, "shard", new Transform.Bucket(4)));
        assertThat(SpecBuilder.defaultName("ts", Transform.Time.MONTH)).isEqualTo("ts_month");
        assertThat(SpecBuilder.defaultName("ts", Transform.Time.DAY)).isEqualTo("ts_day");
        assertThat(SpecBuilder.defaultName("ts", Transform.VOID)).isEqualTo("ts_null");
    }

    @Test
    void refusesSourcesThatAreMissingNestedOrRepeated() {
        assertRefused("nope", Transform.IDENTITY, "no such column");
        assertRefused("ID", Transform.IDENTITY, "no such column");
        assertRefused("point", Transform.IDENTITY, "not defined for type struct");
        assertRefused("list.element", Transform.IDENTITY, "list or map");
    }

    @Test
    void refusesTransformsThatAreNotDefinedForTheType() {
        assertRefused("d", Transform.Time.HOUR, "not defined for type date");
        assertRefused("id", Transform.Time.DAY, "not defined for type long");
        assertRefused("ts", new Transform.Truncate(3), "not defined for type timestamptz");
        assertRefused("id", new Transform.Unknown("zorder"), "not known");
    }

    @Test
    void refusesTheNameOfAnotherColumn() {
        assertRefused("id", new Transform.Bucket(4), "a column of the table has that name");
        assertThatThrownBy(() -> builder.add("id", Transform.IDENTITY, "data"))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> builder.add("id", new Transform.Truncate(4), "id"))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void refusesOneNameTwice() {
        builder.add("data", new Transform.Bucket(4));
        assertRefused("data", new Transform.Bucket(8), "used twice");
        assertThat(builder.add("data", new Transform.Bucket(8), "b8").build(0).fields())
                .hasSize(2);
    }

    @Test
    void refusesFieldsThatSayTheSame() {
        builder.add("ts", Transform.Time.DAY).add("id", Transform.IDENTITY);
        assertRefused("ts", Transform.Time.HOUR, "already partitions");
        assertThatThrownBy(() -> builder.add("id", Transform.IDENTITY, "again"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("already partitions");
    }

    private void assertRefused(String source, Transform transform, String because) {
        assertThatThrownBy(() -> builder.add(source, transform))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(because);
    }
}
