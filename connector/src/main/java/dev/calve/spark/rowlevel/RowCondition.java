package dev.calve.spark.rowlevel;

import dev.calve.metadata.TableMetadata;
import dev.calve.rowdelete.RowMatcher;
import dev.calve.spark.read.TaskReads;
import java.io.Serializable;

/** Which rows a statement removes, as it travels to the tasks that look for them. Implementations hold bytes and numbers only. */
interface RowCondition extends Serializable {

    /** Judges rows for one thread. */
    RowMatcher matcher(TaskReads reads, TableMetadata table);
}
