package dev.calve.rowlevel.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.calve.Randomly;
import dev.calve.commit.CommitConflictException;
import dev.calve.commit.LiveFiles;
import dev.calve.expression.Expression.Operator;
import dev.calve.metadata.BranchMoves;
import dev.calve.metadata.ColumnChanges;
import dev.calve.metadata.MetadataUpdate;
import dev.calve.metadata.NewPartitionField;
import dev.calve.metadata.NewRef;
import dev.calve.metadata.RefChanges;
import dev.calve.metadata.Retention;
import dev.calve.metadata.Snapshot;
import dev.calve.metadata.SnapshotRef;
import dev.calve.metadata.SpecEvolution;
import dev.calve.metadata.TableMetadata;
import dev.calve.metadata.TableProperties.IsolationLevel;
import dev.calve.partition.ColumnTransform;
import dev.calve.partition.PartitionField;
import dev.calve.partition.PartitionSpec;
import dev.calve.partition.Transform;
import dev.calve.rowlevel.model.Statement.Delta;
import dev.calve.rowlevel.model.Statement.Kind;
import dev.calve.schema.Field;
import dev.calve.schema.Schema;
import dev.calve.schema.SchemaChange;
import dev.calve.schema.SchemaChanges;
import dev.calve.schema.Type;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;

/** Random steps on one table and its {@link Model}. Steps depend on the seed alone, not on what becomes of them. */
final class Program {

    private static final int IDS = 12;
    private static final int VALUES = 6;
    private static final int MANY_ROWS = 24;

    private final Randomly random;
    private final Map<String, Integer> endings;
    private final StoredTable table;
    private final Model model = new Model();
    private final List<String> steps = new ArrayList<>();
    private long nextName = 1;
    private int nextColumn;

    Program(Randomly random, Map<String, Integer> endings) {
        this.random = random;
        this.endings = endings;
        int version = random.oneOf(2, 2, 3);
        var schema = new Schema(
                0,
                List.of(
                        Field.required(StoredTable.ID, "id", Type.Simple.LONG),
                        Field.optional(2, "c2", Type.Simple.INT),
                        Field.optional(3, "c3", Type.Simple.INT)));
        this.nextColumn = 4;
        PartitionSpec spec = switch (random.intBelow(3)) {
            case 0 -> PartitionSpec.unpartitioned(0);
            case 1 -> new PartitionSpec(0, List.of(PartitionField.of(2, 1000, "c2", Transform.IDENTITY)));
            default -> new PartitionSpec(0, List.of(PartitionField.of(1, 1000, "id_bucket", new Transform.Bucket(2))));
        };
        this.table = new StoredTable(schema, spec, version, random.oneOf(2, 4, 100));
        steps.add("a table of version " + version + " by " + spec.fields());
    }

    /** Does something and compares. */
    void step() {
        try {
            int kind = random.intBelow(100);
            if (kind < 88) {
                String branch = random.percent(75) ? SnapshotRef.MAIN : random.oneOf(branches());
                run(statement(branch), random.percent(30) ? Optional.of(statement(branch)) : Optional.empty());
            } else if (kind < 92) {
                changeColumns();
            } else if (kind < 95) {
                changePartitions();
            } else if (kind < 99) {
                changeBranches();
            } else if (random.percent(40)) {
                upgrade();
            }
        } catch (Throwable e) {
            throw new AssertionError("After\n  " + String.join("\n  ", steps) + "\n" + e, e);
        }
    }

    private List<String> branches() {
        return List.copyOf(model.branches.keySet());
    }

    private Schema schema() {
        return table.metadata().schema();
    }

    // Statements

    private Row newRow() {
        Map<Integer, Long> values = new HashMap<>();
        values.put(StoredTable.ID, random.longBelow(IDS));
        for (Field field : schema().fields()) {
            if (field.id() != StoredTable.ID && random.percent(80)) {
                values.put(field.id(), random.longBelow(VALUES));
            }
        }
        return new Row(nextName++, values);
    }

