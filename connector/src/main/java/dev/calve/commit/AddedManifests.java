package dev.calve.commit;

import dev.calve.manifest.ContentFile;
import dev.calve.manifest.ManifestFile;
import dev.calve.manifest.ManifestFile.Content;
import dev.calve.manifest.ManifestWriter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * Writes the manifests of the files a change adds: files of different partition specs apart, a new manifest begun at the
 * target size. Kept for the next attempt. Many files are written by several threads.
 */
final class AddedManifests {

    /** Files below which a second thread costs more than it saves. */
    private static final int FILES_PER_THREAD = 10_000;

    private final ManifestTargets targets;
    private final Map<Content, List<ManifestFile>> written = new EnumMap<>(Content.class);

    AddedManifests(ManifestTargets targets) {
        this.targets = targets;
    }

    void forget() {
        written.clear();
    }

    private record Added(ContentFile file, OptionalLong dataSequenceNumber) {}

    /** Files that go to manifests of their own, all of one spec. */
    private record Portion(int specId, List<Added> files) {}

    /** In the order of the change, which decides the order of row ids. */
    List<ManifestFile> of(Preparation preparation, Content content) throws IOException {
        List<ManifestFile> cached = written.get(content);
        if (cached != null) {
            return cached;
        }
        var manifests = new ArrayList<ManifestFile>();
        InParallel.map(portions(preparation.change(), content), portion -> write(preparation, content, portion))
                .forEach(manifests::addAll);
        written.put(content, manifests);
        return manifests;
    }

    private static List<Portion> portions(SnapshotChange change, Content content) {
        var bySpec = new LinkedHashMap<Integer, List<Added>>();
        if (content == Content.DATA) {
            change.addedData()
                    .forEach(added -> bySpec.computeIfAbsent(added.file().specId(), spec -> new ArrayList<>())
                            .add(new Added(added.file(), added.dataSequenceNumber())));
        } else {
            change.addedDeletes()
                    .forEach(added -> bySpec.computeIfAbsent(added.file().specId(), spec -> new ArrayList<>())
                            .add(new Added(added.file(), OptionalLong.empty())));
        }
        var portions = new ArrayList<Portion>();
        bySpec.forEach((spec, files) -> {
            int parts = InParallel.partsOf(files.size(), FILES_PER_THREAD);
            for (int part = 0; part < parts; part++) {
                int from = (int) ((long) files.size() * part / parts);
                int to = (int) ((long) files.size() * (part + 1) / parts);
                portions.add(new Portion(spec, files.subList(from, to)));
            }
        });
        return portions;
    }

    private List<ManifestFile> write(Preparation preparation, Content content, Portion portion) throws IOException {
        boolean dated = preparation.found().formatVersion() > 1;
        try (RollingManifests manifests = targets.rolling(preparation, portion.specId(), content)) {
            for (Added added : portion.files()) {
                ManifestWriter writer = manifests.current();
                if (dated && added.dataSequenceNumber().isPresent()) {
                    writer.added(added.file(), added.dataSequenceNumber().getAsLong());
                } else {
                    writer.added(added.file());
                }
            }
            return manifests.finish();
        }
    }
}
