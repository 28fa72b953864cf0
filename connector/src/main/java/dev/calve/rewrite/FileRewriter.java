package dev.calve.rewrite;

import dev.calve.deletes.PositionCursor;
import dev.calve.io.InvalidTableException;
import dev.calve.io.Storage;
import dev.calve.manifest.FileFormat;
import dev.calve.metadata.TableMetadata;
import dev.calve.metadata.TableProperties;
import dev.calve.parquet.ChunkSource;
import dev.calve.parquet.FileLayout;
import dev.calve.parquet.WriteSettings;
import dev.calve.schema.Field;
import dev.calve.schema.MetadataFields;
import dev.calve.schema.Schema;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.parquet.schema.Type;

/**
 * Rewrites data files chunk by chunk: row groups that lose no row are copied, others are encoded again column by column, and no
 * row is ever put together. Safe for use by several threads.
 */
public final class FileRewriter {

    private final Storage storage;
    private final TableMetadata table;

    public FileRewriter(Storage storage, TableMetadata table) {
        this.storage = storage;
        this.table = table;
    }

    /**
     * Looks whether the files can be rewritten into files of the table's current schema: only if they are stored as this
     * project stores it now, with all field ids. Columns may be required in all of the files, as some writers make them that
     * know their rows, and stay so. Cost: reads the footers, one or two ranged reads each.
     *
     * @param sources in the order of their rows in the output, at least one
     * @param joinSmall whether small row groups that lose no row are joined all the same
     * @throws UnsupportedOperationException if a file is encrypted
     */
    public Verdict examine(List<Source> sources, boolean joinSmall) throws IOException {
        boolean lineage =
                table.formatVersion() >= 3 && sources.stream().anyMatch(source -> Lineage.isKnown(source.entry()));
        var slices = new ArrayList<Slice>();
        Optional<FileLayout> layout = Optional.empty();
        for (int i = 0; i < sources.size(); i++) {
            Source source = sources.get(i);
            try (var chunks = open(source)) {
                if (layout.isEmpty()) {
                    layout = Optional.of(layout(StoredSchema.of(table.schema(), chunks.schema()), lineage));
                }
                Optional<String> obstacle = isStoredAs(layout.get(), chunks)
                        ? addSlices(source, i, chunks, slices)
                        : Optional.of("its columns are not stored as those of the table's current schema are");
                if (obstacle.isPresent()) {
                    return new Verdict.NotCopyable(source.path(), obstacle.get());
                }
            } catch (InvalidTableException | CannotStore e) {
                return new Verdict.NotCopyable(source.path(), String.valueOf(e.getMessage()));
            }
        }
        FileLayout common = layout.orElseThrow(() -> new IllegalArgumentException("There must be a source."));
        long rowGroupBytes = common.settings().pages().rowGroupSizeBytes();
        return new Copyable(storage, common, sources, Part.of(slices, rowGroupBytes, joinSmall));
    }

    /** The table has a column that is not written. */
    private static final class CannotStore extends RuntimeException {
        private static final long serialVersionUID = 1L;

        CannotStore(UnsupportedOperationException cause) {
            super(cause.getMessage(), cause);
        }
    }

    private FileLayout layout(Schema schema, boolean lineage) {
        var settings = WriteSettings.forData(TableProperties.of(table, table.location()));
        try {
            if (!lineage) {
                return FileLayout.of(schema, settings);
            }
            var fields = new ArrayList<Field>(schema.fields());
            fields.add(MetadataFields.ROW_ID);
            fields.add(MetadataFields.LAST_UPDATED_SEQUENCE_NUMBER);
            // Row ids are all different.
            return FileLayout.of(
                    new Schema(schema.id(), fields), settings.withoutDictionary(Set.of(MetadataFields.ROW_ID.name())));
        } catch (UnsupportedOperationException e) {
            throw new CannotStore(e);
        }
    }

    private ChunkSource open(Source source) throws IOException {
        var file = source.entry().file();
        if (file.format() != FileFormat.PARQUET) {
            throw new InvalidTableException("Data file " + file.path() + " is not a Parquet file.");
        }
        if (file.common().keyMetadata().isPresent()) {
            throw ChunkSource.encrypted(file.path());
        }
        return ChunkSource.open(storage.input(file.path(), file.fileSizeBytes()));
    }

    /** Whether a file has the columns of the layout, lineage columns perhaps missing. */
    private static boolean isStoredAs(FileLayout layout, ChunkSource chunks) {
        List<Type> wanted = layout.messageType().getFields();
        List<Type> found = chunks.schema().getFields();
        return found.equals(wanted)
                || found.equals(wanted.stream()
                        .filter(field -> field.getId() == null
                                || !isLineage(field.getId().intValue()))
                        .toList());
    }

    private static boolean isLineage(int fieldId) {
        return fieldId == MetadataFields.ROW_ID.id() || fieldId == MetadataFields.LAST_UPDATED_SEQUENCE_NUMBER.id();
    }

    private static Optional<String> addSlices(Source source, int index, ChunkSource chunks, List<Slice> slices) {
        PositionCursor gone = source.gone().cursor();
        long first = 0;
        for (int rowGroup = 0; rowGroup < chunks.rowGroups(); rowGroup++) {
            long rows = chunks.rows(rowGroup);
            if (rows < 0 || rows > Integer.MAX_VALUE) {
                return Optional.of("it has a row group of " + rows + " rows");
            }
            long lost =
                    gone.seek(first) == PositionCursor.NONE ? 0 : source.gone().cardinalityInRange(first, first + rows);
            if (lost < rows) {
                slices.add(new Slice(
                        index,
                        rowGroup,
                        first,
                        Math.toIntExact(rows),
                        Math.toIntExact(rows - lost),
                        chunks.storedBytes(rowGroup),
                        chunks.isCopyable(rowGroup)));
            }
            first += rows;
        }
        long expected = source.entry().file().recordCount();
        return first == expected
                ? Optional.empty()
                : Optional.of("it has " + first + " rows, not " + expected + " as its manifest says");
    }
}
