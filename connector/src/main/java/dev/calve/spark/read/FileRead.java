package dev.calve.spark.read;

import dev.calve.deletes.PositionBitmap;
import dev.calve.expression.Expression.Column;
import dev.calve.io.InputFile;
import dev.calve.pruning.AbsentColumn;
import dev.calve.pruning.RowGroupFilter;
import dev.calve.schema.ValueCodec;
import dev.calve.spark.convert.SparkValues;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;

/**
 * What is wanted from one data file: which rows, which columns, and where values come from that the file does not hold.
 *
 * <p>Each wanted field carries its field id as metadata {@code parquet.field.id}, also inside structs, and its values
 * come from, in this order: the constant given for its ordinal; for {@code _pos}, {@code _deleted}, {@code _row_id}
 * and {@code _last_updated_sequence_number} (known by their reserved ids) the reader itself; the file's column of that id; the
 * value given for columns the file does not have; null if the field is nullable.
 */
public final class FileRead {

    static final int DEFAULT_BATCH_ROWS = 4096;

    /** For {@link Builder#absentValue}: a struct that is not null, and whose fields have their own absent values. */
    static final Object STRUCT = InternalRow.empty();

    final InputFile file;
    final StructType columns;
    final List<Range> ranges;
    final Map<Integer, Optional<Object>> constants;
    final Map<Integer, Object> absentValues;
    final Optional<FieldNames> fieldNames;
    final RowGroupFilter rowGroups;
    final Optional<PositionBitmap> deleted;
    final Optional<RowFilter> filter;
    final boolean showDeleted;

    /** The wanted columns, then what only the filter looks at; structs hold the fields of both. */
    final StructType decoded;

    final OptionalLong firstRowId;
    final long dataSequenceNumber;
    final int batchRows;

    /** Bytes of a file, end exclusive. */
    record Range(long start, long end) {}

    private FileRead(Builder builder) {
        this.file = builder.file;
        this.columns = builder.columns;
        this.ranges = builder.ranges.isEmpty() ? List.of(new Range(0, Long.MAX_VALUE)) : List.copyOf(builder.ranges);
        this.constants = Map.copyOf(builder.constants);
        this.absentValues = Map.copyOf(builder.absentValues);
        this.fieldNames = builder.fieldNames;
        this.rowGroups = builder.rowGroups;
        this.deleted = builder.deleted;
        this.filter = builder.filter;
        this.showDeleted = builder.showDeleted;
        this.decoded =
                filter.map(rows -> MergedColumns.merge(columns, rows.columns())).orElse(columns);
        this.firstRowId = builder.firstRowId;
        this.dataSequenceNumber = builder.dataSequenceNumber;
        this.batchRows = builder.batchRows;
    }

    /** What rows have in a column that the file lacks, as far as that helps to leave them out. */
    AbsentColumn absent(Column column) {
        Object value = absentValues.get(column.fieldId());
        if (value == null) {
            return new AbsentColumn.Null();
        }
        // Zeros have two encodings, of which bounds would know one.
        if (column.type().isFloating()) {
            return new AbsentColumn.Unknown();
        }
        try {
            return SparkValues.fromSpark(column.type(), value)
                    .<AbsentColumn>map(found -> new AbsentColumn.Value(ValueCodec.encode(column.type(), found)))
                    .orElseGet(AbsentColumn.Unknown::new);
        } catch (ClassCastException | IllegalArgumentException e) {
            // A value of the type that the column had before it was promoted.
            return new AbsentColumn.Unknown();
        }
    }

    /** Asks for the columns of all rows of the file, in the order of the struct's fields. */
    public static Builder of(InputFile file, StructType columns) {
        return new Builder(file, columns);
    }

