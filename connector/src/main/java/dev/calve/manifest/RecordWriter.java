package dev.calve.manifest;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.apache.avro.Schema;
import org.apache.avro.io.DatumWriter;
import org.apache.avro.io.Encoder;
import org.jspecify.annotations.Nullable;

/** Writes objects as one Avro record, straight to the encoder, column by column. */
final class RecordWriter<T> implements DatumWriter<T> {

    /**
     * One field of the record.
     *
     * @param required whether the field is declared bare; else it is a union with null, null first
     * @param type the Avro schema of a value that is not null
     */
    record Column<T>(
            int id,
            String name,
            boolean required,
            Schema type,
            Function<T, @Nullable Object> value,
            AvroValues.Writer writer) {}

    private final Schema schema;
    private final List<Column<T>> columns;

    RecordWriter(String recordName, List<Column<T>> columns) {
        this.columns = List.copyOf(columns);
        Set<String> names = new HashSet<>();
        var fields = new ArrayList<Schema.Field>();
        for (Column<T> column : columns) {
            boolean nullType = column.type().getType() == Schema.Type.NULL;
            Schema type = column.required() || nullType
                    ? column.type()
                    : Schema.createUnion(Schema.create(Schema.Type.NULL), column.type());
            String name = avroName(column.name());
            if (!names.add(name)) {
                name = name + "_" + column.id();
                names.add(name);
            }
            var field = column.required()
                    ? new Schema.Field(name, type)
                    : new Schema.Field(name, type, null, Schema.Field.NULL_DEFAULT_VALUE);
            field.addProp("field-id", (Object) column.id());
            if (!name.equals(column.name())) {
                field.addProp("iceberg-field-name", column.name());
            }
            fields.add(field);
        }
        schema = Schema.createRecord(recordName, null, null, false, fields);
    }

    /** Avro allows letters, digits and underscores; anything else becomes {@code _x} and its hexadecimal number. */
    private static String avroName(String name) {
        var result = new StringBuilder();
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            boolean digit = c >= '0' && c <= '9';
            if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (digit && i > 0)) {
                result.append(c);
            } else if (digit) {
                result.append('_').append(c);
            } else {
                result.append("_x").append(Integer.toHexString(c).toUpperCase(java.util.Locale.ROOT));
            }
        }
        return result.length() == 0 ? "_" : result.toString();
    }

    Schema schema() {
        return schema;
    }

    @Override
    public void setSchema(Schema ignored) {
        // The schema is this writer's own.
    }

    @Override
    public void write(T datum, Encoder out) throws IOException {
        for (Column<T> column : columns) {
            Object value = column.value().apply(datum);
            if (column.required()) {
                if (value == null) {
                    throw new IllegalArgumentException(
                            "Field " + column.id() + " '" + column.name() + "' must have a value in " + datum + ".");
                }
                column.writer().write(value, out);
            } else if (column.type().getType() == Schema.Type.NULL) {
                if (value != null) {
                    column.writer().write(value, out);
                }
                out.writeNull();
            } else if (value == null) {
                out.writeIndex(0);
                out.writeNull();
            } else {
                out.writeIndex(1);
                column.writer().write(value, out);
            }
        }
    }
}
