package dev.calve.spark.read;

/** A table of Spark's that is one of ours, by whatever name it was found. */
public interface StoredTable {

    /** Which one: the table's UUID. */
    String tableUuid();
}
