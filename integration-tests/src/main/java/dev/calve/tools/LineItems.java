package dev.calve.tools;

import io.trino.tpch.LineItem;
import io.trino.tpch.LineItemGenerator;
import java.math.BigDecimal;
import java.sql.Date;
import java.time.LocalDate;
import java.util.Collections;
import java.util.Iterator;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.StructType;

/** The table {@code lineitem} of TPC-H, made up row by row in Spark's tasks. Equal arguments give equal rows. */
final class LineItems {

    /** Columns as the benchmark defines them. */
    static final String COLUMNS = """
            l_orderkey BIGINT, l_partkey BIGINT, l_suppkey BIGINT, l_linenumber INT,
            l_quantity DECIMAL(12,2), l_extendedprice DECIMAL(12,2), l_discount DECIMAL(12,2), l_tax DECIMAL(12,2),
            l_returnflag STRING, l_linestatus STRING,
            l_shipdate DATE, l_commitdate DATE, l_receiptdate DATE,
            l_shipinstruct STRING, l_shipmode STRING, l_comment STRING""";

    private static final int SCALE = 2;

    private LineItems() {}

    /**
     * All rows at a scale factor; 1 is six million.
     *
     * @param parts number of tasks that make them up; each begins where the one before ends
     */
    static Dataset<Row> generate(SparkSession spark, double scaleFactor, int parts) {
        return spark.range(0, parts, 1, parts)
                .mapPartitions(
                        (MapPartitionsFunction<Long, Row>) numbers -> rows(numbers, scaleFactor, parts),
                        Encoders.row(StructType.fromDDL(COLUMNS)));
    }

    /** The rows of the part whose 0-based number is the only one. */
    private static Iterator<Row> rows(Iterator<Long> numbers, double scaleFactor, int parts) {
        // Spark's iterators have no next element before they are asked whether they have one.
        if (!numbers.hasNext()) {
            return Collections.emptyIterator();
        }
        int part = Math.toIntExact(numbers.next()) + 1;
        Iterator<LineItem> items = new LineItemGenerator(scaleFactor, part, parts).iterator();
        return new Iterator<>() {
            @Override
            public boolean hasNext() {
                return items.hasNext();
            }

            @Override
            public Row next() {
                return row(items.next());
            }
        };
    }

    private static Row row(LineItem item) {
        return RowFactory.create(
                item.getOrderKey(),
                item.getPartKey(),
                item.getSupplierKey(),
                item.getLineNumber(),
                BigDecimal.valueOf(item.getQuantity()).setScale(SCALE),
                BigDecimal.valueOf(item.getExtendedPriceInCents(), SCALE),
                BigDecimal.valueOf(item.getDiscountPercent(), SCALE),
                BigDecimal.valueOf(item.getTaxPercent(), SCALE),
                item.getReturnFlag(),
                item.getStatus(),
                date(item.getShipDate()),
                date(item.getCommitDate()),
                date(item.getReceiptDate()),
                item.getShipInstructions(),
                item.getShipMode(),
                item.getComment());
    }

    private static Date date(int epochDay) {
        return Date.valueOf(LocalDate.ofEpochDay(epochDay));
    }
}
