package dev.calve.partition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.Randomly;
import dev.calve.io.InvalidTableException;
import dev.calve.schema.Json;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PartitionJsonTest {

    private static final String SPEC = """
            {"spec-id":3,"fields":[
             {"name":"ts_day","transform":"day","source-id":4,"field-id":1000},
             {"name":"id_bucket","transform":"bucket[16]","source-id":1,"field-id":1002}]}
            """;

    @Test
    void readsAndWritesSpecs() {
        var spec = new PartitionSpec(
                3,
                List.of(
                        PartitionField.of(4, 1000, "ts_day", Transform.Time.DAY),
                        PartitionField.of(1, 1002, "id_bucket", new Transform.Bucket(16))));
        assertThat(PartitionJson.specFromJson(Json.parse(SPEC))).isEqualTo(spec);
        assertThat(PartitionJson.specToJson(spec)).isEqualTo(Json.parse(SPEC));
        assertThat(PartitionJson.fieldsToJson(spec)).isEqualTo(Json.parse(SPEC).get("fields"));
    }

    @Test
    void numbersTheFieldsOfVersion1From1000() {
        var spec = PartitionJson.fieldsFromJson(0, Json.parse("""
                        [{"name":"a","transform":"identity","source-id":1},
                         {"name":"b","transform":"void","source-id":2}]
                        """));
        assertThat(spec.fields()).extracting(PartitionField::fieldId).containsExactly(1000, 1001);
    }

    @Test
    void keepsTransformsItDoesNotKnow() {
        var json = Json.parse("[{\"name\":\"z\",\"transform\":\"zorder[3]\",\"source-ids\":[1,2],\"field-id\":1000}]");
        var spec = PartitionJson.fieldsFromJson(0, json);
        assertThat(spec.fields().get(0).transform()).isEqualTo(new Transform.Unknown("zorder[3]"));
        assertThat(spec.fields().get(0).sourceIds()).containsExactly(1, 2);
        assertThat(PartitionJson.fieldsToJson(spec)).isEqualTo(json);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "[{\"name\":\"a\",\"transform\":\"identity\"}]",
                "[{\"name\":\"a\",\"source-id\":1}]",
                "[{\"transform\":\"identity\",\"source-id\":1}]",
                "[{\"name\":\"a\",\"transform\":\"bucket[0]\",\"source-id\":1}]",
                "[{\"name\":\"a\",\"transform\":\"day\",\"source-id\":1},{\"name\":\"a\",\"transform\":\"hour\",\"source-id\":1}]",
                "[{\"name\":\"a\",\"transform\":\"day\",\"source-id\":1,\"field-id\":1000},{\"name\":\"b\",\"transform\":\"hour\",\"source-id\":1}]"
            })
    void refusesSpecsThatAreNot(String fields) {
        assertThatThrownBy(() -> PartitionJson.fieldsFromJson(0, Json.parse(fields)))
                .isInstanceOf(InvalidTableException.class);
    }

    @Test
    void readsAndWritesSortOrders() {
        var json = Json.parse("""
                {"order-id":2,"fields":[
                 {"transform":"identity","source-id":2,"direction":"asc","null-order":"nulls-first"},
                 {"transform":"bucket[4]","source-id":3,"direction":"desc","null-order":"nulls-last"}]}
                """);
        var order = new SortOrder(
                2,
                List.of(
                        new SortOrder.Term(
                                Transform.IDENTITY,
                                List.of(2),
                                SortOrder.Direction.ASC,
                                SortOrder.NullOrder.NULLS_FIRST),
                        new SortOrder.Term(
                                new Transform.Bucket(4),
                                List.of(3),
                                SortOrder.Direction.DESC,
                                SortOrder.NullOrder.NULLS_LAST)));
        assertThat(PartitionJson.orderFromJson(json)).isEqualTo(order);
        assertThat(PartitionJson.orderToJson(order)).isEqualTo(json);
        assertThat(PartitionJson.orderFromJson(PartitionJson.orderToJson(SortOrder.UNSORTED)))
                .isEqualTo(SortOrder.UNSORTED);
    }

    @Test
    void refusesOrdersOfAnotherDirection() {
        assertThatThrownBy(() -> PartitionJson.orderFromJson(Json.parse("""
                                {"order-id":1,"fields":[
                                 {"transform":"identity","source-id":2,"direction":"up","null-order":"nulls-first"}]}
                                """)))
                .isInstanceOf(InvalidTableException.class)
                .hasMessageContaining("'direction'")
                .hasMessageContaining("'up'");
    }

    @Test
    void readsBackWhatItWrote() {
        Randomly.check(300, random -> {
            var fields = new ArrayList<PartitionField>();
            for (int i = random.intBelow(6); i > 0; i--) {
                var sources = random.percent(80) ? List.of(random.intBelow(99)) : List.of(1, 2, 3);
                fields.add(new PartitionField(sources, 1000 + random.intBelow(99), "p" + i, transform(random)));
            }
            var spec = new PartitionSpec(random.intBelow(9), fields);
            assertThat(PartitionJson.specFromJson(Json.parse(Json.write(PartitionJson.specToJson(spec)))))
                    .isEqualTo(spec);
        });
    }

    private static Transform transform(Randomly random) {
        return random.oneOf(
                Transform.IDENTITY,
                Transform.VOID,
                new Transform.Bucket(random.intBetween(1, 5000)),
                new Transform.Truncate(random.intBetween(1, 5000)),
                Transform.Time.YEAR,
                Transform.Time.MONTH,
                Transform.Time.DAY,
                Transform.Time.HOUR,
                new Transform.Unknown("curve[" + random.string(5) + "]"));
    }
}
