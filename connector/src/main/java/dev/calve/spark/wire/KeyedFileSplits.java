package dev.calve.spark.wire;

import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.read.HasPartitionKey;
import org.jspecify.annotations.Nullable;

/** The files, or parts of files, one task reads, which all are of one partition. Which one stays with the driver, who asks. */
public final class KeyedFileSplits extends FileSplits implements HasPartitionKey {

    private static final long serialVersionUID = 1L;

    private final transient @Nullable InternalRow partitionKey;

    /** @param partitionKey the partition's values as Spark's rows hold them, in the order the scan reported the fields */
    public KeyedFileSplits(FileSplits files, InternalRow partitionKey) {
        super(files);
        this.partitionKey = partitionKey;
    }

    @Override
    public InternalRow partitionKey() {
        if (partitionKey == null) {
            throw new IllegalStateException("The partition of a task's files must be asked for on the driver.");
        }
        return partitionKey;
    }
}
