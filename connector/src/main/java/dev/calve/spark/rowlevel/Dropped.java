package dev.calve.spark.rowlevel;

import dev.calve.deletes.PositionBitmap;
import dev.calve.manifest.DataFile;
import dev.calve.manifest.DeleteFile;
import dev.calve.metadata.Snapshot;
import dev.calve.metadata.TableMetadata;
import dev.calve.partition.PartitionPath;
import dev.calve.rowdelete.Outcome;
import dev.calve.rowlevel.Touched;
import dev.calve.scan.FileTask;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What an overwrite is about to drop, for its log: nobody gets the rows back, and static overwrites drop more than some expect. */
final class Dropped {

    private static final Logger LOG = LoggerFactory.getLogger(Dropped.class);

    private static final int PARTITIONS_NAMED = 20;

    private final TableMetadata table;
    private final Optional<Snapshot> snapshot;
    private final TreeSet<String> partitions = new TreeSet<>();
    private long files;
    private long parts;
    private long rows;

    Dropped(TableMetadata table, Optional<Snapshot> snapshot) {
        this.table = table;
        this.snapshot = snapshot;
    }

    /** A file all of whose rows go. Rows that position delete files or equality deletes hide already are counted too. */
    void whole(FileTask task) {
        note(task.file());
        files++;
        rows += task.file().recordCount();
        if (task.deletes().size() == 1 && task.deletes().get(0).file() instanceof DeleteFile.DeletionVector vector) {
            rows -= vector.recordCount();
        }
    }

    /** A file some of whose rows go, or all of them as was found out. */
    void some(Touched touched) {
        note(touched.file());
        if (touched.outcome() instanceof Outcome.WholeFile) {
            files++;
        } else {
            parts++;
        }
        PositionBitmap positions = touched.positions();
        rows += positions.cardinality();
    }

    private void note(DataFile file) {
        partitions.add(
                PartitionPath.of(table.spec(file.specId()), table.partitionType(file.specId()), file.partition()));
    }

    /** Says so, once a plan. */
    void log(String name, List<DataFile> newRows) {
        LOG.info(
                "INSERT OVERWRITE of {} drops {} row(s), at most, of snapshot {}: {} file(s), and rows of {} more, in {} partition(s) [{}];"
                        + " {} row(s) in {} file(s) come",
                name,
                rows,
                snapshot.map(found -> String.valueOf(found.id())).orElse("none"),
                files,
                parts,
                partitions.size(),
                partitions.stream().limit(PARTITIONS_NAMED).collect(Collectors.joining(", "))
                        + (partitions.size() > PARTITIONS_NAMED ? ", …" : ""),
                newRows.stream().mapToLong(DataFile::recordCount).sum(),
                newRows.size());
    }
}
