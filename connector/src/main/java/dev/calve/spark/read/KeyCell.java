package dev.calve.spark.read;

import dev.calve.schema.Type;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.sql.types.BinaryType;
import org.apache.spark.sql.types.BooleanType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DateType;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.DoubleType;
import org.apache.spark.sql.types.FloatType;
import org.apache.spark.sql.types.IntegerType;
import org.apache.spark.sql.types.LongType;
import org.apache.spark.sql.types.NullType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.types.TimestampNTZType;
import org.apache.spark.sql.types.TimestampType;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * One field of a key in the rows of a batch, as bytes that are equal if and only if the values are, whichever of the types
 * that a promotion leads through it was read as:
 *
 * <pre>
 * null                       0
 * int, long, date, timestamp 1, 8 bytes
 * float, double              1, 8 bytes of the double; every NaN is the same, -0.0 is not 0.0
 * boolean                    1, 1 byte
 * decimal                    1, 16 bytes of the unscaled value
 * uuid                       1, 16 bytes
 * string, binary, fixed      1, 4 bytes number of bytes, the bytes
 * </pre>
 */
abstract class KeyCell {

    private static final int DECIMAL_BYTES = 16;
    private static final int UUID_TEXT = 36;

    private final ColumnVector[] path;

    /** The key field's own vector. */
    final ColumnVector values;

    private KeyCell(ColumnVector[] path) {
        this.path = path;
        this.values = path[path.length - 1];
    }

    /**
     * Finds a key field in the vectors of columns.
     *
     * @param columns types of the vectors' columns, with field ids
     */
    static KeyCell over(KeyFields.KeyField field, StructType columns, List<ColumnVector> vectors) {
        var path = new ColumnVector[field.path().size()];
        StructType level = columns;
        for (int i = 0; i < path.length; i++) {
            int at = ordinal(level, field.path().get(i).id());
            path[i] = i == 0 ? vectors.get(at) : path[i - 1].getChild(at);
            if (i < path.length - 1) {
                level = (StructType) level.apply(at).dataType();
            }
        }
        return of(field.type(), path);
    }

    private static int ordinal(StructType level, int id) {
        StructField[] fields = level.fields();
        for (int i = 0; i < fields.length; i++) {
            if (FileProjection.idOf(fields[i]).orElse(-1) == id) {
                return i;
            }
        }
        throw new IllegalStateException("Key field " + id + " must be one of " + level);
    }

    private static KeyCell of(Type type, ColumnVector[] path) {
        DataType decoded = path[path.length - 1].dataType();
        if (decoded instanceof IntegerType || decoded instanceof DateType) {
            return new IntCell(path);
        }
        if (decoded instanceof LongType || decoded instanceof TimestampType || decoded instanceof TimestampNTZType) {
            return new LongCell(path);
        }
        if (decoded instanceof FloatType || decoded instanceof DoubleType) {
            return new DoubleCell(path, decoded instanceof FloatType);
        }
        if (decoded instanceof BooleanType) {
            return new BooleanCell(path);
        }
        if (decoded instanceof DecimalType decimal) {
            return new DecimalCell(path, decimal);
        }
        if (decoded instanceof StringType) {
            return type == Type.Simple.UUID ? new UuidCell(path) : new TextCell(path);
        }
        if (decoded instanceof BinaryType) {
            return new BinaryCell(path);
        }
        if (decoded instanceof NullType) {
            return new NullCell(path);
        }
        throw new IllegalStateException("A key field of type " + type + " must not be read as " + decoded);
    }

    /** Null, too, if a struct around it is. */
    final boolean isNull(int row) {
        for (ColumnVector vector : path) {
            if (vector.isNullAt(row)) {
                return true;
            }
        }
        return false;
    }

    /** The value of a key that is one integer; the row's is not null. */
    long integer(int row) {
        throw new IllegalStateException("A key field of " + values.dataType() + " is no integer");
    }

