package dev.calve.spark.wire;

import org.apache.spark.sql.connector.read.InputPartition;

/** What one task shows of a metadata table, in the form that {@code spark.inspect} gives it. */
public final class MetadataPart implements InputPartition {

    private static final long serialVersionUID = 1L;

    private final byte[] content;

    private MetadataPart(byte[] content) {
        this.content = content;
    }

    /** Takes the content without copying it. */
    public static MetadataPart of(byte[] content) {
        return new MetadataPart(content);
    }

    /** The content itself, not a copy. */
    public byte[] content() {
        return content;
    }
}
