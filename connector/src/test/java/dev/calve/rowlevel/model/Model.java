package dev.calve.rowlevel.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.calve.metadata.TableProperties.IsolationLevel;
import dev.calve.rowlevel.model.Statement.Delta;
import dev.calve.rowlevel.model.StoredTable.Stored;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/** What the branches of a table must hold: rows by name, with their lineage as far as it is known. */
final class Model {

    /** The rows of a branch, and whether all of them have ids. */
    static final class Branch {
        private final Map<Long, Stored> rows = new TreeMap<>();
        boolean identified;

        Map<Long, Row> rows() {
            var plain = new TreeMap<Long, Row>();
            rows.forEach((name, stored) -> plain.put(name, stored.row()));
            return plain;
        }

        Branch copy() {
            var copy = new Branch();
            copy.rows.putAll(rows);
            copy.identified = identified;
            return copy;
        }
    }

    final Map<String, Branch> branches = new TreeMap<>();

    /** The name of the row that has, or had, a row id. */
    private final Map<Long, Long> names = new HashMap<>();

    Model() {
        branches.put("main", new Branch());
    }

    Branch branch(String name) {
        return Objects.requireNonNull(branches.get(name), name);
    }

    void toEveryRow(UnaryOperator<Row> change) {
        for (Branch branch : branches.values()) {
            branch.rows.replaceAll(
                    (name, stored) -> new Stored(change.apply(stored.row()), stored.rowId(), stored.updated()));
        }
    }

    /**
     * Does to the rows what a committed statement must have done: as if it had run at once on the rows there are. A row-level
     * statement under {@code snapshot} isolation wrote what it made of the rows it read over them.
     *
     * @param read the rows it read last
     * @param number the sequence number of its snapshot
     */
    void apply(Statement statement, Map<Long, Row> read, OptionalLong number) {
        Branch branch = branch(statement.branch());
        Map<Long, Row> now = branch.rows();
        boolean asRead = statement.kind().isRowLevel() && statement.isolation() == IsolationLevel.SNAPSHOT;
        Delta delta = statement.effect().apply((asRead ? read : now).values());
        delta.gone().forEach(branch.rows::remove);
        delta.changed().forEach((name, row) -> {
            Stored before = branch.rows.get(name);
            assertThat(before).as("row %d, which %s updates", name, statement).isNotNull();
            assertThat(now.get(name))
                    .as("row %d, which %s read", name, statement)
                    .isEqualTo((asRead ? read : now).get(name));
            branch.rows.put(name, new Stored(row, Objects.requireNonNull(before).rowId(), number));
        });
        delta.added().forEach(row -> {
            Stored twin = branch.rows.put(row.name(), new Stored(row, OptionalLong.empty(), number));
            assertThat(twin).as("an older row %d", row.name()).isNull();
        });
    }

    /** Compares a branch with what is stored. What is stored for the first time becomes known. */
    void check(String name, Map<Long, Stored> found, int formatVersion) {
        Branch branch = branch(name);
        var rows = new TreeMap<Long, Row>();
        found.forEach((row, stored) -> rows.put(row, stored.row()));
        assertThat(rows).as("rows of %s", name).isEqualTo(branch.rows());
        for (Stored stored : found.values()) {
            long row = stored.row().name();
            if (formatVersion < 3) {
                branch.rows.put(row, new Stored(stored.row(), OptionalLong.empty(), OptionalLong.empty()));
                continue;
            }
            Stored known = Objects.requireNonNull(branch.rows.get(row));
            if (known.rowId().isPresent() || branch.identified) {
                assertThat(stored.rowId()).as("id of row %d", row).isPresent();
            }
            if (known.rowId().isPresent()) {
                assertThat(stored.rowId()).as("id of row %d", row).isEqualTo(known.rowId());
            } else if (stored.rowId().isPresent()) {
                assertThat(names.putIfAbsent(stored.rowId().getAsLong(), row))
                        .as("another row with the id of row %d", row)
                        .isNull();
            }
            if (known.updated().isPresent() && stored.rowId().isPresent()) {
                assertThat(stored.updated()).as("last number of row %d", row).isEqualTo(known.updated());
            }
            branch.rows.put(
                    row,
                    new Stored(
                            stored.row(),
                            stored.rowId(),
                            stored.rowId().isPresent() ? stored.updated() : known.updated()));
        }
    }
}
