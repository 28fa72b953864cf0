package dev.calve.rewrite;

import dev.calve.deletes.PositionBitmap;
import dev.calve.manifest.ContentFilesCodec;
import dev.calve.manifest.DataFile;
import dev.calve.manifest.ManifestEntry;
import dev.calve.metadata.TableMetadata;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Carries the outcome of a rewrite from executors to the driver, both of which run the same version of this class; not a storage
 * format. The driver knows the sources, so only the positions that went from them travel.
 */
public final class RewrittenCodec {

    private final ContentFilesCodec files;

    public RewrittenCodec(TableMetadata metadata) {
        this.files = new ContentFilesCodec(metadata::partitionType);
    }

    public byte[] toBytes(Rewritten rewritten) {
        var bytes = new ByteArrayOutputStream();
        var out = new DataOutputStream(bytes);
        try {
            out.writeInt(rewritten.sources().size());
            for (Source source : rewritten.sources()) {
                byte[] gone = source.gone().toBytes();
                out.writeInt(gone.length);
                out.write(gone);
            }
            out.writeInt(rewritten.files().size());
            for (DataFile file : rewritten.files()) {
                files.write(file, out);
            }
            RewriteCounts counts = rewritten.counts();
            out.writeLong(counts.rowGroupsCopied());
            out.writeLong(counts.rowGroupsEncoded());
            out.writeLong(counts.bytesCopied());
            out.writeLong(counts.bytesEncoded());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    /**
     * Decodes an outcome.
     *
     * @param sources of the rewrite in their order
     */
    public Rewritten fromBytes(byte[] bytes, List<ManifestEntry<DataFile>> sources) {
        var in = new DataInputStream(new ByteArrayInputStream(bytes));
        try {
            int count = in.readInt();
            if (count != sources.size()) {
                throw new IllegalStateException(
                        "A rewrite of " + sources.size() + " files must come back with as many, not " + count + ".");
            }
            var rewritten = new ArrayList<Source>(count);
            for (ManifestEntry<DataFile> source : sources) {
                rewritten.add(new Source(source, PositionBitmap.fromBytes(in.readNBytes(in.readInt()))));
            }
            int written = in.readInt();
            var outputs = new ArrayList<DataFile>(written);
            for (int i = 0; i < written; i++) {
                outputs.add((DataFile) files.read(in));
            }
            var counts = new RewriteCounts(in.readLong(), in.readLong(), in.readLong(), in.readLong());
            return new Rewritten(rewritten, outputs, counts);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
