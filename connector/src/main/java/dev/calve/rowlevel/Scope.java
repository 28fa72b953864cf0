package dev.calve.rowlevel;

import dev.calve.expression.Expression;
import dev.calve.metadata.TableProperties.IsolationLevel;
import dev.calve.scan.FileTask;
import java.util.List;

/**
 * What a statement read of its table, as far as another writer could have changed it.
 *
 * @param filter TRUE for every row that could have mattered; what planning was really given
 * @param alsoRead files in which a row deleted meanwhile matters even if the statement does not touch it, because the statement
 *     reads the table beyond the rows it changes: what the scan of a MERGE read, or of a statement with a subquery on its own
 *     table. Empty for a DELETE or UPDATE whose only read is its row-level scan
 */
public record Scope(Expression filter, IsolationLevel isolation, List<FileTask> alsoRead) {

    public Scope {
        alsoRead = List.copyOf(alsoRead);
    }

    public static Scope of(Expression filter, IsolationLevel isolation) {
        return new Scope(filter, isolation, List.of());
    }

    boolean isSerializable() {
        return isolation == IsolationLevel.SERIALIZABLE;
    }
}
