package dev.calve.commit;

import dev.calve.io.Storage;
import dev.calve.manifest.DataFile;
import dev.calve.manifest.DeleteFile;
import dev.calve.manifest.ManifestEntry;
import dev.calve.manifest.ManifestFile;
import dev.calve.manifest.ManifestFile.Content;
import dev.calve.manifest.ManifestReader;
import dev.calve.manifest.Selection;
import dev.calve.metadata.Ancestry;
import dev.calve.metadata.Snapshot;
import dev.calve.metadata.TableMetadata;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Compares a change with what others committed since it read the table. Used for all attempts to commit the same change.
 *
 * <p>Cost: nothing if nobody committed; else the manifest list of each snapshot since the last attempt that found nothing, and
 * of the manifests those snapshots wrote the ones that may concern a rule by their content, counts and partitions.
 */
final class ConflictCheck {

    private final Storage storage;
    private final SnapshotChange change;

    /** A snapshot up to which nothing was found and nothing must be remembered; later attempts start there. */
    private OptionalLong clearUpTo = OptionalLong.empty();

    ConflictCheck(Storage storage, SnapshotChange change) {
        this.storage = storage;
        this.change = change;
    }

    /** The first check of a change. */
    static List<Conflict> find(Storage storage, TableMetadata found, SnapshotChange change) throws IOException {
        return new ConflictCheck(storage, change).against(found);
    }

    SnapshotChange change() {
        return change;
    }

    /** Everything that stands in the way, the most telling first; empty if the change may be committed. */
    List<Conflict> against(TableMetadata found) throws IOException {
        var findings = new Findings();
        if (!change.addedDeletes().isEmpty() && found.formatVersion() != change.settledForFormat()) {
            findings.add(new Conflict.FormatChanged(change.settledForFormat(), found.formatVersion()));
        }
        if (asksHistory()) {
            Optional<List<Snapshot>> others = others(found);
            if (others.isPresent()) {
                walk(found, others.get(), findings);
            } else {
                findings.add(Conflict.HistoryUnknown.notAnAncestor(change.readSnapshotId(), change.ref()));
            }
        }
        return findings.all();
    }

    /** A change that read nothing and has no rules does not care; files it lists must still be live, which its writer sees. */
    private boolean asksHistory() {
        return change.canConflict()
                && (!change.rules().isEmpty() || change.readSnapshotId().isPresent());
    }

    /** Oldest first; empty if they are not all known. */
    private Optional<List<Snapshot>> others(TableMetadata found) {
        Optional<List<Snapshot>> others = Optional.empty();
        if (clearUpTo.isPresent()) {
            others = Ancestry.since(found, change.ref(), clearUpTo);
        }
        if (others.isEmpty()) {
            clearUpTo = OptionalLong.empty();
            others = Ancestry.since(found, change.ref(), change.readSnapshotId());
        }
        return others.map(newestFirst -> {
            var oldestFirst = new ArrayList<>(newestFirst);
            Collections.reverse(oldestFirst);
            return oldestFirst;
        });
    }

    private void walk(TableMetadata found, List<Snapshot> others, Findings findings) throws IOException {
        if (others.isEmpty() || change.rules().isEmpty()) {
            return;
        }
        var factory = new RuleWatch.Factory(found, findings);
        List<RuleWatch> watches = change.rules().stream()
                .map(rule -> rule.match(factory))
                .flatMap(Optional::stream)
                .toList();
        Snapshot head = others.get(others.size() - 1);
        Snapshot at = head;
        try {
            for (Snapshot snapshot : others) {
                at = snapshot;
                requireNotPicked(snapshot, findings);
                OtherSnapshot other = OtherSnapshot.read(storage, snapshot, change.readSnapshotId());
                new Reading(found, watches, other).run();
            }
            requireNoRowIds(found, head, findings);
        } catch (FileNotFoundException e) {
            // The metadata found lists the snapshot, but it was expired since.
            findings.add(Conflict.HistoryUnknown.filesGone(
                    change.readSnapshotId(), change.ref(), at.id(), String.valueOf(e.getMessage())));
        }
        if (findings.isEmpty() && watches.stream().noneMatch(RuleWatch::remembers)) {
            clearUpTo = OptionalLong.of(head.id());
        }
    }

