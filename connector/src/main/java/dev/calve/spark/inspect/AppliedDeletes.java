package dev.calve.spark.inspect;

import dev.calve.manifest.DeleteFile;
import dev.calve.manifest.ManifestEntry;
import java.util.List;
import java.util.OptionalLong;

/**
 * The delete files that apply to one data file, by what manifests say of them.
 *
 * @param vectors 1 or 0
 * @param positionFiles vectors included
 * @param equalityFiles delete files whose keys may be those of rows of the file
 * @param deletedRecords rows deleted by the vector, or by the file's only position delete file; empty if other delete files
 *     apply, because only reading them tells which rows they delete
 */
record AppliedDeletes(int vectors, int positionFiles, int equalityFiles, OptionalLong deletedRecords) {

    static AppliedDeletes of(List<ManifestEntry<DeleteFile>> deletes) {
        int vectors = 0;
        int positionFiles = 0;
        int equalityFiles = 0;
        for (ManifestEntry<DeleteFile> entry : deletes) {
            vectors += entry.file() instanceof DeleteFile.DeletionVector ? 1 : 0;
            equalityFiles += entry.file() instanceof DeleteFile.EqualityDeletes ? 1 : 0;
            positionFiles += entry.file() instanceof DeleteFile.EqualityDeletes ? 0 : 1;
        }
        return new AppliedDeletes(vectors, positionFiles, equalityFiles, deletedRecords(deletes));
    }

    private static OptionalLong deletedRecords(List<ManifestEntry<DeleteFile>> deletes) {
        if (deletes.isEmpty()) {
            return OptionalLong.of(0);
        }
        boolean known = deletes.size() == 1 && deletes.get(0).file().scopedTo().isPresent();
        return known ? OptionalLong.of(deletes.get(0).file().recordCount()) : OptionalLong.empty();
    }
}
