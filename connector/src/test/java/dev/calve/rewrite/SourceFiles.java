package dev.calve.rewrite;

import dev.calve.Randomly;
import dev.calve.deletes.PositionBitmap;
import dev.calve.expression.Metrics;
import dev.calve.io.MemoryStorage;
import dev.calve.manifest.ContentFile;
import dev.calve.manifest.DataFile;
import dev.calve.manifest.FileFormat;
import dev.calve.manifest.ManifestEntry;
import dev.calve.parquet.ParquetTypes;
import dev.calve.parquet.StorageInput;
import dev.calve.parquet.StorageOutput;
import dev.calve.partition.PartitionTuple;
import dev.calve.schema.Schema;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.UnaryOperator;
import org.apache.hadoop.conf.Configuration;
import org.apache.parquet.ParquetReadOptions;
import org.apache.parquet.conf.HadoopParquetConfiguration;
import org.apache.parquet.example.data.Group;
import org.apache.parquet.example.data.simple.SimpleGroup;
import org.apache.parquet.example.data.simple.convert.GroupRecordConverter;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.example.ExampleParquetWriter;
import org.apache.parquet.io.ColumnIOFactory;
import org.apache.parquet.io.api.Binary;
import org.apache.parquet.schema.GroupType;
import org.apache.parquet.schema.LogicalTypeAnnotation;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.PrimitiveType;
import org.apache.parquet.schema.Type.Repetition;

/** Files in memory that parquet-java's own writer makes of random rows, and its own reader reads. */
final class SourceFiles {

    /** Without the files that Hadoop looks for, which takes longer than all else. */
    static final Configuration CONFIGURATION = new Configuration(false);

    final MemoryStorage storage = new MemoryStorage();

    /** Rows as values that are equal if all bits are. */
    record Content(DataFile file, List<List<Object>> rows) {
        Source without(long... gone) {
            return without(PositionBitmap.of(gone));
        }

        Source without(PositionBitmap gone) {
            return new Source(new ManifestEntry<>(ManifestEntry.Status.ADDED, 1, 7, 7, file), gone);
        }

        Content withFirstRowId(long first) {
            return new Content(file.withFirstRowId(OptionalLong.of(first)), rows);
        }
    }

    /** Writes rows, with a row group limit of 10 rows unless told otherwise. */
    Content write(
            String location, Schema schema, List<Group> rows, UnaryOperator<ExampleParquetWriter.Builder> settings)
            throws IOException {
        try (var writer = settings.apply(ExampleParquetWriter.builder(new StorageOutput(storage.create(location)))
                        .withConf(CONFIGURATION)
                        .withType(ParquetTypes.messageType(schema))
                        .withRowGroupRowCountLimit(10))
                .build()) {
            for (Group row : rows) {
                writer.write(row);
            }
        }
        return new Content(
                dataFile(location, Metrics.ofCount(rows.size())),
                rows.stream().map(SourceFiles::bits).toList());
    }

    DataFile dataFile(String location, Metrics metrics) {
        return new DataFile(
                new ContentFile.Common(
                        location,
                        FileFormat.PARQUET,
                        0,
                        PartitionTuple.EMPTY,
                        metrics,
                        storage.bytes(location).length,
                        List.of(),
                        OptionalInt.empty(),
                        Optional.empty()),
                OptionalLong.empty());
    }

    List<List<Object>> read(String location) throws IOException {
        var rows = new ArrayList<List<Object>>();
        try (var reader = open(location)) {
            var schema = reader.getFileMetaData().getSchema();
            for (var pages = reader.readNextRowGroup(); pages != null; pages = reader.readNextRowGroup()) {
                var records = new ColumnIOFactory()
                        .getColumnIO(schema)
                        .getRecordReader(pages, new GroupRecordConverter(schema));
                for (long i = pages.getRowCount(); i > 0; i--) {
                    rows.add(bits(records.read()));
                }
            }
        }
        return rows;
    }

    ParquetFileReader open(String location) throws IOException {
        return ParquetFileReader.open(
                new StorageInput(storage.input(location)),
                ParquetReadOptions.builder(new HadoopParquetConfiguration(CONFIGURATION))
                        .usePageChecksumVerification()
                        .build());
    }

