package dev.calve.tools;

import dev.calve.catalog.warehouse.WarehouseCatalog;
import dev.calve.commit.TableState;
import dev.calve.hadoop.HadoopDirectory;
import dev.calve.hadoop.HadoopStorage;
import dev.calve.io.Storage;
import dev.calve.manifest.ContentFile;
import dev.calve.manifest.DataFile;
import dev.calve.manifest.DeleteFile;
import dev.calve.manifest.ManifestFile;
import dev.calve.manifest.ManifestList;
import dev.calve.manifest.ManifestReader;
import dev.calve.manifest.Selection;
import dev.calve.metadata.Snapshot;
import java.io.IOException;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What the current snapshot of a table holds, counted from its manifests and not from its summary.
 *
 * @param dataFiles paths
 * @param vectors path and offset of each deletion vector
 * @param vectorFiles paths of the Puffin files that hold them
 * @param deleteFiles paths of position and equality delete files
 * @param records rows in the data files, deleted ones included
 * @param deletedPositions rows the vectors and position delete files name
 * @param dataBytes size of the data files
 */
record TableFiles(
        TableState state,
        Set<String> dataFiles,
        Set<String> vectors,
        Set<String> vectorFiles,
        Set<String> deleteFiles,
        long records,
        long deletedPositions,
        long dataBytes) {

    TableFiles {
        dataFiles = Set.copyOf(dataFiles);
        vectors = Set.copyOf(vectors);
        vectorFiles = Set.copyOf(vectorFiles);
        deleteFiles = Set.copyOf(deleteFiles);
    }

    /** Reads the newest metadata of the table in a folder and every manifest; empty if there is no table. */
    static Optional<TableFiles> read(HadoopStorage storage, String folder) throws IOException {
        Optional<TableState> state = WarehouseCatalog.loadPath(folder, new HadoopDirectory(storage));
        return state.isPresent() ? Optional.of(read(storage, state.get())) : Optional.empty();
    }

    private static TableFiles read(Storage storage, TableState state) throws IOException {
        var counter = new Counter();
        Optional<Snapshot> snapshot = state.metadata().currentSnapshot();
        if (snapshot.flatMap(Snapshot::manifestList).isPresent()) {
            for (ManifestFile manifest :
                    ManifestList.read(storage, snapshot.get().manifestList().orElseThrow())) {
                counter.addAll(storage, manifest);
            }
        } else if (snapshot.isPresent()) {
            for (String manifest : snapshot.get().manifests()) {
                counter.addAll(
                        storage,
                        ManifestReader.describe(
                                storage, manifest, snapshot.get().id()));
            }
        }
        return counter.result(state);
    }

    Optional<Snapshot> snapshot() {
        return state.metadata().currentSnapshot();
    }

    Map<String, String> summary() {
        return snapshot().map(Snapshot::summary).orElse(Map.of());
    }

    private static final class Counter {
        private final Set<String> dataFiles = new LinkedHashSet<>();
        private final Set<String> vectors = new LinkedHashSet<>();
        private final Set<String> vectorFiles = new LinkedHashSet<>();
        private final Set<String> deleteFiles = new LinkedHashSet<>();
        private long records;
        private long deletedPositions;
        private long dataBytes;

        void addAll(Storage storage, ManifestFile manifest) throws IOException {
            var live = Selection.live().withStatisticsOf(Set.of());
            if (manifest.content() == ManifestFile.Content.DATA) {
                ManifestReader.forEachData(storage, manifest, live, entry -> add(entry.file()));
            } else {
                ManifestReader.forEachDelete(storage, manifest, live, entry -> add(entry.file()));
            }
        }

        private boolean add(ContentFile file) {
            if (file instanceof DataFile) {
                dataFiles.add(file.path());
                records += file.recordCount();
                dataBytes += file.fileSizeBytes();
            } else if (file instanceof DeleteFile.DeletionVector vector) {
                vectors.add(vector.path() + "#" + vector.contentOffset());
                vectorFiles.add(vector.path());
                deletedPositions += vector.recordCount();
            } else {
                deleteFiles.add(file.path());
                deletedPositions += file instanceof DeleteFile.PositionDeletes ? file.recordCount() : 0;
            }
            return true;
        }

        TableFiles result(TableState state) {
            return new TableFiles(
                    state, dataFiles, vectors, vectorFiles, deleteFiles, records, deletedPositions, dataBytes);
        }
    }
}
