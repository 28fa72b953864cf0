package dev.calve.spark.procedure;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.apache.spark.sql.connector.catalog.procedures.ProcedureParameter;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/**
 * A procedure that changes a table, or tells of one. Its first parameter is {@link #TABLE}, unless something else tells the table.
 *
 * @param description one sentence, for {@code DESCRIBE PROCEDURE}
 * @param output columns of the rows it gives
 * @param table name of the table
 */
record Definition(
        String name,
        String description,
        List<ProcedureParameter> parameters,
        StructType output,
        Function<Arguments, String> table,
        Rows body) {

    static final String TABLE = "table";

    /** What a procedure does. */
    interface Body {

        /** Changes the table and gives the values of the row: null, numbers, strings and lists of strings. */
        Object[] run(Arguments arguments, TargetTable table);
    }

    /** What a procedure does that gives any number of rows. */
    interface Rows {

        /** As {@link Body#run}, for each row. */
        List<Object[]> run(Arguments arguments, TargetTable table);
    }

    Definition {
        parameters = List.copyOf(parameters);
    }

    static Definition of(String name, String description, String output, Body body, ProcedureParameter... parameters) {
        return ofRows(name, description, output, oneRow(body), parameters);
    }

    private static Rows oneRow(Body body) {
        return (arguments, table) -> List.<Object[]>of(body.run(arguments, table));
    }

    /** A procedure whose arguments do not name the table. */
    static Definition ofKept(
            String name,
            String description,
            String output,
            Function<Arguments, String> table,
            Body body,
            ProcedureParameter... parameters) {
        return new Definition(name, description, List.of(parameters), StructType.fromDDL(output), table, oneRow(body));
    }

    static Definition ofRows(
            String name, String description, String output, Rows body, ProcedureParameter... parameters) {
        var all = new ArrayList<ProcedureParameter>();
        all.add(required(TABLE, DataTypes.StringType, "name of the table, such as 'db.t'"));
        all.addAll(List.of(parameters));
        return new Definition(
                name, description, all, StructType.fromDDL(output), arguments -> arguments.string(TABLE), body);
    }

    static ProcedureParameter required(String name, DataType type, String comment) {
        return ProcedureParameter.in(name, type).comment(comment).build();
    }

    static ProcedureParameter optional(String name, DataType type, String comment) {
        return ProcedureParameter.in(name, type)
                .defaultValue("NULL")
                .comment(comment)
                .build();
    }
}
