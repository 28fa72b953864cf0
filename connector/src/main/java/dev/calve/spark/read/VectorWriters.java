package dev.calve.spark.read;

import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.apache.parquet.io.api.Binary;
import org.apache.parquet.io.api.Converter;
import org.apache.parquet.io.api.GroupConverter;
import org.apache.parquet.io.api.PrimitiveConverter;
import org.apache.parquet.schema.GroupType;
import org.apache.parquet.schema.LogicalTypeAnnotation.TimeUnit;
import org.apache.parquet.schema.LogicalTypeAnnotation.TimestampLogicalTypeAnnotation;
import org.apache.parquet.schema.PrimitiveType;
import org.apache.parquet.schema.Type;
import org.apache.spark.sql.execution.vectorized.WritableColumnVector;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.DoubleType;
import org.apache.spark.sql.types.LongType;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.types.TimestampNTZType;
import org.apache.spark.sql.types.TimestampType;
import org.apache.spark.sql.types.VariantType;

/**
 * Writes values, as parquet-java assembles records, into the vectors that Spark's decoder would fill: the same types, the
 * same layout of structs, lists and maps.
 */
final class VectorWriters {

    private static final long MICROS_PER_DAY = 86_400_000_000L;
    private static final int JULIAN_DAY_OF_EPOCH = 2_440_588;

    private VectorWriters() {}

    /** A place for the values of a column. A value that does not come is null. */
    interface Target {
        /** Goes on to a row, the next one or, for a new batch, the first. */
        void begin(int row);

        /** Forgets the elements of lists of the batch before. */
        void clear();

        Converter converter();
    }

    /**
     * Makes the writer of a column.
     *
     * @throws UnsupportedOperationException for shredded variants
     */
    static Target of(Type type, WritableColumnVector vector) {
        if (type.isRepetition(Type.Repetition.REPEATED)) {
            throw new UnsupportedOperationException("Column '" + type.getName() + "' is repeated outside of a list");
        }
        return ofValue(type, vector);
    }

    private static Target ofValue(Type type, WritableColumnVector vector) {
        if (type.isPrimitive()) {
            return new Primitive(type.asPrimitiveType(), vector);
        }
        var group = type.asGroupType();
        if (vector.dataType() instanceof ArrayType) {
            return new ListTarget(group, vector);
        }
        if (vector.dataType() instanceof MapType) {
            return new MapTarget(group, vector);
        }
        if (vector.dataType() instanceof VariantType) {
            return variant(group, vector);
        }
        if (!(vector.dataType() instanceof StructType)) {
            throw new IllegalStateException("Cannot write " + group + " into a vector of " + vector.dataType());
        }
        var fields = new Target[group.getFieldCount()];
        Arrays.setAll(fields, i -> of(group.getType(i), vector.getChild(i)));
        return new Struct(vector, fields);
    }

    private static Target variant(GroupType group, WritableColumnVector vector) {
        if (group.getFieldCount() != 2 || !group.containsField("value") || !group.containsField("metadata")) {
            throw new UnsupportedOperationException(
                    "Shredded variant '" + group.getName() + "' can only be decoded by Spark's vectorized reader");
        }
        var fields = new Target[2];
        Arrays.setAll(
                fields,
                i -> of(
                        group.getType(i),
                        vector.getChild(group.getType(i).getName().equals("value") ? 0 : 1)));
        return new Struct(vector, fields);
    }

    private static void makeNull(WritableColumnVector vector, int row) {
        vector.reserve(row + 1);
        vector.putNull(row);
    }

    private static final class Struct extends GroupConverter implements Target {
        private final WritableColumnVector vector;
        private final Target[] fields;
        private int row;

        Struct(WritableColumnVector vector, Target[] fields) {
            this.vector = vector;
            this.fields = fields;
        }

        @Override
        public void begin(int newRow) {
            row = newRow;
            makeNull(vector, row);
            for (Target field : fields) {
                field.begin(row);
            }
        }

        @Override
        public void clear() {
            for (Target field : fields) {
                field.clear();
            }
        }

        @Override
        public Converter converter() {
            return this;
        }

        @Override
        public Converter getConverter(int field) {
            return fields[field].converter();
        }

        @Override
        public void start() {
            vector.putNotNull(row);
        }

        @Override
        public void end() {}
    }

    /** Counts the elements of lists or entries of maps; they stand one after the other in the child vectors. */
    private abstract static class Repeated extends GroupConverter implements Target {
        private final WritableColumnVector vector;
        private final Target[] parts;
        private int row;
        private int first;
        private int next;

        Repeated(WritableColumnVector vector, Target... parts) {
            this.vector = vector;
            this.parts = parts;
        }

        @Override
        public void begin(int newRow) {
            row = newRow;
            makeNull(vector, row);
        }

        @Override
        public void clear() {
            next = 0;
            for (Target part : parts) {
                part.clear();
            }
        }

        @Override
        public Converter converter() {
            return this;
        }

        @Override
        public void start() {
            vector.putNotNull(row);
            first = next;
        }

        @Override
        public void end() {
            vector.putArray(row, first, next - first);
        }

        void beginElement() {
            for (Target part : parts) {
                part.begin(next);
            }
            next++;
        }
    }

    /** The repeated group around an element, or a key and its value. */
    private static final class Wrapper extends GroupConverter {
        private final Repeated owner;

        Wrapper(Repeated owner) {
            this.owner = owner;
        }

