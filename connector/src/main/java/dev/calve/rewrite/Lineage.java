package dev.calve.rewrite;

import dev.calve.manifest.DataFile;
import dev.calve.manifest.ManifestEntry;
import dev.calve.parquet.ColumnSink;
import dev.calve.schema.MetadataFields;
import java.util.BitSet;
import java.util.Optional;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.ColumnReader;

/**
 * The two lineage columns of rows that are written again: what the source stores, else what its rows inherit, else nothing.
 * Spec: Row Lineage.
 */
final class Lineage {

    private Lineage() {}

    /** Whether the column of a new file is one of the two. */
    static boolean isLineage(ColumnDescriptor column) {
        return isRowId(column) || isColumnOf(column, MetadataFields.LAST_UPDATED_SEQUENCE_NUMBER.id());
    }

    private static boolean isRowId(ColumnDescriptor column) {
        return isColumnOf(column, MetadataFields.ROW_ID.id());
    }

    private static boolean isColumnOf(ColumnDescriptor column, int id) {
        var found = column.getPrimitiveType().getId();
        return found != null && found.intValue() == id;
    }

    /** Whether the rows of a source have a lineage that is to be kept. */
    static boolean isKnown(ManifestEntry<DataFile> source) {
        return source.file().firstRowId().isPresent();
    }

    /**
     * Writes one of the columns for the rows that stay of a row group.
     *
     * @param stored the column in the source, if it has one: at its first value
     */
    static void write(
            ColumnDescriptor column,
            ManifestEntry<DataFile> source,
            Slice slice,
            BitSet gone,
            Optional<ColumnReader> stored,
            ColumnSink sink) {
        if (!isKnown(source)) {
            for (int row = 0; row < slice.kept(); row++) {
                sink.putNull();
                sink.endRow();
            }
            return;
        }
        boolean isRowId = isRowId(column);
        long first = isRowId ? source.file().firstRowId().getAsLong() + slice.first() : source.sequenceNumber();
        int step = isRowId ? 1 : 0;
        int row = 0;
        while (row < slice.rows()) {
            int end = KeptTriples.endOfKept(gone, row, slice.rows());
            for (; row < end; row++) {
                long inherited = first + (long) row * step;
                sink.put(stored.isPresent() ? next(stored.get(), inherited) : inherited);
                sink.endRow();
            }
            end = KeptTriples.endOfGone(gone, row, slice.rows());
            for (; row < end; row++) {
                if (stored.isPresent()) {
                    next(stored.get(), 0);
                }
            }
        }
    }

    private static long next(ColumnReader stored, long otherwise) {
        boolean isNull =
                stored.getCurrentDefinitionLevel() < stored.getDescriptor().getMaxDefinitionLevel();
        long value = isNull ? otherwise : stored.getLong();
        stored.consume();
        return value;
    }
}
