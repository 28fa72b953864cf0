package dev.calve.parquet;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import org.apache.parquet.format.DataPageHeaderV2;
import org.apache.parquet.format.Encoding;
import org.apache.parquet.format.PageHeader;
import org.apache.parquet.format.PageType;
import org.apache.parquet.format.Util;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData;
import org.apache.parquet.hadoop.metadata.ColumnPath;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;
import org.apache.parquet.schema.Types;
import org.junit.jupiter.api.Test;

class PageSizesTest {

    private final ByteArrayOutputStream file = new ByteArrayOutputStream();

    private void page(PageHeader header, int stored) throws IOException {
        Util.writePageHeader(header, file);
        file.write(new byte[stored]);
    }

    private static PageHeader header(int size) {
        return new PageHeader(PageType.DATA_PAGE, 10, size);
    }

    private static PageHeader header(int size, int definitionBytes, int repetitionBytes) {
        return new PageHeader(PageType.DATA_PAGE_V2, 10, size)
                .setData_page_header_v2(
                        new DataPageHeaderV2(1, 0, 1, Encoding.PLAIN, definitionBytes, repetitionBytes));
    }

    private static ColumnChunkMetaData chunk(String column, long start, long size) {
        return ColumnChunkMetaData.get(
                ColumnPath.get(column),
                Types.required(PrimitiveTypeName.INT64).named(column),
                CompressionCodecName.UNCOMPRESSED,
                null,
                Set.of(),
                null,
                start,
                0,
                1,
                size,
                size);
    }

    /** The last of two columns begins behind 5 other bytes, in a part of the file that begins at byte 1000. */
    private void check() throws IOException {
        byte[] pages = file.toByteArray();
        var bytes = new byte[7 + 5 + pages.length];
        System.arraycopy(pages, 0, bytes, 7 + 5, pages.length);
        var block = new BlockMetaData();
        block.addColumn(chunk("a", 1000, 5));
        block.addColumn(chunk("b", 1005, pages.length));
        block.addColumn(chunk("c", 9999, 1));
        PageSizes.of(block, Set.of(ColumnPath.get("a"), ColumnPath.get("b"))).check(1000, bytes, 7, 5 + pages.length);
    }

    @Test
    void pagesThatFitPass() throws IOException {
        page(header(30), 30);
        page(header(40, 3, 5), 40);
        page(header(0), 0);

        assertThatCode(this::check).doesNotThrowAnyException();
    }

    @Test
    void someBytesMayLieBehindTheChunk() throws IOException {
        page(header(30), 30);
        page(header(40), 20);

        assertThatCode(this::check).doesNotThrowAnyException();
    }

    @Test
    void aPageLargerThanItsChunkDoesNotPass() throws IOException {
        for (PageHeader damaged : List.of(
                header(Integer.MAX_VALUE), header(40, Integer.MAX_VALUE, 0), header(40, 20, 21), header(40, -1, 0))) {
            file.reset();
            page(header(30), 30);
            page(damaged, 40);

            assertThatThrownBy(this::check, "%s", damaged)
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("must fit into");
        }
    }
}
