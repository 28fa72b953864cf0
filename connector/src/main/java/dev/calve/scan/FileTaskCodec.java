package dev.calve.scan;

import dev.calve.expression.Expression;
import dev.calve.expression.ExpressionCodec;
import dev.calve.expression.Metrics;
import dev.calve.manifest.ContentFile;
import dev.calve.manifest.ContentFilesCodec;
import dev.calve.manifest.DataFile;
import dev.calve.manifest.DeleteFile;
import dev.calve.manifest.ManifestEntry;
import dev.calve.metadata.TableMetadata;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Carries file tasks from the driver to executors that run the same version of this class; not a storage format. Column
 * metrics of data files and equality deletes stay behind, as planning has used them; all but the counts of NaNs of data files,
 * which nobody could tell a file again that is rewritten. Not for several threads.
 */
public final class FileTaskCodec {

    private static final ManifestEntry.Status[] STATUSES = ManifestEntry.Status.values();

    private final ContentFilesCodec files;

    /**
     * Makes a codec for one table.
     *
     * @param metadata with the specs of all files
     */
    public FileTaskCodec(TableMetadata metadata) {
        this.files = new ContentFilesCodec(metadata::partitionType);
    }

    public void write(FileTask task, DataOutputStream out) throws IOException {
        DataFile file = task.file();
        writeEntry(task.entry(), new DataFile(slim(file), file.firstRowId()), out);
        out.writeUTF(task.manifest());
        out.writeInt(task.deletes().size());
        for (ManifestEntry<DeleteFile> delete : task.deletes()) {
            writeEntry(delete, slim(delete.file()), out);
        }
        writeBytes(ExpressionCodec.toBytes(task.residual()), out);
        out.writeBoolean(task.everyRowMatches());
    }

    /** A table that is streamed into has hundreds of equality deletes for each data file. */
    private static DeleteFile slim(DeleteFile file) {
        return file instanceof DeleteFile.EqualityDeletes keys
                ? new DeleteFile.EqualityDeletes(
                        with(Metrics.ofCount(keys.recordCount()), keys.common()), keys.equalityIds())
                : file;
    }

    private static ContentFile.Common slim(DataFile file) {
        var nans = new Metrics(
                file.recordCount(), Map.of(), Map.of(), Map.of(), file.metrics().nanValueCounts(), Map.of(), Map.of());
        return with(nans, file.common());
    }

    private static ContentFile.Common with(Metrics metrics, ContentFile.Common common) {
        return new ContentFile.Common(
                common.path(),
                common.format(),
                common.specId(),
                common.partition(),
                metrics,
                common.fileSizeBytes(),
                common.splitOffsets(),
                common.sortOrderId(),
                common.keyMetadata());
    }

    /**
     * Reads the next task.
     *
     * @throws IllegalStateException if the bytes are not what this version writes
     */
    public FileTask read(DataInputStream in) {
        try {
            ManifestEntry<DataFile> entry = readEntry(in, DataFile.class);
            String manifest = in.readUTF();
            List<ManifestEntry<DeleteFile>> deletes = new ArrayList<>();
            for (int left = in.readInt(); left > 0; left--) {
                deletes.add(readEntry(in, DeleteFile.class));
            }
            Expression residual = ExpressionCodec.fromBytes(readBytes(in));
            return new FileTask(entry, manifest, deletes, residual, in.readBoolean());
        } catch (IOException | RuntimeException e) {
            throw new IllegalStateException(
                    "Bytes of a file task must be those that the driver wrote, but are not: " + e.getMessage()
                            + ". Use one version of Calve on the driver and all executors.",
                    e);
        }
    }

    private void writeEntry(ManifestEntry<?> entry, ContentFile file, DataOutputStream out) throws IOException {
        out.writeByte(List.of(STATUSES).indexOf(entry.status()));
        out.writeLong(entry.snapshotId());
        out.writeLong(entry.sequenceNumber());
        out.writeLong(entry.fileSequenceNumber());
        files.write(file, out);
    }

    private <F extends ContentFile> ManifestEntry<F> readEntry(DataInputStream in, Class<F> kind) throws IOException {
        var status = STATUSES[in.readByte()];
        long snapshotId = in.readLong();
        long sequenceNumber = in.readLong();
        long fileSequenceNumber = in.readLong();
        return new ManifestEntry<>(status, snapshotId, sequenceNumber, fileSequenceNumber, kind.cast(files.read(in)));
    }

    private static void writeBytes(byte[] bytes, DataOutputStream out) throws IOException {
        out.writeInt(bytes.length);
        out.write(bytes);
    }

    private static byte[] readBytes(DataInputStream in) throws IOException {
        return in.readNBytes(in.readInt());
    }
}
