package dev.calve.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.iceberg.ContentFile;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileContent;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.ManifestContent;
import org.apache.iceberg.ManifestFile;
import org.apache.iceberg.ManifestFiles;
import org.apache.iceberg.MetadataColumns;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.StructLike;
import org.apache.iceberg.Table;
import org.apache.iceberg.io.CloseableIterable;

/** The live files of a table's newest snapshot, counted anew from its manifests by the peer's readers. */
record LiveFiles(List<DataFile> data, List<DeleteFile> deletes) {

    static LiveFiles of(Table table) {
        var data = new ArrayList<DataFile>();
        var deletes = new ArrayList<DeleteFile>();
        Snapshot snapshot = table.currentSnapshot();
        if (snapshot == null) {
            return new LiveFiles(data, deletes);
        }
        for (ManifestFile manifest : snapshot.allManifests(table.io())) {
            if (manifest.content() == ManifestContent.DATA) {
                collect(ManifestFiles.read(manifest, table.io(), table.specs()), data);
            } else {
                collect(ManifestFiles.readDeleteManifest(manifest, table.io(), table.specs()), deletes);
            }
        }
        return new LiveFiles(data, deletes);
    }

    private static <F extends ContentFile<F>> void collect(CloseableIterable<F> manifest, List<F> files) {
        try (manifest) {
            for (F file : manifest) {
                files.add(file.copy());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    long vectors() {
        return deletes.stream()
                .filter(file -> file.format() == FileFormat.PUFFIN)
                .count();
    }

    long positionDeletes() {
        return deletes.stream()
                .filter(file -> file.content() == FileContent.POSITION_DELETES)
                .mapToLong(DeleteFile::recordCount)
                .sum();
    }

    private long equalityDeletes() {
        return deletes.stream()
                .filter(file -> file.content() == FileContent.EQUALITY_DELETES)
                .mapToLong(DeleteFile::recordCount)
                .sum();
    }

    private long sizeBytes() {
        long size = data.stream().mapToLong(DataFile::fileSizeInBytes).sum();
        for (DeleteFile file : deletes) {
            size += file.format() == FileFormat.PUFFIN ? file.contentSizeInBytes() : file.fileSizeInBytes();
        }
        return size;
    }

    /** What the totals of the newest snapshot's summary must say. Records are counted before deletes are applied. */
    Map<String, String> totals() {
        var totals = new HashMap<String, String>();
        totals.put("total-data-files", "" + data.size());
        totals.put("total-delete-files", "" + deletes.size());
        totals.put(
                "total-records",
                "" + data.stream().mapToLong(DataFile::recordCount).sum());
        totals.put("total-position-deletes", "" + positionDeletes());
        totals.put("total-equality-deletes", "" + equalityDeletes());
        totals.put("total-files-size", "" + sizeBytes());
        return totals;
    }

    /** Locations of delete files whose only data file is gone. */
    Set<String> dangling() {
        Set<String> live = data.stream().map(DataFile::location).collect(Collectors.toSet());
        return deletes.stream()
                .filter(file -> {
                    String of = dataFileOf(file);
                    return of != null && !live.contains(of);
                })
                .map(DeleteFile::location)
                .collect(Collectors.toSet());
    }

    /** The only data file a delete file speaks of: as it says, or by equal bounds of its paths; null if there are several. */
    private static String dataFileOf(DeleteFile file) {
        if (file.referencedDataFile() != null) {
            return file.referencedDataFile();
        }
        int path = MetadataColumns.DELETE_FILE_PATH.fieldId();
        if (file.lowerBounds() == null || file.upperBounds() == null) {
            return null;
        }
        ByteBuffer lower = file.lowerBounds().get(path);
        return lower != null && lower.equals(file.upperBounds().get(path))
                ? StandardCharsets.UTF_8.decode(lower.duplicate()).toString()
                : null;
    }

    /** What must hold of any table: files are listed once, one vector a data file at most, in the data file's partition. */
    void assertSound(String what) {
        var byPath = new HashMap<String, DataFile>();
        for (DataFile file : data) {
            assertThat(byPath.put(file.location(), file))
                    .as("%s: an earlier entry of %s", what, file.location())
                    .isNull();
        }
        var vectors = new HashMap<String, DeleteFile>();
        for (DeleteFile delete : deletes) {
            DataFile file = byPath.get(dataFileOf(delete));
            if (file == null) {
                continue;
            }
            assertThat(delete.specId())
                    .as("%s: spec of %s", what, delete.location())
                    .isEqualTo(file.specId());
            assertThat(values(delete.partition()))
                    .as("%s: partition of %s", what, delete.location())
                    .isEqualTo(values(file.partition()));
            assertThat(delete.recordCount()).isBetween(1L, file.recordCount());
            if (delete.format() == FileFormat.PUFFIN) {
                assertThat(vectors.put(file.location(), delete))
                        .as("%s: another vector of %s", what, file.location())
                        .isNull();
            }
        }
    }

    private static List<String> values(StructLike tuple) {
        var values = new ArrayList<String>();
        for (int i = 0; i < tuple.size(); i++) {
            values.add(String.valueOf(tuple.get(i, Object.class)));
        }
        return values;
    }
}
