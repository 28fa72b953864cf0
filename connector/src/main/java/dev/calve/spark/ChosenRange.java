package dev.calve.spark;

import dev.calve.catalog.LoadedTable;
import dev.calve.metadata.ReadPoint;
import dev.calve.metadata.ReadState;
import dev.calve.metadata.Snapshot;
import dev.calve.scan.ScanRange;
import dev.calve.schema.Schema;
import dev.calve.spark.read.StateOptions;
import java.util.Optional;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/**
 * What a scan reads: the state its table was loaded at, or what the options of the read ask for.
 *
 * <p>Spark hands a named table these options only when it has taken the columns from it, those of the state it was loaded
 * at. An option that asks for a state with other columns is refused then, because that state must be read with its own.
 * {@code VERSION AS OF}, {@code versionAsOf} and {@code t.tag_x} are known when the table is loaded, and so is what an option
 * asks for where {@link StateByName} made a name of it.
 *
 * @param table with the branch that is read
 * @param schema rows are read with
 * @param point what was asked for
 */
record ChosenRange(LoadedTable table, ScanRange range, Schema schema, ReadPoint point) {

    /**
     * Chooses.
     *
     * @throws IllegalArgumentException if options contradict each other or the state loaded, ask for what does not exist, or
     *     for a state with other columns
     */
    static ChosenRange of(LoadedTable table, ReadState loaded, CaseInsensitiveStringMap options) {
        StateOptions asked = StateOptions.of(options);
        ReadState state =
                asked.point().map(point -> state(table, loaded, point)).orElse(loaded);
        LoadedTable read =
                state.isCurrent() ? table : state.branch().map(table::onBranch).orElse(table);
        if (asked.appends().isEmpty()) {
            return new ChosenRange(read, new ScanRange.AtSnapshot(state.snapshot()), state.schema(), state.point());
        }
        if (state.past()) {
            throw new IllegalArgumentException("Cannot read " + asked.appends().get() + " of " + table.name() + " "
                    + state.point() + ": that is all rows of a state. Ask for what was appended to the table or to "
                    + "one of its branches.");
        }
        return new ChosenRange(
                read, asked.appends().get().in(table.metadata(), state, table.name()), state.schema(), state.point());
    }

    private static ReadState state(LoadedTable table, ReadState loaded, ReadPoint point) {
        if (loaded.point().equals(point)) {
            return loaded;
        }
        ReadState state = point.in(table.metadata(), table.name());
        if (!loaded.isCurrent()) {
            boolean same = loaded.past() == state.past() && id(loaded).equals(id(state));
            if (!same) {
                throw new IllegalArgumentException("Cannot read " + table.name() + " " + point
                        + " by a read option: it is asked for " + loaded.point() + " already. Ask for one of them.");
            }
            return loaded;
        }
        if (!state.schema().sameFields(loaded.schema())) {
            throw new IllegalArgumentException("Cannot read " + table.name() + " " + point
                    + " by this read option: the columns were others then, and Spark has those of the table as it is "
                    + "now. Use SELECT … FROM " + table.name() + " VERSION AS OF "
                    + id(state).map(String::valueOf).orElse("…") + ", or the option 'versionAsOf', which Spark knows.");
        }
        return state;
    }

    private static Optional<Long> id(ReadState state) {
        return state.snapshot().map(Snapshot::id);
    }
}