    /** Collects what differs from "these columns of all rows". */
    public static final class Builder {
        private final InputFile file;
        private final StructType columns;
        private final Map<Integer, Optional<Object>> constants = new HashMap<>();
        private final Map<Integer, Object> absentValues = new HashMap<>();
        private final List<Range> ranges = new ArrayList<>();
        private Optional<FieldNames> fieldNames = Optional.empty();
        private RowGroupFilter rowGroups = RowGroupFilter.ALL;
        private Optional<PositionBitmap> deleted = Optional.empty();
        private Optional<RowFilter> filter = Optional.empty();
        private boolean showDeleted;
        private OptionalLong firstRowId = OptionalLong.empty();
        private long dataSequenceNumber;
        private int batchRows = DEFAULT_BATCH_ROWS;

        private Builder(InputFile file, StructType columns) {
            this.file = Objects.requireNonNull(file);
            this.columns = Objects.requireNonNull(columns);
        }

        /**
         * Reads the row groups whose middle byte is in [start, end); neighbouring ranges read each row group once. May be
         * called several times; without it the whole file is read.
         */
        public Builder range(long startByte, long endByte) {
            if (startByte < 0 || endByte < startByte) {
                throw new IllegalArgumentException(
                        "A byte range must be [start, end) with 0 <= start <= end, not [%d, %d)"
                                .formatted(startByte, endByte));
            }
            ranges.add(new Range(startByte, endByte));
            return this;
        }

        /**
         * Gives a column the same value in every row, whatever the file holds.
         *
         * @param ordinal of the wanted column
         * @param sparkValue as Spark's internal rows hold it ({@code UTF8String}, {@code Decimal}, {@code InternalRow}, …)
         */
        public Builder constant(int ordinal, @Nullable Object sparkValue) {
            Objects.checkIndex(ordinal, columns.size());
            constants.put(ordinal, Optional.ofNullable(sparkValue));
            return this;
        }

        /**
         * Gives a field the value it has in files that do not hold it: its initial default, or an identity partition
         * value of a file that was not written with the column.
         *
         * @param sparkValue as Spark's internal rows hold it; {@link FileRead#STRUCT} for any struct
         */
        public Builder absentValue(int fieldId, Object sparkValue) {
            absentValues.put(fieldId, Objects.requireNonNull(sparkValue));
            return this;
        }

        /** Makes a field null in files that do not hold it, whatever was said before: its identity partition value is. */
        public Builder absentNull(int fieldId) {
            absentValues.remove(fieldId);
            return this;
        }

        /** Names the columns of a file that carries no field ids; without it such a file is refused. */
        public Builder fieldNames(FieldNames names) {
            fieldNames = Optional.of(names);
            return this;
        }

        /** Leaves out rows that the filter rules out: row groups, and pages of them. */
        public Builder rowGroups(RowGroupFilter filter) {
            rowGroups = Objects.requireNonNull(filter);
            return this;
        }

        /** Leaves out the rows at these positions of the file. Read while the reader is used; must not change. */
        public Builder deleted(PositionBitmap positions) {
            deleted = Optional.of(positions);
            return this;
        }

        /** Leaves out rows by their values, in addition to those at deleted positions. */
        public Builder filter(RowFilter rows) {
            filter = Optional.of(rows);
            return this;
        }

        /**
         * Shows the rows, too, that would be left out by position or by the filter; {@code _deleted} is true in them. Without
         * it that column is false in every row.
         */
        public Builder showDeleted() {
            showDeleted = true;
            return this;
        }

        /**
         * Gives the file's row lineage, from its manifest entry. Without it {@code _row_id} and
         * {@code _last_updated_sequence_number} are null. Spec: Row Lineage.
         */
        public Builder lineage(long firstRowIdOfFile, long dataSequenceNumberOfFile) {
            firstRowId = OptionalLong.of(firstRowIdOfFile);
            dataSequenceNumber = dataSequenceNumberOfFile;
            return this;
        }

        /** Sets the most rows a batch holds. */
        public Builder batchRows(int rows) {
            if (rows <= 0) {
                throw new IllegalArgumentException("A batch must hold at least 1 row, not " + rows);
            }
            batchRows = rows;
            return this;
        }

        public FileRead build() {
            return new FileRead(this);
        }
    }
}
