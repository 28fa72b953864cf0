package dev.calve.spark.read;

import dev.calve.catalog.LoadedTable;
import dev.calve.expression.Expression;
import dev.calve.expression.Expressions;
import dev.calve.expression.Projection;
import dev.calve.expression.Promotion;
import dev.calve.expression.Residuals;
import dev.calve.manifest.ManifestFile;
import dev.calve.partition.PartitionSpec;
import dev.calve.scan.FileTask;
import dev.calve.scan.ScanPlan;
import dev.calve.scan.ScanRange;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The files of one scan, found when somebody first needs to know them and then kept. Of their statistics only those of columns
 * somebody asked for are kept. Safe for use by several threads.
 */
final class ScanFiles {

    /** Lists of more values travel as ranges. */
    private static final int LONGEST_LIST = 200;

    private final LoadedTable table;
    private final ScanRange range;
    private final Expression filter;
    private @Nullable List<ManifestFile> manifests;
    private @Nullable ScanPlan plan;
    private Set<Integer> statistics = Set.of();
    private Duration planning = Duration.ZERO;

    ScanFiles(LoadedTable table, ScanRange range, Expression filter) {
        this.table = table;
        this.range = range;
        this.filter = filter;
    }

    /** The files of the same range that another filter leaves. */
    synchronized ScanFiles filtered(Expression other) {
        var filtered = new ScanFiles(table, range, other);
        filtered.manifests = manifests;
        return filtered;
    }

    /** The files that may hold rows the filter is TRUE for. */
    ScanPlan plan() {
        return plan(Set.of());
    }

    /**
     * The same with the statistics of some columns.
     *
     * @throws UncheckedIOException if a manifest cannot be read
     */
    synchronized ScanPlan plan(Set<Integer> statisticsOf) {
        if (plan == null || !statistics.containsAll(statisticsOf)) {
            long start = System.nanoTime();
            plan = find(filter, statisticsOf);
            statistics = Set.copyOf(statisticsOf);
            planning = Duration.ofNanos(System.nanoTime() - start);
        }
        return plan;
    }

    /** Of the files those that may also hold rows something else is TRUE for. Cost: the manifests are read again. */
    ScanPlan planAlso(Expression further) {
        return find(Expressions.and(filter, further), Set.of());
    }

    private ScanPlan find(Expression condition, Set<Integer> statisticsOf) {
        ScanPlan found = range.plan(table.storage(), table.metadata(), condition, statisticsOf);
        return found.withResiduals(residual -> Residuals.shortened(residual, LONGEST_LIST));
    }

    /** The plan, if it was needed already. */
    synchronized Optional<ScanPlan> planned() {
        return Optional.ofNullable(plan);
    }

    synchronized Duration planningTime() {
        return planning;
    }

    /** Data manifests with live files, whatever the filter says of them. Cost: one read, once. */
    synchronized List<ManifestFile> dataManifests() {
        if (manifests == null) {
            try {
                manifests = range.dataManifests(table.storage());
            } catch (IOException e) {
                throw new UncheckedIOException("Cannot plan a scan of " + table.name() + ": " + e.getMessage(), e);
            }
        }
        return manifests;
    }

    /** The specs of all files there may be. */
    List<PartitionSpec> specs() {
        return dataManifests().stream()
                .map(ManifestFile::specId)
                .distinct()
                .map(table.metadata()::spec)
                .toList();
    }

    /** Whether every file holds only rows the condition is TRUE for, or only others, by its partition alone. */
    boolean areDecidedByPartition(Expression condition) {
        if (table.metadata().specs().stream().allMatch(PartitionSpec::isUnpartitioned)) {
            return condition == Expression.Constant.TRUE;
        }
        return specs().stream()
                .allMatch(spec -> Projection.isExact(spec, Promotion.of(condition, table.metadata()::newestType)));
    }

    /** Rows of an unfiltered scan as the snapshot counts them, deleted ones included; empty if it does not. */
    OptionalLong recordedRows() {
        return filter == Expression.Constant.TRUE ? range.totalRecords() : OptionalLong.empty();
    }

    /**
     * The first files that have so many rows together that none of the others is needed, or all files. Files with deletes are not
     * counted on.
     */
    static List<FileTask> enoughFor(int limit, List<FileTask> files) {
        long rows = 0;
        for (int i = 0; i < files.size(); i++) {
            FileTask file = files.get(i);
            rows += file.deletes().isEmpty() ? file.file().recordCount() : 0;
            if (rows >= limit) {
                List<FileTask> first = files.subList(0, i + 1);
                return first.stream().filter(task -> task.deletes().isEmpty()).toList();
            }
        }
        return files;
    }
}
