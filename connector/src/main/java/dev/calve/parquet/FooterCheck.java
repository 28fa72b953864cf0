package dev.calve.parquet;

import dev.calve.io.InputFile;
import dev.calve.io.InvalidTableException;
import java.io.IOException;
import java.util.Set;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData;
import org.apache.parquet.hadoop.metadata.ColumnPath;
import org.apache.parquet.hadoop.metadata.ParquetMetadata;
import org.apache.parquet.schema.MessageType;

/**
 * Compares what a footer says with the file it is in, before anything is allocated or counted by its word: a flipped bit
 * must be an error that names the file.
 */
public final class FooterCheck {

    private FooterCheck() {}

    /**
     * Compares where row groups and chunks are said to be with the length of the file.
     *
     * @throws InvalidTableException if they cannot be there
     */
    public static void check(ParquetMetadata footer, InputFile file) throws IOException {
        long length = file.length();
        for (BlockMetaData block : footer.getBlocks()) {
            require(block.getRowCount() >= 0, file, "a row group of " + block.getRowCount() + " rows");
            for (ColumnChunkMetaData chunk : block.getColumns()) {
                long start = chunk.getStartingPos();
                long size = chunk.getTotalSize();
                require(
                        start >= 0 && size >= 0 && start <= length - size && chunk.getTotalUncompressedSize() >= 0,
                        file,
                        "column '%s' at [%d, +%d)".formatted(chunk.getPath().toDotString(), start, size));
            }
        }
    }

    /**
     * Compares the columns of a row group with those that are to be read.
     *
     * @throws InvalidTableException if it lacks one of them, or has not one value for each row
     */
    public static void check(BlockMetaData block, MessageType wanted, Set<ColumnPath> paths, InputFile file) {
        int found = 0;
        for (ColumnChunkMetaData chunk : block.getColumns()) {
            if (!paths.contains(chunk.getPath())) {
                continue;
            }
            found++;
            boolean isRepeated = wanted.getMaxRepetitionLevel(chunk.getPath().toArray()) > 0;
            require(
                    isRepeated || chunk.getValueCount() == block.getRowCount(),
                    file,
                    "%d values of column '%s' for %d rows"
                            .formatted(chunk.getValueCount(), chunk.getPath().toDotString(), block.getRowCount()));
        }
        require(found == paths.size(), file, "a row group with " + found + " of the columns " + paths);
    }

    private static void require(boolean holds, InputFile file, String found) {
        if (!holds) {
            throw new InvalidTableException(
                    "Parquet file '%s' must have a footer that fits it, but it says: %s. The file is corrupt: restore it."
                            .formatted(file.location(), found));
        }
    }
}
