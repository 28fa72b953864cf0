package dev.calve.scan;

import dev.calve.expression.Expression;
import dev.calve.io.Storage;
import dev.calve.manifest.ManifestFile;
import dev.calve.manifest.ManifestFile.Content;
import dev.calve.metadata.Snapshot;
import dev.calve.metadata.TableMetadata;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/** What of a table's history a scan reads. Two are equal if they read the same snapshots. */
public sealed interface ScanRange {

    /** All rows of a snapshot; none if the table has no snapshot. */
    record AtSnapshot(Optional<Snapshot> snapshot) implements ScanRange {

        @Override
        public List<ManifestFile> dataManifests(Storage storage) throws IOException {
            return snapshot.isEmpty()
                    ? List.of()
                    : SnapshotManifests.of(storage, snapshot.get()).stream()
                            .filter(manifest -> manifest.content() == Content.DATA && manifest.mayHaveLiveFiles())
                            .toList();
        }

        @Override
        public OptionalLong totalRecords() {
            Optional<String> total = snapshot.flatMap(
                    found -> Optional.ofNullable(found.summary().get("total-records")));
            try {
                return total.isPresent() ? OptionalLong.of(Long.parseLong(total.get())) : OptionalLong.empty();
            } catch (NumberFormatException e) {
                return OptionalLong.empty();
            }
        }

        @Override
        public ScanPlan plan(Storage storage, TableMetadata metadata, Expression filter, Set<Integer> statisticsOf) {
            return snapshot.isEmpty()
                    ? new ScanPlan(List.of(), 0, 0, 0, 0, 0)
                    : new ScanPlanner(storage, metadata, snapshot.get()).planToRead(filter, statisticsOf);
        }

        private Optional<Long> id() {
            return snapshot.map(Snapshot::id);
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof AtSnapshot that && id().equals(that.id());
        }

        @Override
        public int hashCode() {
            return id().hashCode();
        }

        @Override
        public String toString() {
            return "snapshot " + id().map(Object::toString).orElse("none");
        }
    }

    /**
     * The rows that came with some snapshots that only appended, whatever became of them later. Other operations
     * between them, and deletes, do not count.
     *
     * @param after the snapshot that comes right before; empty: from the first one on
     * @param last what the range ends at; empty for a table without snapshots
     * @param appends newest first
     */
    record Appended(OptionalLong after, Optional<Snapshot> last, List<Snapshot> appends) implements ScanRange {

        public Appended {
            appends = List.copyOf(appends);
        }

        @Override
        public Optional<Snapshot> snapshot() {
            return last;
        }

        @Override
        public List<ManifestFile> dataManifests(Storage storage) throws IOException {
            return new AppendedFiles(storage, appends).manifests();
        }

        @Override
        public OptionalLong totalRecords() {
            return OptionalLong.empty();
        }

        @Override
        public ScanPlan plan(Storage storage, TableMetadata metadata, Expression filter, Set<Integer> statisticsOf) {
            return new AppendedFiles(storage, appends).plan(metadata, filter, statisticsOf);
        }

        private List<Long> ids() {
            return appends.stream().map(Snapshot::id).toList();
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Appended that && ids().equals(that.ids());
        }

        @Override
        public int hashCode() {
            return ids().hashCode();
        }

        @Override
        public String toString() {
            return "appends after " + (after.isPresent() ? "snapshot " + after.getAsLong() : "the beginning")
                    + " up to "
                    + last.map(snapshot -> "snapshot " + snapshot.id()).orElse("now") + " (" + appends.size() + ")";
        }
    }

    /** The snapshot the range ends at; empty for a table without any. */
    Optional<Snapshot> snapshot();

    /** The data manifests a plan without a filter opens. One read per manifest list. */
    List<ManifestFile> dataManifests(Storage storage) throws IOException;

    /** How many rows its snapshot says it has; empty if it does not say so. */
    OptionalLong totalRecords();

    /**
     * Lists the files that may hold rows for which the filter is TRUE, to be read.
     *
     * @param statisticsOf ids of the columns whose statistics are kept
     * @throws java.io.UncheckedIOException if a manifest cannot be read
     * @throws dev.calve.io.InvalidTableException if one is corrupt or the deletes contradict each other
     */
    ScanPlan plan(Storage storage, TableMetadata metadata, Expression filter, Set<Integer> statisticsOf);
}
