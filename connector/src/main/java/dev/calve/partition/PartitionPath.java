package dev.calve.partition;

import dev.calve.schema.Type;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/** The folder of a partition's files, {@code ts_hour=2017-12-01-10/data=a%2Fb}. For people: nothing parses it. */
public final class PartitionPath {

    private PartitionPath() {}

    /**
     * The path of a tuple, without a slash at either end; empty for a spec without fields. Names and values are
     * form-encoded.
     *
     * @param partitionType the spec's own, which types the tuple
     * @throws IllegalArgumentException if spec, type and tuple differ in the number of fields
     */
    public static String of(PartitionSpec spec, Type.Struct partitionType, PartitionTuple tuple) {
        int size = spec.fields().size();
        if (partitionType.fields().size() != size || tuple.size() != size) {
            throw new IllegalArgumentException("Partition tuple must have the " + size + " values of " + spec + ", not "
                    + tuple + " of type " + partitionType + ".");
        }
        var path = new StringBuilder();
        for (int i = 0; i < size; i++) {
            PartitionField field = spec.fields().get(i);
            String value = Transforms.toHuman(
                    field.transform(),
                    partitionType.fields().get(i).type(),
                    tuple.values().get(i));
            path.append(i == 0 ? "" : "/")
                    .append(encode(field.name()))
                    .append('=')
                    .append(encode(value));
        }
        return path.toString();
    }

    private static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }
}
