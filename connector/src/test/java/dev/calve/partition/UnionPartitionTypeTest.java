package dev.calve.partition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.io.InvalidTableException;
import dev.calve.schema.Field;
import dev.calve.schema.Schema;
import dev.calve.schema.Type;
import java.util.List;
import org.junit.jupiter.api.Test;

class UnionPartitionTypeTest {

    private static final Schema SCHEMA = new Schema(
            0, List.of(Field.required(1, "id", Type.Simple.LONG), Field.optional(2, "data", Type.Simple.STRING)));

    private static final PartitionField ID = PartitionField.of(1, 1000, "id", Transform.IDENTITY);
    private static final PartitionField BUCKET = PartitionField.of(2, 1001, "data_bucket", new Transform.Bucket(4));

    @Test
    void holdsTheTuplesOfEverySpec() {
        var union = union(
                PartitionSpec.unpartitioned(0),
                new PartitionSpec(1, List.of(ID)),
                new PartitionSpec(2, List.of(BUCKET)),
                new PartitionSpec(3, List.of(BUCKET, ID)));

        assertThat(union.struct().fields())
                .containsExactly(
                        Field.optional(1000, "id", Type.Simple.LONG),
                        Field.optional(1001, "data_bucket", Type.Simple.INT));
        assertThat(union.widen(0, PartitionTuple.EMPTY)).isEqualTo(PartitionTuple.of(null, null));
        assertThat(union.widen(1, PartitionTuple.of(5L))).isEqualTo(PartitionTuple.of(5L, null));
        assertThat(union.widen(2, PartitionTuple.of(3))).isEqualTo(PartitionTuple.of(null, 3));
        assertThat(union.widen(3, PartitionTuple.of(3, 5L))).isEqualTo(PartitionTuple.of(5L, 3));
        assertThatThrownBy(() -> union.widen(4, PartitionTuple.EMPTY)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void readsThroughFieldsDroppedFromVersion1() {
        var dropped = PartitionField.of(1, 1000, "id_1000", Transform.VOID);
        var union = union(new PartitionSpec(0, List.of(ID)), new PartitionSpec(1, List.of(dropped, BUCKET)));

        assertThat(union.struct().fields()).extracting(Field::name).containsExactly("id", "data_bucket");
        assertThat(union.widen(1, PartitionTuple.of(null, 2))).isEqualTo(PartitionTuple.of(null, 2));
    }

    @Test
    void takesTheNewestName() {
        var renamed = PartitionField.of(1, 1000, "key", Transform.IDENTITY);
        var union = union(new PartitionSpec(0, List.of(ID)), new PartitionSpec(1, List.of(renamed)));
        assertThat(union.struct().fields()).extracting(Field::name).containsExactly("key");
    }

    @Test
    void keepsNamesApart() {
        var again = PartitionField.of(2, 1001, "id", Transform.IDENTITY);
        var union = union(new PartitionSpec(0, List.of(ID)), new PartitionSpec(1, List.of(again)));
        assertThat(union.struct().fields()).extracting(Field::name).containsExactly("id_1000", "id");
    }

    @Test
    void refusesOneIdForTwoThings() {
        var other = PartitionField.of(2, 1000, "data", Transform.IDENTITY);
        assertThatThrownBy(() -> union(new PartitionSpec(0, List.of(ID)), new PartitionSpec(1, List.of(other))))
                .isInstanceOf(InvalidTableException.class)
                .hasMessageContaining("1000");
    }

    private static UnionPartitionType union(PartitionSpec... specs) {
        return UnionPartitionType.of(List.of(specs), id -> specs[id].partitionType(SCHEMA));
    }
}
