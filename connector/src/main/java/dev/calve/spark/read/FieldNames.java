package dev.calve.spark.read;

import java.util.List;
import java.util.OptionalInt;

/** The name mapping as this package needs it: field ids for the columns of a file that carries none. */
@FunctionalInterface
public interface FieldNames {

    /**
     * Finds a column's field id.
     *
     * @param path names from the top of the schema; a list's element is always called {@code element}, a map's entries
     *     {@code key} and {@code value}, whatever the file calls them
     */
    OptionalInt idOf(List<String> path);
}
