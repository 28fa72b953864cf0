package dev.calve.spark.read;

import dev.calve.io.InvalidTableException;
import dev.calve.schema.MetadataFields;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.parquet.hadoop.metadata.ColumnPath;
import org.apache.parquet.schema.GroupType;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.PrimitiveType;
import org.apache.parquet.schema.Type;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.NullType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.types.VariantType;

/**
 * Maps the wanted columns to a file's columns by field id.
 *
 * <p>Spark gets a schema of only such fields as the file has, under the file's names; what is missing or shaped
 * differently is added over the decoded columns. A struct of which the file has no wanted field is read by its cheapest
 * column, because somebody has to say where the struct is null.
 *
 * <p>Spec: Column Projection; Schema Evolution; Appendix A: Parquet.
 */
final class FileProjection {

    static final String FIELD_ID = "parquet.field.id";

    /** The schema of the file, with ids. */
    final MessageType fileSchema;

    /** The columns to decode; each exists in the file. */
    final MessageType storedSchema;

    /** The same as Spark types. */
    final StructType storedTypes;

    /** One for each column of {@link FileRead#decoded}, in order. */
    final List<ColumnSource> sources;

    private FileProjection(
            MessageType fileSchema, MessageType storedSchema, StructType storedTypes, List<ColumnSource> sources) {
        this.fileSchema = fileSchema;
        this.storedSchema = storedSchema;
        this.storedTypes = storedTypes;
        this.sources = sources;
    }

    /**
     * Projects a file's schema.
     *
     * @throws InvalidTableException if the file has no ids and there is no name mapping, if a required column is absent
     *     without a value for it, or if a column has a type that cannot be read as the wanted one
     * @throws IllegalArgumentException if a wanted field has no id
     */
    static FileProjection of(FileRead read, MessageType schema) {
        return new Planner(read, schema).plan();
    }

    /** The columns to decode, by their leaves. */
    Set<ColumnPath> storedPaths() {
        return storedSchema.getPaths().stream().map(ColumnPath::get).collect(Collectors.toUnmodifiableSet());
    }

    /** The field id that a wanted field carries. */
    static OptionalInt idOf(StructField field) {
        return field.metadata().contains(FIELD_ID)
                ? OptionalInt.of(Math.toIntExact(field.metadata().getLong(FIELD_ID)))
                : OptionalInt.empty();
    }

    /** A column as it is stored, as Spark decodes it, and how to get the wanted column from that. */
    private record Clipped(Type stored, DataType decoded, Shape shape) {}

    private static final class Planner {
        private final FileRead read;
        private final String location;
        private final MessageType fileSchema;
        private final boolean withoutIds;
        private final Map<Integer, Type> topLevel;

        private final List<Type> stored = new ArrayList<>();
        private StructType decoded = new StructType();

        Planner(FileRead read, MessageType schema) {
            this.read = read;
            this.location = read.file.location();
            boolean hasIds = FileFieldIds.any(schema);
            this.withoutIds = !hasIds && read.fieldNames.isEmpty();
            this.fileSchema =
                    hasIds || read.fieldNames.isEmpty() ? schema : FileFieldIds.mapped(schema, read.fieldNames.get());
            this.topLevel = byId(fileSchema, "");
        }

        FileProjection plan() {
            var sources = new ArrayList<ColumnSource>();
            for (int i = 0; i < read.decoded.size(); i++) {
                var field = read.decoded.apply(i);
                var constant = read.constants.get(i);
                sources.add(constant != null ? new ColumnSource.Constant(field.dataType(), constant) : source(field));
            }
            return new FileProjection(
                    fileSchema, new MessageType(fileSchema.getName(), stored), decoded, List.copyOf(sources));
        }

        private ColumnSource source(StructField field) {
            int id = idOrThrow(field, field.name());
            if (field.dataType() instanceof NullType) {
                return new ColumnSource.Constant(field.dataType(), Optional.empty());
            }
            if (id == MetadataFields.POS.id()) {
                return new ColumnSource.Position();
            }
            if (id == MetadataFields.DELETED.id()) {
                return new ColumnSource.Deleted();
            }
            if (id == MetadataFields.ROW_ID.id()) {
                return read.firstRowId.isEmpty()
                        ? new ColumnSource.Constant(DataTypes.LongType, Optional.empty())
                        : new ColumnSource.RowId(storedIfPresent(field, id), read.firstRowId.getAsLong());
            }
            if (id == MetadataFields.LAST_UPDATED_SEQUENCE_NUMBER.id()) {
                return read.firstRowId.isEmpty()
                        ? new ColumnSource.Constant(DataTypes.LongType, Optional.empty())
                        : new ColumnSource.LastUpdated(storedIfPresent(field, id), read.dataSequenceNumber);
            }
            if (withoutIds) {
                throw new InvalidTableException(
                        ("Data file '%s' has no field ids, so column '%s' cannot be found in it."
                                        + " Set the table property schema.name-mapping.default.")
                                .formatted(location, field.name()));
            }
            var type = topLevel.get(id);
            if (type == null) {
                return new ColumnSource.Constant(field.dataType(), absentValue(field, id, field.name()));
            }
            var clipped = clip(type, field.dataType(), field.name());
            return new ColumnSource.Stored(store(clipped), clipped.shape);
        }

