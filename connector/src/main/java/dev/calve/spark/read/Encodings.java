package dev.calve.spark.read;

import java.util.HashSet;
import java.util.Set;
import org.apache.parquet.column.Encoding;
import org.apache.parquet.column.EncodingStats;
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;

/** What Spark's vectorized decoder makes of a column chunk's encodings, as far as the footer tells them. */
final class Encodings {

    /** No Spark version from 4.0 to 4.2 decodes these values. */
    private static final Set<Encoding> REFUSED = Set.of(Encoding.BYTE_STREAM_SPLIT);

    /**
     * Those of which rows can be skipped. Of the delta encodings Spark skips wrongly: its reader of packed deltas counts the
     * values of its last call instead of all, and begins anew after a call for none.
     */
    @SuppressWarnings("deprecation")
    private static final Set<Encoding> SKIPPABLE =
            Set.of(Encoding.PLAIN, Encoding.PLAIN_DICTIONARY, Encoding.RLE_DICTIONARY, Encoding.BYTE_STREAM_SPLIT);

    private Encodings() {}

    /** Whether Spark says that it cannot decode the chunk. */
    static boolean areRefused(ColumnChunkMetaData chunk) {
        return chunk.getEncodings().stream().anyMatch(REFUSED::contains);
    }

    /** Whether who decodes the chunk can decode some rows of its pages and skip others. */
    static boolean areSkippable(ColumnChunkMetaData chunk) {
        return SKIPPABLE.containsAll(valueEncodings(chunk));
    }

    /** Without page counts the footer lists the encodings of levels, too, which may also be the values'. */
    @SuppressWarnings("deprecation")
    private static Set<Encoding> valueEncodings(ColumnChunkMetaData chunk) {
        EncodingStats stats = chunk.getEncodingStats();
        if (stats != null) {
            return stats.getDataEncodings();
        }
        var encodings = new HashSet<>(chunk.getEncodings());
        encodings.remove(Encoding.BIT_PACKED);
        if (chunk.getPrimitiveType().getPrimitiveTypeName() != PrimitiveTypeName.BOOLEAN) {
            encodings.remove(Encoding.RLE);
        }
        return encodings;
    }
}
