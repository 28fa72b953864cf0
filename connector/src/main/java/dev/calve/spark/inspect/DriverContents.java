package dev.calve.spark.inspect;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.StructType;

/**
 * Rows that the driver makes.
 *
 * @param rows makes their sources when the query runs
 */
record DriverContents<S>(Columns<S> columns, Rows<S> rows, Estimate estimate) implements Contents {

    private static final int ROWS_PER_PART = 10_000;

    /** What rows are made of, given the columns that are wanted. */
    interface Rows<S> {
        List<S> of(Columns<S> wanted) throws IOException;
    }

    /** About how many rows there are. */
    interface Estimate {
        long rows() throws IOException;
    }

    static <S> DriverContents<S> of(Columns<S> columns, List<S> rows) {
        return new DriverContents<>(columns, wanted -> rows, rows::size);
    }

    @Override
    public List<byte[]> parts(StructType wanted, int parallelism) throws IOException {
        Columns<S> selected = columns.select(wanted);
        List<S> sources = rows.of(selected);
        var parts = new ArrayList<byte[]>();
        for (int from = 0; from < sources.size(); from += ROWS_PER_PART) {
            List<InternalRow> some = sources.subList(from, Math.min(from + ROWS_PER_PART, sources.size())).stream()
                    .map(selected::row)
                    .toList();
            parts.add(RowPart.toBytes(selected.type(), some));
        }
        return parts;
    }

    @Override
    public long estimatedRows() throws IOException {
        return estimate.rows();
    }
}
