package dev.calve.commit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.calve.io.MemoryStorage;
import dev.calve.manifest.ContentFile;
import dev.calve.manifest.DataFile;
import dev.calve.manifest.DeleteFile;
import dev.calve.manifest.ManifestEntry;
import dev.calve.manifest.ManifestEntry.Status;
import dev.calve.manifest.ManifestFile;
import dev.calve.manifest.ManifestList;
import dev.calve.manifest.ManifestReader;
import dev.calve.manifest.Selection;
import dev.calve.metadata.Snapshot;
import dev.calve.metadata.TableMetadata;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;

/** All entries of a snapshot, and the rules they must keep whoever committed it. */
public final class LiveFiles {

    /** An entry and the manifest that lists it. */
    public record Listed<F extends ContentFile>(ManifestFile manifest, ManifestEntry<F> entry) {}

    private final TableMetadata metadata;
    private final Snapshot snapshot;
    private final List<ManifestFile> manifests;
    private final List<Listed<DataFile>> data = new ArrayList<>();
    private final List<Listed<DeleteFile>> deletes = new ArrayList<>();

    private LiveFiles(MemoryStorage storage, TableMetadata metadata, Snapshot snapshot) throws IOException {
        this.metadata = metadata;
        this.snapshot = snapshot;
        this.manifests = ManifestList.read(storage, snapshot.manifestList().orElseThrow());
        for (ManifestFile manifest : manifests) {
            var selection = Selection.all().typedAs(metadata.partitionType(manifest.specId()));
            if (manifest.content() == ManifestFile.Content.DATA) {
                ManifestReader.readData(storage, manifest, selection)
                        .forEach(entry -> data.add(new Listed<>(manifest, entry)));
            } else {
                ManifestReader.readDeletes(storage, manifest, selection)
                        .forEach(entry -> deletes.add(new Listed<>(manifest, entry)));
            }
        }
    }

