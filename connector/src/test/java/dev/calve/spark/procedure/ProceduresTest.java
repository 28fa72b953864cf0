package dev.calve.spark.procedure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.sql.connector.catalog.Identifier;
import org.apache.spark.sql.connector.catalog.procedures.BoundProcedure;
import org.apache.spark.sql.connector.catalog.procedures.ProcedureParameter;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ProceduresTest {

    private final Procedures procedures = new Procedures("lake", List.of("db"), identifier -> {
        throw new AssertionError("no table is asked for");
    });

    private static Identifier named(String namespace, String name) {
        return Identifier.of(namespace.isEmpty() ? new String[0] : namespace.split("\\."), name);
    }

    @Test
    void findsEachProcedureItListsInAnyLetterCase() {
        Identifier[] all = procedures.list(new String[] {"system"});

        assertThat(all).hasSize(19);
        assertThat(procedures.list(new String[0])).containsExactly(all);
        assertThat(procedures.list(new String[] {"db"})).isEmpty();
        for (Identifier identifier : all) {
            assertThat(procedures.load(identifier).name()).isEqualTo(identifier.name());
            assertThat(procedures
                            .load(named("SYSTEM", identifier.name().toUpperCase(Locale.ROOT)))
                            .name())
                    .isEqualTo(identifier.name());
        }
    }

    @Test
    void namesTheProceduresThatAreThereIfOneIsNot() {
        assertThatThrownBy(() -> procedures.load(named("system", "nope")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(
                        "Catalog lake has no procedure system.nope, but in system: [add_partition_field,");
        assertThatThrownBy(() -> procedures.load(named("", "create_tag")))
                .hasMessageContaining("no procedure create_tag");
        assertThatThrownBy(() -> procedures.load(named("system.x", "create_tag")))
                .hasMessageContaining("system.x.create_tag");
    }

    @Test
    void takesTheTableFirstAndOptionalArgumentsLast() {
        for (Identifier identifier : procedures.list(new String[0])) {
            BoundProcedure procedure = procedures.load(identifier).bind(new StructType());
            List<ProcedureParameter> parameters = Arrays.asList(procedure.parameters());
            // A plan knows its table.
            String first = identifier.name().equals("commit_delete") ? "id" : "table";
            assertThat(parameters.get(0).name()).isEqualTo(first);
            assertThat(parameters)
                    .allSatisfy(parameter -> assertThat(parameter.comment()).isNotBlank());
            assertThat(new HashSet<>(
                            parameters.stream().map(ProcedureParameter::name).toList()))
                    .hasSameSizeAs(parameters);
            boolean optional = false;
            for (ProcedureParameter parameter : parameters) {
                assertThat(optional && parameter.defaultValue() == null)
                        .as(parameter.name())
                        .isFalse();
                optional = parameter.defaultValue() != null;
            }
            assertThat(procedure.description()).endsWith(".");
            assertThat(procedure.isDeterministic()).isFalse();
        }
    }

    @Test
    void describesTheArgumentsAsSqlTypesThem() {
        assertThat(procedures.load(named("system", "create_tag")).description())
                .startsWith(
                        "Names a snapshot, or moves the name to another one. Arguments: table STRING (name of the table,"
                                + " such as 'db.t'), tag STRING (the name), snapshot_id BIGINT, optional (")
                .endsWith("replace BOOLEAN, optional (whether one that exists is moved there), if_not_exists BOOLEAN,"
                        + " optional (whether one that exists is left as it is).");
    }

    private static Arguments arguments(@Nullable Object... values) {
        return new Arguments(
                "lake.system.p",
                List.of(
                        Definition.required("text", DataTypes.StringType, "c"),
                        Definition.optional("at", DataTypes.TimestampType, "c"),
                        Definition.optional("flag", DataTypes.BooleanType, "c"),
                        Definition.optional("list", DataTypes.createArrayType(DataTypes.StringType), "c")),
                new GenericInternalRow(values));
    }

    private static UTF8String utf8(String text) {
        return UTF8String.fromString(text);
    }

    @Test
    void readsArgumentsByName() {
        var given = arguments(utf8("x"), 1_500L, true, new GenericArrayData(new Object[] {utf8("a"), utf8("b")}));
        assertThat(given.string("text")).isEqualTo("x");
        assertThat(given.flag("flag")).isTrue();
        assertThat(given.strings("list")).containsExactly("a", "b");

        var missing = arguments(null, null, null, null);
        assertThat(missing.optionalString("text")).isEmpty();
        assertThat(missing.flag("flag")).isFalse();
        assertThatThrownBy(() -> missing.string("text"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("CALL lake.system.p must be given argument 'text', and not NULL for it.");
        var holed = arguments(null, null, null, new GenericArrayData(new Object[] {utf8("a"), null}));
        assertThatThrownBy(() -> holed.strings("list")).hasMessageContaining("must not hold NULL, but does at 1");
    }

    @Test
    void takesTheMillisecondThatEndsATimeForIt() {
        assertThat(arguments(null, 1_500L, null, null).millisAtOrAfter("at")).isEqualTo(2);
        assertThat(arguments(null, 2_000L, null, null).millisAtOrAfter("at")).isEqualTo(2);
        assertThat(arguments(null, -1_500L, null, null).millisAtOrAfter("at")).isEqualTo(-1);
        assertThat(arguments(null, 0L, null, null).millisAtOrAfter("at")).isZero();
    }

    @Test
    void writesNamesAsSparkReadsThem() {
        var names = new TableNames("my-lake", List.of());
        assertThat(names.text(named("db.x y", "t`1"))).isEqualTo("`my-lake`.db.`x y`.`t``1`");
    }
}
