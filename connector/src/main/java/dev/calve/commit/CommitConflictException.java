package dev.calve.commit;

import java.util.List;
import java.util.Optional;

/** Another writer committed something this statement cannot be reconciled with. The table is as that writer left it. */
public final class CommitConflictException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String table;
    private final String command;
    private final transient Optional<Statement.Isolation> isolation;
    private final transient List<Conflict> conflicts;
    private final boolean runningAgainHelps;

    /**
     * @param command as the user knows it
     * @param conflicts at least one, the most telling first
     */
    public CommitConflictException(
            String table, String command, Optional<Statement.Isolation> isolation, List<Conflict> conflicts) {
        this(table, command, isolation, conflicts, Optional.empty());
    }

    /** @param instead as {@link Statement} has it */
    CommitConflictException(
            String table,
            String command,
            Optional<Statement.Isolation> isolation,
            List<Conflict> conflicts,
            Optional<String> instead) {
        super(message(table, command, isolation, conflicts, instead));
        this.table = table;
        this.command = command;
        this.isolation = isolation;
        this.conflicts = List.copyOf(conflicts);
        this.runningAgainHelps = instead.isEmpty() && helps(conflicts);
    }

    private static String message(
            String table,
            String command,
            Optional<Statement.Isolation> isolation,
            List<Conflict> conflicts,
            Optional<String> instead) {
        Conflict first = conflicts.get(0);
        return "Cannot commit " + command + " to " + table + ": " + first.message()
                + (conflicts.size() > 1 ? " (and " + (conflicts.size() - 1) + " more)" : "")
                + isolation
                        .filter(level -> first.isOnlyUnderSerializable())
                        .map(level -> ". With " + level.setBy() + " 'snapshot' this would not matter")
                        .orElse("")
                + ". Nothing was changed"
                + (helps(conflicts) ? "; " + instead.orElse("run the statement again") + "." : ".");
    }

    private static boolean helps(List<Conflict> conflicts) {
        return conflicts.stream().allMatch(Conflict::runningAgainHelps);
    }

    /** Name of the table. */
    public String table() {
        return table;
    }

    /** As the user knows it, such as {@code DELETE}. */
    public String command() {
        return command;
    }

    /** The level the statement ran under and the property that sets it; empty for commands that are not under any. */
    public Optional<Statement.Isolation> isolation() {
        return isolation;
    }

    /** What stood in the way: files, partitions or rows, and the snapshots that changed them. */
    public List<Conflict> conflicts() {
        return conflicts;
    }

    /** Whether the same statement may succeed when it is run again. */
    public boolean runningAgainHelps() {
        return runningAgainHelps;
    }
}
