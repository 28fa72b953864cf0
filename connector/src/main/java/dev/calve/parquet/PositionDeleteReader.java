package dev.calve.parquet;

import dev.calve.deletes.PositionBitmap;
import dev.calve.io.InputFile;
import dev.calve.io.InvalidTableException;
import dev.calve.io.Storage;
import dev.calve.manifest.DeleteFile;
import dev.calve.manifest.FileFormat;
import dev.calve.schema.Field;
import dev.calve.schema.MetadataFields;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.parquet.ParquetReadOptions;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.ColumnReader;
import org.apache.parquet.column.impl.ColumnReadStoreImpl;
import org.apache.parquet.column.page.PageReadStore;
import org.apache.parquet.column.statistics.Statistics;
import org.apache.parquet.conf.HadoopParquetConfiguration;
import org.apache.parquet.conf.ParquetConfiguration;
import org.apache.parquet.hadoop.CodecFactory;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData;
import org.apache.parquet.hadoop.metadata.ColumnPath;
import org.apache.parquet.io.api.Binary;
import org.apache.parquet.io.api.Converter;
import org.apache.parquet.io.api.GroupConverter;
import org.apache.parquet.io.api.PrimitiveConverter;
import org.apache.parquet.schema.GroupType;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;
import org.apache.parquet.schema.Type;
import org.jspecify.annotations.Nullable;

/**
 * Reads position-delete files of any writer. Columns are found by field id, or by name in files without ids; a {@code
 * row} column is not read. Spec: Position Delete Files.
 *
 * <p>Cost: the footer, and of each row group that can speak of a wanted data file the two columns. The order of rows is
 * not relied on.
 */
public final class PositionDeleteReader {

    // parquet-java's default would parse Hadoop's own configuration files for every file that is opened.
    private static final ParquetConfiguration CONFIGURATION = new HadoopParquetConfiguration(new Configuration(false));

    private static final int UNUSED_PAGE_SIZE = 0;

    private PositionDeleteReader() {}

    /**
     * The positions a delete file has for the wanted data files.
     *
     * @param dataFiles paths as data file entries spell them
     * @return by path; files it does not speak of are missing
     * @throws UnsupportedOperationException if the file is not Parquet
     * @throws InvalidTableException if it is not a readable position-delete file
     */
    public static Map<String, PositionBitmap> read(
            Storage storage, DeleteFile.PositionDeletes file, Set<String> dataFiles) throws IOException {
        if (file.format() != FileFormat.PARQUET) {
            throw new UnsupportedOperationException("Cannot read position deletes " + file.path() + ": format "
                    + file.format() + " is not supported, only PARQUET. Rewrite the table's position deletes with the"
                    + " engine that wrote them.");
        }
        return read(storage.input(file.path(), file.fileSizeBytes()), dataFiles);
    }

    /** The same for a file that is known to be Parquet. */
    public static Map<String, PositionBitmap> read(InputFile file, Set<String> dataFiles) throws IOException {
        var wanted = new Wanted(dataFiles);
        var input = new StorageInput(file);
        var codecs = new BoundedCodecs(new CodecFactory(CONFIGURATION, UNUSED_PAGE_SIZE));
        var options = ParquetReadOptions.builder(CONFIGURATION)
                .withUseHadoopVectoredIo(true)
                .withCodecFactory(codecs)
                .build();
        try (var reader = ParquetFileReader.open(input, options)) {
            FooterCheck.check(reader.getFooter(), file);
            codecs.limitBy(reader.getFooter());
            var columns = Columns.of(reader.getFileMetaData().getSchema(), file.location());
            reader.setRequestedSchema(columns.schema());
            String createdBy = reader.getFileMetaData().getCreatedBy();
            List<BlockMetaData> blocks = reader.getRowGroups();
            for (int i = 0; i < blocks.size(); i++) {
                FooterCheck.check(blocks.get(i), columns.schema(), columns.paths(), file);
                if (wanted.mayBeIn(blocks.get(i), columns.path())) {
                    input.check(PageSizes.of(blocks.get(i), columns.paths()));
                    try (PageReadStore pages = reader.readRowGroup(i)) {
                        read(pages, columns, createdBy, wanted, file.location());
                    }
                }
            }
        } catch (InvalidTableException e) {
            throw e;
        } catch (IOException | RuntimeException e) {
            if (input.hasFailed()) {
                throw e;
            }
            throw new InvalidTableException(
                    "Position deletes " + file.location() + " cannot be read as Parquet: " + e.getMessage() + ".", e);
        }
        return wanted.found();
    }

