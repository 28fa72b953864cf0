package dev.calve.spark.inspect;

import dev.calve.io.InvalidTableException;
import dev.calve.manifest.ManifestFile;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Manifests that one task reads, or of each of them every so many-th entry. What a reader does not need of a manifest, its
 * counts and summaries, stays behind.
 *
 * @param slice entries {@code slice}, {@code slice + slices}, … are read
 */
record ManifestPart(List<ManifestFile> manifests, int slice, int slices) {

    ManifestPart {
        manifests = List.copyOf(manifests);
    }

    static ManifestPart whole(List<ManifestFile> manifests) {
        return new ManifestPart(manifests, 0, 1);
    }

    byte[] toBytes() {
        var bytes = new ByteArrayOutputStream();
        var out = new DataOutputStream(bytes);
        try {
            out.writeInt(slice);
            out.writeInt(slices);
            out.writeInt(manifests.size());
            for (ManifestFile manifest : manifests) {
                if (manifest.keyMetadata().filter(key -> key.length() > 0).isPresent()) {
                    throw new InvalidTableException(
                            "Manifest '" + manifest.path() + "' is encrypted, which is not supported.");
                }
                out.writeUTF(manifest.path());
                out.writeLong(manifest.length());
                out.writeInt(manifest.specId());
                out.writeUTF(manifest.content().name());
                out.writeLong(manifest.sequenceNumber());
                out.writeLong(manifest.minSequenceNumber());
                out.writeLong(manifest.addedSnapshotId());
                out.writeBoolean(manifest.firstRowId().isPresent());
                out.writeLong(manifest.firstRowId().orElse(0));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    static ManifestPart fromBytes(byte[] bytes) {
        var in = new DataInputStream(new ByteArrayInputStream(bytes));
        try {
            int slice = in.readInt();
            int slices = in.readInt();
            int count = in.readInt();
            var manifests = new ArrayList<ManifestFile>(count);
            for (int i = 0; i < count; i++) {
                manifests.add(manifest(in));
            }
            return new ManifestPart(manifests, slice, slices);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static ManifestFile manifest(DataInputStream in) throws IOException {
        String path = in.readUTF();
        long length = in.readLong();
        int specId = in.readInt();
        ManifestFile.Content content = ManifestFile.Content.valueOf(in.readUTF());
        long sequenceNumber = in.readLong();
        long minSequenceNumber = in.readLong();
        long addedSnapshotId = in.readLong();
        boolean hasFirstRowId = in.readBoolean();
        long firstRowId = in.readLong();
        var unknown = OptionalLong.empty();
        return new ManifestFile(
                path,
                length,
                specId,
                content,
                sequenceNumber,
                minSequenceNumber,
                addedSnapshotId,
                new ManifestFile.Counts(unknown, unknown, unknown, unknown, unknown, unknown),
                Optional.empty(),
                Optional.empty(),
                hasFirstRowId ? OptionalLong.of(firstRowId) : OptionalLong.empty());
    }
}
