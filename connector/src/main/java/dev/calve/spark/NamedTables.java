package dev.calve.spark;

import dev.calve.catalog.LoadedTable;
import dev.calve.metadata.ReadPoint;
import dev.calve.metadata.ReadState;
import dev.calve.metadata.SnapshotRef;
import dev.calve.spark.inspect.MetadataTable;
import dev.calve.spark.write.WriteAuditPublish;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.Function;
import org.apache.spark.sql.catalyst.analysis.NoSuchTableException;
import org.apache.spark.sql.connector.catalog.Identifier;
import org.apache.spark.sql.connector.catalog.Table;

/**
 * What a name in a query means: {@code db.t} a table, {@code db.t.tag_x} the same in another state, {@code db.t.files},
 * {@code db.t.tag_x.files} and {@code db.t.files.tag_x} what it consists of. A table that really has the name comes first.
 */
final class NamedTables {

    private final Function<Identifier, Optional<LoadedTable>> catalog;

    /** @param catalog finds the table that has exactly that name */
    NamedTables(Function<Identifier, Optional<LoadedTable>> catalog) {
        this.catalog = catalog;
    }

    /** A table in one of its states. */
    private record Found(LoadedTable table, ReadState state) {}

    /**
     * What is named.
     *
     * @param asked the state asked for besides the name
     * @throws IllegalArgumentException if the table has no such state, or two are asked for
     */
    Table named(Identifier identifier, Optional<ReadPoint> asked) throws NoSuchTableException {
        Optional<Table> table = find(identifier, asked)
                .map(found -> asked.isEmpty() && found.state().isCurrent()
                        ? inSession(found.table())
                        : CalveTable.of(found.table(), found.state()));
        return table.or(() -> metadataTable(identifier, asked))
                .or(() -> stateOfMetadataTable(identifier, asked))
                .orElseThrow(() -> new NoSuchTableException(identifier));
    }

    private static CalveTable inSession(LoadedTable table) {
        LoadedTable there = WriteAuditPublish.of(table);
        boolean begun = !there.branch().equals(SnapshotRef.MAIN)
                && there.metadata().refs().containsKey(there.branch());
        return CalveTable.of(
                there,
                begun
                        ? new ReadPoint.OfBranch(there.branch()).in(there.metadata(), there.name())
                        : ReadState.current(there.metadata()));
    }

    /** {@code db.t.files.tag_x}, the same as {@code db.t.tag_x.files}. */
    private Optional<Table> stateOfMetadataTable(Identifier identifier, Optional<ReadPoint> asked) {
        if (identifier.namespace().length == 0 || asked.isPresent()) {
            return Optional.empty();
        }
        return Selector.of(identifier.name()).flatMap(point -> metadataTable(parent(identifier), Optional.of(point)));
    }

    private Optional<Table> metadataTable(Identifier identifier, Optional<ReadPoint> asked) {
        if (identifier.namespace().length == 0 || !MetadataTable.isName(identifier.name())) {
            return Optional.empty();
        }
        return find(parent(identifier), asked)
                .flatMap(shown -> MetadataTable.named(shown.table(), shown.state(), identifier.name()));
    }

    private Optional<Found> find(Identifier identifier, Optional<ReadPoint> asked) {
        Optional<ReadPoint> selected =
                identifier.namespace().length == 0 ? Optional.empty() : Selector.of(identifier.name());
        Optional<LoadedTable> own = selected.isPresent() ? ifLegal(identifier) : catalog.apply(identifier);
        if (own.isPresent()) {
            return own.map(table -> at(table, asked.orElseGet(ReadPoint.Current::new)));
        }
        return selected.flatMap(point -> catalog.apply(parent(identifier)).map(table -> {
            if (asked.isPresent()) {
                throw new IllegalArgumentException("Cannot read " + table.name() + " " + asked.get()
                        + ": it is asked for " + point + " by its name already. Ask for one of them.");
            }
            return at(table, point);
        }));
    }

    /** Names of branches and tags need not be names of tables. */
    private Optional<LoadedTable> ifLegal(Identifier identifier) {
        try {
            return catalog.apply(identifier);
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private static Identifier parent(Identifier identifier) {
        String[] namespace = identifier.namespace();
        int last = namespace.length - 1;
        return Identifier.of(Arrays.copyOf(namespace, last), namespace[last]);
    }

    private static Found at(LoadedTable table, ReadPoint point) {
        return new Found(table, point.in(table.metadata(), table.name()));
    }
}
