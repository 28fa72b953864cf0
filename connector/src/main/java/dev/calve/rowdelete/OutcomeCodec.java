package dev.calve.rowdelete;

import dev.calve.deletes.PositionBitmap;
import dev.calve.manifest.ContentFilesCodec;
import dev.calve.manifest.DataFile;
import dev.calve.manifest.DeleteFile;
import dev.calve.metadata.TableMetadata;
import dev.calve.rewrite.RewriteCounts;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;

/** Carries outcomes from executors to the driver, both of which run the same version of this class; not a storage format. */
public final class OutcomeCodec {

    private static final byte UNTOUCHED = 0;
    private static final byte WHOLE_FILE = 1;
    private static final byte DELETES = 2;
    private static final byte REWRITTEN = 3;

    private final ContentFilesCodec files;

    public OutcomeCodec(TableMetadata metadata) {
        this.files = new ContentFilesCodec(metadata::partitionType);
    }

    public byte[] toBytes(List<Outcome> outcomes) {
        var bytes = new ByteArrayOutputStream();
        var out = new DataOutputStream(bytes);
        try {
            out.writeInt(outcomes.size());
            for (Outcome outcome : outcomes) {
                write(outcome, out);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    /**
     * Reads all outcomes.
     *
     * @throws IllegalStateException if the bytes are not what this version writes
     */
    public List<Outcome> fromBytes(byte[] bytes) {
        var in = new DataInputStream(new ByteArrayInputStream(bytes));
        try {
            var outcomes = new ArrayList<Outcome>();
            for (int left = in.readInt(); left > 0; left--) {
                outcomes.add(read(in));
            }
            return outcomes;
        } catch (IOException | RuntimeException e) {
            throw new IllegalStateException(
                    "Bytes of outcomes must be those that an executor wrote, but are not: " + e.getMessage()
                            + ". Use one version of Calve on the driver and all executors.",
                    e);
        }
    }

    private void write(Outcome outcome, DataOutputStream out) throws IOException {
        out.writeInt(outcome.task());
        byte[] positions = outcome.positions().toBytes();
        out.writeInt(positions.length);
        out.write(positions);
        if (outcome instanceof Outcome.Deletes deletes) {
            out.writeByte(DELETES);
            files.write(deletes.file(), out);
        } else if (outcome instanceof Outcome.Rewritten rewritten) {
            out.writeByte(REWRITTEN);
            out.writeInt(rewritten.files().size());
            for (DataFile file : rewritten.files()) {
                files.write(file, out);
            }
            out.writeLong(rewritten.counts().rowGroupsCopied());
            out.writeLong(rewritten.counts().rowGroupsEncoded());
            out.writeLong(rewritten.counts().bytesCopied());
            out.writeLong(rewritten.counts().bytesEncoded());
        } else {
            out.writeByte(outcome instanceof Outcome.WholeFile ? WHOLE_FILE : UNTOUCHED);
        }
    }

    private Outcome read(DataInputStream in) throws IOException {
        int task = in.readInt();
        PositionBitmap positions = PositionBitmap.fromBytes(in.readNBytes(in.readInt()));
        byte kind = in.readByte();
        return switch (kind) {
            case UNTOUCHED -> new Outcome.Untouched(task);
            case WHOLE_FILE -> new Outcome.WholeFile(task, positions);
            case DELETES -> new Outcome.Deletes(task, positions, (DeleteFile) files.read(in));
            case REWRITTEN -> {
                var written = new ArrayList<DataFile>();
                for (int left = in.readInt(); left > 0; left--) {
                    written.add((DataFile) files.read(in));
                }
                var counts = new RewriteCounts(in.readLong(), in.readLong(), in.readLong(), in.readLong());
                yield new Outcome.Rewritten(task, positions, written, counts);
            }
            default -> throw new IllegalStateException("Outcome must be of kind 0 to 3, not " + kind + ".");
        };
    }
}
