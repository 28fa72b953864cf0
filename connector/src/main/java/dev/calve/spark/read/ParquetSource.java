package dev.calve.spark.read;

import dev.calve.io.InputFile;
import java.io.IOException;
import org.apache.parquet.io.SeekableInputStream;

/** A file as parquet-java reads it: over ranged reads, without any Hadoop file system. */
final class ParquetSource implements org.apache.parquet.io.InputFile {

    private final InputFile file;

    ParquetSource(InputFile file) {
        this.file = file;
    }

    @Override
    public long getLength() throws IOException {
        return file.length();
    }

    @Override
    public SeekableInputStream newStream() throws IOException {
        return new ParquetSourceStream(file.open(), file.length());
    }

    /** The location; parquet-java puts it into its messages. */
    @Override
    public String toString() {
        return file.location();
    }
}
