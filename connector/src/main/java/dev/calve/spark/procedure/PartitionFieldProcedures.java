package dev.calve.spark.procedure;

import static org.apache.spark.sql.types.DataTypes.StringType;

import dev.calve.metadata.MetadataUpdate;
import dev.calve.metadata.NewPartitionField;
import dev.calve.metadata.SpecEvolution;
import dev.calve.metadata.TableParts;
import dev.calve.partition.TermText;
import java.util.List;
import java.util.function.Function;
import org.apache.spark.sql.internal.SQLConf;

/** Partition evolution: new files are divided otherwise, those that are there stay as they are. */
final class PartitionFieldProcedures {

    private static final String OUTPUT =
            "previous_spec_id INT NOT NULL, current_spec_id INT NOT NULL," + " partition_fields STRING NOT NULL";
    private static final String TRANSFORM =
            "a column, bucket(n, column), truncate(n, column), or years, months, days or" + " hours of a column";
    private static final String FIELD = "name or transform of the field";
    private static final String NAME = "name of the new field; by default made of column and transform";

    static final List<Definition> ALL = List.of(
            Definition.of(
                    "add_partition_field",
                    "Divides rows written from now on by one more field.",
                    OUTPUT,
                    (arguments, table) -> {
                        NewPartitionField wanted = wanted(arguments);
                        return run(table, spec -> spec.add(wanted));
                    },
                    Definition.required("transform", StringType, TRANSFORM),
                    Definition.optional("name", StringType, NAME)),
            Definition.of(
                    "drop_partition_field",
                    "Divides rows written from now on by one field less.",
                    OUTPUT,
                    (arguments, table) -> {
                        String field = arguments.string("field");
                        return run(table, spec -> spec.drop(field));
                    },
                    Definition.required("field", StringType, FIELD)),
            Definition.of(
                    "replace_partition_field",
                    "Divides rows written from now on by another field in the place of one, or renames a field.",
                    OUTPUT,
                    (arguments, table) -> {
                        String field = arguments.string("field");
                        NewPartitionField wanted = wanted(arguments);
                        return run(table, spec -> spec.replace(field, wanted));
                    },
                    Definition.required("field", StringType, FIELD),
                    Definition.required("transform", StringType, TRANSFORM),
                    Definition.optional("name", StringType, NAME)));

    private PartitionFieldProcedures() {}

    private static NewPartitionField wanted(Arguments arguments) {
        return new NewPartitionField(
                TermText.transform(arguments.string("transform")), arguments.optionalString("name"));
    }

    private static Object[] run(TargetTable table, Function<SpecEvolution, List<MetadataUpdate>> change) {
        boolean caseSensitive = SQLConf.get().caseSensitiveAnalysis();
        TargetTable.Changed changed = table.change(found -> change.apply(new SpecEvolution(found, caseSensitive)));
        return new Object[] {
            changed.before().defaultSpecId(), changed.after().defaultSpecId(), TableParts.fields(changed.after())
        };
    }
}
