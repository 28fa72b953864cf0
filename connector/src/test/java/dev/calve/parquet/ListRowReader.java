package dev.calve.parquet;

import dev.calve.schema.Bytes;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Rows and lists as Java lists, maps as Java maps, values as package {@code schema} names them. */
final class ListRowReader implements RowReader<List<?>> {

    @Override
    public boolean isNull(List<?> row, int index) {
        return row.get(index) == null;
    }

    @Override
    public boolean getBoolean(List<?> row, int index) {
        return (Boolean) row.get(index);
    }

    @Override
    public int getInt(List<?> row, int index) {
        return (Integer) row.get(index);
    }

    @Override
    public long getLong(List<?> row, int index) {
        return (Long) row.get(index);
    }

    @Override
    public float getFloat(List<?> row, int index) {
        return (Float) row.get(index);
    }

    @Override
    public double getDouble(List<?> row, int index) {
        return (Double) row.get(index);
    }

    @Override
    public long getUnscaledLong(List<?> row, int index, int precision, int scale) {
        return ((BigDecimal) row.get(index)).setScale(scale).unscaledValue().longValueExact();
    }

    @Override
    public byte[] getUnscaledBytes(List<?> row, int index, int precision, int scale) {
        return ((BigDecimal) row.get(index)).setScale(scale).unscaledValue().toByteArray();
    }

    @Override
    public void getString(List<?> row, int index, ByteSlice target) {
        // With something before and after, as in an engine's page of rows.
        var text = ((String) row.get(index)).getBytes(StandardCharsets.UTF_8);
        var page = new byte[text.length + 2];
        System.arraycopy(text, 0, page, 1, text.length);
        target.set(page, 1, text.length);
    }

    @Override
    public void getBinary(List<?> row, int index, ByteSlice target) {
        target.set(((Bytes) row.get(index)).toArray());
    }

    @Override
    public void getUuid(List<?> row, int index, ByteSlice target) {
        var uuid = (UUID) row.get(index);
        target.set(ByteBuffer.allocate(16)
                .putLong(uuid.getMostSignificantBits())
                .putLong(uuid.getLeastSignificantBits())
                .array());
    }

    /** A variant is a list of its metadata and its value. */
    @Override
    public void getVariant(List<?> row, int index, ByteSlice metadata, ByteSlice value) {
        var parts = (List<?>) row.get(index);
        metadata.set(((Bytes) parts.get(0)).toArray());
        value.set(((Bytes) parts.get(1)).toArray());
    }

    @Override
    public List<?> getStruct(List<?> row, int index) {
        return (List<?>) row.get(index);
    }

    @Override
    public List<?> getList(List<?> row, int index) {
        return (List<?>) row.get(index);
    }

    @Override
    public List<?> getKeys(List<?> row, int index) {
        return new ArrayList<>(((Map<?, ?>) row.get(index)).keySet());
    }

    @Override
    public List<?> getValues(List<?> row, int index) {
        return new ArrayList<>(((Map<?, ?>) row.get(index)).values());
    }

    @Override
    public int size(List<?> list) {
        return list.size();
    }

    @Override
    public RowReader<List<?>> child(int index, Part part) {
        return this;
    }
}
