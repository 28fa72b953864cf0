package dev.calve.spark.wire;

import dev.calve.manifest.ContentFile;
import dev.calve.manifest.ContentFilesCodec;
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

/** The data files one write task completed. */
public final class FilesWritten implements WriterCommitMessage {

    private static final long serialVersionUID = 1L;

    private final byte[] content;

    private FilesWritten(byte[] content) {
        this.content = content;
    }

    public static FilesWritten of(List<? extends ContentFile> files, TableMetadata metadata) {
        var bytes = new ByteArrayOutputStream();
        var out = new DataOutputStream(bytes);
        var codec = new ContentFilesCodec(metadata::partitionType);
        try {
            out.writeInt(files.size());
            for (ContentFile file : files) {
                codec.write(file, out);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new FilesWritten(bytes.toByteArray());
    }

    public List<ContentFile> files(TableMetadata metadata) {
        var in = new DataInputStream(new ByteArrayInputStream(content));
        var codec = new ContentFilesCodec(metadata::partitionType);
        try {
            int count = in.readInt();
            var files = new ArrayList<ContentFile>(count);
            for (int i = 0; i < count; i++) {
                files.add(codec.read(in));
            }
            return files;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
