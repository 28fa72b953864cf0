package dev.calve.rowlevel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.calve.commit.CommitConflictException;
import dev.calve.commit.CommitOutcome;
import dev.calve.commit.Conflict;
import dev.calve.metadata.TableProperties.IsolationLevel;
import dev.calve.rowlevel.RowTable.Range;
import dev.calve.rowlevel.RowTable.Row;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Every cell of the table in {@link SettleAgain}, for every way to settle, in both format versions. */
class SettleAgainTest {

    private static final Range THREE = new Range(1, 3);
    private static final Range FILE = new Range(1, 10);
    private static final Range READ = new Range(1, 4);

    private enum Settling {
        IN_PLACE,
        REWRITE,
        WHOLE
    }

    private enum Verb {
        DELETE,
        DELETE_OR_PLAN_ANEW,
        UPDATE,
        MERGE,
        MERGE_THAT_SHOWS
    }

    /** One cell, one way. */
    private record Case(
            Verb verb,
            ConcurrentChange change,
            int version,
            Settling settling,
            IsolationLevel isolation,
            boolean deletedBefore) {

        Range range() {
            return settling == Settling.WHOLE ? FILE : THREE;
        }

        boolean serializable() {
            return isolation == IsolationLevel.SERIALIZABLE;
        }

        boolean isDelete() {
            return verb == Verb.DELETE || verb == Verb.DELETE_OR_PLAN_ANEW;
        }

        /** Planning anew matters only where settling is not enough, and what was read only at serializable. */
        boolean differsFromSimpler() {
            return switch (verb) {
                case DELETE_OR_PLAN_ANEW -> refusal().isPresent();
                case MERGE_THAT_SHOWS -> serializable();
                default -> true;
            };
        }

        private boolean is(ConcurrentChange... changes) {
            return List.of(changes).contains(change);
        }

        boolean fileGoes() {
            return is(ConcurrentChange.FILE_DELETED, ConcurrentChange.COMPACTED, ConcurrentChange.ROWS_REWRITTEN);
        }

        boolean matchingRowComes() {
            return is(
                    ConcurrentChange.A_ROW_UPDATED,
                    ConcurrentChange.ANOTHER_ROW_UPDATED_INTO_RANGE,
                    ConcurrentChange.MATCHING_ROW_APPENDED);
        }

        boolean anotherRowGoes() {
            return is(
                    ConcurrentChange.OTHER_ROWS_DELETED,
                    ConcurrentChange.OTHER_ROWS_DELETED_WIDELY,
                    ConcurrentChange.UPGRADED_AND_OTHER_ROWS_DELETED,
                    ConcurrentChange.ANOTHER_ROW_UPDATED,
                    ConcurrentChange.ANOTHER_ROW_UPDATED_INTO_RANGE);
        }

        /** One of our rows was updated, so that it lives on in another file. */
        boolean ourRowMoves() {
            return is(
                            ConcurrentChange.A_ROW_UPDATED,
                            ConcurrentChange.A_ROW_UPDATED_AWAY,
                            ConcurrentChange.A_ROW_DELETED_AND_ANOTHER_UPDATED_AWAY)
                    || (settling == Settling.WHOLE
                            && is(
                                    ConcurrentChange.ANOTHER_ROW_UPDATED,
                                    ConcurrentChange.ANOTHER_ROW_UPDATED_INTO_RANGE));
        }

        boolean ourRowGoes() {
            return ourRowMoves()
                    || is(
                            ConcurrentChange.A_ROW_DELETED,
                            ConcurrentChange.A_ROW_DELETED_WIDELY,
                            ConcurrentChange.ALL_THREE_ROWS_DELETED)
                    || (settling == Settling.WHOLE && anotherRowGoes());
        }

        /** What must stand in the way; empty if the statement must commit. */
        Optional<Class<? extends Conflict>> refusal() {
            if (fileGoes()) {
                return Optional.of(Conflict.DataFileRemoved.class);
            }
            if (serializable() && matchingRowComes()) {
                return Optional.of(Conflict.DataAdded.class);
            }
            if (isDelete()) {
                return !serializable() && ourRowMoves() ? Optional.of(Conflict.RowsOverlap.class) : Optional.empty();
            }
            if (is(ConcurrentChange.KEY_DELETED)) {
                return Optional.of(Conflict.KeysDeleted.class);
            }
            if (is(ConcurrentChange.ROW_IDS_ASSIGNED)) {
                return Optional.of(Conflict.RowIdsAssigned.class);
            }
            if (ourRowGoes()) {
                return Optional.of(Conflict.RowsOverlap.class);
            }
            return verb == Verb.MERGE && serializable() && anotherRowGoes()
                    ? Optional.of(Conflict.RowsDeleted.class)
                    : Optional.empty();
        }
    }

    private static List<Case> cases(Verb verb) {
        var cases = new ArrayList<Case>();
        for (ConcurrentChange change : ConcurrentChange.values()) {
            for (int version : new int[] {2, 3}) {
                for (Settling settling : Settling.values()) {
                    for (IsolationLevel isolation : IsolationLevel.values()) {
                        boolean deletedBefore = cases.size() % 2 == 0;
                        var one = new Case(verb, change, version, settling, isolation, deletedBefore);
                        if (change.happensIn(version) && one.differsFromSimpler()) {
                            cases.add(one);
                        }
                    }
                }
            }
        }
        return cases;
    }

    private static void runAll(List<Case> cases) {
        for (Case one : cases) {
            try {
                run(one);
            } catch (Throwable e) {
                throw new AssertionError(one + ": " + e, e);
            }
        }
    }

