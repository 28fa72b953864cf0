package dev.calve.schema;

import java.util.List;
import java.util.Locale;

/** A type of the table format. Spec: Schemas and Data Types. {@code toString} gives the specification's text. */
public sealed interface Type permits Type.Primitive, Type.Nested {

    /** A type without fields of its own. Variant is counted here: the schema does not look into it. */
    sealed interface Primitive extends Type permits Simple, Fixed, Decimal, Geometry, Geography {}

    /** A type whose parts carry field ids. */
    sealed interface Nested extends Type permits Struct, ListOf, MapOf {

        /** The parts in order: a struct's fields, a list's {@code element}, a map's {@code key} and {@code value}. */
        List<Field> fields();

        /**
         * The same kind of type with other parts.
         *
         * @param fields as many as there are, except for a struct; of lists and maps they keep their names
         */
        Nested withFields(List<Field> fields);
    }

    /** The primitive types that have no parameter. */
    enum Simple implements Primitive {
        BOOLEAN,
        INT,
        LONG,
        FLOAT,
        DOUBLE,
        DATE,
        TIME,
        TIMESTAMP,
        TIMESTAMPTZ,
        TIMESTAMP_NS,
        TIMESTAMPTZ_NS,
        STRING,
        UUID,
        BINARY,
        VARIANT,
        UNKNOWN;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** {@code fixed[length]}, length in bytes. */
    record Fixed(int length) implements Primitive {
        public Fixed {
            if (length < 0) {
                throw new IllegalArgumentException("fixed must have a length of 0 or more, not " + length + ".");
            }
        }

        @Override
        public String toString() {
            return "fixed[" + length + "]";
        }
    }

    /** {@code decimal(precision, scale)}, precision 1 to 38, scale 0 to precision. */
    record Decimal(int precision, int scale) implements Primitive {
        public Decimal {
            if (precision < 1 || precision > 38 || scale < 0 || scale > precision) {
                throw new IllegalArgumentException(
                        "decimal must have a precision of 1 to 38 and a scale of 0 to the precision, not (" + precision
                                + ", " + scale + ").");
            }
        }

        @Override
        public String toString() {
            return "decimal(" + precision + ", " + scale + ")";
        }
    }

    /** The coordinate reference system of geometry and geography that name none. */
    String DEFAULT_CRS = "OGC:CRS84";

    /** {@code geometry(crs)}; the default crs is kept as the empty one, so that both spellings are equal. */
    record Geometry(String crs) implements Primitive {
        public Geometry {
            crs = crs.equals(DEFAULT_CRS) ? "" : crs;
        }

        @Override
        public String toString() {
            return crs.isEmpty() ? "geometry" : "geometry(" + crs + ")";
        }
    }

    /**
     * {@code geography(crs, algorithm)}; the default crs and the default algorithm, {@code spherical}, are kept as empty
     * ones, so that all spellings are equal.
     */
    record Geography(String crs, String algorithm) implements Primitive {
        public Geography {
            crs = crs.equals(DEFAULT_CRS) ? "" : crs;
            algorithm = algorithm.equals("spherical") ? "" : algorithm;
        }

        @Override
        public String toString() {
            if (algorithm.isEmpty()) {
                return crs.isEmpty() ? "geography" : "geography(" + crs + ")";
            }
            return "geography(" + (crs.isEmpty() ? DEFAULT_CRS : crs) + ", " + algorithm + ")";
        }
    }

    /** Named fields in order. */
    record Struct(List<Field> fields) implements Nested {
        public Struct {
            fields = List.copyOf(fields);
        }

        @Override
        public Struct withFields(List<Field> newFields) {
            return new Struct(newFields);
        }

        @Override
        public String toString() {
            var text = new StringBuilder("struct<");
            for (int i = 0; i < fields.size(); i++) {
                text.append(i == 0 ? "" : ", ").append(fields.get(i));
            }
            return text.append('>').toString();
        }
    }

    /** A list whose elements are the field {@code element}. */
    record ListOf(int elementId, boolean elementRequired, Type element) implements Nested {
        @Override
        public List<Field> fields() {
            return List.of(Field.of(elementId, "element", elementRequired, element));
        }

        @Override
        public ListOf withFields(List<Field> newFields) {
            Field only = newFields.get(0);
            return new ListOf(only.id(), only.required(), only.type());
        }

        @Override
        public String toString() {
            return "list<" + element + ">";
        }
    }

    /** A map; keys are always required. */
    record MapOf(int keyId, Type key, int valueId, boolean valueRequired, Type value) implements Nested {
        @Override
        public List<Field> fields() {
            return List.of(Field.of(keyId, "key", true, key), Field.of(valueId, "value", valueRequired, value));
        }

        @Override
        public MapOf withFields(List<Field> newFields) {
            Field newKey = newFields.get(0);
            Field newValue = newFields.get(1);
            return new MapOf(newKey.id(), newKey.type(), newValue.id(), newValue.required(), newValue.type());
        }

        @Override
        public String toString() {
            return "map<" + key + ", " + value + ">";
        }
    }

    default boolean isPrimitive() {
        return this instanceof Primitive;
    }

    /** Whether NaN is a value of the type. */
    default boolean isFloating() {
        return this == Simple.FLOAT || this == Simple.DOUBLE;
    }

    /** The lowest format version whose tables may use the type itself, its parts not looked at. */
    default int minFormatVersion() {
        var needsVersion3 = this == Simple.TIMESTAMP_NS
                || this == Simple.TIMESTAMPTZ_NS
                || this == Simple.VARIANT
                || this == Simple.UNKNOWN
                || this instanceof Geometry
                || this instanceof Geography;
        return needsVersion3 ? 3 : 1;
    }
}