    final void write(int row, KeyBytes out) {
        if (isNull(row)) {
            out.addByte(0);
        } else {
            out.addByte(1);
            writeValue(row, out);
        }
    }

    abstract void writeValue(int row, KeyBytes out);

    private static final class IntCell extends KeyCell {
        IntCell(ColumnVector[] path) {
            super(path);
        }

        @Override
        long integer(int row) {
            return values.getInt(row);
        }

        @Override
        void writeValue(int row, KeyBytes out) {
            out.addLong(values.getInt(row));
        }
    }

    private static final class LongCell extends KeyCell {
        LongCell(ColumnVector[] path) {
            super(path);
        }

        @Override
        long integer(int row) {
            return values.getLong(row);
        }

        @Override
        void writeValue(int row, KeyBytes out) {
            out.addLong(values.getLong(row));
        }
    }

    private static final class DoubleCell extends KeyCell {
        private final boolean single;

        DoubleCell(ColumnVector[] path, boolean single) {
            super(path);
            this.single = single;
        }

        @Override
        void writeValue(int row, KeyBytes out) {
            out.addLong(Double.doubleToLongBits(single ? values.getFloat(row) : values.getDouble(row)));
        }
    }

    private static final class BooleanCell extends KeyCell {
        BooleanCell(ColumnVector[] path) {
            super(path);
        }

        @Override
        void writeValue(int row, KeyBytes out) {
            out.addByte(values.getBoolean(row) ? 1 : 0);
        }
    }

    private static final class DecimalCell extends KeyCell {
        private final DecimalType type;

        DecimalCell(ColumnVector[] path, DecimalType type) {
            super(path);
            this.type = type;
        }

        @Override
        void writeValue(int row, KeyBytes out) {
            Decimal value = values.getDecimal(row, type.precision(), type.scale());
            if (type.precision() <= Decimal.MAX_LONG_DIGITS()) {
                long unscaled = value.toUnscaledLong();
                out.addLong(unscaled >> 63);
                out.addLong(unscaled);
                return;
            }
            BigInteger unscaled = value.toJavaBigDecimal().unscaledValue();
            out.addLong(unscaled.shiftRight(DECIMAL_BYTES * Byte.SIZE / 2).longValue());
            out.addLong(unscaled.longValue());
        }
    }

    /** A uuid comes as text, always in lower case; its 16 bytes are less to keep. */
    private static final class UuidCell extends KeyCell {
        UuidCell(ColumnVector[] path) {
            super(path);
        }

        @Override
        void writeValue(int row, KeyBytes out) {
            byte[] text = values.getUTF8String(row).getBytes();
            if (text.length != UUID_TEXT) {
                throw new IllegalStateException("A uuid must have 36 characters, not " + Arrays.toString(text));
            }
            long upper = 0;
            long lower = 0;
            for (byte character : text) {
                if (character != '-') {
                    upper = (upper << 4) | (lower >>> 60);
                    lower = (lower << 4) | Character.digit(character, 16);
                }
            }
            out.addLong(upper);
            out.addLong(lower);
        }
    }

    private static final class TextCell extends KeyCell {
        TextCell(ColumnVector[] path) {
            super(path);
        }

        @Override
        void writeValue(int row, KeyBytes out) {
            UTF8String text = values.getUTF8String(row);
            out.addText(text);
        }
    }

    private static final class BinaryCell extends KeyCell {
        BinaryCell(ColumnVector[] path) {
            super(path);
        }

        @Override
        void writeValue(int row, KeyBytes out) {
            out.addBytes(values.getBinary(row));
        }
    }

    /** A field of the type unknown, which only has nulls. */
    private static final class NullCell extends KeyCell {
        NullCell(ColumnVector[] path) {
            super(path);
        }

        @Override
        void writeValue(int row, KeyBytes out) {
            throw new IllegalStateException("A field of the type unknown must be null");
        }
    }
}
