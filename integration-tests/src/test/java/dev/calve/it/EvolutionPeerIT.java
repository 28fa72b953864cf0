package dev.calve.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.calve.metadata.ColumnChanges;
import dev.calve.metadata.MetadataUpdates;
import dev.calve.metadata.TableMetadata;
import dev.calve.metadata.TableMetadataJson;
import dev.calve.schema.Field;
import dev.calve.schema.NameMapping;
import dev.calve.schema.SchemaChange;
import dev.calve.schema.SchemaChanges;
import dev.calve.schema.SchemaJson;
import dev.calve.schema.Type;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadataParser;
import org.apache.iceberg.UpdateSchema;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.inmemory.InMemoryCatalog;
import org.apache.iceberg.mapping.MappingUtil;
import org.apache.iceberg.mapping.NameMappingParser;
import org.apache.iceberg.types.Types;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Random changes of columns, made by us and by the peer of the same table: both refuse them, or both come to the same schema,
 * field ids, name mapping and properties.
 */
@Tag("iceberg-peer")
class EvolutionPeerIT {

    private static final List<Type> TYPES = List.of(
            Type.Simple.INT,
            Type.Simple.LONG,
            Type.Simple.FLOAT,
            Type.Simple.DOUBLE,
            Type.Simple.STRING,
            Type.Simple.DATE,
            Type.Simple.TIMESTAMP,
            new Type.Decimal(9, 2),
            new Type.Decimal(12, 2),
            new Type.Decimal(12, 3));

    private static final Map<Type, org.apache.iceberg.types.Type> THEIRS = theirTypes();

    private int made;
    private int refused;

    private static Map<Type, org.apache.iceberg.types.Type> theirTypes() {
        var result = new HashMap<Type, org.apache.iceberg.types.Type>();
        for (Type type : TYPES) {
            result.put(
                    type,
                    type instanceof Type.Decimal decimal
                            ? Types.DecimalType.of(decimal.precision(), decimal.scale())
                            : Types.fromPrimitiveString(type.toString().toLowerCase(Locale.ROOT)));
        }
        return result;
    }

    private static Table create(InMemoryCatalog catalog, int version) {
        var element = Types.StructType.of(
                Types.NestedField.optional(20, "p", Types.IntegerType.get()),
                Types.NestedField.optional(21, "q", Types.StringType.get()));
        var schema = new org.apache.iceberg.Schema(
                List.of(
                        Types.NestedField.required(1, "id", Types.IntegerType.get()),
                        Types.NestedField.optional(2, "part", Types.StringType.get()),
                        Types.NestedField.optional(3, "f", Types.FloatType.get(), "a comment"),
                        Types.NestedField.optional(4, "d", Types.DecimalType.of(9, 2)),
                        Types.NestedField.optional(
                                5,
                                "s",
                                Types.StructType.of(
                                        Types.NestedField.required(10, "x", Types.IntegerType.get()),
                                        Types.NestedField.optional(11, "y", Types.StringType.get()),
                                        Types.NestedField.optional(
                                                12,
                                                "t",
                                                Types.StructType.of(
                                                        Types.NestedField.optional(13, "u", Types.FloatType.get()),
                                                        Types.NestedField.optional(14, "w", Types.LongType.get()))))),
                        Types.NestedField.optional(6, "l", Types.ListType.ofRequired(15, element)),
                        Types.NestedField.optional(
                                7,
                                "m",
                                Types.MapType.ofOptional(
                                        16,
                                        17,
                                        Types.StructType.of(
                                                Types.NestedField.required(18, "k", Types.IntegerType.get())),
                                        Types.StructType.of(
                                                Types.NestedField.optional(19, "v", Types.DecimalType.of(9, 2)),
                                                Types.NestedField.optional(22, "z", Types.DateType.get()))))),
                Set.of(1));
        var identifier = TableIdentifier.of("db", "t" + version + "_" + System.nanoTime());
        Table table = catalog.buildTable(identifier, schema)
                .withPartitionSpec(
                        PartitionSpec.builderFor(schema).identity("part").build())
                .withProperty("format-version", "" + version)
                .create();
        table.updateProperties()
                .set("schema.name-mapping.default", NameMappingParser.toJson(MappingUtil.create(table.schema())))
                .set("write.metadata.metrics.column.f", "full")
                .set("write.metadata.metrics.column.d", "none")
                .set("write.parquet.bloom-filter-enabled.column.f", "true")
                .commit();
        return table;
    }

