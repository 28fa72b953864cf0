package dev.calve.metadata;

import dev.calve.partition.PartitionPath;
import dev.calve.partition.PartitionTuple;
import java.util.UUID;

/**
 * Names for the files one task attempt of a statement writes: {@code <data>/<partition>/<task>-<attempt>-<statement>-<n>.ext}.
 * Unique across tasks, attempts and statements, and the statement's id finds what a crash left behind. Not for several
 * threads.
 */
public final class FileNames {

    private final TableMetadata table;
    private final UUID statementId;
    private final int task;
    private final long attempt;
    private int count;

    /**
     * @param task number of the task in its stage
     * @param attempt different for every attempt of the task
     */
    public FileNames(TableMetadata table, UUID statementId, int task, long attempt) {
        this.table = table;
        this.statementId = statementId;
        this.task = task;
        this.attempt = attempt;
    }

    /** A new data file of one partition. */
    public String dataFile(int specId, PartitionTuple partition) {
        return inPartition(specId, partition, ".parquet");
    }

    /** A new position delete file of one partition. */
    public String positionDeletes(int specId, PartitionTuple partition) {
        return inPartition(specId, partition, "-deletes.parquet");
    }

    /** A new Puffin file of deletion vectors, which may belong to several partitions. */
    public String vectors() {
        return folder() + "/" + next("-deletes.puffin");
    }

    private String inPartition(int specId, PartitionTuple partition, String suffix) {
        String path = PartitionPath.of(table.spec(specId), table.partitionType(specId), partition);
        return folder() + "/" + (path.isEmpty() ? "" : path + "/") + next(suffix);
    }

    private String folder() {
        return TableProperties.of(table, table.location())
                .get(TableProperties.DATA_PATH)
                .orElse(table.location() + "/data");
    }

    private String next(String suffix) {
        return String.format("%05d-%d-%s-%05d%s", task, attempt, statementId, ++count, suffix);
    }
}
