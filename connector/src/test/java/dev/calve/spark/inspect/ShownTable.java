package dev.calve.spark.inspect;

import dev.calve.catalog.LoadedTable;
import dev.calve.commit.CommitFixture;
import dev.calve.commit.TableState;
import dev.calve.metadata.ReadPoint;
import dev.calve.metadata.ReadState;
import dev.calve.metadata.Snapshot;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/** A table in memory and what its metadata tables show, as tasks would make it. */
final class ShownTable {

    private final CommitFixture table;

    ShownTable(CommitFixture table) {
        this.table = table;
    }

    LoadedTable loaded() {
        var state = new TableState(table.metadata(), "memory:/t/metadata/v1.metadata.json");
        return new LoadedTable("lake.db.t", state, table.storage, table.committer);
    }

    ReadState now() {
        return ReadState.current(table.metadata());
    }

    ReadState at(Snapshot snapshot) {
        return new ReadPoint.AtSnapshot(snapshot.id()).in(table.metadata(), "lake.db.t");
    }

    Contents contents(String name) {
        return Contents.of(
                loaded(), now().snapshot(), MetadataTableName.of(name).orElseThrow());
    }

    /** Rows of these columns as text, in the order of the text. */
    List<String> rows(String name, String... columns) throws IOException {
        return rows(name, now().snapshot(), columns);
    }

    List<String> rows(String name, Optional<Snapshot> snapshot, String... columns) throws IOException {
        MetadataTableName shown = MetadataTableName.of(name).orElseThrow();
        Contents contents = Contents.of(loaded(), snapshot, shown);
        StructType all = contents.columns().type();
        StructType wanted = new StructType(
                Arrays.stream(columns).map(column -> all.apply(column)).toArray(StructField[]::new));
        var rows = new ArrayList<String>();
        for (byte[] part : contents.parts(wanted, 2)) {
            try (var reader = MetadataReaders.open(
                    table.storage, table.metadata(), shown, wanted, part, contents.deletes(wanted))) {
                while (reader.next()) {
                    rows.add(text(reader.get(), wanted));
                }
            }
        }
        return rows.stream().sorted().toList();
    }

    private static String text(InternalRow row, StructType type) {
        var values = new ArrayList<String>();
        for (int i = 0; i < type.size(); i++) {
            values.add(
                    row.isNullAt(i)
                            ? "null"
                            : type.fields()[i].dataType() instanceof StructType struct
                                    ? text(row.getStruct(i, struct.size()), struct)
                                    : row.get(i, type.fields()[i].dataType())
                                            .toString()
                                            .replaceAll("memory:/t/data/", ""));
        }
        return values.toString();
    }
}
