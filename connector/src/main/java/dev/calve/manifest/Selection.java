package dev.calve.manifest;

import dev.calve.partition.PartitionTuple;
import dev.calve.schema.Type;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Which entries of a manifest are wanted, and how much of them. What is not wanted is skipped without decoding it.
 *
 * @param liveOnly whether DELETED entries are left out
 * @param partitions tells from a tuple, in the order of {@code partitionType}, whether its file is wanted
 * @param partitionType what tuples become: fields by id, in this order, numbers widened; empty for the type by the
 *     manifest's own schema. To be given where tuples of several manifests are compared, because a source may have been
 *     promoted in between
 * @param statisticsOf ids of the fields whose counts and bounds are decoded, without {@code column_sizes}; empty for all
 *     statistics there are
 * @param asWritten whether files are to be told as their entries tell them: a map or list that is there but empty is kept
 *     apart from none (as a {@link dev.calve.expression.StatisticsMap}), ids of equality deletes stay in their order, and a
 *     position delete file has the data file its entry names, not the one its bounds prove
 */
public record Selection(
        boolean liveOnly,
        Predicate<PartitionTuple> partitions,
        Optional<Type.Struct> partitionType,
        Optional<Set<Integer>> statisticsOf,
        boolean asWritten) {

    public Selection {
        statisticsOf = statisticsOf.map(Set::copyOf);
    }

    /** Every entry with everything in it. */
    public static Selection all() {
        return new Selection(false, tuple -> true, Optional.empty(), Optional.empty(), false);
    }

    /** Live entries with everything in them. */
    public static Selection live() {
        return new Selection(true, tuple -> true, Optional.empty(), Optional.empty(), false);
    }

    /** Files of other partitions are left out. */
    public Selection inPartitions(Predicate<PartitionTuple> wanted) {
        return new Selection(liveOnly, wanted, partitionType, statisticsOf, asWritten);
    }

    /** Tuples are given as this type, which must have the fields of the manifest's spec. */
    public Selection typedAs(Type.Struct type) {
        return new Selection(liveOnly, partitions, Optional.of(type), statisticsOf, asWritten);
    }

    /** Counts and bounds of these fields only; none for an empty set. */
    public Selection withStatisticsOf(Set<Integer> fieldIds) {
        return new Selection(liveOnly, partitions, partitionType, Optional.of(fieldIds), asWritten);
    }

    /** Files as their entries tell them, for showing them to people. */
    public Selection toldAsWritten() {
        return new Selection(liveOnly, partitions, partitionType, statisticsOf, true);
    }
}
