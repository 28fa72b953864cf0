package dev.calve.spark.wire;

import dev.calve.scan.FileTask;
import dev.calve.scan.FileTaskCodec;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.connector.read.InputPartition;

/** The files, or parts of files, one task reads. */
public sealed class FileSplits implements InputPartition permits KeyedFileSplits {

    private static final long serialVersionUID = 1L;

    private final byte[] content;

    private FileSplits(byte[] content) {
        this.content = content;
    }

    FileSplits(FileSplits same) {
        this(same.content);
    }

    /**
     * A byte range of a data file. Row groups whose middle lies in it are read.
     *
     * @param number of the file in the plan, for the driver to know it again
     * @param end exclusive
     */
    public record Split(int number, FileTask task, long start, long end) {

        public static Split whole(int number, FileTask task) {
            return new Split(number, task, 0, Long.MAX_VALUE);
        }
    }

    /** Packs splits with the codec of the table's metadata. */
    public static FileSplits of(List<Split> splits, FileTaskCodec codec) {
        var bytes = new ByteArrayOutputStream();
        var out = new DataOutputStream(bytes);
        try {
            out.writeInt(splits.size());
            for (Split split : splits) {
                out.writeInt(split.number());
                out.writeLong(split.start());
                out.writeLong(split.end());
                codec.write(split.task(), out);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new FileSplits(bytes.toByteArray());
    }

    public List<Split> splits(FileTaskCodec codec) {
        var in = new DataInputStream(new ByteArrayInputStream(content));
        try {
            int count = in.readInt();
            var splits = new ArrayList<Split>(count);
            for (int i = 0; i < count; i++) {
                int number = in.readInt();
                long start = in.readLong();
                long end = in.readLong();
                splits.add(new Split(number, codec.read(in), start, end));
            }
            return splits;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