    /** Reads a snapshot and checks every rule on it. */
    public static LiveFiles of(MemoryStorage storage, TableMetadata metadata, Snapshot snapshot) {
        try {
            var files = new LiveFiles(storage, metadata, snapshot);
            files.check();
            return files;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public List<ManifestFile> manifests() {
        return manifests;
    }

    /** Live data files, by path. */
    public NavigableMap<String, ManifestEntry<DataFile>> data() {
        var live = new TreeMap<String, ManifestEntry<DataFile>>();
        data.stream()
                .filter(listed -> listed.entry().isLive())
                .forEach(listed -> live.put(listed.entry().file().path(), listed.entry()));
        return live;
    }

    /** The live entry of a data file, by the end of its path. */
    public ManifestEntry<DataFile> data(String name) {
        return data().values().stream()
                .filter(entry -> entry.file().path().endsWith("/" + name))
                .findFirst()
                .orElseThrow(() -> new AssertionError("No live " + name + " in " + statuses()));
    }

    /** Live delete files, by key. */
    public NavigableMap<String, ManifestEntry<DeleteFile>> deletes() {
        var live = new TreeMap<String, ManifestEntry<DeleteFile>>();
        deletes.stream()
                .filter(listed -> listed.entry().isLive())
                .forEach(listed -> live.put(listed.entry().file().key().toString(), listed.entry()));
        return live;
    }

    /** Every entry, DELETED ones too, as {@code "ADDED a.parquet"}, in the order of the list. */
    public List<String> statuses() {
        var all = new ArrayList<String>();
        data.forEach(listed -> all.add(text(listed.entry())));
        deletes.forEach(listed -> all.add(text(listed.entry())));
        return all;
    }

    private static String text(ManifestEntry<?> entry) {
        String path = entry.file().path();
        return entry.status() + " " + path.substring(path.lastIndexOf('/') + 1);
    }

    public ManifestEntry<DataFile> entry(DataFile file) {
        return data.stream()
                .map(Listed::entry)
                .filter(entry -> entry.file().path().equals(file.path()))
                .findFirst()
                .orElseThrow(() -> new AssertionError("No " + file.path() + " in " + statuses()));
    }

    public ManifestFile manifest(String path) {
        return manifests.stream()
                .filter(manifest -> manifest.path().equals(path))
                .findFirst()
                .orElseThrow(() -> new AssertionError("No manifest " + path));
    }

    /** Location of the manifest that lists the data file live. */
    public String manifestOf(String dataFile) {
        return data.stream()
                .filter(listed -> listed.entry().isLive())
                .filter(listed -> listed.entry().file().path().equals(dataFile))
                .map(listed -> listed.manifest().path())
                .findFirst()
                .orElse("memory:/nowhere");
    }

    /** Locations of everything the snapshot refers to, removed files too. */
    public Set<String> reachable() {
        var reachable = new HashSet<String>();
        reachable.add(snapshot.manifestList().orElseThrow());
        manifests.forEach(manifest -> reachable.add(manifest.path()));
        data.forEach(listed -> reachable.add(listed.entry().file().path()));
        deletes.forEach(listed -> reachable.add(listed.entry().file().path()));
        return reachable;
    }

    /** Totals by the summary's names, counted over the live entries. */
    public Map<String, Long> recount() {
        var totals = new LinkedHashMap<String, Long>();
        totals.put("total-data-files", (long) data().size());
        totals.put("total-delete-files", (long) deletes().size());
        totals.put("total-records", sum(data(), ContentFile::recordCount));
        long size = sum(data(), ContentFile::fileSizeBytes);
        size += sum(
                deletes(),
                file -> file instanceof DeleteFile.DeletionVector vector
                        ? vector.contentSizeBytes()
                        : file.fileSizeBytes());
        totals.put("total-files-size", size);
        totals.put("total-position-deletes", sum(deletes(), file -> isEquality(file) ? 0 : file.recordCount()));
        totals.put("total-equality-deletes", sum(deletes(), file -> isEquality(file) ? file.recordCount() : 0));
        return totals;
    }

    private static boolean isEquality(ContentFile file) {
        return file instanceof DeleteFile.EqualityDeletes;
    }

    private interface Count {
        long of(ContentFile file);
    }

    private static long sum(Map<String, ? extends ManifestEntry<?>> entries, Count count) {
        return entries.values().stream()
                .mapToLong(entry -> count.of(entry.file()))
                .sum();
    }

    private void check() {
        recount().forEach((key, count) -> {
            String total = snapshot.summary().get(key);
            if (total != null) {
                assertThat(total).as(key).isEqualTo(Long.toString(count));
            }
        });
        assertThat(data.stream()
                        .filter(listed -> listed.entry().isLive())
                        .map(listed -> listed.entry().file().path()))
                .as("live data files")
                .doesNotHaveDuplicates();
        checkVectors();
        manifests.forEach(this::checkManifest);
        checkRowIds();
    }

    private void checkVectors() {
        var live = data();
        var vectored = new HashSet<String>();
        for (ManifestEntry<DeleteFile> deletes : deletes().values()) {
            deletes.file().scopedTo().ifPresent(path -> {
                assertThat(live).as("data files of " + deletes.file().key()).containsKey(path);
                ManifestEntry<DataFile> target = Objects.requireNonNull(live.get(path));
                assertThat(deletes.file().specId()).isEqualTo(target.file().specId());
                assertThat(deletes.file().partition()).isEqualTo(target.file().partition());
                assertThat(deletes.sequenceNumber()).isGreaterThanOrEqualTo(target.sequenceNumber());
                if (deletes.file() instanceof DeleteFile.DeletionVector) {
                    assertThat(vectored.add(path)).as("one vector of " + path).isTrue();
                }
            });
        }
    }

    private void checkManifest(ManifestFile manifest) {
        var entries = new ArrayList<ManifestEntry<?>>();
        data.stream()
                .filter(listed -> listed.manifest().equals(manifest))
                .forEach(listed -> entries.add(listed.entry()));
        deletes.stream()
                .filter(listed -> listed.manifest().equals(manifest))
                .forEach(listed -> entries.add(listed.entry()));
        ManifestFile.Counts counts = manifest.counts();
        assertThat(counts.addedFiles()).hasValue(count(entries, Status.ADDED));
        assertThat(counts.existingFiles()).hasValue(count(entries, Status.EXISTING));
        assertThat(counts.deletedFiles()).hasValue(count(entries, Status.DELETED));
        assertThat(entries.stream()
                        .anyMatch(entry -> entry.isLive()
                                || (entry.snapshotId() == snapshot.id()
                                        && manifest.addedSnapshotId() == snapshot.id())))
                .as("manifest " + manifest.path() + " has a reason to be listed")
                .isTrue();
        assertThat(manifest.sequenceNumber()).isLessThanOrEqualTo(snapshot.sequenceNumber());
        for (ManifestEntry<?> entry : entries) {
            assertThat(entry.file().specId()).isEqualTo(manifest.specId());
            if (entry.isLive()) {
                assertThat(manifest.minSequenceNumber())
                        .as("min_sequence_number of " + manifest.path())
                        .isLessThanOrEqualTo(entry.sequenceNumber());
            }
        }
    }

    private static int count(List<ManifestEntry<?>> entries, Status status) {
        return (int) entries.stream().filter(entry -> entry.status() == status).count();
    }

    /** Ids are given to every row of a v3 table, each once, all below the table's next. */
    private void checkRowIds() {
        if (metadata.formatVersion() < 3 || snapshot.firstRowId().isEmpty()) {
            return;
        }
        var ranges = new TreeMap<Long, DataFile>();
        for (ManifestEntry<DataFile> entry : data().values()) {
            DataFile file = entry.file();
            assertThat(file.firstRowId()).as("first_row_id of " + file.path()).isPresent();
            if (file.recordCount() > 0) {
                DataFile other = ranges.put(file.firstRowId().getAsLong(), file);
                assertThat(other)
                        .as("another file with the ids of " + file.path())
                        .isNull();
            }
        }
        long free = 0;
        for (var range : ranges.entrySet()) {
            assertThat(range.getKey())
                    .as("first_row_id of " + range.getValue().path())
                    .isGreaterThanOrEqualTo(free);
            free = range.getKey() + range.getValue().recordCount();
        }
        long next = snapshot.firstRowId().getAsLong() + snapshot.addedRows().orElseThrow();
        assertThat(free).as("next-row-id").isLessThanOrEqualTo(next).isLessThanOrEqualTo(metadata.nextRowId());
    }
}
