package dev.calve.spark.inspect;

import dev.calve.spark.wire.MetadataPart;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Objects;
import java.util.OptionalLong;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.connector.read.Batch;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.connector.read.ScanBuilder;
import org.apache.spark.sql.connector.read.Statistics;
import org.apache.spark.sql.connector.read.SupportsPushDownRequiredColumns;
import org.apache.spark.sql.connector.read.SupportsReportStatistics;
import org.apache.spark.sql.types.StructType;

/**
 * A scan of a metadata table. Two are equal if they show the same columns of equal tables, so that Spark reuses exchanges and
 * caches. Spark checks all filters.
 */
final class MetadataScan implements Scan, Batch, SupportsReportStatistics {

    private final MetadataTable table;
    private final Contents contents;
    private final StructType columns;

    private MetadataScan(MetadataTable table, Contents contents, StructType columns) {
        this.table = table;
        this.contents = contents;
        this.columns = columns;
    }

    /** Takes the columns a query wants. */
    static final class Builder implements ScanBuilder, SupportsPushDownRequiredColumns {

        private final MetadataTable table;
        private final Contents contents;
        private StructType columns;

        Builder(MetadataTable table, Contents contents) {
            this.table = table;
            this.contents = contents;
            this.columns = contents.columns().type();
        }

        @Override
        public void pruneColumns(StructType wanted) {
            columns = contents.columns().select(wanted).type();
        }

        @Override
        public Scan build() {
            return new MetadataScan(table, contents, columns);
        }
    }

    @Override
    public StructType readSchema() {
        return columns;
    }

    @Override
    public Batch toBatch() {
        return this;
    }

    @Override
    public ColumnarSupportMode columnarSupportMode() {
        return ColumnarSupportMode.UNSUPPORTED;
    }

    @Override
    public InputPartition[] planInputPartitions() {
        try {
            int parallelism = SparkSession.active().sparkContext().defaultParallelism();
            return contents.parts(columns, parallelism).stream()
                    .map(MetadataPart::of)
                    .toArray(InputPartition[]::new);
        } catch (IOException e) {
            throw unreadable(e);
        }
    }

    @Override
    public PartitionReaderFactory createReaderFactory() {
        try {
            return new MetadataReaders(
                    table.forExecutors(),
                    table.shown().name(),
                    columns.json(),
                    contents.deletes(columns).toBytes());
        } catch (IOException e) {
            throw unreadable(e);
        }
    }

    private UncheckedIOException unreadable(IOException e) {
        return new UncheckedIOException("Cannot read " + table.name() + ": " + e.getMessage(), e);
    }

    @Override
    public Statistics estimateStatistics() {
        long rows;
        try {
            rows = contents.estimatedRows();
        } catch (IOException e) {
            throw unreadable(e);
        }
        return new Statistics() {
            @Override
            public OptionalLong sizeInBytes() {
                return OptionalLong.of(Math.max(1, rows * columns.defaultSize()));
            }

            @Override
            public OptionalLong numRows() {
                return OptionalLong.of(rows);
            }
        };
    }

    @Override
    public String description() {
        return "Calve scan of " + table;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof MetadataScan scan && table.equals(scan.table) && columns.equals(scan.columns);
    }

    @Override
    public int hashCode() {
        return Objects.hash(table, columns);
    }
}
