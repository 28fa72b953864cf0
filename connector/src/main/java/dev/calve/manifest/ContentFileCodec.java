package dev.calve.manifest;

import dev.calve.io.InvalidTableException;
import dev.calve.schema.Type;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.EncoderFactory;

/**
 * A data or delete file as bytes, for messages between processes of one version of this project; not a storage format.
 * Safe for use by several threads.
 *
 * <pre>
 * spec id                 Avro int
 * data sequence number    Avro long, one more than the number; 0 for none
 * data_file               Avro record of format version 3
 * </pre>
 */
public final class ContentFileCodec {

    private final Type.Struct partitionType;
    private final RecordWriter<ContentFile> writer;
    private final ContentFileReader reader;

    /**
     * What was encoded.
     *
     * @param file as it was encoded
     * @param dataSequenceNumber the one given to be kept with the file, if any
     */
    public record Decoded(ContentFile file, OptionalLong dataSequenceNumber) {}

    /**
     * Makes a codec for one partition type.
     *
     * @param partitionType of the spec of all files that are encoded or decoded
     */
    public ContentFileCodec(Type.Struct partitionType) {
        this.partitionType = partitionType;
        writer = ManifestSchemas.dataFile(3, partitionType);
        reader = new ContentFileReader(writer.schema(), partitionType, tuple -> true, Optional.empty(), false, false);
    }

    public byte[] encode(ContentFile file) {
        return encode(file, OptionalLong.empty());
    }

    public byte[] encode(ContentFile file, OptionalLong dataSequenceNumber) {
        if (file.partition().size() != partitionType.fields().size()) {
            throw new IllegalArgumentException("Partition of '" + file.path() + "' must have the fields of "
                    + partitionType + ", not be " + file.partition() + ".");
        }
        var bytes = new ByteArrayOutputStream();
        BinaryEncoder out = EncoderFactory.get().binaryEncoder(bytes, null);
        try {
            out.writeInt(file.specId());
            out.writeLong(dataSequenceNumber.isPresent() ? dataSequenceNumber.getAsLong() + 1 : 0);
            writer.write(file, out);
            out.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    /**
     * Reads what {@link #encode} made.
     *
     * @throws InvalidTableException if the bytes are not what {@link #encode} made with the same partition type
     */
    public Decoded decode(byte[] bytes) {
        var in = BlockDecoder.of(bytes);
        try {
            int specId = in.readInt();
            long sequenceNumber = in.readLong();
            ContentFileReader.Draft draft = reader.read(in);
            if (!in.isEnd()) {
                throw new InvalidTableException("Bytes of a content file must end with it.");
            }
            return new Decoded(
                    draft.build(specId, draft.firstRowId()),
                    sequenceNumber == 0 ? OptionalLong.empty() : OptionalLong.of(sequenceNumber - 1));
        } catch (IOException e) {
            throw new InvalidTableException("Bytes of a content file must be whole, but are not: " + e, e);
        }
    }
}
