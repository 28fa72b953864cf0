package dev.calve.schema;

import static org.assertj.core.api.Assertions.assertThat;

import dev.calve.Randomly;
import java.util.List;
import org.junit.jupiter.api.Test;

class FreshIdsTest {

    @Test
    void numbersAStructBeforeItDescends() {
        var inner = new Type.Struct(List.of(
                Field.optional(0, "x", Type.Simple.INT),
                Field.optional(0, "deep", new Type.ListOf(0, true, Type.Simple.INT)),
                Field.optional(0, "y", Type.Simple.INT)));
        var struct = new Type.Struct(List.of(
                Field.required(0, "a", Type.Simple.LONG),
                Field.optional(0, "m", new Type.MapOf(0, inner, 0, false, inner)),
                Field.optional(0, "l", new Type.ListOf(0, true, inner)),
                Field.optional(0, "z", Type.Simple.STRING)));

        var schema = new Schema(0, FreshIds.assign(struct, 0).fields());

        assertThat(List.of(
                        id(schema, "a"),
                        id(schema, "m"),
                        id(schema, "l"),
                        id(schema, "z"),
                        id(schema, "m.key"),
                        id(schema, "m.value"),
                        id(schema, "m.key.x"),
                        id(schema, "m.key.deep"),
                        id(schema, "m.key.y"),
                        id(schema, "m.key.deep.element"),
                        id(schema, "m.value.x"),
                        id(schema, "m.value.deep"),
                        id(schema, "m.value.y"),
                        id(schema, "m.value.deep.element"),
                        id(schema, "l.element"),
                        id(schema, "l.element.x"),
                        id(schema, "l.element.deep"),
                        id(schema, "l.element.y"),
                        id(schema, "l.element.deep.element")))
                .containsExactly(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19);
    }

    @Test
    void leavesOutNoIdAndChangesNothingElse() {
        Randomly.check(200, random -> {
            var schema = AnyType.schema(random);
            int lastId = random.intBelow(1000);
            var fresh = new Schema(0, FreshIds.assign(schema.struct(), lastId).fields());

            int count = 0;
            for (Field field : schema.allFields()) {
                count++;
                var renumbered =
                        fresh.field(schema.name(field.id()).orElseThrow()).orElseThrow();
                assertThat(renumbered.withId(field.id()).withType(field.type())).isEqualTo(field);
                assertThat(renumbered.id()).isGreaterThan(lastId);
            }
            assertThat(fresh.highestFieldId()).isEqualTo(lastId + count);
        });
    }

    private static int id(Schema schema, String name) {
        return schema.field(name).orElseThrow().id();
    }
}
