package dev.calve.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.catalog.LoadedTable;
import dev.calve.commit.Committer;
import dev.calve.commit.SwapOutcome;
import dev.calve.commit.SwapRequest;
import dev.calve.commit.TableState;
import dev.calve.io.MemoryStorage;
import dev.calve.metadata.MetadataUpdates;
import dev.calve.metadata.TableMetadata;
import dev.calve.partition.PartitionSpec;
import dev.calve.partition.SortOrder;
import dev.calve.schema.Field;
import dev.calve.schema.Schema;
import dev.calve.schema.Type;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.connector.catalog.ColumnDefaultValue;
import org.apache.spark.sql.connector.catalog.TableChange;
import org.apache.spark.sql.connector.expressions.Expressions;
import org.apache.spark.sql.connector.expressions.LiteralValue;
import org.apache.spark.sql.connector.expressions.NamedReference;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.Test;

@SuppressWarnings("deprecation") // Spark 4.0 has no other form of some changes.
class TableAlterationTest {

    private final Swaps swaps = new Swaps();

    /** A table in memory. */
    private static final class Swaps implements Committer {

        private int count;
        private TableState state = new TableState(
                MetadataUpdates.fresh(
                        new Schema(
                                0,
                                List.of(
                                        Field.required(1, "id", Type.Simple.INT),
                                        Field.optional(2, "u", Type.Simple.UUID),
                                        Field.optional(3, "a.b", Type.Simple.INT),
                                        Field.optional(
                                                4,
                                                "s",
                                                new Type.Struct(List.of(Field.optional(5, "x", Type.Simple.INT)))))),
                        PartitionSpec.unpartitioned(0),
                        SortOrder.UNSORTED,
                        "mem:/t",
                        Map.of(),
                        2,
                        1000),
                "v1");

        @Override
        public TableState load() {
            return state;
        }

        @Override
        public SwapOutcome swap(SwapRequest request) {
            count++;
            state = new TableState(request.result(), "v" + (count + 1));
            return new SwapOutcome.Swapped(state);
        }
    }

    private TableMetadata alter(TableChange... changes) throws IOException {
        var table = new LoadedTable("lake.db.t", swaps.state, new MemoryStorage(), swaps);
        return TableAlteration.of(table, changes).commit().metadata();
    }

    private static String[] path(String... names) {
        return names;
    }

    private Field field(String name) {
        return swaps.state.metadata().schema().field(name).orElseThrow();
    }

    private void refuses(Class<? extends Exception> type, String message, TableChange... changes) {
        assertThatThrownBy(() -> alter(changes)).isInstanceOf(type).hasMessageContaining(message);
        assertThat(swaps.count).isZero();
    }

    @Test
    void translatesEveryChangeOfColumns() throws IOException {
        alter(
                TableChange.addColumn(
                        path("c"), DataTypes.StringType, true, "new", TableChange.ColumnPosition.first(), null),
                TableChange.addColumn(path("s", "y"), new StructType().add("z", DataTypes.DateType)),
                TableChange.renameColumn(path("s", "x"), "ex"),
                TableChange.updateColumnType(path("id"), DataTypes.LongType),
                TableChange.updateColumnNullability(path("id"), true),
                TableChange.updateColumnComment(path("id"), "key"),
                TableChange.updateColumnPosition(path("s"), TableChange.ColumnPosition.after("id")),
                TableChange.deleteColumn(path("a.b"), false),
                TableChange.deleteColumn(path("nope"), true));

        assertThat(swaps.count).isEqualTo(1);
        assertThat(swaps.state.metadata().schema().struct())
                .hasToString(
                        "struct<6: c: optional string, 1: id: optional long, 4: s: optional"
                                + " struct<5: ex: optional int, 7: y: optional struct<8: z: optional date>>, 2: u: optional uuid>");
        assertThat(field("c").doc()).contains("new");
        assertThat(field("id").doc()).contains("key");
    }

    @Test
    void raisesTheFormatBeforeColumnsAreAltered() throws IOException {
        alter(
                TableChange.setProperty("format-version", "3"),
                TableChange.addColumn(
                        path("d"),
                        DataTypes.IntegerType,
                        false,
                        null,
                        null,
                        new ColumnDefaultValue("5", LiteralValue.apply(5, DataTypes.IntegerType))));

        assertThat(swaps.count).isEqualTo(1);
        assertThat(field("d").initialDefault()).contains(5);
        assertThat(field("d").writeDefault()).contains(5);

        alter(TableChange.updateColumnDefaultValue(path("d"), "6"));
        assertThat(field("d").initialDefault()).contains(5);
        assertThat(field("d").writeDefault()).contains(6);

        alter(TableChange.updateColumnDefaultValue(path("d"), ""));
        assertThat(field("d").writeDefault()).isEmpty();
    }

    @Test
    void saysWhichVersionDefaultsNeed() {
        refuses(
                IllegalArgumentException.class,
                "field 'id' with a default value needs format version 3",
                TableChange.updateColumnDefaultValue(path("id"), "6"));
    }

    @Test
    void leavesATypeThatLooksTheSame() throws IOException {
        alter(TableChange.updateColumnType(path("u"), DataTypes.StringType));

        assertThat(swaps.count).isZero();
        assertThat(field("u").type()).isEqualTo(Type.Simple.UUID);
    }

    @Test
    void letterCaseCountsAsTheSessionSays() throws IOException {
        SQLConf conf = SQLConf.get();
        alter(TableChange.renameColumn(path("ID"), "Id"));
        assertThat(field("Id").id()).isEqualTo(1);
        conf.setConfString("spark.sql.caseSensitive", "true");
        try {
            assertThatThrownBy(() -> alter(TableChange.renameColumn(path("ID"), "x")))
                    .hasMessageContaining("there is no column 'ID'");
            alter(TableChange.addColumn(path("ID"), DataTypes.IntegerType));
        } finally {
            conf.setConfString("spark.sql.caseSensitive", "false");
        }
    }

    @Test
    void changesNothingIfOneChangeIsRefused() {
        refuses(
                IllegalArgumentException.class,
                "there is no column 'nope'",
                TableChange.renameColumn(path("id"), "key"),
                TableChange.deleteColumn(path("nope"), false));
        refuses(
                IllegalArgumentException.class,
                "Cannot change the type of column 'id' to string",
                TableChange.setProperty("k", "v"),
                TableChange.updateColumnType(path("id"), DataTypes.StringType));
        refuses(
                IllegalArgumentException.class,
                "rows written so far may have nulls",
                TableChange.updateColumnNullability(path("u"), false));
    }

    @Test
    void refusesWhatTheFormatDoesNotHave() {
        refuses(UnsupportedOperationException.class, "no clustering keys", TableChange.clusterBy(new NamedReference[] {
            Expressions.column("id")
        }));
        refuses(
                UnsupportedOperationException.class,
                "no constraints other than NOT NULL",
                TableChange.dropConstraint("c", true, false));
        refuses(
                IllegalArgumentException.class,
                "Column 'i' has type INTERVAL",
                TableChange.addColumn(path("i"), DataTypes.CalendarIntervalType));
    }
}
