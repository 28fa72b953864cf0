package dev.calve.spark.write;

import dev.calve.commit.CommitReport;
import java.util.Optional;
import org.apache.spark.sql.connector.write.BatchWrite;

/** A batch that can say what it did, once it is committed. */
public interface ReportingBatch extends BatchWrite {

    /** Empty as long as nothing is committed, and if there was nothing to commit. */
    Optional<CommitReport> report();
}
