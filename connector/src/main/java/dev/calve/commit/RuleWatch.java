package dev.calve.commit;

import dev.calve.manifest.DataFile;
import dev.calve.manifest.DeleteFile;
import dev.calve.manifest.ManifestFile;
import dev.calve.manifest.ManifestFile.Content;
import dev.calve.metadata.TableMetadata;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * One rule held against the snapshots of others, oldest first. Is told everything a manifest says once some rule needs it, and
 * {@link #ended} after each snapshot.
 */
interface RuleWatch {

    /** Whether the manifest, one the snapshot wrote, must be opened. */
    boolean needs(OtherSnapshot snapshot, ManifestFile manifest);

    default void added(OtherSnapshot by, DataFile file) {}

    default void removed(OtherSnapshot by, DataFile file) {}

    default void added(OtherSnapshot by, DeleteFile file) {}

    default void ended() {}

    /** Whether what earlier snapshots did changes how later ones are judged. */
    default boolean remembers() {
        return false;
    }

    /** The columns whose statistics it asks data files for. */
    default Set<Integer> columns() {
        return Set.of();
    }

    /** Makes the watch of a rule; empty for one that is not about history. */
    record Factory(TableMetadata metadata, Findings findings) implements ConflictRule.Cases<Optional<RuleWatch>> {

        @Override
        public Optional<RuleWatch> filesStillThere(ConflictRule.FilesStillThere rule) {
            return Optional.of(new Removals(new GuardedFiles(metadata, rule.files()), findings));
        }

        @Override
        public Optional<RuleWatch> noNewDataMatching(ConflictRule.NoNewDataMatching rule) {
            return Optional.of(new Additions(rule, new GuardFilter(metadata, rule.filter()), findings));
        }

        @Override
        public Optional<RuleWatch> noNewDataIn(ConflictRule.NoNewDataIn rule) {
            return Optional.of(new PartitionAdditions(metadata, rule, findings));
        }

        @Override
        public Optional<RuleWatch> deletesUnchanged(ConflictRule.DeletesUnchanged rule) {
            return Optional.of(new Positions(new GuardedFiles(metadata, rule.files()), findings));
        }

        @Override
        public Optional<RuleWatch> noNewEqualityDeletes(ConflictRule.NoNewEqualityDeletes rule) {
            return Optional.of(new Keys(
                    new GuardedFiles(metadata, rule.files()), new GuardFilter(metadata, rule.filter()), findings));
        }

        @Override
        public Optional<RuleWatch> noRowsDeletedIn(ConflictRule.NoRowsDeletedIn rule) {
            return Optional.of(new Reads(
                    new GuardedFiles(metadata, rule.files()), new GuardFilter(metadata, rule.filter()), findings));
        }

        @Override
        public Optional<RuleWatch> noChangeIn(ConflictRule.NoChangeIn rule) {
            return Optional.of(new Partitions(metadata, rule.partitions(), findings));
        }

        @Override
        public Optional<RuleWatch> rowIdsStillUnassigned(ConflictRule.RowIdsStillUnassigned rule) {
            return Optional.empty();
        }

        /** The snapshot itself tells, not its files. */
        @Override
        public Optional<RuleWatch> notPicked(ConflictRule.NotPicked rule) {
            return Optional.empty();
        }
    }

    /** {@link ConflictRule.FilesStillThere}. */
    record Removals(GuardedFiles files, Findings findings) implements RuleWatch {

        @Override
        public boolean needs(OtherSnapshot snapshot, ManifestFile manifest) {
            return manifest.content() == Content.DATA && OtherSnapshot.mayRemove(manifest) && files.mayBeIn(manifest);
        }

        @Override
        public void removed(OtherSnapshot by, DataFile file) {
            if (files.contains(file.path())) {
                findings.dataFileRemoved(by.by(), file.path());
            }
        }
    }

    /** {@link ConflictRule.NoNewDataMatching}. */
    record Additions(ConflictRule.NoNewDataMatching rule, GuardFilter filter, Findings findings) implements RuleWatch {

        @Override
        public boolean needs(OtherSnapshot snapshot, ManifestFile manifest) {
            return manifest.content() == Content.DATA
                    && !snapshot.replaces()
                    && OtherSnapshot.mayAdd(manifest)
                    && filter.mightMatch(manifest);
        }

        @Override
        public void added(OtherSnapshot by, DataFile file) {
            if (!by.replaces() && filter.mightMatch(file)) {
                findings.dataAdded(by.by(), file.path(), rule.filter());
            }
        }

        @Override
        public Set<Integer> columns() {
            return filter.columns();
        }
    }

    /** {@link ConflictRule.NoNewDataIn}. */
    final class PartitionAdditions implements RuleWatch {
        private final TableMetadata metadata;
        private final ConflictRule.NoNewDataIn rule;
        private final GuardFilter filter;
        private final Set<ConflictRule.Place> places = new HashSet<>();
        private final Findings findings;

        PartitionAdditions(TableMetadata metadata, ConflictRule.NoNewDataIn rule, Findings findings) {
            this.metadata = metadata;
            this.rule = rule;
            this.filter = new GuardFilter(metadata, rule.filter());
            this.findings = findings;
            rule.partitions().forEach(tuple -> places.add(PartitionRange.place(metadata, rule.specId(), tuple)));
        }

        @Override
        public boolean needs(OtherSnapshot snapshot, ManifestFile manifest) {
            return manifest.content() == Content.DATA
                    && !snapshot.replaces()
                    && OtherSnapshot.mayAdd(manifest)
                    && (manifest.specId() == rule.specId()
                            ? GuardedFiles.mayContainAny(metadata, manifest, places)
                            : filter.mightMatch(manifest));
        }

        @Override
        public void added(OtherSnapshot by, DataFile file) {
            boolean matters = file.specId() == rule.specId()
                    ? places.contains(PartitionRange.place(metadata, file.specId(), file.partition()))
                    : filter.mightMatch(file);
            if (!by.replaces() && matters) {
                findings.dataAdded(by.by(), file.path(), rule.filter());
            }
        }

        @Override
        public Set<Integer> columns() {
            return filter.columns();
        }
    }

    /** {@link ConflictRule.DeletesUnchanged}. */
    record Positions(GuardedFiles files, Findings findings) implements RuleWatch {

        @Override
        public boolean needs(OtherSnapshot snapshot, ManifestFile manifest) {
            return manifest.content() == Content.DELETES && OtherSnapshot.mayAdd(manifest) && files.mayBeIn(manifest);
        }

        @Override
        public void added(OtherSnapshot by, DeleteFile file) {
            files.named(file).forEach(path -> findings.rowsDeleted(by.by(), path, file));
        }
    }

    /** {@link ConflictRule.NoNewEqualityDeletes}. */
    record Keys(GuardedFiles files, GuardFilter filter, Findings findings) implements RuleWatch {

        @Override
        public boolean needs(OtherSnapshot snapshot, ManifestFile manifest) {
            return manifest.content() == Content.DELETES && OtherSnapshot.mayAdd(manifest) && files.mayBeIn(manifest);
        }

        @Override
        public void added(OtherSnapshot by, DeleteFile file) {
            if (file instanceof DeleteFile.EqualityDeletes keys && filter.mightMatchKeys(keys)) {
                var paths = files.inScopeOf(keys);
                if (!paths.isEmpty()) {
                    findings.keysDeleted(by.by(), paths, keys);
                }
            }
        }
    }

    /** {@link ConflictRule.NoRowsDeletedIn}. */
    final class Reads implements RuleWatch {
        private final GuardedFiles files;
        private final GuardFilter filter;
        private final Findings findings;
        private final Map<String, ConflictRule.Place> addedByReplace = new HashMap<>();
        private boolean replaced;
        private boolean extended;

        Reads(GuardedFiles files, GuardFilter filter, Findings findings) {
            this.files = files;
            this.filter = filter;
            this.findings = findings;
        }

        @Override
        public boolean needs(OtherSnapshot snapshot, ManifestFile manifest) {
            if (manifest.content() == Content.DELETES) {
                return !snapshot.replaces() && OtherSnapshot.mayAdd(manifest) && files.mayBeIn(manifest);
            }
            // Where the rows went is asked for only once a file is known to be replaced.
            return (OtherSnapshot.mayRemove(manifest) && files.mayBeIn(manifest))
                    || (replaced && OtherSnapshot.mayAdd(manifest));
        }

        @Override
        public void added(OtherSnapshot by, DataFile file) {
            if (by.replaces()) {
                addedByReplace.put(file.path(), new ConflictRule.Place(file.specId(), file.partition()));
            }
        }

        @Override
        public void removed(OtherSnapshot by, DataFile file) {
            if (!files.contains(file.path())) {
                return;
            }
            if (by.replaces()) {
                replaced = true;
            } else {
                findings.dataFileRemoved(by.by(), file.path());
            }
        }

        @Override
        public void added(OtherSnapshot by, DeleteFile file) {
            if (by.replaces()) {
                return;
            }
            new Positions(files, findings).added(by, file);
            new Keys(files, filter, findings).added(by, file);
        }

        /** Which of the new files holds the rows of which old one is not known, so that all of them may. */
        @Override
        public void ended() {
            if (replaced) {
                addedByReplace.forEach(files::add);
                extended = true;
            }
            replaced = false;
            addedByReplace.clear();
        }

        @Override
        public boolean remembers() {
            return extended;
        }
    }

    /** {@link ConflictRule.NoChangeIn}. */
    final class Partitions implements RuleWatch {
        private final TableMetadata metadata;
        private final Findings findings;
        private final Map<Integer, Set<ConflictRule.Place>> bySpec = new HashMap<>();

        Partitions(TableMetadata metadata, Set<ConflictRule.Place> places, Findings findings) {
            this.metadata = metadata;
            this.findings = findings;
            for (ConflictRule.Place place : places) {
                ConflictRule.Place now = PartitionRange.place(metadata, place.specId(), place.partition());
                bySpec.computeIfAbsent(now.specId(), id -> new HashSet<>()).add(now);
            }
        }

        private static boolean keepsRows(OtherSnapshot snapshot) {
            return snapshot.replaces() && !snapshot.movesBetweenSpecs();
        }

        @Override
        public boolean needs(OtherSnapshot snapshot, ManifestFile manifest) {
            if (keepsRows(snapshot)) {
                return false;
            }
            if (manifest.content() == Content.DELETES) {
                return OtherSnapshot.mayAdd(manifest) && (isGlobal(manifest.specId()) || mayBeIn(manifest));
            }
            return (OtherSnapshot.mayAdd(manifest) || OtherSnapshot.mayRemove(manifest)) && mayBeIn(manifest);
        }

        private boolean isGlobal(int specId) {
            return metadata.spec(specId).isUnpartitioned();
        }

        private boolean mayBeIn(ManifestFile manifest) {
            return GuardedFiles.mayContainAny(metadata, manifest, bySpec.getOrDefault(manifest.specId(), Set.of()));
        }

        @Override
        public void added(OtherSnapshot by, DataFile file) {
            changed(by, new ConflictRule.Place(file.specId(), file.partition()), file.path());
        }

        @Override
        public void removed(OtherSnapshot by, DataFile file) {
            changed(by, new ConflictRule.Place(file.specId(), file.partition()), file.path());
        }

        @Override
        public void added(OtherSnapshot by, DeleteFile file) {
            if (file instanceof DeleteFile.EqualityDeletes && isGlobal(file.specId())) {
                bySpec.values().forEach(places -> places.forEach(place -> changed(by, place, file.path())));
            } else {
                changed(by, new ConflictRule.Place(file.specId(), file.partition()), file.path());
            }
        }

        private void changed(OtherSnapshot by, ConflictRule.Place raw, String file) {
            ConflictRule.Place place = PartitionRange.place(metadata, raw.specId(), raw.partition());
            if (!keepsRows(by) && bySpec.getOrDefault(place.specId(), Set.of()).contains(place)) {
                findings.partitionChanged(by.by(), place, file);
            }
        }
    }
}
