package dev.calve.spark.read;

import dev.calve.deletes.KeyTable;
import dev.calve.deletes.PositionBitmap;
import dev.calve.io.InvalidTableException;
import dev.calve.manifest.DeleteFile;
import dev.calve.manifest.ManifestEntry;
import dev.calve.partition.PartitionTuple;
import dev.calve.rowdelete.KeyMatcher;
import dev.calve.scan.FileTask;
import dev.calve.schema.MetadataFields;
import dev.calve.spark.convert.SparkTypes;
import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.jspecify.annotations.Nullable;

/**
 * The equality deletes of the data files that one task of Spark reads. Spec: Scan Planning, Equality Delete Files.
 *
 * <p>Deletes with the same key fields that lie in the same partition, or apply everywhere, are joined: a row is looked up once
 * among them, however many delete files there are, and the age of the newest delete of its key tells whether it is newer than
 * the row's file. A delete file is read when the first data file needs it, at most once a task, and seldom again in the same
 * JVM: see {@link KeyCache}.
 *
 * <p>Heap: the keys of the joined deletes from the first data file that needs them to the last, which is one set at a time for a
 * task whose files are ordered by partition. A set of one delete file is shared by all tasks that are using it; a set of
 * several is each task's own, with each distinct key once. 12 to 36 bytes for a key that is one integer, 20 to 40 more than its
 * bytes for another: see {@link dev.calve.deletes.LongKeys} and {@link dev.calve.deletes.EncodedKeys}.
 *
 * <p>For one thread. Files are asked about in any order, each once for each time it was announced.
 */
public final class KeyDeletes implements KeyMatcher {

    private final TaskReads reads;
    private final KeyCache cache;
    private final Map<Group, Joined> groups = new HashMap<>();

    /**
     * Deletes that are joined.
     *
     * @param place empty for deletes of an unpartitioned spec, which apply everywhere
     */
    private record Group(List<Integer> equalityIds, Optional<Place> place) {}

    private record Place(int specId, PartitionTuple partition) {}

    /** Reads nothing yet. Each data file is announced as often as it will be asked about. */
    public KeyDeletes(TaskReads reads, List<FileTask> tasks) {
        this(reads, tasks, KeyCache.SHARED);
    }

    KeyDeletes(TaskReads reads, List<FileTask> tasks, KeyCache cache) {
        this.reads = reads;
        this.cache = cache;
        for (FileTask task : tasks) {
            byGroup(task)
                    .forEach((group, entries) -> groups.computeIfAbsent(group, absent -> new Joined())
                            .announce(entries));
        }
    }

    private Map<Group, List<ManifestEntry<DeleteFile>>> byGroup(FileTask task) {
        var result = new LinkedHashMap<Group, List<ManifestEntry<DeleteFile>>>();
        for (ManifestEntry<DeleteFile> entry : task.deletes()) {
            if (entry.file() instanceof DeleteFile.EqualityDeletes file) {
                Optional<Place> place = reads.isUnpartitioned(file.specId())
                        ? Optional.empty()
                        : Optional.of(new Place(file.specId(), file.partition()));
                List<Integer> ids =
                        file.equalityIds().stream().sorted().distinct().toList();
                result.computeIfAbsent(new Group(ids, place), absent -> new ArrayList<>())
                        .add(entry);
            }
        }
        return result;
    }

    /**
     * What rules out the deleted rows of a data file; empty if no equality delete applies to it.
     *
     * @throws InvalidTableException naming the delete file if one is missing or corrupt, or has key fields that the table
     *     does not have or that are of another type
     * @throws UnsupportedOperationException naming the delete file if one is of a format or type that cannot be read
     */
    public Optional<RowFilter> filter(FileTask task) throws IOException {
        var sets = new ArrayList<DeletedKeys.Keys>();
        for (Group group : byGroup(task).keySet()) {
            sets.add(Objects.requireNonNull(groups.get(group), task.file()::path)
                    .keysFor(task.entry().sequenceNumber()));
        }
        return sets.isEmpty() ? Optional.empty() : Optional.of(new DeletedKeys(sets));
    }

    /** Cost: the key columns of the data file, and its delete files if they were not read yet. */
    @Override
    public PositionBitmap deletedByKey(FileTask task, PositionBitmap deleted) throws IOException {
        var byKey = new PositionBitmap();
        Optional<RowFilter> filter = filter(task);
        if (filter.isEmpty()) {
            return byKey;
        }
        var columns = new StructType().add(SparkTypes.toSpark(MetadataFields.DELETED));
        var read = reads.read(task, columns).filter(filter.get()).showDeleted();
        try (var reader = ColumnarFileReader.open(read.build())) {
            while (reader.next()) {
                var marks = reader.batch().column(0);
                for (int i = 0; i < reader.batch().numRows(); i++) {
                    if (marks.getBoolean(i)) {
                        byKey.add(reader.positionOf(i));
                    }
                }
            }
        }
        byKey.andNot(deleted);
        return byKey;
    }

