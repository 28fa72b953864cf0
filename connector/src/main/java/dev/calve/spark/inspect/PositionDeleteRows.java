package dev.calve.spark.inspect;

import dev.calve.deletes.PositionBitmap;
import dev.calve.deletes.VectorFile;
import dev.calve.io.Storage;
import dev.calve.manifest.ContentFile;
import dev.calve.manifest.DeleteFile;
import dev.calve.manifest.FileFormat;
import dev.calve.manifest.Selection;
import dev.calve.metadata.TableMetadata;
import dev.calve.schema.Field;
import dev.calve.schema.MetadataFields;
import dev.calve.schema.Schema;
import dev.calve.spark.convert.SparkTypes;
import dev.calve.spark.convert.SparkValues;
import dev.calve.spark.read.ColumnarFileReader;
import dev.calve.spark.read.FileRead;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;

/**
 * The rows of {@code position_deletes} that the delete files of some manifests hold: one for each position as it is written,
 * also of data files that are gone.
 */
final class PositionDeleteRows implements PartitionReader<InternalRow> {

    private static final String ROW = "row";

    private final Storage storage;
    private final Schema schema;
    private final ManifestPart part;
    private final Entries entries;
    private final Columns<DeletedPosition> columns;
    private final StructType stored;
    private int met;
    private DeletedPosition.@Nullable Source positions;
    private @Nullable DeleteFile file;

    PositionDeleteRows(Storage storage, TableMetadata table, ManifestPart part, Columns<DeletedPosition> columns) {
        this.storage = storage;
        this.schema = table.schema();
        this.part = part;
        this.columns = columns;
        this.stored = stored(table.schema(), columns.hasAny(List.of(ROW)));
        var selection = Selection.live()
                .typedAs(FileColumns.partitionsOf(table).struct())
                .withStatisticsOf(Set.of())
                .toldAsWritten();
        this.entries = new Entries(storage, part.manifests(), selection);
    }

    static Columns<DeletedPosition> columns(TableMetadata table) {
        Columns<DeletedPosition> columns = Columns.of(
                        Column.<DeletedPosition>required("file_path", DataTypes.StringType, DeletedPosition::path),
                        Column.<DeletedPosition>required("pos", DataTypes.LongType, DeletedPosition::position),
                        Column.<DeletedPosition>optional(
                                ROW, rowField(table.schema()).dataType(), DeletedPosition::row))
                .and(FileColumns.partition(
                        FileColumns.partitionsOf(table),
                        (DeletedPosition deleted) -> deleted.file().partition()))
                .and(List.of(
                        Column.required(
                                "spec_id",
                                DataTypes.IntegerType,
                                deleted -> deleted.file().specId()),
                        Column.required(
                                "delete_file_path",
                                DataTypes.StringType,
                                deleted -> Cells.text(deleted.file().path()))));
        if (table.formatVersion() < 3) {
            return columns;
        }
        return columns.and(List.of(
                Column.optional(
                        "content_offset",
                        DataTypes.LongType,
                        deleted -> deleted.file() instanceof DeleteFile.DeletionVector vector
                                ? vector.contentOffset()
                                : null),
                Column.optional(
                        "content_size_in_bytes",
                        DataTypes.LongType,
                        deleted -> deleted.file() instanceof DeleteFile.DeletionVector vector
                                ? vector.contentSizeBytes()
                                : null)));
    }

    private static StructField rowField(Schema schema) {
        return SparkTypes.toSpark(Field.optional(MetadataFields.DELETE_FILE_ROW_ID, ROW, schema.struct()));
    }

    private static StructType stored(Schema schema, boolean withRow) {
        StructType positions = new StructType()
                .add(SparkTypes.toSpark(MetadataFields.DELETE_FILE_PATH))
                .add(SparkTypes.toSpark(MetadataFields.DELETE_FILE_POS));
        return withRow ? positions.add(rowField(schema)) : positions;
    }

    @Override
    public boolean next() throws IOException {
        while (positions == null || !positions.next()) {
            close(positions);
            positions = null;
            Optional<DeleteFile> nextFile = nextFile();
            if (nextFile.isEmpty()) {
                return false;
            }
            file = nextFile.get();
            positions = open(nextFile.get());
        }
        return true;
    }

    private Optional<DeleteFile> nextFile() throws IOException {
        for (var next = entries.next(); next.isPresent(); next = entries.next()) {
            ContentFile found = next.get().file();
            if (found instanceof DeleteFile deletes
                    && !(deletes instanceof DeleteFile.EqualityDeletes)
                    && met++ % part.slices() == part.slice()) {
                return Optional.of(deletes);
            }
        }
        return Optional.empty();
    }

    private DeletedPosition.Source open(DeleteFile deletes) throws IOException {
        if (deletes instanceof DeleteFile.DeletionVector vector) {
            PositionBitmap bitmap = VectorFile.read(
                    storage.input(vector.path(), vector.fileSizeBytes()),
                    vector.contentOffset(),
                    vector.contentSizeBytes(),
                    vector.recordCount());
            return DeletedPosition.inVector(vector, bitmap.cursor());
        }
        if (deletes.format() != FileFormat.PARQUET) {
            throw new UnsupportedOperationException("Cannot read position deletes " + deletes.path() + ": format "
                    + deletes.format() + " is not supported, only PARQUET. Table delete_files shows the file itself.");
        }
        FileRead.Builder read = FileRead.of(storage.input(deletes.path(), deletes.fileSizeBytes()), stored)
                .fieldNames(this::fieldId);
        for (Field field : schema.allFields()) {
            field.initialDefault()
                    .filter(value -> field.type().isPrimitive())
                    .ifPresent(value -> read.absentValue(field.id(), SparkValues.toSpark(field.type(), value)));
        }
        return DeletedPosition.inFile(deletes, ColumnarFileReader.open(read.build()));
    }

    /** Ids of columns of a file that carries none. */
    private OptionalInt fieldId(List<String> path) {
        String name = path.get(0);
        if (path.size() > 1) {
            return name.equals(ROW)
                    ? schema.field(String.join(".", path.subList(1, path.size())))
                            .map(field -> OptionalInt.of(field.id()))
                            .orElse(OptionalInt.empty())
                    : OptionalInt.empty();
        }
        if (name.equals(MetadataFields.DELETE_FILE_PATH.name())) {
            return OptionalInt.of(MetadataFields.DELETE_FILE_PATH.id());
        }
        if (name.equals(MetadataFields.DELETE_FILE_POS.name())) {
            return OptionalInt.of(MetadataFields.DELETE_FILE_POS.id());
        }
        return name.equals(ROW) ? OptionalInt.of(MetadataFields.DELETE_FILE_ROW_ID) : OptionalInt.empty();
    }

    @Override
    public InternalRow get() {
        if (positions == null || file == null) {
            throw new IllegalStateException("get must follow a call of next that returned true.");
        }
        return columns.row(positions.get());
    }

    @Override
    public void close() throws IOException {
        close(positions);
        positions = null;
        entries.close();
    }

    private static void close(DeletedPosition.@Nullable Source positions) throws IOException {
        if (positions != null) {
            positions.close();
        }
    }
}
