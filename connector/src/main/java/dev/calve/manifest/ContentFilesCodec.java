package dev.calve.manifest;

import dev.calve.schema.Type;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.function.IntFunction;

/**
 * Carries files of any partition spec between driver and executors that run the same version of this class; not a storage
 * format. Not for several threads.
 */
public final class ContentFilesCodec {

    private final IntFunction<Type.Struct> partitionTypes;
    private final Map<Integer, ContentFileCodec> codecs = new HashMap<>();

    /** @param partitionTypes partition type of a spec id */
    public ContentFilesCodec(IntFunction<Type.Struct> partitionTypes) {
        this.partitionTypes = partitionTypes;
    }

    public void write(ContentFile file, DataOutputStream out) throws IOException {
        byte[] bytes = codec(file.specId()).encode(file);
        out.writeInt(file.specId());
        out.writeInt(bytes.length);
        out.write(bytes);
    }

    public ContentFile read(DataInputStream in) throws IOException {
        int specId = in.readInt();
        return codec(specId).decode(in.readNBytes(in.readInt())).file();
    }

    private ContentFileCodec codec(int specId) {
        return codecs.computeIfAbsent(specId, id -> new ContentFileCodec(partitionTypes.apply(id)));
    }
}