    private List<Row> newRows() {
        var rows = new ArrayList<Row>();
        for (int i = random.intBetween(1, 5); i > 0; i--) {
            rows.add(newRow());
        }
        return rows;
    }

    private int column() {
        List<Field> fields = schema().fields();
        return fields.get(random.intBetween(1, fields.size() - 1)).id();
    }

    private Where where() {
        return switch (random.intBelow(12)) {
            case 0 -> where().not();
            case 1 -> where().and(where());
            case 2 -> where().or(where());
            case 3 -> Where.isNull(column());
            case 4, 5, 6 -> Where.compare(column(), random.oneOf(Operator.values()), random.longBelow(VALUES));
            case 7 ->
                random.percent(20)
                        ? Where.everything()
                        : Where.compare(StoredTable.ID, random.oneOf(Operator.values()), random.longBelow(IDS));
            default -> {
                var ids = new HashSet<Long>();
                for (int i = random.intBetween(1, 4); i > 0; i--) {
                    ids.add(random.longBelow(IDS));
                }
                yield Where.in(StoredTable.ID, ids);
            }
        };
    }

    /** Few enough rows that a table does not grow without end. */
    private boolean isFull(String branch) {
        return model.branch(branch).rows().size() > MANY_ROWS;
    }

    private Statement statement(String branch) {
        int kind = random.intBelow(100);
        Where where = where();
        if (kind < 20) {
            List<Row> rows = newRows();
            return isFull(branch)
                    ? of(Kind.DELETE, branch, where, "delete", Statement.delete(where, List.of()))
                    : of(Kind.APPEND, branch, where, "append " + rows, any -> Delta.adding(rows));
        }
        if (kind < 42) {
            return of(Kind.DELETE, branch, where, "delete", Statement.delete(where, List.of()));
        }
        if (kind < 62) {
            int column = column();
            long plus = random.longBelow(5);
            boolean clears = random.percent(15);
            return of(
                    Kind.UPDATE,
                    branch,
                    where,
                    clears ? "update c" + column + " = null" : "update c" + column + " + " + plus,
                    Statement.update(where, column, plus, clears));
        }
        if (kind < 76) {
            Map<Long, Row> source = new HashMap<>();
            for (int i = random.intBetween(1, 4); i > 0; i--) {
                Row row = newRow();
                source.put(row.value(StoredTable.ID), row);
            }
            int column = column();
            long limit = random.longBelow(VALUES);
            return of(
                    Kind.MERGE,
                    branch,
                    Where.in(StoredTable.ID, source.keySet()),
                    "merge " + source.values() + " into c" + column + " below " + limit,
                    Statement.merge(source, column, limit));
        }
        if (kind < 83) {
            List<Row> rows = random.percent(80) ? newRows() : List.of();
            return of(Kind.OVERWRITE, branch, where, "overwrite by " + rows, Statement.delete(where, rows));
        }
        if (kind < 93) {
            Kind how = random.percent(70) ? Kind.COMPACT : Kind.REPARTITION;
            return of(how, branch, random.yes() ? Where.everything() : where, how.toString(), rows -> Delta.NONE);
        }
        if (kind < 96 && table.metadata().formatVersion() == 2) {
            return of(Kind.DELETE_ACROSS, branch, where, "delete across files", Statement.delete(where, List.of()));
        }
        return keyDelete(branch, where);
    }

    /** A delete by key reaches files of its own spec and partition alone, unless it is of a spec without fields. */
    private Statement keyDelete(String branch, Where where) {
        TableMetadata metadata = table.metadata();
        Optional<PartitionSpec> everywhere =
                metadata.specs().stream().filter(PartitionSpec::isUnpartitioned).findFirst();
        boolean inOneSpec = head(branch)
                .map(head -> LiveFiles.of(table.storage, metadata, head).data().values().stream()
                        .allMatch(entry -> entry.file().specId() == metadata.defaultSpecId()))
                .orElse(true);
        if (everywhere.isEmpty() && !inOneSpec) {
            return of(Kind.DELETE, branch, where, "delete", Statement.delete(where, List.of()));
        }
        PartitionSpec spec = inOneSpec ? metadata.spec() : everywhere.orElseThrow();
        var columns = new ArrayList<Integer>();
        spec.fields().stream().map(PartitionField::sourceId).distinct().forEach(columns::add);
        int more = random.yes() ? StoredTable.ID : column();
        if (!columns.contains(more)) {
            columns.add(more);
        }
        var keys = new Keys(spec, columns, newRows());
        return of(Kind.DELETE_KEYS, branch, keys.where(), "delete", Statement.delete(keys.where(), List.of()))
                .by(keys);
    }

