package dev.calve.spark.read;

import dev.calve.manifest.DeleteFile;
import dev.calve.scan.ScanPlan;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.apache.spark.sql.connector.metric.CustomMetric;
import org.apache.spark.sql.connector.metric.CustomSumMetric;
import org.apache.spark.sql.connector.metric.CustomTaskMetric;

/**
 * What Spark's UI shows of a scan: what planning left out, and what tasks did not have to read. Each kind is a class of its own
 * with a public constructor, because Spark makes it anew by its name.
 */
public final class ScanMetrics {

    private ScanMetrics() {}

    /** A number that is summed over the tasks, or told by the driver once. */
    public abstract static class Sum extends CustomSumMetric {

        private final String name;
        private final String description;

        Sum(String name, String description) {
            this.name = name;
            this.description = description;
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public String description() {
            return description;
        }

        /** The metric's value of one task, or of the driver. */
        CustomTaskMetric of(long value) {
            return new Value(name, value);
        }
    }

    private record Value(String name, long value) implements CustomTaskMetric {}

    /** Data manifests that were opened. */
    public static final class ManifestsRead extends Sum {
        public ManifestsRead() {
            super("manifestsRead", "data manifests read");
        }
    }

    /** Data manifests that cannot list a matching file. */
    public static final class ManifestsPruned extends Sum {
        public ManifestsPruned() {
            super("manifestsPruned", "data manifests pruned");
        }
    }

    /** Data files that tasks read. */
    public static final class FilesRead extends Sum {
        public FilesRead() {
            super("filesRead", "data files to read");
        }
    }

    /** Data files of opened manifests that cannot hold a matching row, or that a limit needs no more. */
    public static final class FilesPruned extends Sum {
        public FilesPruned() {
            super("filesPruned", "data files pruned");
        }
    }

    /** Deletion vectors that apply to the planned files. */
    public static final class Vectors extends Sum {
        public Vectors() {
            super("deletionVectors", "deletion vectors");
        }
    }

    /** Position delete files that apply to the planned files; counted once a data file. */
    public static final class PositionDeletes extends Sum {
        public PositionDeletes() {
            super("positionDeletes", "position delete files");
        }
    }

    /** Equality delete files that apply to the planned files; counted once a data file. */
    public static final class EqualityDeletes extends Sum {
        public EqualityDeletes() {
            super("equalityDeletes", "equality delete files");
        }
    }

    /** Time on the driver. */
    public static final class PlanningMillis extends Sum {
        public PlanningMillis() {
            super("planningMillis", "planning time in ms");
        }
    }

    /** Row groups of which something was read. */
    public static final class RowGroupsRead extends Sum {
        public RowGroupsRead() {
            super("rowGroupsRead", "row groups read");
        }
    }

    /** Row groups left out, because no row of them matters. */
    public static final class RowGroupsSkipped extends Sum {
        public RowGroupsSkipped() {
            super("rowGroupsSkipped", "row groups skipped");
        }
    }

    /** Rows left out in row groups that were read. */
    public static final class RowsSkipped extends Sum {
        public RowsSkipped() {
            super("rowsSkipped", "rows skipped by page indexes");
        }
    }

    /** Files with an encoding that Spark's vectorized reader refuses. */
    public static final class FilesDecodedByRows extends Sum {
        public FilesDecodedByRows() {
            super("filesDecodedByRows", "files decoded row by row");
        }
    }

    /** Bytes asked of the storage. */
    public static final class BytesRead extends Sum {
        public BytesRead() {
            super("bytesRead", "bytes read from storage");
        }
    }

    /** Ranged reads asked of the storage. */
    public static final class Requests extends Sum {
        public Requests() {
            super("requests", "ranged reads of storage");
        }
    }

    private static final List<Sum> OF_PLAN = List.of(
            new ManifestsRead(),
            new ManifestsPruned(),
            new FilesRead(),
            new FilesPruned(),
            new Vectors(),
            new PositionDeletes(),
            new EqualityDeletes(),
            new PlanningMillis());

    private static final List<Sum> OF_TASK = List.of(
            new RowGroupsRead(),
            new RowGroupsSkipped(),
            new RowsSkipped(),
            new FilesDecodedByRows(),
            new BytesRead(),
            new Requests());

    /** All there are. */
    static CustomMetric[] all() {
        return Stream.concat(OF_PLAN.stream(), OF_TASK.stream()).toArray(CustomMetric[]::new);
    }

    /** What a task tells. */
    static CustomTaskMetric[] ofTask(ReadCounters read) {
        return values(
                OF_TASK,
                read.rowGroupsRead(),
                read.rowGroupsSkipped(),
                read.rowsSkipped(),
                read.filesDecodedByRows(),
                read.bytesRead(),
                read.requests());
    }

    private static CustomTaskMetric[] values(List<Sum> metrics, long... values) {
        var result = new CustomTaskMetric[values.length];
        Arrays.setAll(result, i -> metrics.get(i).of(values[i]));
        return result;
    }

    /**
     * What the driver tells.
     *
     * @param filesRead of the planned files those that tasks were made of
     */
    static CustomTaskMetric[] ofPlan(ScanPlan plan, int filesRead, Duration planning) {
        return values(
                OF_PLAN,
                plan.readDataManifests(),
                plan.prunedDataManifests(),
                filesRead,
                plan.prunedDataFiles() + plan.tasks().size() - filesRead,
                deletes(plan, DeleteFile.DeletionVector.class),
                deletes(plan, DeleteFile.PositionDeletes.class),
                deletes(plan, DeleteFile.EqualityDeletes.class),
                planning.toMillis());
    }

    private static long deletes(ScanPlan plan, Class<? extends DeleteFile> kind) {
        return plan.tasks().stream()
                .flatMap(task -> task.deletes().stream())
                .filter(entry -> kind.isInstance(entry.file()))
                .count();
    }
}
