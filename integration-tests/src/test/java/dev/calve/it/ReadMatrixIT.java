package dev.calve.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.iceberg.expressions.Literal;
import org.apache.iceberg.types.Types;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Tables the peer wrote: format version × partition transform × kind of deletes × step of evolution. After each step rows are
 * written and deleted, and Calve reads, with a filter and without one, what the peer's own reader reads.
 */
class ReadMatrixIT {

    private static final AtomicInteger CELLS = new AtomicInteger();

    private static PeerTables tables;

    @BeforeAll
    static void start() {
        tables = new PeerTables("matrix");
    }

    @AfterAll
    static void countCells() {
        System.out.printf("%d cells of the read matrix%n", CELLS.get());
        assertThat(CELLS.get()).isGreaterThanOrEqualTo(500);
    }

    /** One step of evolution. */
    private record Step(String name, Change change) {}

    /** What a step does to a table before rows are written and deleted. */
    private interface Change {
        void of(MatrixTable table);
    }

    private static List<Step> steps(int version) {
        var steps = new ArrayList<Step>();
        steps.add(new Step("as created", table -> {}));
        steps.add(new Step(
                "columns added",
                table -> table.table()
                        .updateSchema()
                        .addColumn("added", Types.StringType.get())
                        .addColumn("st", "added", Types.DateType.get())
                        .commit()));
        if (version == 3) {
            steps.add(new Step(
                    "columns with defaults added",
                    table -> table.table()
                            .updateSchema()
                            .addColumn("seven", Types.IntegerType.get(), Literal.of(7))
                            .addColumn("st", "word", Types.StringType.get(), Literal.of("default"))
                            .commit()));
        }
        steps.add(new Step(
                "columns renamed",
                table -> table.table()
                        .updateSchema()
                        .renameColumn("i", "renamed i")
                        .renameColumn("st.a", "a.b")
                        .commit()));
        steps.add(new Step(
                "types promoted",
                table -> table.table()
                        .updateSchema()
                        .updateColumn("renamed i", Types.LongType.get())
                        .updateColumn("f", Types.DoubleType.get())
                        .updateColumn("m", Types.DecimalType.of(20, 2))
                        .updateColumn("li.element", Types.LongType.get())
                        .updateColumn("mp.value", Types.DoubleType.get())
                        .commit()));
        steps.add(new Step(
                "columns dropped",
                table -> table.table()
                        .updateSchema()
                        .deleteColumn("e")
                        .deleteColumn("st.b")
                        .commit()));
        steps.add(new Step(
                "names used again",
                table -> table.table()
                        .updateSchema()
                        .addColumn("e", Types.StringType.get())
                        .addColumn("st", "b", Types.BooleanType.get())
                        .commit()));
        steps.add(new Step(
                "columns moved",
                table -> table.table()
                        .updateSchema()
                        .moveFirst("s")
                        .moveAfter("id", "st")
                        .moveFirst("st.b")
                        .commit()));
        steps.add(new Step(
                "a partition field added",
                table -> table.table()
                        .updateSpec()
                        .addField("more", org.apache.iceberg.expressions.Expressions.bucket("u", 2))
                        .commit()));
        steps.add(new Step("a partition field removed", table -> {
            String first = table.table().spec().fields().get(0).name();
            table.table().updateSpec().removeField(first).commit();
        }));
        if (version < 3) {
            steps.add(new Step(
                    "the format upgraded",
                    table -> table.table()
                            .updateProperties()
                            .set("format-version", Integer.toString(version + 1))
                            .commit()));
        }
        return steps;
    }

    @ParameterizedTest
    @CsvSource({
        "1, NONE, 1",
        "2, MIXED, 2",
        "3, MIXED, 1",
        "2, POSITIONS, 4",
        "2, KEYS, 4",
        "3, VECTORS, 4",
        "3, KEYS, 4"
    })
    void readsWhatThePeerReads(int version, MatrixTable.Kind kind, int everyHowManiethShape) throws IOException {
        MatrixTable.Shape[] shapes = MatrixTable.Shape.values();
        for (int i = 0; i < shapes.length; i += everyHowManiethShape) {
            MatrixTable.Shape shape = shapes[i];
            var table = MatrixTable.create(tables, version, shape, kind);
            int number = 0;
            for (Step step : steps(version)) {
                step.change().of(table);
                table.write();
                table.delete();
                CELLS.addAndGet(table.assertReadAsByPeer(step.name(), number++));
            }
        }
    }
}