    private Statement of(
            Kind kind, String branch, Where where, String what, Function<java.util.Collection<Row>, Delta> effect) {
        IsolationLevel isolation = random.percent(70) ? IsolationLevel.SERIALIZABLE : IsolationLevel.SNAPSHOT;
        String text = what + (kind == Kind.APPEND ? "" : " where " + where);
        return new Statement(kind, branch, where, random.percent(40), isolation, text, effect, Optional.empty());
    }

    /** Runs a statement; another one commits before it, perhaps, once it has read and written all it wants. */
    private void run(Statement statement, Optional<Statement> other) throws IOException {
        steps.add(statement.toString());
        var execution = new Execution(
                table, statement, () -> model.branch(statement.branch()).rows());
        Execution.Prepared prepared = execution.prepare();
        if (other.isPresent()) {
            steps.add("  interrupted by " + other.get());
            var interrupting = new Execution(
                    table, other.get(), () -> model.branch(other.get().branch()).rows());
            finish(other.get(), interrupting, interrupting.prepare(), false);
        }
        finish(statement, execution, prepared, other.isPresent());
    }

    private void finish(Statement statement, Execution execution, Execution.Prepared prepared, boolean interrupted)
            throws IOException {
        String ending;
        try {
            ending = prepared.commit().toString();
            // One that found nothing to do did so before it was interrupted.
            if (!interrupted || ending.equals("COMMITTED")) {
                model.apply(statement, execution.read(), number(statement.branch()));
            }
        } catch (CommitConflictException e) {
            assertThat(interrupted).as("somebody to blame for %s", e).isTrue();
            ending = "REFUSED";
        }
        check(statement.branch());
        model.branch(statement.branch()).identified |=
                table.metadata().formatVersion() == 3 && ending.equals("COMMITTED");
        endings.merge(statement.kind() + (interrupted ? " interrupted " : " ") + ending, 1, Integer::sum);
    }

    private Optional<Snapshot> head(String branch) {
        return table.metadata().commitParent(branch);
    }

    private OptionalLong number(String branch) {
        return head(branch).map(head -> OptionalLong.of(head.sequenceNumber())).orElse(OptionalLong.empty());
    }

    /** Rows, row ids, totals, vectors and all other rules of the format. */
    private void check(String branch) throws IOException {
        Optional<Snapshot> head = head(branch);
        if (head.isEmpty()) {
            assertThat(model.branch(branch).rows()).isEmpty();
            return;
        }
        TableMetadata metadata = table.metadata();
        LiveFiles files = LiveFiles.of(table.storage, metadata, head.get());
        model.check(branch, table.live(files), metadata.formatVersion());
    }

    // Everything else

    private void change(String what, Function<TableMetadata, List<MetadataUpdate>> updates) {
        steps.add(what);
        List<MetadataUpdate> made = updates.apply(table.metadata());
        if (!made.isEmpty()) {
            table.committer.update(made.toArray(MetadataUpdate[]::new));
        }
    }

    private void alter(String what, SchemaChange change) {
        change(
                what,
                metadata -> ColumnChanges.updates(
                        metadata, ColumnChanges.evolve(metadata, new SchemaChanges(List.of(change), true))));
    }

