package dev.calve.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Expected: Spec, Schema Evolution; field ids in the order of Spec, Schemas: nested types after the fields around them. */
class SchemaChangesTest {

    private static final int LAST = 20;

    private static final Schema BASE = new Schema(
            3,
            new Type.Struct(List.of(
                    Field.required(1, "id", Type.Simple.INT),
                    Field.optional(2, "f", Type.Simple.FLOAT),
                    Field.optional(
                            3,
                            "s",
                            new Type.Struct(List.of(
                                    Field.optional(4, "x", Type.Simple.INT),
                                    Field.optional(5, "y", Type.Simple.STRING)))),
                    Field.optional(
                            6,
                            "l",
                            new Type.ListOf(
                                    7, true, new Type.Struct(List.of(Field.optional(8, "a", Type.Simple.INT))))),
                    Field.optional(
                            9,
                            "m",
                            new Type.MapOf(
                                    10,
                                    new Type.Struct(List.of(Field.required(11, "k", Type.Simple.INT))),
                                    12,
                                    false,
                                    new Type.Struct(List.of(Field.optional(13, "v", new Type.Decimal(9, 2)))))),
                    Field.required(
                            14, "key", new Type.Struct(List.of(Field.required(15, "part", Type.Simple.STRING)))))),
            Set.of(15));

    private static EvolvedSchema evolve(int version, boolean caseSensitive, SchemaChange... changes) {
        return new SchemaChanges(List.of(changes), caseSensitive).apply(BASE, LAST, version);
    }

    private static Schema apply(SchemaChange... changes) {
        return evolve(2, true, changes).schema();
    }

    private static String names(Schema schema) {
        return schema.fields().stream().map(Field::name).toList().toString();
    }

    private static SchemaChange.Add add(List<String> parent, String name, Type type) {
        return new SchemaChange.Add(parent, name, type, false, Optional.empty(), Optional.empty(), Optional.empty());
    }

    private static SchemaChange.Add add(String name, SchemaChange.Position position) {
        return new SchemaChange.Add(
                List.of(), name, Type.Simple.INT, false, Optional.empty(), Optional.empty(), Optional.of(position));
    }

    private static SchemaChange.Add withDefault(String name, boolean required, Type type, Object value) {
        return new SchemaChange.Add(
                List.of(), name, type, required, Optional.empty(), Optional.of(value), Optional.empty());
    }

    private static SchemaChange drop(String... path) {
        return new SchemaChange.Drop(List.of(path), false);
    }

    private static SchemaChange rename(String newName, String... path) {
        return new SchemaChange.Rename(List.of(path), newName);
    }

    private static SchemaChange retype(Type type, String... path) {
        return new SchemaChange.Retype(List.of(path), type);
    }

    private static SchemaChange optional(String... path) {
        return new SchemaChange.SetRequired(List.of(path), false);
    }

    private static SchemaChange after(String name, String... path) {
        return new SchemaChange.Move(List.of(path), new SchemaChange.Position.After(name));
    }

