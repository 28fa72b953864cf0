package dev.calve.spark.wire;

import dev.calve.metadata.TableMetadata;
import dev.calve.partition.PartitionTuple;
import dev.calve.schema.Bytes;
import dev.calve.schema.Field;
import dev.calve.schema.ValueCodec;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Some partitions of one spec. */
public final class PartitionsOfSpec implements Serializable {

    private static final long serialVersionUID = 1L;

    private static final int NULL = -1;

    private final int specId;
    private final byte[] content;

    private PartitionsOfSpec(int specId, byte[] content) {
        this.specId = specId;
        this.content = content;
    }

    /**
     * Packs partitions.
     *
     * @param partitions as the table's current schema types them
     */
    public static PartitionsOfSpec of(TableMetadata table, int specId, Collection<PartitionTuple> partitions) {
        var bytes = new ByteArrayOutputStream();
        var out = new DataOutputStream(bytes);
        List<Field> fields = table.partitionType(specId).fields();
        try {
            out.writeInt(partitions.size());
            for (PartitionTuple partition : partitions) {
                for (int i = 0; i < fields.size(); i++) {
                    write(fields.get(i), partition.values().get(i), out);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new PartitionsOfSpec(specId, bytes.toByteArray());
    }

    private static void write(Field field, @Nullable Object value, DataOutputStream out) throws IOException {
        if (value == null) {
            out.writeInt(NULL);
            return;
        }
        byte[] encoded = ValueCodec.encode(field.type(), value).toArray();
        out.writeInt(encoded.length);
        out.write(encoded);
    }

    public int specId() {
        return specId;
    }

    /**
     * The partitions.
     *
     * @param table as it was packed
     */
    public Set<PartitionTuple> tuples(TableMetadata table) {
        var in = new DataInputStream(new ByteArrayInputStream(content));
        List<Field> fields = table.partitionType(specId).fields();
        var tuples = new HashSet<PartitionTuple>();
        try {
            for (int left = in.readInt(); left > 0; left--) {
                var values = new @Nullable Object[fields.size()];
                for (int i = 0; i < values.length; i++) {
                    int length = in.readInt();
                    values[i] = length == NULL
                            ? null
                            : ValueCodec.decode(fields.get(i).type(), Bytes.copyOf(in.readNBytes(length)));
                }
                tuples.add(PartitionTuple.of(values));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return tuples;
    }
}
