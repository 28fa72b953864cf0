package dev.calve.spark.write;

import dev.calve.catalog.LoadedTable;
import java.util.Optional;
import java.util.function.Supplier;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.connector.write.LogicalWriteInfo;
import org.apache.spark.sql.connector.write.Write;
import org.apache.spark.sql.connector.write.WriteBuilder;

/** Builds an append. Everything that makes a table unfit for writing is refused here, before a row is computed. */
public final class AppendWriteBuilder implements WriteBuilder {

    private final LoadedTable table;
    private final LogicalWriteInfo info;
    private final Supplier<Optional<AppendRules>> dependence;
    private final SparkSession session;

    /** @param dependence asked at the commit what the rows depend on */
    public AppendWriteBuilder(
            LoadedTable table,
            LogicalWriteInfo info,
            Supplier<Optional<AppendRules>> dependence,
            SparkSession session) {
        this.table = table;
        this.info = info;
        this.dependence = dependence;
        this.session = session;
    }

    /**
     * @throws UnsupportedOperationException if the table or an option asks for something that is not implemented
     * @throws IllegalArgumentException if a property or option has a value it cannot have
     */
    @Override
    public Write build() {
        WriteTarget target = WriteTarget.of(table, info);
        OverwriteOptions.of(info.options()).requireNone(table.name());
        return new NewRowsWrite(target.table(), new AppendBatch(target, info, dependence, session));
    }
}
