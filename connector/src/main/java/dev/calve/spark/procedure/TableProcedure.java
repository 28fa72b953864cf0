package dev.calve.spark.procedure;

import dev.calve.catalog.LoadedTable;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.analysis.NoSuchTableException;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.sql.connector.catalog.Identifier;
import org.apache.spark.sql.connector.catalog.procedures.BoundProcedure;
import org.apache.spark.sql.connector.catalog.procedures.ProcedureParameter;
import org.apache.spark.sql.connector.catalog.procedures.UnboundProcedure;
import org.apache.spark.sql.connector.read.LocalScan;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;
import org.jspecify.annotations.Nullable;

/** A procedure as Spark calls it: finds the table, runs the body, refreshes what is cached, gives the rows. */
final class TableProcedure implements UnboundProcedure, BoundProcedure {

    private final Definition definition;
    private final TableNames names;
    private final Tables tables;

    TableProcedure(Definition definition, TableNames names, Tables tables) {
        this.definition = definition;
        this.names = names;
        this.tables = tables;
    }

    @Override
    public String name() {
        return definition.name();
    }

    /** With the parameters, which {@code DESCRIBE PROCEDURE} does not show by itself. */
    @Override
    public String description() {
        return definition.parameters().stream()
                .map(parameter -> parameter.name() + " " + parameter.dataType().sql()
                        + (parameter.defaultValue() == null ? "" : ", optional") + " (" + parameter.comment() + ")")
                .collect(Collectors.joining(", ", definition.description() + " Arguments: ", "."));
    }

    /** There is one form of each procedure. */
    @Override
    public BoundProcedure bind(StructType inputType) {
        return this;
    }

    @Override
    public ProcedureParameter[] parameters() {
        return definition.parameters().toArray(ProcedureParameter[]::new);
    }

    @Override
    public boolean isDeterministic() {
        return false;
    }

    private String fullName() {
        return names.catalog() + "." + Procedures.NAMESPACE + "." + name();
    }

    @Override
    public Iterator<Scan> call(InternalRow input) {
        var arguments = new Arguments(fullName(), definition.parameters(), input);
        SparkSession session = SparkSession.active();
        Identifier identifier = names.identifier(session, definition.table().apply(arguments));
        var target = new TargetTable(
                fullName(), load(identifier), names.text(identifier), () -> refresh(session, identifier));
        InternalRow[] rows = definition.body().run(arguments, target).stream()
                .map(TableProcedure::row)
                .toArray(InternalRow[]::new);
        return List.<Scan>of(new Answer(definition.output(), rows)).iterator();
    }

    private LoadedTable load(Identifier identifier) {
        try {
            return tables.load(identifier);
        } catch (NoSuchTableException e) {
            throw new IllegalArgumentException(
                    "Cannot run " + fullName() + ": there is no table " + names.text(identifier) + ".", e);
        }
    }

    private void refresh(SparkSession session, Identifier identifier) {
        session.sql("REFRESH TABLE " + names.text(identifier));
    }

    private static InternalRow row(Object[] values) {
        return new GenericInternalRow(
                Arrays.stream(values).map(TableProcedure::toSpark).toArray());
    }

    private static @Nullable Object toSpark(@Nullable Object value) {
        if (value instanceof String text) {
            return UTF8String.fromString(text);
        }
        if (value instanceof List<?> list) {
            return new GenericArrayData(
                    list.stream().map(TableProcedure::toSpark).toArray());
        }
        return value;
    }

    /** The answer. */
    private static final class Answer implements LocalScan {
        private final StructType columns;
        private final InternalRow[] rows;

        Answer(StructType columns, InternalRow[] rows) {
            this.columns = columns;
            this.rows = rows;
        }

        @Override
        public StructType readSchema() {
            return columns;
        }

        @Override
        public InternalRow[] rows() {
            return rows.clone();
        }
    }
}
