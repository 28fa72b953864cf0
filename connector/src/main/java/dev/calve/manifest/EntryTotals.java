package dev.calve.manifest;

import dev.calve.partition.FieldSummary;
import dev.calve.partition.PartitionTuple;
import dev.calve.schema.Bytes;
import dev.calve.schema.Type;
import dev.calve.schema.ValueCodec;
import dev.calve.schema.Values;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Counts entries of a manifest and sums up their partitions, DELETED ones included. */
final class EntryTotals {

    private final Map<ManifestEntry.Status, Count> counts = new EnumMap<>(ManifestEntry.Status.class);
    private final List<Summary> summaries = new ArrayList<>();

    EntryTotals(Type.Struct partitionType) {
        partitionType.fields().forEach(field -> summaries.add(new Summary(field.type())));
    }

    void add(ManifestEntry.Status status, ContentFile file) {
        counts.computeIfAbsent(status, absent -> new Count()).add(file.recordCount());
        PartitionTuple partition = file.partition();
        for (int i = 0; i < summaries.size(); i++) {
            summaries.get(i).add(partition.values().get(i));
        }
    }

    long files() {
        return counts.values().stream().mapToLong(count -> count.files).sum();
    }

    ManifestFile.Counts counts() {
        var none = new Count();
        Count added = counts.getOrDefault(ManifestEntry.Status.ADDED, none);
        Count existing = counts.getOrDefault(ManifestEntry.Status.EXISTING, none);
        Count deleted = counts.getOrDefault(ManifestEntry.Status.DELETED, none);
        return ManifestFile.Counts.of(
                added.files, existing.files, deleted.files, added.rows, existing.rows, deleted.rows);
    }

    private static final class Count {
        private long files;
        private long rows;

        void add(long rowsOfFile) {
            files++;
            rows += rowsOfFile;
        }
    }

    List<FieldSummary> partitions() {
        return summaries.stream().map(Summary::toFieldSummary).toList();
    }

    private static final class Summary {

        private final Type type;
        private final Comparator<Object> comparator;
        private boolean containsNull;
        private boolean containsNan;
        private @Nullable Object lowest;
        private @Nullable Object highest;

        Summary(Type type) {
            this.type = type;
            this.comparator = Values.comparator(type);
        }

        void add(@Nullable Object stored) {
            if (stored == null) {
                containsNull = true;
                return;
            }
            Object value = AvroValues.coerce(type, stored);
            if ((value instanceof Float number && number.isNaN()) || (value instanceof Double wide && wide.isNaN())) {
                containsNan = true;
                return;
            }
            if (lowest == null || comparator.compare(value, lowest) < 0) {
                lowest = value;
            }
            if (highest == null || comparator.compare(value, highest) > 0) {
                highest = value;
            }
        }

        FieldSummary toFieldSummary() {
            return new FieldSummary(containsNull, Optional.of(containsNan), bound(lowest), bound(highest));
        }

        private Optional<Bytes> bound(@Nullable Object value) {
            // A value of a source that is gone has no type to be serialized by.
            return value == null || type == Type.Simple.UNKNOWN
                    ? Optional.empty()
                    : Optional.of(ValueCodec.encode(type, value));
        }
    }
}
