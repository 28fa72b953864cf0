package dev.calve.parquet;

import dev.calve.deletes.PositionBitmap;
import dev.calve.expression.Metrics;
import dev.calve.io.Storage;
import dev.calve.manifest.ContentFile;
import dev.calve.manifest.DeleteFile;
import dev.calve.schema.Values;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Writes one position-delete file of a v2 table: rows (file_path, pos), sorted by both. Used by one thread; whoever
 * opened it either closes or abandons it. Spec: Position Delete Files.
 *
 * <p>The entry has bounds only if the file speaks of one data file, because readers take equal bounds of the path as
 * proof of that; value counts are left out.
 */
public final class PositionDeleteWriter {

    private final RowFile<Deletion> file;
    private final Placement placement;
    private final Deletion row = new Deletion();
    private @Nullable String dataFile;
    private boolean single = true;

    private PositionDeleteWriter(RowFile<Deletion> file, Placement placement) {
        this.file = file;
        this.placement = placement;
    }

    /**
     * Creates the file.
     *
     * @param settings {@linkplain WriteSettings#forPositionDeletes those for deletes}
     * @param placement spec and partition of the data files spoken of
     * @throws java.nio.file.FileAlreadyExistsException if there is a file at the location
     */
    public static PositionDeleteWriter create(
            Storage storage, String location, WriteSettings settings, Placement placement) throws IOException {
        var layout = FileLayout.ofPositionDeletes(settings);
        return new PositionDeleteWriter(RowFile.create(storage, location, layout, new DeletionReader()), placement);
    }

    /**
     * Adds a data file's deleted positions.
     *
     * @param path of the data file exactly as its entry spells it; higher than the one before, by code point
     * @throws IllegalArgumentException if the paths do not ascend
     */
    public void delete(String path, PositionBitmap positions) throws IOException {
        if (positions.isEmpty()) {
            return;
        }
        if (dataFile != null) {
            if (Values.compareByCodePoint(dataFile, path) >= 0) {
                throw new IllegalArgumentException("Data files must come in ascending order, each once, but '" + path
                        + "' came after '" + dataFile + "'.");
            }
            single = false;
        }
        dataFile = path;
        row.path = path.getBytes(StandardCharsets.UTF_8);
        var cursor = positions.cursor();
        for (long at = cursor.seek(0); at >= 0; at = cursor.seek(at + 1)) {
            row.position = at;
            file.write(row);
        }
    }

    public String location() {
        return file.location();
    }

    /** Positions written so far. */
    public long rows() {
        return file.rows();
    }

    /** Bytes the file has now, with an estimate of what is still in memory. */
    public long length() {
        return file.length();
    }

    /** Completes the file and describes it as a manifest will. */
    public DeleteFile.PositionDeletes close() throws IOException {
        var common = placement.describe(file.location(), file.close());
        var full = common.metrics();
        var metrics = new Metrics(
                full.recordCount(),
                full.columnSizes(),
                Map.of(),
                Map.of(),
                Map.of(),
                single ? full.lowerBounds() : Map.of(),
                single ? full.upperBounds() : Map.of());
        return new DeleteFile.PositionDeletes(
                new ContentFile.Common(
                        common.path(),
                        common.format(),
                        common.specId(),
                        common.partition(),
                        metrics,
                        common.fileSizeBytes(),
                        common.splitOffsets(),
                        common.sortOrderId(),
                        common.keyMetadata()),
                single ? Optional.ofNullable(dataFile) : Optional.empty());
    }

    /** Gives the file up: closes and deletes it. */
    public void abandon() throws IOException {
        file.abandon();
    }

    /** The row about to be written. */
    private static final class Deletion {
        private byte[] path = new byte[0];
        private long position;
    }

    private static final class DeletionReader implements RowReader<Deletion> {

        @Override
        public boolean isNull(Deletion row, int index) {
            return false;
        }

        @Override
        public long getLong(Deletion row, int index) {
            return row.position;
        }

        @Override
        public void getString(Deletion row, int index, ByteSlice target) {
            target.set(row.path);
        }
    }
}