    private KeyTable load(DeleteFile.EqualityDeletes file, KeyFields fields) throws IOException {
        return cache.get(file, fields, () -> read(file, fields));
    }

    private KeyTable read(DeleteFile.EqualityDeletes file, KeyFields fields) throws IOException {
        KeyTable keys = fields.newTable(file.recordCount());
        try {
            readInto(keys, file, fields);
            return keys;
        } catch (InvalidTableException e) {
            throw unreadable(file, e);
        } catch (UnsupportedOperationException e) {
            throw new UnsupportedOperationException(
                    "Equality delete file " + file.path() + " cannot be read: " + e.getMessage(), e);
        } catch (UncheckedIOException e) {
            throw isAboutContent(e) ? unreadable(file, e) : e;
        } catch (IOException e) {
            if (isAboutContent(e)) {
                throw unreadable(file, e);
            }
            throw e;
        }
    }

    private void readInto(KeyTable keys, DeleteFile.EqualityDeletes file, KeyFields fields) throws IOException {
        StructType columns = fields.columns();
        try (var reader = ColumnarFileReader.open(reads.keys(file, columns).build())) {
            if (!reader.next()) {
                return;
            }
            var vectors = new ArrayList<ColumnVector>();
            for (int i = 0; i < columns.size(); i++) {
                vectors.add(reader.allRows().column(i));
            }
            KeyRows rows = KeyRows.over(fields, columns, vectors);
            do {
                rows.putInto(keys, reader.allRows().numRows());
            } while (reader.next());
        }
    }

    /** Whether trying again is no help: the file is not there, ends too early, or holds what Parquet cannot parse. */
    private static boolean isAboutContent(Exception failure) {
        for (Throwable at = failure; at != null; at = at.getCause()) {
            if (isMissing(at)
                    || at instanceof EOFException
                    || at.getClass().getName().contains(".thrift.")) {
                return true;
            }
        }
        return false;
    }

    private static boolean isMissing(Throwable failure) {
        return failure instanceof FileNotFoundException || failure instanceof NoSuchFileException;
    }

    private static InvalidTableException unreadable(DeleteFile.EqualityDeletes file, Exception cause) {
        return new InvalidTableException(
                "Equality delete file " + file.path() + (isMissing(cause) ? " is missing: " : " cannot be read: ")
                        + cause.getMessage()
                        + " Without it nobody knows which rows are deleted; restore it, or go back to a snapshot before it.",
                cause);
    }

    /** The deletes of one group, made one set of keys when first needed. */
    private final class Joined {
        private final Map<String, ManifestEntry<DeleteFile>> files = new LinkedHashMap<>();
        private int uses;
        private long[] sequenceNumbers = {};
        private @Nullable KeyFields fields;
        private @Nullable KeyTable keys;

        void announce(List<ManifestEntry<DeleteFile>> entries) {
            entries.forEach(entry -> files.put(entry.file().path(), entry));
            uses++;
        }

        /** All deletes of the group that are newer than the data file apply to it, whichever data file named them. */
        DeletedKeys.Keys keysFor(long dataSequenceNumber) throws IOException {
            KeyTable table = keys;
            KeyFields keyFields = fields;
            if (table == null || keyFields == null) {
                keyFields = reads.keyFields(first());
                fields = keyFields;
                table = join(keyFields);
                keys = table;
            }
            if (--uses == 0) {
                keys = null;
            }
            int at = Arrays.binarySearch(sequenceNumbers, dataSequenceNumber);
            return new DeletedKeys.Keys(keyFields, table, at < 0 ? -at - 1 : at + 1);
        }

        private DeleteFile.EqualityDeletes first() {
            return (DeleteFile.EqualityDeletes) files.values().iterator().next().file();
        }

        private KeyTable join(KeyFields keyFields) throws IOException {
            sequenceNumbers = files.values().stream()
                    .mapToLong(ManifestEntry::sequenceNumber)
                    .distinct()
                    .sorted()
                    .toArray();
            if (files.size() == 1) {
                return load(first(), keyFields);
            }
            KeyTable joined = keyFields.newTable(0);
            for (ManifestEntry<DeleteFile> entry : files.values()) {
                joined.putAll(
                        load((DeleteFile.EqualityDeletes) entry.file(), keyFields),
                        Arrays.binarySearch(sequenceNumbers, entry.sequenceNumber()));
            }
            return joined;
        }
    }
}