        private OptionalInt storedIfPresent(StructField field, int id) {
            var type = withoutIds ? null : topLevel.get(id);
            return type == null
                    ? OptionalInt.empty()
                    : OptionalInt.of(store(clip(type, DataTypes.LongType, field.name())));
        }

        private int store(Clipped clipped) {
            if (stored.stream().anyMatch(other -> other.getName().equals(clipped.stored.getName()))) {
                throw new IllegalArgumentException("Column '%s' of data file '%s' is asked for twice"
                        .formatted(clipped.stored.getName(), location));
            }
            stored.add(clipped.stored);
            decoded = decoded.add(clipped.stored.getName(), clipped.decoded, true);
            return stored.size() - 1;
        }

        private Optional<Object> absentValue(StructField field, int id, String path) {
            Optional<Object> value = Optional.ofNullable(read.absentValues.get(id))
                    .map(found -> field.dataType() instanceof StructType struct ? absentStruct(struct, path) : found);
            if (value.isEmpty() && !field.nullable()) {
                throw new InvalidTableException(
                        "Required column '%s' (id %d) must be in data file '%s' or have an initial default, but is absent."
                                .formatted(path, id, location));
            }
            return value;
        }

        /** Spec: Default values. The default of a struct is made of those of its fields. */
        private InternalRow absentStruct(StructType type, String path) {
            var row = new GenericInternalRow(type.size());
            for (int i = 0; i < type.size(); i++) {
                StructField field = type.apply(i);
                String fieldPath = path + "." + field.name();
                row.update(
                        i,
                        absentValue(field, idOrThrow(field, fieldPath), fieldPath)
                                .orElse(null));
            }
            return row;
        }

        private Clipped clip(Type type, DataType wanted, String path) {
            if (type.isRepetition(Type.Repetition.REPEATED)) {
                throw unreadable(type, wanted, path);
            }
            return clipValue(type, wanted, path);
        }

        /** A list's element may be the repeated field itself; nothing else may repeat. */
        private Clipped clipValue(Type type, DataType wanted, String path) {
            if (type.isPrimitive()) {
                return clipPrimitive(type.asPrimitiveType(), wanted, path);
            }
            var group = type.asGroupType();
            if (wanted instanceof VariantType) {
                StoredVariant.check(group, path, location);
                return new Clipped(group, wanted, new Shape.Same());
            }
            if (wanted instanceof ArrayType list && FileFieldIds.isList(group)) {
                return clipList(group, list, path);
            }
            if (wanted instanceof MapType map && FileFieldIds.isMap(group)) {
                return clipMap(group, map, path);
            }
            if (wanted instanceof StructType struct && !FileFieldIds.isList(group) && !FileFieldIds.isMap(group)) {
                return clipStruct(group, struct, path);
            }
            throw unreadable(type, wanted, path);
        }

        private Clipped clipPrimitive(PrimitiveType type, DataType wanted, String path) {
            if (StoredTypes.isUuid(type, wanted)) {
                return new Clipped(StoredTypes.plain(type), DataTypes.BinaryType, new Shape.UuidText());
            }
            if (!StoredTypes.canRead(type, wanted)) {
                throw unreadable(type, wanted, path);
            }
            if (StoredTypes.isOnlyNumberInSpark(type)) {
                return new Clipped(StoredTypes.plain(type), wanted, new Shape.Same());
            }
            if (wanted instanceof DecimalType decimal) {
                return clipDecimal(StoredTypes.decodableDecimal(type), decimal);
            }
            return new Clipped(type, wanted, new Shape.Same());
        }

        private static Clipped clipDecimal(PrimitiveType type, DecimalType wanted) {
            int digits = StoredTypes.fewestDecodableDigits(type);
            return wanted.precision() >= digits
                    ? new Clipped(type, wanted, new Shape.Same())
                    : new Clipped(
                            type,
                            DataTypes.createDecimalType(digits, wanted.scale()),
                            new Shape.NarrowedDecimal(wanted));
        }

