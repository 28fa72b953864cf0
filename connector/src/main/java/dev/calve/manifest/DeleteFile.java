package dev.calve.manifest;

import java.util.List;
import java.util.Optional;
import java.util.Set;

/** A file that says which rows are deleted. Spec: Row-level Deletes. */
public sealed interface DeleteFile extends ContentFile {

    /**
     * Positions of rows in one or several data files (v2).
     *
     * @param referencedDataFile the only data file it speaks of: as written, or proved by equal full bounds of {@code file_path}
     */
    record PositionDeletes(Common common, Optional<String> referencedDataFile) implements DeleteFile {
        @Override
        public FileKey key() {
            return FileKey.of(path());
        }
    }

    /** Keys of deleted rows; column ids in {@code equalityIds}, ascending unless told as written. */
    record EqualityDeletes(Common common, List<Integer> equalityIds) implements DeleteFile {
        public EqualityDeletes {
            equalityIds = List.copyOf(equalityIds);
        }

        @Override
        public FileKey key() {
            return FileKey.of(path());
        }
    }

    /**
     * A deletion vector: all deleted positions of one data file (v3).
     *
     * @param contentOffset first byte of the blob, the length field included
     * @param contentSizeBytes bytes of the blob, length and CRC fields included
     */
    record DeletionVector(Common common, String referencedDataFile, long contentOffset, long contentSizeBytes)
            implements DeleteFile {
        @Override
        public FileKey key() {
            return FileKey.of(path(), contentOffset);
        }
    }

    /** The single data file this file speaks of, if it is known to be a single one. */
    default Optional<String> scopedTo() {
        if (this instanceof DeletionVector vector) {
            return Optional.of(vector.referencedDataFile());
        }
        if (this instanceof PositionDeletes positions) {
            return positions.referencedDataFile();
        }
        return Optional.empty();
    }

    /** Paths of the data files among {@code paths} that the file is known to be scoped to. */
    default boolean isScopedToAny(Set<String> paths) {
        return scopedTo().map(paths::contains).orElse(false);
    }
}
