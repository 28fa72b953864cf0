package dev.calve.spark.wire;

import dev.calve.deletes.PositionBitmap;
import dev.calve.manifest.ContentFilesCodec;
import dev.calve.manifest.DataFile;
import dev.calve.metadata.TableMetadata;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.connector.write.WriterCommitMessage;

/** What one task of a row-level statement did: the rows that go, by data file and position, and the data files it completed. */
public final class RowsChanged implements WriterCommitMessage {

    private static final long serialVersionUID = 1L;

    private final byte[] content;

    private RowsChanged(byte[] content) {
        this.content = content;
    }

    /**
     * Rows of one data file.
     *
     * @param deleted rows that only go
     * @param updated rows that go and come back in the files written
     */
    public record Fragment(String path, PositionBitmap deleted, PositionBitmap updated) {}

    public static RowsChanged of(List<Fragment> fragments, List<DataFile> files, TableMetadata metadata) {
        var bytes = new ByteArrayOutputStream();
        var out = new DataOutputStream(bytes);
        var codec = new ContentFilesCodec(metadata::partitionType);
        try {
            out.writeInt(files.size());
            for (DataFile file : files) {
                codec.write(file, out);
            }
            out.writeInt(fragments.size());
            for (Fragment fragment : fragments) {
                out.writeUTF(fragment.path());
                write(fragment.deleted(), out);
                write(fragment.updated(), out);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new RowsChanged(bytes.toByteArray());
    }

    private static void write(PositionBitmap positions, DataOutputStream out) throws IOException {
        byte[] bytes = positions.toBytes();
        out.writeInt(bytes.length);
        out.write(bytes);
    }

    /** What a message says, read at once. */
    public record Content(List<DataFile> files, List<Fragment> fragments) {}

    public Content content(TableMetadata metadata) {
        var in = new DataInputStream(new ByteArrayInputStream(content));
        var codec = new ContentFilesCodec(metadata::partitionType);
        try {
            List<DataFile> files = files(in, codec);
            int count = in.readInt();
            var fragments = new ArrayList<Fragment>(count);
            for (int i = 0; i < count; i++) {
                fragments.add(new Fragment(in.readUTF(), read(in), read(in)));
            }
            return new Content(files, fragments);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The files alone, without unpacking what may be millions of positions. */
    public List<DataFile> files(TableMetadata metadata) {
        try {
            return files(
                    new DataInputStream(new ByteArrayInputStream(content)),
                    new ContentFilesCodec(metadata::partitionType));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<DataFile> files(DataInputStream in, ContentFilesCodec codec) throws IOException {
        int count = in.readInt();
        var files = new ArrayList<DataFile>(count);
        for (int i = 0; i < count; i++) {
            files.add((DataFile) codec.read(in));
        }
        return files;
    }

    private static PositionBitmap read(DataInputStream in) throws IOException {
        return PositionBitmap.fromBytes(in.readNBytes(in.readInt()));
    }
}
