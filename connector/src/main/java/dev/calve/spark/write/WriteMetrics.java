package dev.calve.spark.write;

import dev.calve.commit.CommitReport;
import dev.calve.commit.CommitReport.Count;
import java.util.List;
import java.util.Optional;
import org.apache.spark.sql.connector.metric.CustomMetric;
import org.apache.spark.sql.connector.metric.CustomSumMetric;
import org.apache.spark.sql.connector.metric.CustomTaskMetric;

/**
 * What Spark's UI shows of a statement that changes a table: what its commit counted, told by the driver once it is done. Each kind
 * is a class of its own with a public constructor, because Spark makes it anew by its name.
 */
public final class WriteMetrics {

    private WriteMetrics() {}

    /** One count of the commit. */
    public abstract static class OfCommit extends CustomSumMetric {

        private final Count count;

        OfCommit(Count count) {
            this.count = count;
        }

        /** The count in camel case, as {@code rowsDeleted}. */
        @Override
        public String name() {
            var name = new StringBuilder();
            boolean upper = false;
            for (char letter : count.text().toCharArray()) {
                if (letter == ' ') {
                    upper = true;
                } else {
                    name.append(upper ? Character.toUpperCase(letter) : letter);
                    upper = false;
                }
            }
            return name.toString();
        }

        @Override
        public String description() {
            return count.text();
        }
    }

    private record Value(String name, long value) implements CustomTaskMetric {}

    /** {@link Count#ROWS_MATCHED}. */
    public static final class RowsMatched extends OfCommit {
        public RowsMatched() {
            super(Count.ROWS_MATCHED);
        }
    }

    /** {@link Count#ROWS_DELETED}. */
    public static final class RowsDeleted extends OfCommit {
        public RowsDeleted() {
            super(Count.ROWS_DELETED);
        }
    }

    /** {@link Count#ROWS_UPDATED}. */
    public static final class RowsUpdated extends OfCommit {
        public RowsUpdated() {
            super(Count.ROWS_UPDATED);
        }
    }

    /** {@link Count#ROWS_INSERTED}. */
    public static final class RowsInserted extends OfCommit {
        public RowsInserted() {
            super(Count.ROWS_INSERTED);
        }
    }

    /** {@link Count#ROWS_COPIED}. */
    public static final class RowsCopied extends OfCommit {
        public RowsCopied() {
            super(Count.ROWS_COPIED);
        }
    }

    /** {@link Count#DATA_FILES_ADDED}. */
    public static final class DataFilesAdded extends OfCommit {
        public DataFilesAdded() {
            super(Count.DATA_FILES_ADDED);
        }
    }

    /** {@link Count#DATA_FILES_REMOVED}. */
    public static final class DataFilesRemoved extends OfCommit {
        public DataFilesRemoved() {
            super(Count.DATA_FILES_REMOVED);
        }
    }

    /** {@link Count#DATA_FILES_REWRITTEN}. */
    public static final class DataFilesRewritten extends OfCommit {
        public DataFilesRewritten() {
            super(Count.DATA_FILES_REWRITTEN);
        }
    }

    /** {@link Count#VECTORS_ADDED}. */
    public static final class VectorsAdded extends OfCommit {
        public VectorsAdded() {
            super(Count.VECTORS_ADDED);
        }
    }

    /** {@link Count#POSITION_DELETE_FILES_ADDED}. */
    public static final class PositionDeleteFilesAdded extends OfCommit {
        public PositionDeleteFilesAdded() {
            super(Count.POSITION_DELETE_FILES_ADDED);
        }
    }

    /** {@link Count#DELETE_FILES_REMOVED}. */
    public static final class DeleteFilesRemoved extends OfCommit {
        public DeleteFilesRemoved() {
            super(Count.DELETE_FILES_REMOVED);
        }
    }

    /** {@link Count#BYTES_ADDED}. */
    public static final class BytesAdded extends OfCommit {
        public BytesAdded() {
            super(Count.BYTES_ADDED);
        }
    }

    /** {@link Count#BYTES_COPIED}. */
    public static final class BytesCopied extends OfCommit {
        public BytesCopied() {
            super(Count.BYTES_COPIED);
        }
    }

    /** {@link Count#BYTES_ENCODED}. */
    public static final class BytesEncoded extends OfCommit {
        public BytesEncoded() {
            super(Count.BYTES_ENCODED);
        }
    }

    /** {@link Count#MANIFESTS_KEPT}. */
    public static final class ManifestsKept extends OfCommit {
        public ManifestsKept() {
            super(Count.MANIFESTS_KEPT);
        }
    }

    /** {@link Count#MANIFESTS_CREATED}. */
    public static final class ManifestsCreated extends OfCommit {
        public ManifestsCreated() {
            super(Count.MANIFESTS_CREATED);
        }
    }

    /** {@link Count#MANIFESTS_REPLACED}. */
    public static final class ManifestsReplaced extends OfCommit {
        public ManifestsReplaced() {
            super(Count.MANIFESTS_REPLACED);
        }
    }

    /** {@link Count#MANIFESTS_MERGED}. */
    public static final class ManifestsMerged extends OfCommit {
        public ManifestsMerged() {
            super(Count.MANIFESTS_MERGED);
        }
    }

    /** {@link Count#ATTEMPTS}. */
    public static final class Attempts extends OfCommit {
        public Attempts() {
            super(Count.ATTEMPTS);
        }
    }

    /** {@link Count#CONFLICTS_RESOLVED}. */
    public static final class ConflictsResolved extends OfCommit {
        public ConflictsResolved() {
            super(Count.CONFLICTS_RESOLVED);
        }
    }

    private static final List<OfCommit> ALL = List.of(
            new RowsMatched(),
            new RowsDeleted(),
            new RowsUpdated(),
            new RowsInserted(),
            new RowsCopied(),
            new DataFilesAdded(),
            new DataFilesRemoved(),
            new DataFilesRewritten(),
            new VectorsAdded(),
            new PositionDeleteFilesAdded(),
            new DeleteFilesRemoved(),
            new BytesAdded(),
            new BytesCopied(),
            new BytesEncoded(),
            new ManifestsKept(),
            new ManifestsCreated(),
            new ManifestsReplaced(),
            new ManifestsMerged(),
            new Attempts(),
            new ConflictsResolved());

    /** All there are. */
    public static CustomMetric[] all() {
        return ALL.toArray(CustomMetric[]::new);
    }

    /** What the driver tells; nothing of a statement that committed nothing. */
    public static CustomTaskMetric[] of(Optional<CommitReport> report) {
        return report.map(done -> ALL.stream()
                        .map(metric -> new Value(metric.name(), done.get(metric.count)))
                        .toArray(CustomTaskMetric[]::new))
                .orElseGet(() -> new CustomTaskMetric[0]);
    }
}
