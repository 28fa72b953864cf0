package dev.calve.parquet;

import dev.calve.io.InputFile;
import dev.calve.io.InvalidTableException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.parquet.ParquetReadOptions;
import org.apache.parquet.column.statistics.Statistics;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData;
import org.apache.parquet.hadoop.metadata.ParquetMetadata;

/** The footer of a Parquet file as text, for people who look into files. */
public final class ParquetFooter {

    private ParquetFooter() {}

    /**
     * Describes a file: writer, key-value metadata, schema, row groups and their column chunks. Reads the footer only.
     *
     * @return lines without line ends
     * @throws InvalidTableException if the file has no readable footer
     */
    public static List<String> describe(InputFile file) throws IOException {
        var input = new StorageInput(file);
        try (var reader =
                ParquetFileReader.open(input, ParquetReadOptions.builder().build())) {
            return describe(reader.getFooter());
        } catch (IOException | RuntimeException e) {
            if (input.hasFailed()) {
                throw e;
            }
            throw new InvalidTableException(
                    "File " + file.location() + " cannot be read as Parquet: " + e.getMessage() + ".", e);
        }
    }

    private static List<String> describe(ParquetMetadata footer) {
        var lines = new ArrayList<String>();
        var file = footer.getFileMetaData();
        lines.add("created by: " + file.getCreatedBy());
        file.getKeyValueMetaData().forEach((key, value) -> lines.add(key + ": " + value));
        file.getSchema().toString().lines().forEach(lines::add);
        for (int i = 0; i < footer.getBlocks().size(); i++) {
            BlockMetaData block = footer.getBlocks().get(i);
            lines.add("row group " + i + ": " + block.getRowCount() + " rows at " + block.getStartingPos() + ", "
                    + block.getCompressedSize() + " bytes, " + block.getTotalByteSize() + " before compression");
            block.getColumns().forEach(chunk -> lines.add("  " + describe(chunk)));
        }
        return lines;
    }

    private static String describe(ColumnChunkMetaData chunk) {
        return chunk.getPath().toDotString() + ": " + chunk.getPrimitiveType().getPrimitiveTypeName() + ", "
                + chunk.getCodec() + " " + chunk.getEncodings() + ", " + chunk.getValueCount() + " values, "
                + chunk.getTotalSize() + " bytes at " + chunk.getStartingPos() + ", " + describe(chunk.getStatistics());
    }

    private static String describe(Statistics<?> statistics) {
        if (statistics == null || statistics.isEmpty()) {
            return "no statistics";
        }
        String nulls = statistics.isNumNullsSet() ? statistics.getNumNulls() + " nulls" : "unknown nulls";
        return statistics.hasNonNullValue()
                ? nulls + ", " + statistics.minAsString() + " to " + statistics.maxAsString()
                : nulls;
    }
}
