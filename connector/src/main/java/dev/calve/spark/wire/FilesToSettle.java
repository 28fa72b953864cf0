package dev.calve.spark.wire;

import dev.calve.deletes.PositionBitmap;
import dev.calve.rowdelete.RewriteFrom;
import dev.calve.scan.FileTask;
import dev.calve.scan.FileTaskCodec;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The data files one task settles, with the rows that go from each where they are known. */
public final class FilesToSettle implements Serializable {

    private static final long serialVersionUID = 1L;

    private final byte[] content;

    private FilesToSettle(byte[] content) {
        this.content = content;
    }

    /**
     * One file.
     *
     * @param number what the outcome calls the file
     * @param positions rows that go; empty if the task is to find them
     * @param rewriting when the rows that stay are to be written again, instead of deletes in place
     */
    public record Part(int number, FileTask task, Optional<PositionBitmap> positions, RewriteFrom rewriting) {}

    public static FilesToSettle of(List<Part> parts, FileTaskCodec codec) {
        var bytes = new ByteArrayOutputStream();
        var out = new DataOutputStream(bytes);
        try {
            out.writeInt(parts.size());
            for (Part part : parts) {
                out.writeInt(part.number());
                out.writeDouble(part.rewriting().share());
                out.writeBoolean(part.positions().isPresent());
                if (part.positions().isPresent()) {
                    byte[] positions = part.positions().get().toBytes();
                    out.writeInt(positions.length);
                    out.write(positions);
                }
                codec.write(part.task(), out);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new FilesToSettle(bytes.toByteArray());
    }

    /** How much is sent. */
    public int sizeBytes() {
        return content.length;
    }

    public List<Part> parts(FileTaskCodec codec) {
        var in = new DataInputStream(new ByteArrayInputStream(content));
        try {
            int count = in.readInt();
            var parts = new ArrayList<Part>(count);
            for (int i = 0; i < count; i++) {
                int number = in.readInt();
                var rewriting = new RewriteFrom(in.readDouble());
                Optional<PositionBitmap> positions = in.readBoolean()
                        ? Optional.of(PositionBitmap.fromBytes(in.readNBytes(in.readInt())))
                        : Optional.empty();
                parts.add(new Part(number, codec.read(in), positions, rewriting));
            }
            return parts;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
