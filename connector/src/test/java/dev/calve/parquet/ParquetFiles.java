package dev.calve.parquet;

import dev.calve.io.MemoryStorage;
import dev.calve.manifest.DataFile;
import dev.calve.metadata.TableProperties;
import dev.calve.partition.PartitionTuple;
import dev.calve.schema.Field;
import dev.calve.schema.Schema;
import dev.calve.schema.Type;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.parquet.ParquetReadOptions;
import org.apache.parquet.example.data.Group;
import org.apache.parquet.example.data.simple.convert.GroupRecordConverter;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.metadata.ParquetMetadata;
import org.apache.parquet.io.ColumnIOFactory;
import org.jspecify.annotations.Nullable;

/** Files in memory, written by this package and read by parquet-java's own record reader. */
final class ParquetFiles {

    static final Placement UNPARTITIONED = Placement.of(0, PartitionTuple.EMPTY);

    final MemoryStorage storage = new MemoryStorage();

    static WriteSettings settings(String... namesAndValues) {
        var properties = new java.util.HashMap<String, String>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            properties.put(namesAndValues[i], namesAndValues[i + 1]);
        }
        return WriteSettings.forData(TableProperties.of(properties, "db.t"));
    }

    static Schema schema(Field... fields) {
        return new Schema(0, List.of(fields));
    }

    /** One optional column with id 1. */
    static Schema column(Type type) {
        return schema(Field.optional(1, "c", type));
    }

    DataFile write(String location, Schema schema, WriteSettings settings, List<? extends List<?>> rows)
            throws IOException {
        var layout = FileLayout.of(schema, settings);
        var writer = DataFileWriter.create(storage, location, layout, new ListRowReader(), UNPARTITIONED);
        for (List<?> row : rows) {
            writer.write(row);
        }
        return writer.close();
    }

    /** Writes rows of a single column. */
    DataFile writeColumn(Type type, @Nullable Object... values) throws IOException {
        return writeColumn(type, settings(), values);
    }

    DataFile writeColumn(Type type, WriteSettings settings, @Nullable Object... values) throws IOException {
        var rows = Arrays.stream(values).map(Arrays::asList).toList();
        return write("f" + storage.locations().size(), column(type), settings, rows);
    }

    ParquetMetadata footer(String location) throws IOException {
        try (var reader = open(location)) {
            return reader.getFooter();
        }
    }

    List<Group> rows(String location) throws IOException {
        var rows = new ArrayList<Group>();
        try (var reader = open(location)) {
            var schema = reader.getFileMetaData().getSchema();
            for (var pages = reader.readNextRowGroup(); pages != null; pages = reader.readNextRowGroup()) {
                var records = new ColumnIOFactory()
                        .getColumnIO(schema)
                        .getRecordReader(pages, new GroupRecordConverter(schema));
                for (long i = pages.getRowCount(); i > 0; i--) {
                    rows.add(records.read());
                }
            }
        }
        return rows;
    }

    private ParquetFileReader open(String location) throws IOException {
        return ParquetFileReader.open(
                new StorageInput(storage.input(location)),
                ParquetReadOptions.builder().build());
    }
}
