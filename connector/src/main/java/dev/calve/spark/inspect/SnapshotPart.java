package dev.calve.spark.inspect;

import dev.calve.io.Storage;
import dev.calve.manifest.ManifestFile;
import dev.calve.manifest.ManifestList;
import dev.calve.manifest.ManifestReader;
import dev.calve.metadata.Snapshot;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Snapshots whose manifests one task lists. */
record SnapshotPart(List<Place> places) {

    /**
     * Where a snapshot lists its manifests.
     *
     * @param manifests locations, of a snapshot of version 1 that has no list
     */
    record Place(long snapshotId, Optional<String> list, List<String> manifests) {

        static Place of(Snapshot snapshot) {
            return new Place(snapshot.id(), snapshot.manifestList(), snapshot.manifests());
        }

        List<ManifestFile> read(Storage storage) throws IOException {
            if (list.isPresent()) {
                return ManifestList.read(storage, list.get());
            }
            var result = new ArrayList<ManifestFile>();
            for (String location : manifests) {
                result.add(ManifestReader.describe(storage, location, snapshotId));
            }
            return result;
        }
    }

    byte[] toBytes() {
        var bytes = new ByteArrayOutputStream();
        var out = new DataOutputStream(bytes);
        try {
            out.writeInt(places.size());
            for (Place place : places) {
                out.writeLong(place.snapshotId());
                out.writeBoolean(place.list().isPresent());
                out.writeUTF(place.list().orElse(""));
                out.writeInt(place.manifests().size());
                for (String location : place.manifests()) {
                    out.writeUTF(location);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    static SnapshotPart fromBytes(byte[] bytes) {
        var in = new DataInputStream(new ByteArrayInputStream(bytes));
        try {
            int count = in.readInt();
            var places = new ArrayList<Place>(count);
            for (int i = 0; i < count; i++) {
                long snapshotId = in.readLong();
                boolean hasList = in.readBoolean();
                String list = in.readUTF();
                int manifestCount = in.readInt();
                var manifests = new ArrayList<String>(manifestCount);
                for (int j = 0; j < manifestCount; j++) {
                    manifests.add(in.readUTF());
                }
                places.add(new Place(snapshotId, hasList ? Optional.of(list) : Optional.empty(), manifests));
            }
            return new SnapshotPart(places);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