    private static void run(Case one) {
        var table = RowTable.unpartitioned(one.version());
        table.append(1, 10);
        table.append(11, 20);
        if (one.deletedBefore()) {
            table.run(false, IsolationLevel.SERIALIZABLE).deleteAndCommit(new Range(9, 9));
        }
        var run = table.run(one.settling() == Settling.REWRITE, one.isolation());
        RowChange change = planned(one, run);
        Set<Long> ours = names(table, one.range());
        one.change().happen(table);
        Map<Long, Row> found = table.rows();
        long head = table.table.head().id();

        SettleAgain again = run.again(change);
        if (one.verb() == Verb.DELETE_OR_PLAN_ANEW) {
            again = again.orElse(run.replan(one.range()));
        } else if (one.verb() == Verb.MERGE_THAT_SHOWS) {
            again = again.showing(table.matcher(READ));
        }
        Optional<Class<? extends Conflict>> refusal = one.refusal();
        if (refusal.isPresent() && one.verb() != Verb.DELETE_OR_PLAN_ANEW) {
            assertRefused(run, again, refusal.get());
            assertThat(table.table.head().id()).isEqualTo(head);
            assertThat(table.rows()).isEqualTo(found);
        } else {
            CommitOutcome outcome = run.commit(again);
            Map<Long, Long> expected = expected(one, found, ours, refusal.isPresent());
            assertThat(table.idsByName()).isEqualTo(expected);
            assertThat(outcome.committed().isEmpty())
                    .as("nothing to do")
                    .isEqualTo(ids(found).equals(expected) && one.change() != ConcurrentChange.KEY_DELETED);
            assertRowIdsKept(found, table.rows());
        }
        table.check();
    }

    private static RowChange planned(Case one, RowTable.Run run) {
        return switch (one.verb()) {
            case DELETE, DELETE_OR_PLAN_ANEW -> run.delete(one.range());
            case UPDATE -> run.update(one.range(), id -> id + 1000);
            case MERGE, MERGE_THAT_SHOWS ->
                run.merge(one.settling() == Settling.WHOLE ? FILE : READ, one.range(), id -> id + 1000);
        };
    }

    private static Set<Long> names(RowTable table, Range range) {
        var names = new java.util.HashSet<Long>();
        table.rows().forEach((name, row) -> {
            if (range.selects(row)) {
                names.add(name);
            }
        });
        return names;
    }

    private static Map<Long, Long> ids(Map<Long, Row> rows) {
        var ids = new LinkedHashMap<Long, Long>();
        rows.forEach((name, row) -> ids.put(name, row.id()));
        return ids;
    }

    private static Map<Long, Long> expected(Case one, Map<Long, Row> found, Set<Long> ours, boolean anew) {
        var expected = new LinkedHashMap<Long, Long>();
        found.forEach((name, row) -> {
            boolean chosen = anew ? one.range().selects(row) : ours.contains(name);
            // What was updated away is not ours any more, whoever of both came first.
            boolean moved = row.id() != name && one.serializable() && !anew;
            if (one.isDelete() && chosen && !moved) {
                return;
            }
            expected.put(name, chosen && !one.isDelete() ? row.id() + 1000 : row.id());
        });
        return expected;
    }

    private static void assertRefused(RowTable.Run run, SettleAgain again, Class<? extends Conflict> kind) {
        try {
            CommitOutcome outcome = run.commit(again);
            throw new AssertionError("Expected " + kind.getSimpleName() + ", but got " + outcome);
        } catch (CommitConflictException e) {
            assertThat(e.conflicts().get(0)).isInstanceOf(kind);
        }
    }

    private static void assertRowIdsKept(Map<Long, Row> before, Map<Long, Row> after) {
        after.forEach((name, row) -> {
            Row old = before.get(name);
            if (old != null && old.rowId().isPresent()) {
                assertThat(row.rowId()).as("row id of " + name).isEqualTo(old.rowId());
            }
        });
        List<Long> given = after.values().stream()
                .filter(row -> row.rowId().isPresent())
                .map(row -> row.rowId().getAsLong())
                .toList();
        assertThat(given).doesNotHaveDuplicates();
    }

    @Test
    void decidesEveryCellForDeletes() {
        runAll(allOf(Verb.DELETE));
    }

    @Test
    void plansDeletesAnewWhereSettlingIsNotEnough() {
        List<Case> cases = cases(Verb.DELETE_OR_PLAN_ANEW);
        assertThat(cases.stream().map(Case::change).distinct()).hasSize(9);
        runAll(cases);
    }

    @Test
    void decidesEveryCellForUpdates() {
        runAll(allOf(Verb.UPDATE));
    }

    @Test
    void decidesEveryCellForMerges() {
        runAll(allOf(Verb.MERGE));
    }

    @Test
    void letsMergesShowThatDeletedRowsWereNotRead() {
        List<Case> cases = cases(Verb.MERGE_THAT_SHOWS);
        assertThat(cases).hasSize(ways() * 3);
        runAll(cases);
    }

    /** All changes, some of them in one version only, three settlings, two levels; every other has deletes from before. */
    private static List<Case> allOf(Verb verb) {
        List<Case> cases = cases(verb);
        assertThat(cases).hasSize(ways() * 3 * 2).hasSizeGreaterThan(200);
        return cases;
    }

    private static int ways() {
        return EnumSet.allOf(ConcurrentChange.class).stream()
                .mapToInt(change -> (change.happensIn(2) ? 1 : 0) + (change.happensIn(3) ? 1 : 0))
                .sum();
    }
}