    private static TableMetadata metadata(Table table) {
        String json = TableMetadataParser.toJson(
                ((HasTableOperations) table).operations().current());
        return TableMetadataJson.parse(json.getBytes(StandardCharsets.UTF_8), "v1.metadata.json");
    }

    @Test
    void bothComeToTheSameSchemas() {
        Randomly.check(60, random -> {
            try (var catalog = new InMemoryCatalog()) {
                catalog.initialize("memory", Map.of());
                catalog.createNamespace(Namespace.of("db"));
                Table table = create(catalog, random.intBetween(1, 3));
                for (int i = 0; i < 25; i++) {
                    evolve(random, table);
                }
            }
        });
        System.out.println("EvolutionPeerIT: " + made + " statements made by both, " + refused + " refused by both");
        assertThat(made).isGreaterThan(500);
        assertThat(refused).isGreaterThan(100);
    }

    private void evolve(Randomly random, Table table) {
        TableMetadata base = metadata(table);
        List<SchemaChange> changes = new Generator(random, base).changes();
        Optional<TableMetadata> ours = ours(base, changes);
        boolean theirs = theirs(table, changes);

        assertThat(ours.isPresent()).as("%s of %s", changes, base.schema()).isEqualTo(theirs);
        if (!theirs) {
            refused++;
            return;
        }
        made++;
        table.refresh();
        TableMetadata expected = metadata(table);
        TableMetadata found = ours.get();
        assertThat(SchemaJson.toJson(found.schema().withId(0)))
                .as("%s of %s", changes, base.schema())
                .isEqualTo(SchemaJson.toJson(expected.schema().withId(0)));
        assertThat(found.schema()).isEqualTo(expected.schema());
        assertThat(found.lastColumnId()).isEqualTo(expected.lastColumnId());
        assertThat(found.schemas()).isEqualTo(expected.schemas());
        assertThat(mapping(found)).as("%s", changes).isEqualTo(mapping(expected));
        assertThat(withoutMapping(found)).as("%s", changes).isEqualTo(withoutMapping(expected));
    }

