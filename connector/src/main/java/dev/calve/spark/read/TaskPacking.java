package dev.calve.spark.read;

import dev.calve.manifest.DataFile;
import dev.calve.metadata.TableMetadata;
import dev.calve.metadata.TableProperties;
import dev.calve.scan.FileTask;
import dev.calve.scan.FileTaskCodec;
import dev.calve.spark.wire.FileSplits;
import dev.calve.spark.wire.FileSplits.Split;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.internal.SQLConf;

/**
 * Divides files into the tasks of a stage: large files are split at row groups, small ones share a task. Table properties
 * {@code read.split.*} say how large a task is; if they would leave cores idle, tasks are made smaller.
 */
public final class TaskPacking {

    private static final long SMALLEST_ADAPTED_SPLIT = 16L << 20;

    private final TableMetadata metadata;
    private final long targetBytes;
    private final long openFileCost;
    private final int lookback;

    private TaskPacking(TableMetadata metadata, long targetBytes, long openFileCost, int lookback) {
        this.metadata = metadata;
        this.targetBytes = targetBytes;
        this.openFileCost = openFileCost;
        this.lookback = lookback;
    }

    /** For statements in which one task handles a file as a whole: the numbers of the files each task handles. */
    public static List<List<Integer>> wholeFiles(
            List<FileTask> files, TableMetadata metadata, TableProperties properties, SparkSession session) {
        var splits = new ArrayList<Split>();
        for (int i = 0; i < files.size(); i++) {
            splits.add(Split.whole(i, files.get(i)));
        }
        return forReading(files, metadata, properties, session, OptionalLong.empty()).binned(splits).stream()
                .map(bin -> bin.stream().map(Split::number).toList())
                .toList();
    }

    /**
     * Packing for reading.
     *
     * @param files all there are, which decides how large a task becomes
     * @param splitSize what a query asks for; overrides the table and is not adapted
     */
    static TaskPacking forReading(
            List<FileTask> files,
            TableMetadata metadata,
            TableProperties properties,
            SparkSession session,
            OptionalLong splitSize) {
        long openFileCost = properties.get(TableProperties.SPLIT_OPEN_FILE_COST);
        long target = splitSize.orElse(properties.get(TableProperties.SPLIT_SIZE));
        if (splitSize.isEmpty() && properties.get(TableProperties.SPLIT_ADAPTIVE)) {
            long total = files.stream()
                    .mapToLong(file -> Math.max(file.sizeBytes(), openFileCost))
                    .sum();
            int parallelism = Math.max(
                    session.sparkContext().defaultParallelism(), SQLConf.get().numShufflePartitions());
            if ((total + target - 1) / target < parallelism) {
                target = Math.max(total / parallelism, Math.min(SMALLEST_ADAPTED_SPLIT, target));
            }
        }
        return new TaskPacking(metadata, target, openFileCost, properties.get(TableProperties.SPLIT_LOOKBACK));
    }

    /** Tasks for some of the files. */
    List<FileSplits> splitFiles(List<FileTask> files) {
        var splits = new ArrayList<Split>();
        for (int i = 0; i < files.size(); i++) {
            split(i, files.get(i), splits);
        }
        return pack(splits);
    }

    /** Cuts a file at row groups into ranges of about the target size, or anywhere if it is not known where they start. */
    private void split(int number, FileTask task, List<Split> splits) {
        DataFile file = task.file();
        List<Long> offsets = cuts(file);
        long start = 0;
        for (long cut : offsets) {
            if (cut - start >= targetBytes) {
                splits.add(new Split(number, task, start, cut));
                start = cut;
            }
        }
        splits.add(new Split(number, task, start, Long.MAX_VALUE));
    }

    private List<Long> cuts(DataFile file) {
        List<Long> offsets = file.common().splitOffsets();
        long size = file.fileSizeBytes();
        if (!offsets.isEmpty() && offsets.get(offsets.size() - 1) < size) {
            return offsets.subList(1, offsets.size());
        }
        var cuts = new ArrayList<Long>();
        for (long cut = targetBytes; cut < size; cut += targetBytes) {
            cuts.add(cut);
        }
        return cuts;
    }

    /** A task that is being filled. */
    private static final class Bin {
        private final List<Split> splits = new ArrayList<>();
        private long weight;

        /** Neighbouring ranges of one file become one, so that the file is opened once. */
        void add(Split split, long splitWeight) {
            int last = splits.size() - 1;
            if (last >= 0
                    && splits.get(last).number() == split.number()
                    && splits.get(last).end() == split.start()) {
                splits.set(
                        last,
                        new Split(split.number(), split.task(), splits.get(last).start(), split.end()));
            } else {
                splits.add(split);
            }
            weight += splitWeight;
        }
    }

    private List<FileSplits> pack(List<Split> splits) {
        var codec = new FileTaskCodec(metadata);
        return binned(splits).stream().map(bin -> FileSplits.of(bin, codec)).toList();
    }

    private List<List<Split>> binned(List<Split> splits) {
        var open = new ArrayList<Bin>();
        var result = new ArrayList<List<Split>>();
        for (Split split : splits) {
            long weight = weight(split);
            Bin bin = open.stream()
                    .filter(candidate -> candidate.weight + weight <= targetBytes)
                    .findFirst()
                    .orElse(null);
            if (bin == null) {
                if (open.size() == lookback) {
                    result.add(open.remove(0).splits);
                }
                bin = new Bin();
                open.add(bin);
            }
            bin.add(split, weight);
        }
        open.forEach(bin -> result.add(bin.splits));
        return result;
    }

    private long weight(Split split) {
        long whole = split.task().sizeBytes();
        long bytes = Math.min(split.end(), split.task().file().fileSizeBytes()) - split.start();
        return Math.max(Math.min(whole, bytes), openFileCost);
    }
}