    private static void refuses(String message, SchemaChange... changes) {
        assertThatThrownBy(() -> apply(changes))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message);
    }

    @Test
    void addsFieldsWithTheNextIdsOuterOnesFirst() {
        EvolvedSchema evolved = evolve(
                2,
                true,
                add(
                        List.of(),
                        "n",
                        new Type.Struct(List.of(
                                Field.optional(1, "p", new Type.ListOf(2, false, Type.Simple.INT)),
                                Field.optional(3, "q", Type.Simple.INT)))),
                add(List.of("s"), "z", Type.Simple.LONG),
                add(List.of("l", "element"), "b", Type.Simple.LONG),
                add(List.of("m", "value"), "w", Type.Simple.LONG));

        Schema schema = evolved.schema();
        assertThat(names(schema)).isEqualTo("[id, f, s, l, m, key, n]");
        assertThat(schema.field("n").orElseThrow().id()).isEqualTo(21);
        assertThat(schema.field("n.p").orElseThrow().id()).isEqualTo(22);
        assertThat(schema.field("n.q").orElseThrow().id()).isEqualTo(23);
        assertThat(schema.field("n.p.element").orElseThrow().id()).isEqualTo(24);
        assertThat(schema.field("s.z").orElseThrow()).isEqualTo(Field.optional(25, "z", Type.Simple.LONG));
        assertThat(schema.field("l.element.b").orElseThrow().id()).isEqualTo(26);
        assertThat(schema.field("m.value.w").orElseThrow().id()).isEqualTo(27);
        assertThat(evolved.lastColumnId()).isEqualTo(27);
        assertThat(schema.identifierFieldIds()).containsExactly(15);
    }

    @Test
    void placesNewFields() {
        assertThat(names(apply(add("a", SchemaChange.Position.FIRST)))).isEqualTo("[a, id, f, s, l, m, key]");
        assertThat(names(apply(
                        add("a", new SchemaChange.Position.After("f")),
                        add("b", new SchemaChange.Position.After("a")))))
                .isEqualTo("[id, f, a, b, s, l, m, key]");
        refuses("there is no column 'nope'", add("a", new SchemaChange.Position.After("nope")));
    }

    @Test
    void addsARequiredFieldOnlyWithADefault() {
        refuses(
                "NOT NULL",
                new SchemaChange.Add(
                        List.of(), "a", Type.Simple.INT, true, Optional.empty(), Optional.empty(), Optional.empty()));

        Field added = evolve(3, true, withDefault("a", true, Type.Simple.INT, 5))
                .schema()
                .field("a")
                .orElseThrow();

        assertThat(added.required()).isTrue();
        assertThat(added.initialDefault()).contains(5);
        assertThat(added.writeDefault()).contains(5);
    }

    @Test
    void defaultsNeedVersion3() {
        refuses("field 'a' with a default value needs format version 3", withDefault("a", false, Type.Simple.INT, 5));
        refuses(
                "field 'id' with a default value needs format version 3",
                new SchemaChange.SetWriteDefault(List.of("id"), Optional.of(1)));
        refuses("needs format version 3", add(List.of(), "v", Type.Simple.VARIANT));
    }

    @Test
    void defaultsMustBeStorable() {
        assertThatThrownBy(() -> evolve(3, true, withDefault("a", false, Type.Simple.DOUBLE, Double.NaN)))
                .hasMessageContaining("field 'a'")
                .hasMessageContaining("finite");
        assertThatThrownBy(() ->
                        evolve(3, true, withDefault("a", false, new Type.Fixed(2), Bytes.wrap(new byte[] {1}))))
                .hasMessageContaining("field 'a'");
        assertThatThrownBy(() -> evolve(
                        3, true, withDefault("a", false, new Type.ListOf(1, false, Type.Simple.INT), List.of(1))))
                .hasMessageContaining("must have no default value");
    }

    @Test
    void theWriteDefaultChangesAloneAndCanBeRemoved() {
        EvolvedSchema evolved = evolve(
                3,
                true,
                withDefault("a", false, Type.Simple.INT, 5),
                new SchemaChange.SetWriteDefault(List.of("a"), Optional.of(6)),
                new SchemaChange.SetWriteDefault(List.of("s", "x"), Optional.of(7)));

        assertThat(evolved.schema().field("a").orElseThrow().initialDefault()).contains(5);
        assertThat(evolved.schema().field("a").orElseThrow().writeDefault()).contains(6);
        assertThat(evolved.schema().field("s.x").orElseThrow().initialDefault()).isEmpty();
        assertThat(evolved.schema().field("s.x").orElseThrow().writeDefault()).contains(7);
        Field without = new SchemaChanges(
                        List.of(new SchemaChange.SetWriteDefault(List.of("a"), Optional.empty())), true)
                .apply(evolved.schema(), evolved.lastColumnId(), 3)
                .schema()
                .field("a")
                .orElseThrow();
        assertThat(without.initialDefault()).contains(5);
        assertThat(without.writeDefault()).isEmpty();
    }

    @Test
    void dropsFieldsAndNeverUsesTheirIdsAgain() {
        EvolvedSchema evolved =
                evolve(2, true, drop("f"), drop("s", "x"), drop("m"), add(List.of(), "f", Type.Simple.FLOAT));

        assertThat(names(evolved.schema())).isEqualTo("[id, s, l, key, f]");
        assertThat(evolved.schema().field("s.x")).isEmpty();
        assertThat(evolved.schema().field("f").orElseThrow().id()).isEqualTo(21);
        assertThat(evolved.dropped())
                .containsExactlyInAnyOrder("f", "s.x", "m", "m.key", "m.key.k", "m.value", "m.value.v");
        assertThat(evolved.renamed()).isEmpty();
    }

    @Test
    void dropsWhatIsThere() {
        refuses("there is no column 'nope'", drop("nope"));
        refuses("there is no column 's.nope'", drop("s", "nope"));
        assertThat(apply(new SchemaChange.Drop(List.of("nope"), true))).isEqualTo(BASE);
        refuses("only field of its struct", drop("l", "element", "a"));
        refuses("part of a list or map", drop("l", "element"));
        refuses("part of a list or map", drop("m", "value"));
    }

    @Test
    void renamesKeepTheId() {
        EvolvedSchema evolved = evolve(2, true, rename("struct", "s"), rename("why", "struct", "y"));

        assertThat(evolved.schema().field("struct.why").orElseThrow().id()).isEqualTo(5);
        assertThat(evolved.renamed())
                .containsOnly(
                        java.util.Map.entry("s", "struct"),
                        java.util.Map.entry("s.x", "struct.x"),
                        java.util.Map.entry("s.y", "struct.why"));
        assertThat(names(apply(rename("tmp", "id"), rename("id", "f"), rename("f", "tmp"))))
                .isEqualTo("[f, id, s, l, m, key]");
    }

    @Test
    void namesOfOneStructStayDifferent() {
        refuses("there is a column 'f' already", rename("f", "id"));
        refuses("there is a column 'x' already", rename("x", "s", "y"));
        refuses("there is a column 'id' already", add(List.of(), "id", Type.Simple.INT));
        refuses("must have a name", rename("", "id"));
        assertThat(names(apply(rename("ID", "f")))).startsWith("[id, ID");
        assertThatThrownBy(() -> evolve(2, false, rename("ID", "f"))).hasMessageContaining("'id' already");
        assertThat(names(evolve(2, false, rename("ID", "id")).schema())).startsWith("[ID, f");
    }

    @Test
    void twoFullNamesMustNotBeTheSame() {
        refuses("'s.x' is used twice", add(List.of(), "s.x", Type.Simple.INT));
        Schema dotted = apply(add(List.of(), "a.b", Type.Simple.INT), rename("c.d", "a.b"));
        assertThat(dotted.field("c.d").orElseThrow().id()).isEqualTo(21);
    }

    @Test
    void findsNamesInAnyCaseOnlyIfAskedTo() {
        refuses("there is no column 'S.X'", drop("S", "X"));
        assertThat(evolve(2, false, drop("S", "X")).schema().field("s.x")).isEmpty();
        Schema twice = apply(rename("ID", "f"));
        assertThatThrownBy(() -> new SchemaChanges(List.of(drop("Id")), false).apply(twice, LAST, 2))
                .hasMessageContaining("differ only in letter case");
        assertThat(new SchemaChanges(List.of(drop("ID")), false)
                        .apply(twice, LAST, 2)
                        .schema()
                        .field("id"))
                .isPresent();
    }

    @Test
    void movesWithinTheStruct() {
        assertThat(names(apply(new SchemaChange.Move(List.of("m"), SchemaChange.Position.FIRST))))
                .isEqualTo("[m, id, f, s, l, key]");
        assertThat(names(apply(after("l", "id")))).isEqualTo("[f, s, l, id, m, key]");
        assertThat(apply(after("y", "s", "x")).struct().fields().get(2).type().toString())
                .isEqualTo("struct<5: y: optional string, 4: x: optional int>");
        refuses("after itself", after("id", "id"));
        refuses("no column 'x' beside it", after("x", "id"));
        refuses("part of a list or map", after("x", "l", "element"));
    }

    /** Spec, Schema Evolution: valid type promotions, of which date to timestamp is not offered. */
    @ParameterizedTest
    @CsvSource({
        "id, long, true",
        "id, double, false",
        "id, string, false",
        "id, int, true",
        "f, double, true",
        "f, long, false",
        "s.y, binary, false"
    })
    void widensTypes(String path, String type, boolean allowed) {
        var change = retype(Type.Simple.valueOf(type.toUpperCase(java.util.Locale.ROOT)), path.split("\\."));
        if (allowed) {
            assertThat(apply(change).field(path).orElseThrow().type().toString())
                    .isEqualTo(type);
        } else {
            refuses("Cannot change the type of column '" + path + "'", change);
        }
    }

    @Test
    void widensDecimalsOfOneScaleAndNestedTypes() {
        assertThat(apply(
                                retype(new Type.Decimal(12, 2), "m", "value", "v"),
                                retype(Type.Simple.LONG, "l", "element", "a"))
                        .toString())
                .contains("decimal(12, 2)", "8: a: optional long");
        refuses("it is decimal(9, 2)", retype(new Type.Decimal(12, 3), "m", "value", "v"));
        refuses("it is decimal(9, 2)", retype(new Type.Decimal(8, 2), "m", "value", "v"));
        refuses("it is struct", retype(Type.Simple.LONG, "s"));
    }

    @Test
    void unknownBecomesAnyTypeInVersion3() {
        Schema unknown =
                evolve(3, true, add(List.of(), "u", Type.Simple.UNKNOWN)).schema();
        var changes = new SchemaChanges(List.of(retype(Type.Simple.STRING, "u")), true);

        assertThat(changes.apply(unknown, 21, 3)
                        .schema()
                        .field("u")
                        .orElseThrow()
                        .type())
                .isEqualTo(Type.Simple.STRING);
        assertThatThrownBy(() -> changes.apply(unknown, 21, 2)).hasMessageContaining("Cannot change the type");
    }

    @Test
    void defaultsAreWidenedWithTheirType() {
        Schema schema = evolve(
                        3,
                        true,
                        withDefault("i", false, Type.Simple.INT, 5),
                        withDefault("g", false, Type.Simple.FLOAT, 1.5f),
                        withDefault("d", false, new Type.Decimal(4, 1), new BigDecimal("2.5")),
                        retype(Type.Simple.LONG, "i"),
                        retype(Type.Simple.DOUBLE, "g"),
                        retype(new Type.Decimal(9, 1), "d"))
                .schema();

        assertThat(schema.field("i").orElseThrow().initialDefault()).contains(5L);
        assertThat(schema.field("i").orElseThrow().writeDefault()).contains(5L);
        assertThat(schema.field("g").orElseThrow().initialDefault()).contains(1.5d);
        assertThat(schema.field("d").orElseThrow().writeDefault()).contains(new BigDecimal("2.5"));
    }

    @Test
    void nullsCanBeAllowedButNotForbidden() {
        assertThat(apply(optional("id")).field("id").orElseThrow().isOptional()).isTrue();
        assertThat(apply(optional("l", "element"))
                        .field("l.element")
                        .orElseThrow()
                        .isOptional())
                .isTrue();
        assertThat(apply(new SchemaChange.SetRequired(List.of("id"), true))).isEqualTo(BASE);
        refuses("may have nulls", new SchemaChange.SetRequired(List.of("f"), true));
    }

    @Test
    void commentsOnFields() {
        Schema schema = apply(new SchemaChange.SetDoc(List.of("s", "x"), Optional.of("why")));

        assertThat(schema.field("s.x").orElseThrow().doc()).contains("why");
        assertThat(new SchemaChanges(List.of(new SchemaChange.SetDoc(List.of("s", "x"), Optional.empty())), true)
                        .apply(schema, LAST, 2)
                        .schema())
                .isEqualTo(BASE);
        refuses("part of a list or map", new SchemaChange.SetDoc(List.of("l", "element"), Optional.of("no")));
    }

    /** Spec: Identifier Field IDs. */
    @Test
    void identifierFieldsStayRequiredAndThere() {
        refuses("identifier field 'key.part' would go", drop("key", "part"));
        refuses("identifier field 'key.part' would go", drop("key"));
        refuses("identifier field 'key.part' must not be null", optional("key", "part"));
        refuses("identifier field 'key.part' must not be null", optional("key"));
        assertThat(apply(rename("pk", "key", "part")).identifierFieldIds()).containsExactly(15);
    }

    /** Spec, Schema Evolution: map keys must not change. */
    @Test
    void mapKeysDoNotChange() {
        refuses("keys of maps", retype(Type.Simple.LONG, "m", "key", "k"));
        refuses("keys of maps", rename("kk", "m", "key", "k"));
        refuses("keys of maps", drop("m", "key", "k"));
        refuses("keys of maps", drop("m", "key"));
        refuses("keys of maps", add(List.of("m", "key"), "z", Type.Simple.INT));
        refuses("keys of maps", optional("m", "key", "k"));
    }

    @Test
    void addsOnlyToStructs() {
        refuses("'id' is no struct", add(List.of("id"), "a", Type.Simple.INT));
        refuses("'l' is no struct", add(List.of("l"), "b", Type.Simple.INT));
        refuses("there is no column 'nope'", add(List.of("nope"), "a", Type.Simple.INT));
    }

    @Test
    void whatAnotherWriterGotWrongStopsNoOtherChange() {
        var wrong = new Schema(
                0,
                List.of(
                        Field.optional(1, "a", Type.Simple.INT).withWriteDefault(Optional.of(1)),
                        Field.optional(2, "b", Type.Simple.INT)));

        assertThat(new SchemaChanges(List.of(drop("b")), true)
                        .apply(wrong, 2, 2)
                        .schema()
                        .fields())
                .hasSize(1);
        assertThatThrownBy(() -> new SchemaChanges(
                                List.of(new SchemaChange.SetWriteDefault(List.of("b"), Optional.of(1))), true)
                        .apply(wrong, 2, 2))
                .hasMessageContaining("'b'");
    }

    /** As the peer does it; see EvolutionPeerIT for the same over random changes. */
    @Test
    void theNameMappingFollows() {
        NameMapping mapping = evolve(
                        2,
                        true,
                        rename("eff", "f"),
                        drop("id"),
                        add(List.of(), "f", new Type.Struct(List.of(Field.optional(1, "q", Type.Simple.INT)))),
                        add(List.of("l", "element"), "b", Type.Simple.INT))
                .mapping(NameMapping.of(BASE));

        assertThat(mapping.fieldId(List.of("eff"))).hasValue(2);
        assertThat(mapping.fieldId(List.of("f"))).hasValue(21);
        assertThat(mapping.fieldId(List.of("f", "q"))).hasValue(22);
        assertThat(mapping.fieldId(List.of("id"))).hasValue(1);
        assertThat(mapping.fieldId(List.of("l", "element", "b"))).hasValue(23);
        assertThat(mapping.fieldId(List.of("m", "value", "v"))).hasValue(13);
    }

    @Test
    void saysWhichColumnsWereMeant() {
        assertThat(evolve(2, true, add(List.of("s"), "z", Type.Simple.INT), rename("zz", "s", "z"), drop("f"))
                        .touched())
                .containsExactly(3, -1, 2);
    }
}