    /** Tells the watches what one snapshot did. */
    private final class Reading {
        private final TableMetadata found;
        private final List<RuleWatch> watches;
        private final OtherSnapshot other;

        Reading(TableMetadata found, List<RuleWatch> watches, OtherSnapshot other) {
            this.found = found;
            this.watches = watches;
            this.other = other;
        }

        /** Again while something was read: what one manifest says may be the reason to open another. */
        void run() throws IOException {
            List<ManifestFile> unread = other.written();
            boolean progress = true;
            while (progress) {
                var stillUnread = new ArrayList<ManifestFile>();
                for (ManifestFile manifest : unread) {
                    if (watches.stream().anyMatch(watch -> watch.needs(other, manifest))) {
                        read(manifest);
                    } else {
                        stillUnread.add(manifest);
                    }
                }
                progress = stillUnread.size() < unread.size();
                unread = stillUnread;
            }
            watches.forEach(RuleWatch::ended);
        }

        private void read(ManifestFile manifest) throws IOException {
            if (manifest.content() == Content.DATA) {
                Set<Integer> columns = new HashSet<>();
                watches.forEach(watch -> columns.addAll(watch.columns()));
                ManifestReader.forEachData(
                        storage, manifest, typed(found, manifest).withStatisticsOf(columns), this::tellData);
            } else {
                ManifestReader.forEachDelete(storage, manifest, typed(found, manifest), this::tellDeletes);
            }
        }

        private boolean tellData(ManifestEntry<DataFile> entry) {
            if (other.did(entry)) {
                for (RuleWatch watch : watches) {
                    if (entry.status() == ManifestEntry.Status.ADDED) {
                        watch.added(other, entry.file());
                    } else {
                        watch.removed(other, entry.file());
                    }
                }
            }
            return true;
        }

        private boolean tellDeletes(ManifestEntry<DeleteFile> entry) {
            if (other.did(entry) && entry.status() == ManifestEntry.Status.ADDED) {
                watches.forEach(watch -> watch.added(other, entry.file()));
            }
            return true;
        }
    }

    private void requireNotPicked(Snapshot snapshot, Findings findings) {
        for (ConflictRule rule : change.rules()) {
            if (rule instanceof ConflictRule.NotPicked notPicked && CherryPick.isBroken(notPicked, snapshot)) {
                findings.add(new Conflict.AlreadyPicked(notPicked, snapshot.id()));
            }
        }
    }

    /**
     * Row ids are not given to files but to manifests, by the snapshot that lists them, so that the head tells. Only a table
     * that was upgraded lately has files without.
     */
    private void requireNoRowIds(TableMetadata found, Snapshot head, Findings findings) throws IOException {
        Map<String, ConflictRule.Place> unassigned = new HashMap<>();
        for (ConflictRule rule : change.rules()) {
            if (rule instanceof ConflictRule.RowIdsStillUnassigned files) {
                unassigned.putAll(files.files());
            }
        }
        if (unassigned.isEmpty() || found.formatVersion() < 3) {
            return;
        }
        var files = new GuardedFiles(found, unassigned);
        for (ManifestFile manifest :
                OtherSnapshot.read(storage, head, change.readSnapshotId()).all()) {
            if (manifest.content() == Content.DATA && manifest.firstRowId().isPresent() && files.mayBeIn(manifest)) {
                Selection live = Selection.live().withStatisticsOf(Set.of());
                ManifestReader.forEachData(storage, manifest, live, entry -> {
                    DataFile file = entry.file();
                    if (file.firstRowId().isPresent() && files.contains(file.path())) {
                        findings.rowIdsAssigned(file.path());
                    }
                    return true;
                });
            }
        }
    }

    /** Tuples as the table types them now, because those written before and after a promotion meet. */
    private static Selection typed(TableMetadata found, ManifestFile manifest) {
        return Selection.all().typedAs(found.partitionType(manifest.specId()));
    }
}
