package dev.calve.spark.read;

import java.util.Arrays;
import org.apache.parquet.column.page.PageReadStore;
import org.apache.parquet.io.ColumnIOFactory;
import org.apache.parquet.io.MessageColumnIO;
import org.apache.parquet.io.RecordReader;
import org.apache.parquet.io.api.Converter;
import org.apache.parquet.io.api.GroupConverter;
import org.apache.parquet.io.api.RecordMaterializer;
import org.apache.parquet.schema.MessageType;
import org.apache.spark.sql.execution.vectorized.WritableColumnVector;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.types.VariantType;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import org.jspecify.annotations.Nullable;

/**
 * Decodes with parquet-java, record by record, what Spark's vectorized decoder refuses: it knows every encoding. Fills the
 * vectors of Spark's decoder, so that nothing above notices. Slow; used for files that need it.
 */
final class RowDecoder {

    private final WritableColumnVector[] vectors;
    private final VectorWriters.Target[] targets;
    private final MessageColumnIO columns;
    private final Assembly assembly = new Assembly();
    private @Nullable RecordReader<RowDecoder> records;
    private long next;

    /**
     * Takes over from Spark's decoder, which must not be used any more.
     *
     * @param batch the batch of Spark's decoder for these columns
     */
    RowDecoder(MessageType schema, ColumnarBatch batch, @Nullable String createdBy) {
        this.vectors = new WritableColumnVector[batch.numCols()];
        Arrays.setAll(vectors, i -> (WritableColumnVector) batch.column(i));
        this.targets = new VectorWriters.Target[vectors.length];
        Arrays.setAll(targets, i -> VectorWriters.of(schema.getType(i), vectors[i]));
        this.columns = new ColumnIOFactory(createdBy).getColumnIO(schema, schema);
        for (var vector : vectors) {
            forgetDictionaries(vector);
        }
    }

    private static void forgetDictionaries(WritableColumnVector vector) {
        vector.setDictionary(null);
        for (int i = 0; i < children(vector.dataType()); i++) {
            forgetDictionaries(vector.getChild(i));
        }
    }

    private static int children(DataType type) {
        if (type instanceof StructType struct) {
            return struct.size();
        }
        if (type instanceof ArrayType) {
            return 1;
        }
        return type instanceof MapType || type instanceof VariantType ? 2 : 0;
    }

    /** Goes on to a row group; its pages hold all of its rows. */
    void startRowGroup(PageReadStore pages) {
        records = columns.getRecordReader(pages, assembly);
        next = 0;
    }

    /**
     * Decodes consecutive rows.
     *
     * @param first number, within the row group, of the first of them; those before that were not decoded are passed over
     */
    void decode(long first, int rows) {
        for (; next < first; next++) {
            clear();
            read(0);
        }
        clear();
        for (int i = 0; i < rows; i++) {
            read(i);
        }
        next += rows;
    }

    private void clear() {
        for (int i = 0; i < vectors.length; i++) {
            vectors[i].reset();
            targets[i].clear();
        }
    }

    private void read(int row) {
        if (records == null) {
            throw new IllegalStateException("No row group was started");
        }
        for (var target : targets) {
            target.begin(row);
        }
        records.read();
    }

    /** Values go into the vectors as they come; there is no record. */
    private final class Assembly extends RecordMaterializer<RowDecoder> {
        private final GroupConverter root = new GroupConverter() {
            @Override
            public Converter getConverter(int field) {
                return targets[field].converter();
            }

            @Override
            public void start() {}

            @Override
            public void end() {}
        };

        @Override
        public RowDecoder getCurrentRecord() {
            return RowDecoder.this;
        }

        @Override
        public GroupConverter getRootConverter() {
            return root;
        }
    }
}