        private Clipped clipStruct(GroupType group, StructType wanted, String path) {
            var children = byId(group, path);
            var fields = new ArrayList<Type>();
            var types = new StructType();
            var shapes = new ArrayList<Shape.StructField>();
            boolean same = true;
            for (int i = 0; i < wanted.size(); i++) {
                var field = wanted.apply(i);
                var fieldPath = path + "." + field.name();
                int id = idOrThrow(field, fieldPath);
                var child = field.dataType() instanceof NullType ? null : children.get(id);
                if (child == null) {
                    same = false;
                    shapes.add(new Shape.StructField(
                            OptionalInt.empty(), new Shape.Same(), absentValue(field, id, fieldPath)));
                    continue;
                }
                var clipped = clip(child, field.dataType(), fieldPath);
                same &= clipped.shape instanceof Shape.Same;
                shapes.add(new Shape.StructField(OptionalInt.of(fields.size()), clipped.shape, Optional.empty()));
                fields.add(clipped.stored);
                types = types.add(child.getName(), clipped.decoded, true);
            }
            if (fields.isEmpty()) {
                var witness = StoredTypes.cheapest(group);
                fields.add(witness);
                types = types.add(SparkDecoder.naturalField(witness));
            }
            return new Clipped(
                    group.withNewFields(fields), types, same ? new Shape.Same() : new Shape.Struct(wanted, shapes));
        }

        private Clipped clipList(GroupType group, ArrayType wanted, String path) {
            var repeated = group.getType(0);
            var elementPath = path + ".element";
            Clipped element;
            GroupType stored;
            if (FileFieldIds.isElement(repeated, group.getName())) {
                element =
                        stillElement(clipValue(repeated, wanted.elementType(), elementPath), repeated, group.getName());
                stored = group.withNewFields(element.stored);
            } else {
                element = clip(repeated.asGroupType().getType(0), wanted.elementType(), elementPath);
                stored = group.withNewFields(repeated.asGroupType().withNewFields(element.stored));
            }
            var decodedType = DataTypes.createArrayType(element.decoded, true);
            return new Clipped(
                    stored,
                    decodedType,
                    element.shape instanceof Shape.Same ? new Shape.Same() : new Shape.Elements(wanted, element.shape));
        }

        /** Keeps a second field in an element that is only an element because it has more than one. */
        private static Clipped stillElement(Clipped clipped, Type repeated, String listName) {
            if (FileFieldIds.isElement(clipped.stored, listName)) {
                return clipped;
            }
            var only = clipped.stored.asGroupType().getType(0);
            for (var field : repeated.asGroupType().getFields()) {
                if (!field.getName().equals(only.getName())) {
                    var witness = StoredTypes.plain(field);
                    return new Clipped(
                            clipped.stored.asGroupType().withNewFields(only, witness),
                            ((StructType) clipped.decoded).add(SparkDecoder.naturalField(witness)),
                            clipped.shape);
                }
            }
            throw new IllegalStateException("An element of list '" + listName + "' must have two fields: " + repeated);
        }

        private Clipped clipMap(GroupType group, MapType wanted, String path) {
            var entry = group.getType(0).asGroupType();
            var key = clip(entry.getType(0), wanted.keyType(), path + ".key");
            var value = clip(entry.getType(1), wanted.valueType(), path + ".value");
            boolean same = key.shape instanceof Shape.Same && value.shape instanceof Shape.Same;
            return new Clipped(
                    group.withNewFields(entry.withNewFields(key.stored, value.stored)),
                    DataTypes.createMapType(key.decoded, value.decoded, true),
                    same ? new Shape.Same() : new Shape.Entries(wanted, key.shape, value.shape));
        }

        private Map<Integer, Type> byId(GroupType group, String path) {
            var result = new HashMap<Integer, Type>();
            for (var field : group.getFields()) {
                if (field.getId() == null) {
                    continue;
                }
                var other = result.put(field.getId().intValue(), field);
                if (other != null) {
                    throw new InvalidTableException(
                            "Field ids must be unique in data file '%s', but '%s' and '%s'%s both have id %d."
                                    .formatted(
                                            location,
                                            other.getName(),
                                            field.getName(),
                                            path.isEmpty() ? "" : " of '" + path + "'",
                                            field.getId().intValue()));
                }
            }
            return result;
        }

        private static int idOrThrow(StructField field, String path) {
            return idOf(field)
                    .orElseThrow(() -> new IllegalArgumentException(
                            "Wanted column '%s' must carry its field id as metadata '%s'".formatted(path, FIELD_ID)));
        }

        private InvalidTableException unreadable(Type type, DataType wanted, String path) {
            return new InvalidTableException(
                    "Column '%s' of data file '%s' must be readable as %s, but is stored as %s%s."
                            .formatted(
                                    path,
                                    location,
                                    wanted.simpleString(),
                                    type.isRepetition(Type.Repetition.REPEATED) ? "repeated " : "",
                                    StoredTypes.describe(type)));
        }
    }
}