        @Override
        public Converter getConverter(int field) {
            return owner.parts[field].converter();
        }

        @Override
        public void start() {
            owner.beginElement();
        }

        @Override
        public void end() {}
    }

    private static final class MapTarget extends Repeated {
        private final Wrapper entry = new Wrapper(this);

        MapTarget(GroupType group, WritableColumnVector vector) {
            super(
                    vector,
                    of(group.getType(0).asGroupType().getType(0), vector.getChild(0)),
                    of(group.getType(0).asGroupType().getType(1), vector.getChild(1)));
        }

        @Override
        public Converter getConverter(int field) {
            return entry;
        }
    }

    private static final class ListTarget extends Repeated {
        private final Converter element;

        ListTarget(GroupType group, WritableColumnVector vector) {
            super(vector, elementOf(group, vector.getChild(0)));
            this.element = FileFieldIds.isElement(group.getType(0), group.getName()) ? bare(this) : new Wrapper(this);
        }

        private static Target elementOf(GroupType group, WritableColumnVector vector) {
            var repeated = group.getType(0);
            return FileFieldIds.isElement(repeated, group.getName())
                    ? ofValue(repeated, vector)
                    : of(repeated.asGroupType().getType(0), vector);
        }

        /** Old lists have no group around their elements. */
        private static Converter bare(Repeated owner) {
            Target element = owner.parts[0];
            return element instanceof Primitive primitive
                    ? primitive.startedBy(owner::beginElement)
                    : new BareStruct(owner, (Struct) element);
        }

        @Override
        public Converter getConverter(int field) {
            return element;
        }
    }

    private static final class BareStruct extends GroupConverter {
        private final Repeated owner;
        private final Struct element;

        BareStruct(Repeated owner, Struct element) {
            this.owner = owner;
            this.element = element;
        }

        @Override
        public Converter getConverter(int field) {
            return element.getConverter(field);
        }

        @Override
        public void start() {
            owner.beginElement();
            element.start();
        }

        @Override
        public void end() {
            element.end();
        }
    }

    private static final class Primitive extends PrimitiveConverter implements Target {
        private final PrimitiveType type;
        private final WritableColumnVector vector;
        private Runnable before = () -> {};
        private int row;

        Primitive(PrimitiveType type, WritableColumnVector vector) {
            this.type = type;
            this.vector = vector;
        }

        Primitive startedBy(Runnable action) {
            before = action;
            return this;
        }

        @Override
        public void begin(int newRow) {
            row = newRow;
            makeNull(vector, row);
        }

        @Override
        public void clear() {}

        @Override
        public Converter converter() {
            return this;
        }

        private void value() {
            before.run();
            vector.putNotNull(row);
        }

        @Override
        public void addBoolean(boolean value) {
            value();
            vector.putBoolean(row, value);
        }

        @Override
        public void addInt(int value) {
            value();
            if (vector.dataType() instanceof DecimalType decimal) {
                putDecimal(decimal, BigInteger.valueOf(value));
            } else if (vector.dataType() instanceof LongType) {
                vector.putLong(row, value);
            } else if (vector.dataType() instanceof TimestampNTZType) {
                vector.putLong(row, value * MICROS_PER_DAY);
            } else {
                vector.putInt(row, value);
            }
        }

        @Override
        public void addLong(long value) {
            value();
            if (vector.dataType() instanceof DecimalType decimal) {
                putDecimal(decimal, BigInteger.valueOf(value));
            } else {
                vector.putLong(row, isMillis() ? Math.multiplyExact(value, 1000L) : value);
            }
        }

        private boolean isMillis() {
            return type.getLogicalTypeAnnotation() instanceof TimestampLogicalTypeAnnotation timestamp
                    && timestamp.getUnit() == TimeUnit.MILLIS;
        }

        @Override
        public void addFloat(float value) {
            value();
            if (vector.dataType() instanceof DoubleType) {
                vector.putDouble(row, value);
            } else {
                vector.putFloat(row, value);
            }
        }

        @Override
        public void addDouble(double value) {
            value();
            vector.putDouble(row, value);
        }

        @Override
        public void addBinary(Binary value) {
            value();
            if (vector.dataType() instanceof DecimalType decimal) {
                putDecimal(decimal, new BigInteger(value.getBytes()));
            } else if (vector.dataType() instanceof TimestampType || vector.dataType() instanceof TimestampNTZType) {
                vector.putLong(row, micros(value.toByteBuffer()));
            } else {
                byte[] bytes = value.getBytes();
                vector.putByteArray(row, bytes, 0, bytes.length);
            }
        }

        private void putDecimal(DecimalType decimal, BigInteger unscaled) {
            if (DecimalType.is32BitDecimalType(decimal)) {
                vector.putInt(row, unscaled.intValueExact());
            } else if (DecimalType.is64BitDecimalType(decimal)) {
                vector.putLong(row, unscaled.longValueExact());
            } else {
                byte[] bytes = unscaled.toByteArray();
                vector.putByteArray(row, bytes, 0, bytes.length);
            }
        }

        /** 8 bytes nanoseconds of the day, 4 bytes Julian day, both little-endian. */
        private static long micros(ByteBuffer int96) {
            var bytes = int96.duplicate().order(ByteOrder.LITTLE_ENDIAN);
            long nanosOfDay = bytes.getLong();
            return (bytes.getInt() - JULIAN_DAY_OF_EPOCH) * MICROS_PER_DAY + nanosOfDay / 1000;
        }
    }
}
