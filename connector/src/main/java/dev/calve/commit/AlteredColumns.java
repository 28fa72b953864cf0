package dev.calve.commit;

import dev.calve.metadata.ColumnChanges;
import dev.calve.metadata.MetadataUpdate;
import dev.calve.metadata.TableMetadata;
import dev.calve.schema.EvolvedSchema;
import dev.calve.schema.Schema;
import dev.calve.schema.SchemaChanges;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * A change of columns for {@link MetadataCommit}: it is derived from the table that is found, as long as the columns it names
 * are still the ones that were meant when the table was read. Used by one commit.
 */
public final class AlteredColumns implements Function<TableMetadata, List<MetadataUpdate>> {

    private final String table;
    private final TableMetadata read;
    private final SchemaChanges changes;
    private final EvolvedSchema meant;
    private Optional<Schema> wanted = Optional.empty();

    /**
     * @param table name for messages
     * @param read the table the user saw
     * @throws IllegalArgumentException if a change is not allowed; see {@link ColumnChanges#evolve}
     */
    public AlteredColumns(String table, TableMetadata read, SchemaChanges changes) {
        this.table = table;
        this.read = read;
        this.changes = changes;
        this.meant = ColumnChanges.evolve(read, changes);
    }

    /**
     * What is left to do for a table; nothing if its columns are as wanted.
     *
     * @throws CommitConflictException if another writer changed one of the columns meanwhile
     */
    @Override
    public List<MetadataUpdate> apply(TableMetadata found) {
        // An attempt whose answer was lost may have made the change; made twice it would fail.
        if (wanted.filter(schema -> schema.sameFields(found.schema())).isPresent()) {
            return List.of();
        }
        EvolvedSchema evolved = evolve(found);
        wanted = Optional.of(evolved.schema());
        return ColumnChanges.updates(found, evolved);
    }

    private EvolvedSchema evolve(TableMetadata found) {
        if (found.schema().equals(read.schema())) {
            return ColumnChanges.evolve(found, changes);
        }
        EvolvedSchema evolved;
        try {
            evolved = ColumnChanges.evolve(found, changes);
        } catch (IllegalArgumentException e) {
            throw conflict(String.valueOf(e.getMessage()));
        }
        if (!evolved.touched().equals(meant.touched())) {
            throw conflict("columns of the same names are other columns now");
        }
        return evolved;
    }

    private CommitConflictException conflict(String why) {
        return new CommitConflictException(
                table, "ALTER TABLE", Optional.empty(), List.of(new Conflict.ColumnsChanged(why)));
    }
}
