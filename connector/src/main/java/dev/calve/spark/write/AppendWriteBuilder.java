package dev.calve.spark.write;

import dev.calve.catalog.LoadedTable;
import dev.calve.metadata.TableProperties;
import dev.calve.partition.PartitionField;
import dev.calve.partition.Transform;
import dev.calve.spark.convert.SparkTypes;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.connector.write.LogicalWriteInfo;
import org.apache.spark.sql.connector.write.Write;
import org.apache.spark.sql.connector.write.WriteBuilder;

/** Builds an append. Everything that makes a table unfit for writing is refused here, before a row is computed. */
public final class AppendWriteBuilder implements WriteBuilder {

    private final LoadedTable table;
    private final LogicalWriteInfo info;
    private final SparkSession session;

    public AppendWriteBuilder(LoadedTable table, LogicalWriteInfo info, SparkSession session) {
        this.table = table;
        this.info = info;
        this.session = session;
    }

    /**
     * @throws UnsupportedOperationException if the table asks for something that is not implemented
     * @throws IllegalArgumentException if a property has a value it cannot have
     */
    @Override
    public Write build() {
        refuseUnknownTransforms();
        refuseUnimplemented(table.properties());
        return new AppendWrite(table, info, session);
    }

    private void refuseUnknownTransforms() {
        for (PartitionField field : table.metadata().spec().fields()) {
            if (field.transform() instanceof Transform.Unknown) {
                throw new UnsupportedOperationException("Cannot write to " + table.name() + ": its partition field '"
                        + field.name() + "' uses the transform '" + field.transform()
                        + "', which is not known here. Write with the engine that made the table.");
            }
        }
    }

    private void refuseUnimplemented(TableProperties properties) {
        if (properties.get(TableProperties.LOCATION_PROVIDER).isPresent()) {
            throw new UnsupportedOperationException("Cannot write to " + table.name()
                    + ": write.location-provider.impl names a class that only Apache Iceberg can load. Unset it.");
        }
        if (properties.get(TableProperties.OBJECT_STORAGE)) {
            throw new UnsupportedOperationException("Cannot write to " + table.name()
                    + ": write.object-storage.enabled is not supported yet. Set it to 'false'.");
        }
        String format = properties.get(TableProperties.FORMAT);
        if (!format.equalsIgnoreCase("parquet")) {
            throw new UnsupportedOperationException("Cannot write to " + table.name() + ": write.format.default is '"
                    + format + "', but only 'parquet' is supported. Change the property.");
        }
        // Throws for a column of a type that Spark has no form for.
        SparkTypes.toSpark(table.metadata().schema());
    }
}
