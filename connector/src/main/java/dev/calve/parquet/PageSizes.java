package dev.calve.parquet;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.Set;
import org.apache.parquet.format.DataPageHeaderV2;
import org.apache.parquet.format.PageHeader;
import org.apache.parquet.format.Util;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData;
import org.apache.parquet.hadoop.metadata.ColumnPath;

/**
 * Compares the sizes in page headers with the bytes there are, for the last column chunk that is read of a row group.
 * parquet-java believes the headers of that one: for files of writers that counted some bytes too few it allocates what is
 * missing and reads on behind the chunk. A flipped bit must not become an array of 2 GB.
 */
public final class PageSizes {

    /** Those writers forgot the header of the dictionary page. */
    private static final int FORGOTTEN_BYTES = 1024;

    private final long start;
    private final long end;

    private PageSizes(long start, long end) {
        this.start = start;
        this.end = end;
    }

    /** Checks nothing. */
    public static PageSizes unchecked() {
        return new PageSizes(0, 0);
    }

    /**
     * Checks the last chunk of the columns in the order of the footer.
     *
     * @param block whose chunks were found to lie within the file
     */
    public static PageSizes of(BlockMetaData block, Set<ColumnPath> columns) {
        var last = unchecked();
        for (ColumnChunkMetaData chunk : block.getColumns()) {
            if (columns.contains(chunk.getPath())) {
                last = new PageSizes(chunk.getStartingPos(), chunk.getStartingPos() + chunk.getTotalSize());
            }
        }
        return last;
    }

    /**
     * Walks over the pages of the chunk in a part of the file, of which those in the chunk begin with a page. Cost: their
     * headers are parsed.
     *
     * @param bytes holds the part from {@code offset} on
     * @throws IOException if a page is larger than what is left of the chunk or the part
     */
    public void check(long position, byte[] bytes, int offset, int length) throws IOException {
        int at = offset + Math.toIntExact(Math.min(length, Math.max(0, start - position)));
        int to = offset + Math.toIntExact(Math.max(0, Math.min(length, end - position)));
        while (at < to) {
            var in = new ByteArrayInputStream(bytes, at, to - at);
            PageHeader header;
            try {
                header = Util.readPageHeader(in);
            } catch (IOException | RuntimeException e) {
                // Whoever reads the page says what is wrong with it.
                return;
            }
            int size = header.getCompressed_page_size();
            int left = in.available();
            if (size < 0 || size > left + FORGOTTEN_BYTES || !areLevelsWithin(header, size)) {
                throw new IOException("A page must fit into the " + left
                        + " bytes that are left of its column chunk, but has " + size + ": " + header);
            }
            at = size >= left ? to : to - left + size;
        }
    }

    private static boolean areLevelsWithin(PageHeader header, int size) {
        DataPageHeaderV2 page = header.getData_page_header_v2();
        if (page == null) {
            return true;
        }
        long repetition = page.getRepetition_levels_byte_length();
        long definition = page.getDefinition_levels_byte_length();
        return repetition >= 0 && definition >= 0 && repetition + definition <= size;
    }
}