    private static void read(
            PageReadStore pages, Columns columns, @Nullable String createdBy, Wanted wanted, String location) {
        var store = new ColumnReadStoreImpl(pages, new NoConverter(), columns.schema(), createdBy);
        ColumnReader paths = store.getColumnReader(columns.path());
        ColumnReader positions = store.getColumnReader(columns.position());
        int pathDefined = columns.path().getMaxDefinitionLevel();
        int positionDefined = columns.position().getMaxDefinitionLevel();
        Binary path = Binary.EMPTY;
        for (long row = pages.getRowCount(); row > 0; row--) {
            if (paths.getCurrentDefinitionLevel() < pathDefined
                    || positions.getCurrentDefinitionLevel() < positionDefined) {
                throw new InvalidTableException(
                        "Position deletes " + location + " must have no nulls in file_path and pos, but have.");
            }
            Binary next = paths.getBinary();
            if (!next.equals(path)) {
                wanted.moveTo(next);
                path = next;
            }
            wanted.add(positions.getLong());
            paths.consume();
            positions.consume();
        }
        wanted.finish();
    }

    /** Collects the positions of wanted files, runs of them at once. */
    private static final class Wanted {

        private final Map<Binary, String> names = new HashMap<>();
        private final Map<String, PositionBitmap> found = new HashMap<>();
        private @Nullable PositionBitmap current;
        private long runStart;
        private long runEnd;

        Wanted(Set<String> dataFiles) {
            dataFiles.forEach(name -> names.put(Binary.fromString(name), name));
        }

        /** Whether the row group's bounds leave room for a wanted path; without bounds they do. */
        boolean mayBeIn(BlockMetaData block, ColumnDescriptor path) {
            for (ColumnChunkMetaData chunk : block.getColumns()) {
                if (chunk.getPath().equals(ColumnPath.get(path.getPath()))) {
                    Statistics<?> statistics = chunk.getStatistics();
                    if (statistics == null || !statistics.hasNonNullValue()) {
                        return true;
                    }
                    var order = chunk.getPrimitiveType().<Binary>comparator();
                    var least = Binary.fromConstantByteArray(statistics.getMinBytes());
                    var greatest = Binary.fromConstantByteArray(statistics.getMaxBytes());
                    return names.keySet().stream()
                            .anyMatch(name -> order.compare(least, name) <= 0 && order.compare(name, greatest) <= 0);
                }
            }
            return true;
        }

        void moveTo(Binary path) {
            finish();
            String name = names.get(path);
            current = name == null ? null : found.computeIfAbsent(name, key -> new PositionBitmap());
        }

        void add(long position) {
            if (current == null) {
                return;
            }
            if (position != runEnd || runStart == runEnd) {
                finish();
                runStart = position;
            }
            runEnd = position + 1;
        }

        void finish() {
            if (current != null && runEnd > runStart) {
                if (runEnd - runStart == 1) {
                    current.add(runStart);
                } else {
                    current.addRange(runStart, runEnd);
                }
            }
            runStart = 0;
            runEnd = 0;
        }

        Map<String, PositionBitmap> found() {
            return found;
        }
    }

    /** The two columns, and the file's schema reduced to them. */
    private record Columns(MessageType schema, ColumnDescriptor path, ColumnDescriptor position) {

        Set<ColumnPath> paths() {
            return Set.of(ColumnPath.get(path.getPath()), ColumnPath.get(position.getPath()));
        }

        static Columns of(MessageType file, String location) {
            boolean byId = ParquetTypes.hasFieldIds(file);
            Type path = find(file, MetadataFields.DELETE_FILE_PATH, PrimitiveTypeName.BINARY, byId, location);
            Type position = find(file, MetadataFields.DELETE_FILE_POS, PrimitiveTypeName.INT64, byId, location);
            var schema = new MessageType(file.getName(), path, position);
            return new Columns(
                    schema,
                    schema.getColumnDescription(new String[] {path.getName()}),
                    schema.getColumnDescription(new String[] {position.getName()}));
        }

        private static Type find(GroupType file, Field field, PrimitiveTypeName type, boolean byId, String location) {
            var candidates = new ArrayList<Type>();
            for (Type part : file.getFields()) {
                boolean matches = byId
                        ? part.getId() != null && part.getId().intValue() == field.id()
                        : part.getName().equals(field.name());
                if (matches
                        && part.isPrimitive()
                        && !part.isRepetition(Type.Repetition.REPEATED)
                        && part.asPrimitiveType().getPrimitiveTypeName() == type) {
                    candidates.add(part);
                }
            }
            if (candidates.size() != 1) {
                throw new InvalidTableException(
                        "Position deletes " + location + " must have one column '" + field.name()
                                + "' (field id " + field.id() + ") of Parquet type " + type + ", not "
                                + candidates.size() + ": "
                                + file);
            }
            return candidates.get(0);
        }
    }

    /** Column readers want converters; values are taken from the readers themselves. */
    private static final class NoConverter extends GroupConverter {

        @Override
        public Converter getConverter(int index) {
            return new PrimitiveConverter() {};
        }

        @Override
        public void start() {}

        @Override
        public void end() {}
    }
}
