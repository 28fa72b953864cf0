package dev.calve.spark.inspect;

import dev.calve.manifest.ManifestFile;
import dev.calve.manifest.ManifestFile.Content;
import dev.calve.metadata.TableMetadata;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.types.StructType;

/** Rows that executors make of the entries of manifests. */
record ManifestContents(TableMetadata metadata, MetadataTableName name, Manifests manifests) implements Contents {

    /** Manifests of one task, together; a manifest is not divided. */
    private static final long MAX_TASK_BYTES = 8L << 20;

    private static final long MIN_TASK_BYTES = 256L << 10;

    /** Delete files one task reads. */
    private static final long DELETE_FILES_PER_TASK = 64;

    @Override
    public Columns<?> columns() {
        return name == MetadataTableName.POSITION_DELETES
                ? PositionDeleteRows.columns(metadata)
                : fileColumns(metadata, name);
    }

    /** The columns of tables that list files. */
    static Columns<ListedFile> fileColumns(TableMetadata metadata, MetadataTableName name) {
        return switch (name) {
            case ENTRIES, ALL_ENTRIES -> FileColumns.entries(metadata);
            case FILES, DATA_FILES, DELETE_FILES -> FileColumns.filesOfSnapshot(metadata);
            default -> FileColumns.files(metadata);
        };
    }

    /** Whether files that are no longer there are shown. */
    static boolean showsRemoved(MetadataTableName name) {
        return name == MetadataTableName.ENTRIES || name == MetadataTableName.ALL_ENTRIES;
    }

    @Override
    public List<byte[]> parts(StructType wanted, int parallelism) throws IOException {
        List<ManifestPart> parts =
                name == MetadataTableName.POSITION_DELETES ? deleteParts(shown()) : parts(shown(), parallelism);
        return parts.stream().map(ManifestPart::toBytes).toList();
    }

    private List<ManifestFile> shown() throws IOException {
        List<ManifestFile> candidates = showsRemoved(name) ? manifests.list() : manifests.live();
        return candidates.stream().filter(this::shows).toList();
    }

    private boolean shows(ManifestFile manifest) {
        return switch (name) {
            case DATA_FILES, ALL_DATA_FILES -> manifest.content() == Content.DATA;
            case DELETE_FILES, ALL_DELETE_FILES, POSITION_DELETES -> manifest.content() == Content.DELETES;
            default -> true;
        };
    }

    /** Neighbours together, so that there is work for everyone and no task for a few entries. */
    static List<ManifestPart> parts(List<ManifestFile> manifests, int parallelism) {
        long total = manifests.stream().mapToLong(ManifestFile::length).sum();
        long target = Math.max(MIN_TASK_BYTES, Math.min(MAX_TASK_BYTES, total / Math.max(1, parallelism)));
        var parts = new ArrayList<ManifestPart>();
        var group = new ArrayList<ManifestFile>();
        long bytes = 0;
        for (ManifestFile manifest : manifests) {
            if (!group.isEmpty() && bytes + manifest.length() > target) {
                parts.add(ManifestPart.whole(group));
                group.clear();
                bytes = 0;
            }
            group.add(manifest);
            bytes += manifest.length();
        }
        if (!group.isEmpty()) {
            parts.add(ManifestPart.whole(group));
        }
        return parts;
    }

    /** The delete files of a manifest are dealt out, because reading them takes longer than finding them. */
    static List<ManifestPart> deleteParts(List<ManifestFile> manifests) {
        var parts = new ArrayList<ManifestPart>();
        for (ManifestFile manifest : manifests) {
            long files = manifest.counts().addedFiles().orElse(0)
                    + manifest.counts().existingFiles().orElse(0);
            int slices = Math.toIntExact(1 + Math.max(0, files - 1) / DELETE_FILES_PER_TASK);
            for (int slice = 0; slice < slices; slice++) {
                parts.add(new ManifestPart(List.of(manifest), slice, slices));
            }
        }
        return parts;
    }

    @Override
    public ManifestPart deletes(StructType wanted) throws IOException {
        if (!columns().select(wanted).hasAny(FileColumns.DELETES)) {
            return ManifestPart.whole(List.of());
        }
        return ManifestPart.whole(manifests.live().stream()
                .filter(manifest -> manifest.content() == Content.DELETES)
                .toList());
    }

    @Override
    public long estimatedRows() throws IOException {
        return shown().stream()
                .mapToLong(manifest -> name == MetadataTableName.POSITION_DELETES
                        ? manifest.counts().addedRows().orElse(0)
                                + manifest.counts().existingRows().orElse(0)
                        : manifest.counts().addedFiles().orElse(0)
                                + manifest.counts().existingFiles().orElse(0)
                                + (showsRemoved(name)
                                        ? manifest.counts().deletedFiles().orElse(0)
                                        : 0))
                .sum();
    }
}
