package dev.calve.parquet;

/**
 * How a writer gets values out of an engine's rows without an object per value.
 *
 * <p>A <em>container</em> of type {@code R} holds values by index: a row or struct the fields of the schema's struct in
 * order, a list its elements, a map's keys and its values one list each. A reader belongs to one kind of container; for
 * what is inside, the writer asks for the {@linkplain #child child} readers once, when it is built. Getters are only
 * called for values that are not null, and never for columns of type {@code unknown} or the geo types; a reader leaves out the getters
 * of types its rows cannot have. Instances need not be safe for use by several threads.
 *
 * @param <R> the engine's common type of rows and lists
 */
public interface RowReader<R> {

    /** Which part of a nested value a child reader reads. */
    enum Part {
        STRUCT,
        LIST_ELEMENT,
        MAP_KEY,
        MAP_VALUE
    }

    boolean isNull(R container, int index);

    default boolean getBoolean(R container, int index) {
        throw noSuchValues("getBoolean");
    }

    /** An int, or a date as days since 1970-01-01. */
    default int getInt(R container, int index) {
        throw noSuchValues("getInt");
    }

    /** A long, or a time or timestamp in the unit of its type. */
    default long getLong(R container, int index) {
        throw noSuchValues("getLong");
    }

    default float getFloat(R container, int index) {
        throw noSuchValues("getFloat");
    }

    default double getDouble(R container, int index) {
        throw noSuchValues("getDouble");
    }

    /** The unscaled value of a decimal with a precision of at most 18, at the scale given. */
    default long getUnscaledLong(R container, int index, int precision, int scale) {
        throw noSuchValues("getUnscaledLong");
    }

    /** The unscaled value of any decimal at the scale given: two's complement, big-endian, of any sufficient length. */
    default byte[] getUnscaledBytes(R container, int index, int precision, int scale) {
        throw noSuchValues("getUnscaledBytes");
    }

    /** Sets the target to the UTF-8 bytes of a string. */
    default void getString(R container, int index, ByteSlice target) {
        throw noSuchValues("getString");
    }

    /** Sets the target to the bytes of a binary or fixed value. */
    default void getBinary(R container, int index, ByteSlice target) {
        throw noSuchValues("getBinary");
    }

    /** Sets the target to the 16 bytes of a UUID, most significant first. */
    default void getUuid(R container, int index, ByteSlice target) {
        throw noSuchValues("getUuid");
    }

    /** Sets the targets to the two parts of a variant. */
    default void getVariant(R container, int index, ByteSlice metadata, ByteSlice value) {
        throw noSuchValues("getVariant");
    }

    /** The struct at the index. */
    default R getStruct(R container, int index) {
        throw noSuchValues("getStruct");
    }

    /** The elements of the list at the index. */
    default R getList(R container, int index) {
        throw noSuchValues("getList");
    }

    /** The keys of the map at the index. */
    default R getKeys(R container, int index) {
        throw noSuchValues("getKeys");
    }

    /** The values of the map at the index, in the order of the keys. */
    default R getValues(R container, int index) {
        throw noSuchValues("getValues");
    }

    /** Number of values in a container that came from {@link #getList}, {@link #getKeys} or {@link #getValues}. */
    default int size(R container) {
        throw noSuchValues("size");
    }

    /**
     * The reader of what {@link #getStruct}, {@link #getList}, {@link #getKeys} or {@link #getValues} return for the
     * index; for containers that are lists, one reader serves every index and is asked for with 0. Called while a
     * writer is built.
     */
    default RowReader<R> child(int index, Part part) {
        throw noSuchValues("child");
    }

    private IllegalStateException noSuchValues(String getter) {
        return new IllegalStateException("Rows of " + getClass().getName() + " have no values for " + getter + ".");
    }
}
