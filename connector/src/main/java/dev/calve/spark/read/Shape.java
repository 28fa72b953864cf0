package dev.calve.spark.read;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.apache.spark.sql.execution.vectorized.WritableColumnVector;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarArray;
import org.apache.spark.sql.vectorized.ColumnarMap;
import org.apache.spark.unsafe.types.UTF8String;
import org.jspecify.annotations.Nullable;

/** How a column as wanted differs from the column as decoded: not at all, or somewhere inside. */
sealed interface Shape {

    /**
     * Shows a decoded column in the wanted shape.
     *
     * @param decoded the column Spark fills again for each batch; it and its children stay the same objects
     */
    ColumnVector over(WritableColumnVector decoded, int batchRows);

    /** The column is wanted as it is decoded. */
    record Same() implements Shape {
        @Override
        public ColumnVector over(WritableColumnVector decoded, int batchRows) {
            return decoded;
        }
    }

    /** A uuid: decoded as its 16 bytes, wanted as text. */
    record UuidText() implements Shape {
        @Override
        public ColumnVector over(WritableColumnVector decoded, int batchRows) {
            return new UuidTextVector(decoded);
        }
    }

    /** A decimal: decoded with more digits than wanted, because of how it is stored; its values have only the wanted ones. */
    record NarrowedDecimal(DecimalType type) implements Shape {
        @Override
        public ColumnVector over(WritableColumnVector decoded, int batchRows) {
            return new DecimalVector(type, decoded);
        }
    }

    /** A struct some of whose fields are missing in the file or have another shape themselves. */
    record Struct(StructType type, List<StructField> fields) implements Shape {
        public Struct {
            fields = List.copyOf(fields);
        }

        @Override
        public ColumnVector over(WritableColumnVector decoded, int batchRows) {
            var children = new ColumnVector[fields.size()];
            for (int i = 0; i < children.length; i++) {
                var field = fields.get(i);
                children[i] = field.ordinal.isPresent()
                        ? field.shape.over(decoded.getChild(field.ordinal.getAsInt()), batchRows)
                        : ConstantVectors.of(type.apply(i).dataType(), field.absentValue, batchRows);
            }
            return new StructVector(type, decoded, children);
        }
    }

    /**
     * A field of a wanted struct.
     *
     * @param ordinal of the decoded struct's child, empty if the file does not have the field
     * @param absentValue what an absent field holds in every row
     */
    record StructField(OptionalInt ordinal, Shape shape, Optional<Object> absentValue) {}

    /** A list whose elements have another shape. */
    record Elements(ArrayType type, Shape element) implements Shape {
        @Override
        public ColumnVector over(WritableColumnVector decoded, int batchRows) {
            return new ListVector(type, decoded, element.over(decoded.arrayData(), batchRows));
        }
    }

    /** A map whose keys or values have another shape. */
    record Entries(MapType type, Shape key, Shape value) implements Shape {
        @Override
        public ColumnVector over(WritableColumnVector decoded, int batchRows) {
            return new MapVector(
                    type,
                    decoded,
                    key.over(decoded.getChild(0), batchRows),
                    value.over(decoded.getChild(1), batchRows));
        }
    }

    /** Shows 16 bytes as the 36 characters of a uuid, lower case. */
    final class UuidTextVector extends ViewVector {
        private static final byte[] HEX = {
            '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'
        };

        private final ColumnVector bytes;

        UuidTextVector(ColumnVector bytes) {
            super(DataTypes.StringType, bytes);
            this.bytes = bytes;
        }

        @Override
        public @Nullable UTF8String getUTF8String(int row) {
            return bytes.isNullAt(row) ? null : UTF8String.fromBytes(text(bytes.getBinary(row)));
        }

        @Override
        public byte @Nullable [] getBinary(int row) {
            return bytes.isNullAt(row) ? null : text(bytes.getBinary(row));
        }

        private static byte[] text(byte[] uuid) {
            var text = new byte[36];
            int at = 0;
            for (int i = 0; i < 16; i++) {
                if (i == 4 || i == 6 || i == 8 || i == 10) {
                    text[at++] = '-';
                }
                text[at++] = HEX[(uuid[i] >> 4) & 0xf];
                text[at++] = HEX[uuid[i] & 0xf];
            }
            return text;
        }
    }

    /** Shows decimals of at most 18 digits as such. */
    final class DecimalVector extends ViewVector {
        private final ColumnVector source;
        private final int sourceDigits;

        DecimalVector(DecimalType type, ColumnVector source) {
            super(type, source);
            this.source = source;
            this.sourceDigits = ((DecimalType) source.dataType()).precision();
        }

        @Override
        public @Nullable Decimal getDecimal(int row, int precision, int scale) {
            return source.isNullAt(row)
                    ? null
                    : Decimal.createUnsafe(
                            source.getDecimal(row, sourceDigits, scale).toUnscaledLong(), precision, scale);
        }
    }

    /** Shows a struct with children of its own. */
    final class StructVector extends ViewVector {
        private final ColumnVector[] children;

        StructVector(DataType type, ColumnVector source, ColumnVector[] children) {
            super(type, source);
            this.children = children;
        }

        @Override
        public ColumnVector getChild(int ordinal) {
            return children[ordinal];
        }
    }

    /** Shows a list over other elements. */
    final class ListVector extends ViewVector {
        private final WritableColumnVector source;
        private final ColumnVector elements;

        ListVector(DataType type, WritableColumnVector source, ColumnVector elements) {
            super(type, source);
            this.source = source;
            this.elements = elements;
        }

        @Override
        public @Nullable ColumnarArray getArray(int row) {
            return source.isNullAt(row)
                    ? null
                    : new ColumnarArray(elements, source.getArrayOffset(row), source.getArrayLength(row));
        }

        @Override
        public ColumnVector getChild(int ordinal) {
            return elements;
        }
    }

    /** Shows a map over other keys and values. */
    final class MapVector extends ViewVector {
        private final WritableColumnVector source;
        private final ColumnVector keys;
        private final ColumnVector values;

        MapVector(DataType type, WritableColumnVector source, ColumnVector keys, ColumnVector values) {
            super(type, source);
            this.source = source;
            this.keys = keys;
            this.values = values;
        }

        @Override
        public @Nullable ColumnarMap getMap(int row) {
            return source.isNullAt(row)
                    ? null
                    : new ColumnarMap(keys, values, source.getArrayOffset(row), source.getArrayLength(row));
        }

        @Override
        public ColumnVector getChild(int ordinal) {
            return ordinal == 0 ? keys : values;
        }
    }
}