    /** Random rows of a schema; some columns have few values. */
    static List<Group> rows(Schema schema, int count, Randomly random) {
        MessageType type = ParquetTypes.messageType(schema);
        boolean[] few = new boolean[type.getFieldCount()];
        for (int i = 0; i < few.length; i++) {
            few[i] = random.yes();
        }
        var rows = new ArrayList<Group>();
        for (int row = 0; row < count; row++) {
            var group = new SimpleGroup(type);
            for (int i = 0; i < type.getFieldCount(); i++) {
                fill(group, i, few[i], random);
            }
            rows.add(group);
        }
        return rows;
    }

    private static void fill(Group group, int index, boolean few, Randomly random) {
        var part = group.getType().getType(index);
        int count = switch (part.getRepetition()) {
            case REQUIRED -> 1;
            case OPTIONAL -> random.percent(75) ? 1 : 0;
            case REPEATED -> random.intBelow(4);
        };
        for (int i = 0; i < count; i++) {
            if (!part.isPrimitive()) {
                Group inner = group.addGroup(index);
                for (int j = 0; j < part.asGroupType().getFieldCount(); j++) {
                    fill(inner, j, few, random);
                }
            } else {
                addValue(group, index, part.asPrimitiveType(), few, random);
            }
        }
    }

    private static void addValue(Group group, int index, PrimitiveType type, boolean few, Randomly random) {
        int choice = random.intBelow(few ? 3 : 1_000);
        switch (type.getPrimitiveTypeName()) {
            case BOOLEAN -> group.add(index, random.yes());
            case INT32 -> group.add(index, few ? choice : choice - 500);
            case INT64 -> group.add(index, few ? choice : random.longBelow(1L << 40));
            case FLOAT ->
                group.add(index, random.oneOf(0f, -0f, Float.NaN, Float.POSITIVE_INFINITY, 1.5f, choice / 7f));
            case DOUBLE -> group.add(index, random.oneOf(0.0, -0.0, Double.NaN, -1e300, choice / 7.0));
            case BINARY -> group.add(index, bytes(type, choice, few, random));
            case FIXED_LEN_BYTE_ARRAY -> {
                var bytes = new byte[type.getTypeLength()];
                bytes[bytes.length - 1] = (byte) choice;
                group.add(index, Binary.fromConstantByteArray(bytes));
            }
            case INT96 -> throw new IllegalStateException("Never written.");
        }
    }

    private static Binary bytes(PrimitiveType type, int choice, boolean few, Randomly random) {
        if (type.getLogicalTypeAnnotation() instanceof LogicalTypeAnnotation.StringLogicalTypeAnnotation) {
            return Binary.fromString(few ? "value " + choice : random.string(40));
        }
        return Binary.fromConstantByteArray(random.bytes(few ? 2 : random.intBelow(30)));
    }

    /** The values of a group by field: primitive ones as all their bits, repeated ones as lists, nulls as empty lists. */
    static List<Object> bits(Group group) {
        GroupType type = group.getType();
        var fields = new ArrayList<>();
        for (int i = 0; i < type.getFieldCount(); i++) {
            var values = new ArrayList<>();
            for (int j = 0; j < group.getFieldRepetitionCount(i); j++) {
                values.add(
                        type.getType(i).isPrimitive()
                                ? bits(group, i, j, type.getType(i).asPrimitiveType())
                                : bits(group.getGroup(i, j)));
            }
            boolean isSingle = type.getType(i).getRepetition() == Repetition.REQUIRED;
            fields.add(isSingle ? values.get(0) : values);
        }
        return fields;
    }

    private static Object bits(Group group, int field, int index, PrimitiveType type) {
        return switch (type.getPrimitiveTypeName()) {
            case BOOLEAN -> group.getBoolean(field, index);
            case INT32 -> group.getInteger(field, index);
            case INT64 -> group.getLong(field, index);
            case FLOAT -> "float bits " + Float.floatToRawIntBits(group.getFloat(field, index));
            case DOUBLE -> "double bits " + Double.doubleToRawLongBits(group.getDouble(field, index));
            case BINARY, FIXED_LEN_BYTE_ARRAY, INT96 ->
                HexFormat.of().formatHex(group.getBinary(field, index).getBytes());
        };
    }
}
