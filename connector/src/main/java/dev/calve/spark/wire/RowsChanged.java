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

/**
 * What one task of a row-level statement did: the rows that go, by data file and position, the data files it completed, and
 * rows that come and are too few for a file.
 */
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

    /**
     * What a task reports.
     *
     * @param held rows that are in no file yet, as {@code spark.write} encodes them
     */
    public static RowsChanged of(List<Fragment> fragments, List<DataFile> files, byte[] held, TableMetadata metadata) {
        var bytes = new ByteArrayOutputStream();
        var out = new DataOutputStream(bytes);
        var codec = new ContentFilesCodec(metadata::partitionType);
        try {
            out.writeInt(files.size());
            for (DataFile file : files) {
                codec.write(file, out);
            }
            out.writeInt(held.length);
            out.write(held);
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
    public static final class Content {
        private final List<DataFile> files;
        private final byte[] held;
        private final List<Fragment> fragments;

        private Content(List<DataFile> files, byte[] held, List<Fragment> fragments) {
            this.files = files;
            this.held = held;
            this.fragments = fragments;
        }

        public List<DataFile> files() {
            return files;
        }

        /** Rows that are in no file yet. */
        public byte[] held() {
            return held;
        }

        public List<Fragment> fragments() {
            return fragments;
        }
    }

    public Content content(TableMetadata metadata) {
        var in = new DataInputStream(new ByteArrayInputStream(content));
        var codec = new ContentFilesCodec(metadata::partitionType);
        try {
            List<DataFile> files = files(in, codec);
            byte[] held = in.readNBytes(in.readInt());
            int count = in.readInt();
            var fragments = new ArrayList<Fragment>(count);
            for (int i = 0; i < count; i++) {
                fragments.add(new Fragment(in.readUTF(), read(in), read(in)));
            }
            return new Content(files, held, fragments);
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
