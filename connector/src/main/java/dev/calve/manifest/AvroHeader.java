package dev.calve.manifest;

import dev.calve.io.InvalidTableException;
import dev.calve.schema.Bytes;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.apache.avro.Schema;
import org.apache.avro.file.DataFileConstants;
import org.apache.avro.file.DataFileStream;
import org.apache.avro.generic.GenericDatumReader;

/**
 * The header of an Avro file. Spec of Avro: Object Container Files.
 *
 * @param metadata by key, as text
 * @param schema of the records
 * @param marker ends every block
 * @param length in bytes, the marker included
 */
record AvroHeader(Map<String, String> metadata, Schema schema, Bytes marker, int length) {

    /** All manifests of a table have the same few schemas, and parsing one takes longer than reading a small manifest. */
    private static final Recent<String, Schema> SCHEMAS = new Recent<>(64);

    AvroHeader {
        metadata = Map.copyOf(metadata);
    }

    /**
     * Reads the header at the start of a file.
     *
     * @throws InvalidTableException if it is no header
     * @throws java.io.EOFException if there is more of it than these bytes
     */
    static AvroHeader read(byte[] start) throws IOException {
        var in = BlockDecoder.of(start);
        var magic = new byte[DataFileConstants.MAGIC.length];
        in.readFixed(magic, 0, magic.length);
        if (!Arrays.equals(magic, DataFileConstants.MAGIC)) {
            throw new InvalidTableException("An Avro file must begin with 'Obj' and 1, not with " + Bytes.wrap(magic));
        }
        var metadata = new HashMap<String, String>();
        for (long entries = in.readMapStart(); entries > 0; entries = in.mapNext()) {
            for (long i = 0; i < entries; i++) {
                metadata.put(in.readString(), new String(in.readBytes(), StandardCharsets.UTF_8));
            }
        }
        var marker = new byte[AvroBlocks.SYNC_BYTES];
        in.readFixed(marker, 0, marker.length);
        int length = in.position();
        String schema = metadata.get(DataFileConstants.SCHEMA);
        if (schema == null) {
            throw new InvalidTableException("Avro metadata must have key '" + DataFileConstants.SCHEMA + "'.");
        }
        return new AvroHeader(metadata, SCHEMAS.get(schema, text -> parsed(start, length)), Bytes.wrap(marker), length);
    }

    /** Avro's stream knows which names it has to tolerate in files of others. */
    private static Schema parsed(byte[] start, int length) {
        try (var stream =
                new DataFileStream<>(new ByteArrayInputStream(start, 0, length), new GenericDatumReader<>())) {
            return stream.getSchema();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
