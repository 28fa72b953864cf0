package dev.calve.scan;

import dev.calve.expression.Expression;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * The files a scan has to read and how many did not have to be looked at.
 *
 * @param tasks in the order of the manifests
 * @param prunedDataManifests, prunedDeleteManifests manifests not opened
 * @param prunedDataFiles entries of opened manifests that cannot hold a matching row
 */
public record ScanPlan(
        List<FileTask> tasks,
        int readDataManifests,
        int prunedDataManifests,
        int readDeleteManifests,
        int prunedDeleteManifests,
        long prunedDataFiles) {

    public ScanPlan {
        tasks = List.copyOf(tasks);
    }

    public long recordCount() {
        return tasks.stream().mapToLong(task -> task.file().recordCount()).sum();
    }

    public long sizeBytes() {
        return tasks.stream().mapToLong(FileTask::sizeBytes).sum();
    }

    public boolean hasDeletes() {
        return tasks.stream().anyMatch(task -> !task.deletes().isEmpty());
    }

    /** The same plan, with less to be checked for the rows of some files. */
    public ScanPlan withResiduals(UnaryOperator<Expression> change) {
        List<FileTask> changed = tasks.stream()
                .map(task -> task.withResidual(change.apply(task.residual())))
                .toList();
        return new ScanPlan(
                changed,
                readDataManifests,
                prunedDataManifests,
                readDeleteManifests,
                prunedDeleteManifests,
                prunedDataFiles);
    }
}
