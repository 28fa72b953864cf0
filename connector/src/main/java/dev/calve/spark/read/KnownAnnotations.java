package dev.calve.spark.read;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import org.apache.parquet.format.FileMetaData;
import org.apache.parquet.format.SchemaElement;
import org.apache.parquet.format.Util;

/**
 * Footers without the annotations of columns that this parquet-java does not know. It fails on them although a reader
 * may pass them over; that of Spark 4.0 knows neither variants nor geometries, and so could not read any column of such a file.
 */
final class KnownAnnotations {

    private static final byte[] MAGIC = "PAR1".getBytes(StandardCharsets.US_ASCII);

    /** The footer's length, then the magic. */
    private static final int TRAILER_BYTES = Integer.BYTES + MAGIC.length;

    private KnownAnnotations() {}

    /**
     * Gives the end of a file, from its footer on, without unknown annotations.
     *
     * @return at most as many bytes as the file's own; empty if nothing has to be left out
     */
    static Optional<byte[]> end(ParquetSourceStream file, long length) throws IOException {
        if (length < MAGIC.length + TRAILER_BYTES) {
            return Optional.empty();
        }
        var trailer = new byte[TRAILER_BYTES];
        file.seek(length - TRAILER_BYTES);
        file.readFully(trailer);
        int footerBytes =
                ByteBuffer.wrap(trailer).order(ByteOrder.LITTLE_ENDIAN).getInt();
        boolean isParquet = Arrays.equals(trailer, Integer.BYTES, TRAILER_BYTES, MAGIC, 0, MAGIC.length);
        if (!isParquet || footerBytes <= 0 || footerBytes > length - MAGIC.length - TRAILER_BYTES) {
            return Optional.empty();
        }
        var footer = new byte[footerBytes];
        file.seek(length - TRAILER_BYTES - footerBytes);
        file.readFully(footer);
        FileMetaData metadata = Util.readFileMetaData(new ByteArrayInputStream(footer));
        return removeUnknown(metadata) ? bytes(metadata, footerBytes) : Optional.empty();
    }

    private static boolean removeUnknown(FileMetaData metadata) {
        boolean removed = false;
        for (SchemaElement element : metadata.getSchema()) {
            if (element.isSetLogicalType() && element.getLogicalType().getSetField() == null) {
                element.unsetLogicalType();
                removed = true;
            }
        }
        return removed;
    }

    private static Optional<byte[]> bytes(FileMetaData metadata, int maxFooterBytes) throws IOException {
        var out = new ByteArrayOutputStream();
        Util.writeFileMetaData(metadata, out);
        int footerBytes = out.size();
        if (footerBytes > maxFooterBytes) {
            return Optional.empty();
        }
        out.write(ByteBuffer.allocate(Integer.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(footerBytes)
                .array());
        out.write(MAGIC);
        return Optional.of(out.toByteArray());
    }
}