    private void changeColumns() throws IOException {
        List<Field> others = schema().fields().stream()
                .filter(field -> field.id() != StoredTable.ID)
                .toList();
        Field field = random.oneOf(others);
        List<Field> free = others.stream()
                .filter(other ->
                        table.metadata().spec().fields().stream().noneMatch(part -> part.sourceId() == other.id()))
                .toList();
        switch (random.intBelow(4)) {
            case 0 -> {
                if (others.size() < 5) {
                    addColumn();
                }
            }
            case 1 -> {
                if (others.size() > 2 && !free.isEmpty()) {
                    Field dropped = random.oneOf(free);
                    alter("drop column " + dropped.name(), new SchemaChange.Drop(List.of(dropped.name()), false));
                    model.toEveryRow(row -> row.with(dropped.id(), null));
                }
            }
            case 2 -> {
                if (field.type() == Type.Simple.INT) {
                    alter(
                            "widen column " + field.name(),
                            new SchemaChange.Retype(List.of(field.name()), Type.Simple.LONG));
                }
            }
            default ->
                alter(
                        "rename column " + field.name(),
                        new SchemaChange.Rename(List.of(field.name()), "r" + random.intBelow(1_000_000)));
        }
        checkAll();
    }

    private void addColumn() {
        int id = nextColumn++;
        Type type = random.oneOf(Type.Simple.INT, Type.Simple.LONG);
        Optional<Long> fallback = table.metadata().formatVersion() == 3 && random.yes()
                ? Optional.of(random.longBelow(VALUES))
                : Optional.empty();
        alter(
                "add column c" + id + " " + type + " default " + fallback,
                new SchemaChange.Add(
                        List.of(),
                        "c" + id,
                        type,
                        false,
                        Optional.empty(),
                        fallback.map(value -> Where.typed(type, value)),
                        Optional.empty()));
        assertThat(schema().field("c" + id).map(Field::id)).hasValue(id);
        fallback.ifPresent(value -> model.toEveryRow(row -> row.with(id, value)));
    }

    private void changePartitions() throws IOException {
        List<PartitionField> fields = table.metadata().spec().fields();
        if (!fields.isEmpty() && random.percent(60)) {
            String name = random.oneOf(fields).name();
            change("drop partition field " + name, metadata -> new SpecEvolution(metadata, true).drop(name));
        } else if (fields.size() < 2) {
            Field source = random.oneOf(schema().fields());
            if (fields.stream().noneMatch(field -> field.sourceId() == source.id())) {
                Transform transform = random.oneOf(
                        Transform.IDENTITY,
                        new Transform.Bucket(2),
                        new Transform.Bucket(3),
                        new Transform.Truncate(4));
                var term = new ColumnTransform(source.name(), transform);
                change(
                        "add partition field " + term,
                        metadata ->
                                new SpecEvolution(metadata, true).add(new NewPartitionField(term, Optional.empty())));
            }
        }
        checkAll();
    }

    private void changeBranches() throws IOException {
        List<String> others = branches().stream()
                .filter(name -> !name.equals(SnapshotRef.MAIN))
                .toList();
        if (others.size() < 2) {
            String created = "b" + steps.size();
            if (head(SnapshotRef.MAIN).isPresent()) {
                change("create branch " + created, metadata -> RefChanges.create(metadata, branch(created)));
                model.branches.put(created, model.branch(SnapshotRef.MAIN).copy());
            }
            return;
        }
        String other = random.oneOf(others);
        if (random.yes()) {
            change(
                    "drop branch " + other,
                    metadata -> RefChanges.drop(metadata, other, SnapshotRef.Kind.BRANCH, false));
            model.branches.remove(other);
        } else {
            change("main becomes " + other, metadata -> BranchMoves.setCurrent(metadata, other));
            model.branches.put(SnapshotRef.MAIN, model.branch(other).copy());
            check(SnapshotRef.MAIN);
        }
    }

    private static NewRef branch(String name) {
        return new NewRef(name, SnapshotRef.Kind.BRANCH, OptionalLong.empty(), Retention.UNSAID, NewRef.IfExists.FAIL);
    }

    private void upgrade() throws IOException {
        if (table.metadata().formatVersion() == 2) {
            change("upgrade to version 3", metadata -> List.of(new MetadataUpdate.UpgradeFormatVersion(3)));
            checkAll();
        }
    }

    private void checkAll() throws IOException {
        for (String branch : branches()) {
            check(branch);
        }
    }
}
