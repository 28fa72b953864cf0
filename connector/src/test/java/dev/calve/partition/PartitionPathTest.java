package dev.calve.partition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.schema.Field;
import dev.calve.schema.Schema;
import dev.calve.schema.Type;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class PartitionPathTest {

    private static final Schema SCHEMA = new Schema(
            0,
            List.of(
                    Field.required(1, "id", Type.Simple.INT),
                    Field.optional(2, "data", Type.Simple.STRING),
                    Field.optional(3, "ts", Type.Simple.TIMESTAMP),
                    Field.optional(4, "\"esc\"#1", Type.Simple.STRING)));

    @Test
    void joinsFieldsBySlashes() {
        var spec = new SpecBuilder(SCHEMA)
                .add("ts", Transform.Time.HOUR)
                .add("id", new Transform.Bucket(10))
                .build(0);
        assertThat(path(spec, 420034, 7)).isEqualTo("ts_hour=2017-12-01-10/id_bucket=7");
        assertThat(path(spec, null, 7)).isEqualTo("ts_hour=null/id_bucket=7");
    }

    @Test
    void encodesNamesAndValues() {
        var spec = new SpecBuilder(SCHEMA)
                .add("data", Transform.IDENTITY)
                .add("\"esc\"#1", Transform.IDENTITY)
                .build(0);
        assertThat(path(spec, "a/b/c/d", "a/b/c/d")).isEqualTo("data=a%2Fb%2Fc%2Fd/%22esc%22%231=a%2Fb%2Fc%2Fd");
        assertThat(path(spec, "a b", "\u00fc=")).isEqualTo("data=a+b/%22esc%22%231=%C3%BC%3D");
    }

    @Test
    void isEmptyForUnpartitionedTables() {
        assertThat(PartitionPath.of(PartitionSpec.unpartitioned(0), new Type.Struct(List.of()), PartitionTuple.EMPTY))
                .isEmpty();
    }

    @Test
    void refusesATupleOfAnotherSpec() {
        var spec = new SpecBuilder(SCHEMA).add("data", Transform.IDENTITY).build(0);
        assertThatThrownBy(() -> path(spec, "a", 1)).isInstanceOf(IllegalArgumentException.class);
    }

    private static String path(PartitionSpec spec, @Nullable Object... values) {
        return PartitionPath.of(spec, spec.partitionType(SCHEMA), PartitionTuple.of(values));
    }
}