    private static Optional<TableMetadata> ours(TableMetadata base, List<SchemaChange> changes) {
        try {
            var evolved = ColumnChanges.evolve(base, new SchemaChanges(changes, true));
            return Optional.of(
                    MetadataUpdates.apply(base, ColumnChanges.updates(base, evolved), base.lastUpdatedMillis()));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private static boolean theirs(Table table, List<SchemaChange> changes) {
        try {
            UpdateSchema update = table.updateSchema();
            for (SchemaChange change : changes) {
                apply(update, change);
            }
            update.commit();
            return true;
        } catch (RuntimeException e) {
            return false;
        }
    }

    private static String name(List<String> path) {
        return String.join(".", path);
    }

    private static void apply(UpdateSchema update, SchemaChange change) {
        if (change instanceof SchemaChange.Add add) {
            add(update, add);
        } else if (change instanceof SchemaChange.Drop drop) {
            update.deleteColumn(name(drop.path()));
        } else if (change instanceof SchemaChange.Rename rename) {
            update.renameColumn(name(rename.path()), rename.newName());
        } else if (change instanceof SchemaChange.Retype retype) {
            update.updateColumn(
                    name(retype.path()), THEIRS.get(retype.newType()).asPrimitiveType());
        } else if (change instanceof SchemaChange.SetRequired required) {
            if (required.required()) {
                update.requireColumn(name(required.path()));
            } else {
                update.makeColumnOptional(name(required.path()));
            }
        } else if (change instanceof SchemaChange.SetDoc doc) {
            update.updateColumnDoc(name(doc.path()), doc.doc().orElse(null));
        } else if (change instanceof SchemaChange.SetWriteDefault value) {
            update.updateColumnDefault(
                    name(value.path()), value.value().map(Expressions::lit).orElse(null));
        } else {
            var move = (SchemaChange.Move) change;
            move(update, move.path(), move.position());
        }
    }

    private static void add(UpdateSchema update, SchemaChange.Add add) {
        String parent = add.parent().isEmpty() ? null : name(add.parent());
        var type = theirs(add.type());
        String doc = add.doc().orElse(null);
        var value = add.defaultValue().map(Expressions::lit).orElse(null);
        if (add.required()) {
            update.addRequiredColumn(parent, add.name(), type, doc, value);
        } else {
            update.addColumn(parent, add.name(), type, doc, value);
        }
        var path = new ArrayList<>(add.parent());
        path.add(add.name());
        add.position().ifPresent(position -> move(update, path, position));
    }

    private static org.apache.iceberg.types.Type theirs(Type type) {
        if (type instanceof Type.Struct struct) {
            return Types.StructType.of(struct.fields().stream()
                    .map(field -> Types.NestedField.optional(field.id(), field.name(), theirs(field.type())))
                    .toList());
        }
        if (type instanceof Type.ListOf list) {
            return Types.ListType.ofOptional(list.elementId(), theirs(list.element()));
        }
        return THEIRS.get(type);
    }

    private static void move(UpdateSchema update, List<String> path, SchemaChange.Position position) {
        if (position instanceof SchemaChange.Position.After after) {
            var other = new ArrayList<>(path.subList(0, path.size() - 1));
            other.add(after.name());
            update.moveAfter(name(path), name(other));
        } else {
            update.moveFirst(name(path));
        }
    }

    /** With the names of each field sorted: the peer keeps them in no order. */
    private static String mapping(TableMetadata table) {
        return mapping(NameMapping.parse(table.property(NameMapping.PROPERTY).orElseThrow()));
    }

    private static String mapping(NameMapping mapping) {
        return mapping.entries().stream()
                .map(entry -> entry.fieldId() + " " + new TreeSet<>(entry.names()) + " " + mapping(entry.parts()))
                .collect(Collectors.joining("; ", "{", "}"));
    }

    private static Map<String, String> withoutMapping(TableMetadata table) {
        var properties = new HashMap<>(table.properties());
        properties.remove(NameMapping.PROPERTY);
        return properties;
    }

    /**
     * One statement: a few changes of different columns, since the peer looks names up in the schema there was and we in what
     * the change before left. Left out is what is known to differ and said beside it.
     */
    private static final class Generator {

        private final Randomly random;
        private final TableMetadata table;
        private final List<Field> fields;
        private final Set<String> used = new HashSet<>();

        Generator(Randomly random, TableMetadata table) {
            this.random = random;
            this.table = table;
            this.fields = StreamSupport.stream(table.schema().allFields().spliterator(), false)
                    .toList();
        }

        List<SchemaChange> changes() {
            var result = new ArrayList<SchemaChange>();
            for (int i = random.intBetween(1, 3); i > 0; i--) {
                Field field = random.oneOf(fields);
                List<String> path = path(field);
                if (used.add(path.get(0))) {
                    change(field, path).ifPresent(result::add);
                }
            }
            return result;
        }

        private List<String> path(Field field) {
            var path = new ArrayList<String>();
            Optional<Field> at = Optional.of(field);
            while (at.isPresent()) {
                path.add(0, at.get().name());
                at = table.schema().parent(at.get().id());
            }
            return path;
        }

        private Optional<Field> parent(Field field) {
            return table.schema().parent(field.id());
        }

        private boolean isInStruct(Field field) {
            return parent(field)
                    .map(parent -> parent.type() instanceof Type.Struct)
                    .orElse(true);
        }

        private List<Field> siblings(Field field) {
            return parent(field)
                    .map(parent -> ((Type.Nested) parent.type()).fields())
                    .orElse(table.schema().fields());
        }

        private Optional<SchemaChange> change(Field field, List<String> path) {
            return switch (random.intBelow(9)) {
                // To the peer the name of a column this statement renames or drops is taken.
                case 0 -> {
                    SchemaChange.Add add = add(List.of());
                    yield used.add(add.name()) ? Optional.of(add) : Optional.empty();
                }
                // The peer takes a list for its element and a map for its value.
                case 1 ->
                    field.type() instanceof Type.ListOf || field.type() instanceof Type.MapOf
                            ? Optional.empty()
                            : Optional.of(add(path));
                // The peer leaves a struct without fields, which no Parquet file can hold.
                case 2 ->
                    siblings(field).size() > 1 || path.size() == 1
                            ? Optional.of(new SchemaChange.Drop(path, false))
                            : Optional.empty();
                // The peer loses the names and comments of elements and values.
                case 3 -> {
                    String newName = newName(field);
                    yield isInStruct(field) && (path.size() > 1 || used.add(newName))
                            ? Optional.of(new SchemaChange.Rename(path, newName))
                            : Optional.empty();
                }
                case 4 -> Optional.of(new SchemaChange.Retype(path, random.oneOf(TYPES)));
                case 5 -> Optional.of(new SchemaChange.SetRequired(path, random.percent(20)));
                case 6 ->
                    isInStruct(field)
                            ? Optional.of(new SchemaChange.SetDoc(
                                    path, random.yes() ? Optional.of("doc " + random.intBelow(9)) : Optional.empty()))
                            : Optional.empty();
                // In version 2 the peer lets a default be set that the specification does not have there.
                case 7 ->
                    isInStruct(field) && table.formatVersion() == 3 && field.type() == Type.Simple.INT
                            ? Optional.of(new SchemaChange.SetWriteDefault(
                                    path, random.yes() ? Optional.of(random.intBelow(9)) : Optional.empty()))
                            : Optional.empty();
                default -> move(field, path);
            };
        }

        private String newName(Field field) {
            return random.percent(20) ? random.oneOf(siblings(field)).name() : "n" + random.intBelow(1000);
        }

        private SchemaChange.Add add(List<String> parent) {
            boolean withDefault = random.percent(20);
            Type type = random.percent(25)
                    ? new Type.Struct(List.of(
                            Field.optional(1, "a", Type.Simple.INT),
                            Field.optional(2, "b", new Type.ListOf(3, false, Type.Simple.LONG)),
                            Field.optional(4, "c", Type.Simple.FLOAT)))
                    : random.oneOf(TYPES);
            String name = random.percent(15)
                    ? random.oneOf(table.schema().fields()).name()
                    // Names that were dropped come back.
                    : random.oneOf("f", "d", "n" + random.intBelow(1000));
            return new SchemaChange.Add(
                    parent,
                    name,
                    withDefault ? Type.Simple.INT : type,
                    random.percent(10),
                    random.yes() ? Optional.of("new") : Optional.empty(),
                    withDefault ? Optional.of(random.intBelow(9)) : Optional.empty(),
                    random.percent(20) ? Optional.of(SchemaChange.Position.FIRST) : Optional.empty());
        }

        private Optional<SchemaChange> move(Field field, List<String> path) {
            if (!isInStruct(field)) {
                return Optional.empty();
            }
            if (random.percent(30)) {
                return Optional.of(new SchemaChange.Move(path, SchemaChange.Position.FIRST));
            }
            Field other = random.oneOf(siblings(field));
            // Another change of this statement may rename it, before or after: the peer and we differ then.
            return path.size() > 1 || used.add(other.name()) || other.id() == field.id()
                    ? Optional.of(new SchemaChange.Move(path, new SchemaChange.Position.After(other.name())))
                    : Optional.empty();
        }
    }
}
