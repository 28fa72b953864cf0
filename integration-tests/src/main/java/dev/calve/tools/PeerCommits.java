package dev.calve.tools;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.FileMetadata;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.RowDelta;
import org.apache.iceberg.Table;
import org.apache.iceberg.expressions.Expression;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.hadoop.HadoopTables;
import org.apache.iceberg.io.CloseableIterable;

/** The commits of Apache Iceberg's own library, through its Java API. */
final class PeerCommits implements CommitSide {

    private final HadoopTables tables = new HadoopTables(LocalFilesWithoutFork.configuration());

    @Override
    public String name() {
        return "peer";
    }

    @Override
    public void removeFile(ManyFiles table, Path folder, int file) throws IOException {
        Table loaded = tables.load(folder.toString());
        long lowest = table.lowestId(file);
        Expression ids = Expressions.and(
                Expressions.greaterThanOrEqual("id", lowest),
                Expressions.lessThan("id", lowest + ManyFiles.ROWS_PER_FILE));
        loaded.newDelete().deleteFile(only(loaded, onDay(table, file, ids))).commit();
    }

    @Override
    public void addVector(ManyFiles table, Path folder, int file) throws IOException {
        Table loaded = tables.load(folder.toString());
        DataFile found = only(loaded, onDay(table, file, Expressions.equal("id", table.lowestId(file) + 5)));
        addVector(loaded, folder, found);
    }

    private static void addVector(Table loaded, Path folder, DataFile file) {
        RowDelta delta = loaded.newRowDelta();
        delta.addDeletes(vector(loaded, folder, file));
        delta.commit();
    }

    private static DeleteFile vector(Table loaded, Path folder, DataFile file) {
        return FileMetadata.deleteFileBuilder(loaded.specs().get(file.specId()))
                .ofPositionDeletes()
                .withFormat(FileFormat.PUFFIN)
                .withPath(folder + "/data/00000-1-" + UUID.randomUUID() + "-deletes.puffin")
                .withPartition(file.partition())
                .withRecordCount(1)
                .withFileSizeInBytes(400)
                .withReferencedDataFile(file.location())
                .withContentOffset(4)
                .withContentSizeInBytes(44)
                .build();
    }

    @Override
    public void append(ManyFiles table, Path folder, int file) {
        tables.load(folder.toString())
                .newAppend()
                .appendFile(table.dataFile(file))
                .commit();
    }

    @Override
    public void removeDay(ManyFiles table, Path folder, int day) {
        tables.load(folder.toString()).newDelete().deleteFromRowFilter(day(day)).commit();
    }

    @Override
    public void addVectors(ManyFiles table, Path folder, int count) throws IOException {
        Table loaded = tables.load(folder.toString());
        Expression first = Expressions.lessThan("id", table.lowestId(count));
        for (DataFile file : found(loaded, first)) {
            addVector(tables.load(folder.toString()), folder, file);
        }
    }

    @Override
    public Object plan(ManyFiles table, Path folder) throws IOException {
        try (CloseableIterable<FileScanTask> tasks =
                tables.load(folder.toString()).newScan().includeColumnStats().planFiles()) {
            var kept = new ArrayList<FileScanTask>();
            tasks.forEach(kept::add);
            return kept;
        }
    }

    @Override
    public int manifests(Path folder) {
        Table loaded = tables.load(folder.toString());
        return loaded.currentSnapshot().allManifests(loaded.io()).size();
    }

    @Override
    public int manifestsOpened() {
        return LocalFilesWithoutFork.manifestsOpened();
    }

    private static Expression onDay(ManyFiles table, int file, Expression ids) {
        return table.partitioned() ? Expressions.and(day(table.dayOf(file)), ids) : ids;
    }

    private static Expression day(int day) {
        return Expressions.and(
                Expressions.greaterThanOrEqual("ts", day * ManyFiles.MICROS_PER_DAY),
                Expressions.lessThan("ts", (day + 1) * ManyFiles.MICROS_PER_DAY));
    }

    private static DataFile only(Table loaded, Expression filter) throws IOException {
        List<DataFile> found = found(loaded, filter);
        if (found.size() != 1) {
            throw new IllegalStateException("One file must match " + filter + ", but " + found.size() + " do.");
        }
        return found.get(0);
    }

    private static List<DataFile> found(Table loaded, Expression filter) throws IOException {
        try (CloseableIterable<FileScanTask> tasks =
                loaded.newScan().filter(filter).planFiles()) {
            var files = new ArrayList<DataFile>();
            tasks.forEach(task -> files.add(task.file()));
            return files;
        }
    }
}
