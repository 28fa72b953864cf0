package dev.calve.spark.procedure;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.connector.catalog.procedures.ProcedureParameter;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/**
 * A procedure that changes a table. Its first parameter is always {@link #TABLE}.
 *
 * @param description one sentence, for {@code DESCRIBE PROCEDURE}
 * @param output columns of the one row it gives
 */
record Definition(String name, String description, List<ProcedureParameter> parameters, StructType output, Body body) {

    static final String TABLE = "table";

    /** What a procedure does. */
    interface Body {

        /** Changes the table and gives the values of the row: null, numbers, strings and lists of strings. */
        Object[] run(Arguments arguments, TargetTable table);
    }

    Definition {
        parameters = List.copyOf(parameters);
    }

    static Definition of(String name, String description, String output, Body body, ProcedureParameter... parameters) {
        var all = new ArrayList<ProcedureParameter>();
        all.add(required(TABLE, DataTypes.StringType, "name of the table, such as 'db.t'"));
        all.addAll(List.of(parameters));
        return new Definition(name, description, all, StructType.fromDDL(output), body);
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
