package dev.calve.spark.procedure;

import static org.apache.spark.sql.types.DataTypes.StringType;

import dev.calve.metadata.IdentifierFields;
import dev.calve.metadata.TableMetadata;
import dev.calve.metadata.TableParts;
import dev.calve.metadata.WriteOrder;
import dev.calve.partition.SortKey;
import dev.calve.partition.TermText;
import java.util.List;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.DataTypes;

/** The order rows are written in, and the columns that identify them. */
final class LayoutProcedures {

    static final List<Definition> ALL = List.of(
            Definition.of(
                    "set_write_order",
                    "Says how rows written from now on are sorted.",
                    "sort_order_id INT NOT NULL, sort_order STRING NOT NULL",
                    (arguments, table) -> {
                        List<SortKey> keys = TermText.order(arguments.string("order"));
                        boolean caseSensitive = SQLConf.get().caseSensitiveAnalysis();
                        TableMetadata after = table.change(found -> WriteOrder.set(found, keys, caseSensitive))
                                .after();
                        return new Object[] {after.defaultSortOrderId(), TableParts.order(after)};
                    },
                    Definition.required(
                            "order",
                            StringType,
                            "keys such as 'category ASC NULLS FIRST, bucket(8, id) DESC'; '' for no order")),
            Definition.of(
                    "set_identifier_fields",
                    "Says which columns together identify a row. Nothing checks that they do.",
                    "identifier_fields ARRAY<STRING> NOT NULL",
                    (arguments, table) -> {
                        List<String> columns = arguments.strings("fields");
                        boolean caseSensitive = SQLConf.get().caseSensitiveAnalysis();
                        TableMetadata after = table.change(found -> IdentifierFields.set(found, columns, caseSensitive))
                                .after();
                        List<String> names = after.schema().identifierFieldIds().stream()
                                .map(id -> after.schema().name(id).orElseThrow())
                                .toList();
                        return new Object[] {names};
                    },
                    Definition.required(
                            "fields",
                            DataTypes.createArrayType(StringType),
                            "required columns, such as array('id'); array() for none")));

    private LayoutProcedures() {}
}
