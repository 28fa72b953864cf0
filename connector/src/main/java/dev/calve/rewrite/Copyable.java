package dev.calve.rewrite;

import dev.calve.deletes.PositionCursor;
import dev.calve.expression.Metrics;
import dev.calve.io.CleanUp;
import dev.calve.io.InvalidTableException;
import dev.calve.io.Storage;
import dev.calve.manifest.DataFile;
import dev.calve.parquet.ChunkFile;
import dev.calve.parquet.ChunkSource;
import dev.calve.parquet.ColumnSink;
import dev.calve.parquet.FileLayout;
import dev.calve.parquet.Placement;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.ColumnReader;
import org.apache.parquet.io.ParquetDecodingException;
import org.jspecify.annotations.Nullable;

/** Sources that can be rewritten chunk by chunk, and how. */
public final class Copyable implements Verdict {

    private final Storage storage;
    private final FileLayout layout;
    private final List<Source> sources;
    private final List<Part> parts;

    Copyable(Storage storage, FileLayout layout, List<Source> sources, List<Part> parts) {
        this.storage = storage;
        this.layout = layout;
        this.sources = List.copyOf(sources);
        this.parts = List.copyOf(parts);
    }

    /**
     * Writes what stays of the sources, in its order, into as few files of about the target size as can hold it. On failure
     * what was written has been deleted again. Memory: one column chunk, and indexes of one output.
     *
     * @param locations a new unique location for each file
     * @param placement of the new files, which is that of the sources; they are sorted if the sources are when taken together
     * @throws InvalidTableException if a source turns out to be corrupt
     */
    public Rewritten write(Supplier<String> locations, Placement placement) throws IOException {
        var run = new Run(locations, placement);
        try (run) {
            for (Part part : parts) {
                run.add(part);
            }
            return run.finish();
        } catch (Throwable e) {
            run.abandon(e);
            throw e;
        }
    }

    /** One writing of the outputs. */
    private final class Run implements Closeable {

        private final Supplier<String> locations;
        private final Placement placement;
        private final long bytesPerFile;
        private final Map<Integer, ChunkSource> open = new TreeMap<>();
        private final List<DataFile> finished = new ArrayList<>();
        private RewriteCounts counts = RewriteCounts.NONE;
        private @Nullable ChunkFile file;
        /** As the sources store them. */
        private long bytesInFile;

        Run(Supplier<String> locations, Placement placement) {
            this.locations = locations;
            this.placement = placement;
            long total = parts.stream().mapToLong(Part::bytes).sum();
            long target = layout.settings().targetFileSizeBytes();
            // Files of equal size: a little more than the target must not leave a small one behind.
            long files = Math.max(1, (total + target / 2) / target);
            this.bytesPerFile = total / files + 1;
        }

        void add(Part part) throws IOException {
            closeSourcesBefore(part.slices().get(0).source());
            if (bytesInFile >= bytesPerFile) {
                finishFile();
            }
            if (file == null) {
                file = ChunkFile.create(storage, locations.get(), layout);
            }
            bytesInFile += part.bytes();
            write(part, file);
        }

        private void write(Part part, ChunkFile target) throws IOException {
            List<BitSet> gone = part.slices().stream().map(this::gone).toList();
            long copied = 0;
            long encoded = 0;
            target.startRowGroup(
                    part.rows(),
                    part.slices().stream().map(this::metrics).distinct().toList());
            for (ColumnDescriptor column : layout.messageType().getColumns()) {
                if (part.copied() && isCopied(part.slices().get(0), column)) {
                    Slice slice = part.slices().get(0);
                    copied += target.copy(column, source(slice), slice.rowGroup(), metrics(slice));
                } else {
                    encoded += target.encode(column, sink -> produce(column, part.slices(), gone, sink));
                }
            }
            target.endRowGroup();
            counts = counts.plus(new RewriteCounts(part.copied() ? 1 : 0, part.copied() ? 0 : 1, copied, encoded));
        }

        private boolean isCopied(Slice slice, ColumnDescriptor column) throws IOException {
            if (!Lineage.isLineage(column)) {
                return true;
            }
            return Lineage.isKnown(sources.get(slice.source()).entry())
                    && isStored(source(slice), column)
                    && source(slice).hasNoNulls(slice.rowGroup(), column);
        }

        private void produce(ColumnDescriptor column, List<Slice> slices, List<BitSet> gone, ColumnSink sink)
                throws IOException {
            for (int i = 0; i < slices.size(); i++) {
                Slice slice = slices.get(i);
                ChunkSource source = source(slice);
                try {
                    if (Lineage.isLineage(column)) {
                        Optional<ColumnReader> stored = isStored(source, column)
                                ? Optional.of(
                                        source.read(slice.rowGroup(), column).reader())
                                : Optional.empty();
                        var entry = sources.get(slice.source()).entry();
                        Lineage.write(column, entry, slice, gone.get(i), stored, sink);
                    } else {
                        KeptTriples.copy(source.read(slice.rowGroup(), column), slice.rows(), gone.get(i), sink);
                    }
                } catch (ParquetDecodingException e) {
                    throw new InvalidTableException(
                            "Data file " + source.location() + " cannot be decoded: " + e.getMessage() + ".", e);
                }
            }
        }

        private static boolean isStored(ChunkSource source, ColumnDescriptor column) {
            return source.schema().containsPath(column.getPath());
        }

        private Metrics metrics(Slice slice) {
            return sources.get(slice.source()).entry().file().metrics();
        }

        /** The rows of the row group that do not stay. */
        private BitSet gone(Slice slice) {
            var rows = new BitSet(slice.rows());
            if (slice.isClean()) {
                return rows;
            }
            PositionCursor cursor = sources.get(slice.source()).gone().cursor();
            long end = slice.first() + slice.rows();
            for (long next = cursor.seek(slice.first());
                    next != PositionCursor.NONE && next < end;
                    next = cursor.seek(next + 1)) {
                rows.set((int) (next - slice.first()));
            }
            return rows;
        }

        private ChunkSource source(Slice slice) throws IOException {
            ChunkSource source = open.get(slice.source());
            if (source == null) {
                DataFile data = sources.get(slice.source()).entry().file();
                source = ChunkSource.open(storage.input(data.path(), data.fileSizeBytes()));
                open.put(slice.source(), source);
            }
            return source;
        }

        private void closeSourcesBefore(int first) throws IOException {
            var sourcesByIndex = open.entrySet().iterator();
            while (sourcesByIndex.hasNext()) {
                var source = sourcesByIndex.next();
                if (source.getKey() < first) {
                    sourcesByIndex.remove();
                    source.getValue().close();
                }
            }
        }

        private void finishFile() throws IOException {
            if (file != null) {
                finished.add(file.close(placement));
                file = null;
                bytesInFile = 0;
            }
        }

        Rewritten finish() throws IOException {
            finishFile();
            return new Rewritten(sources, finished, counts);
        }

        /** Deletes every output. */
        void abandon(Throwable cause) {
            var cleanUp = new CleanUp();
            if (file != null) {
                cleanUp.run(file::abandon);
            }
            finished.forEach(output -> cleanUp.delete(storage, output.path()));
            cleanUp.after(cause);
        }

        @Override
        public void close() throws IOException {
            closeSourcesBefore(Integer.MAX_VALUE);
        }
    }
}
