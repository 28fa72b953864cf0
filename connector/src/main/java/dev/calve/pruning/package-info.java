/**
 * Decides from what a Parquet file says about itself which of its rows need not be read for a filter.
 *
 * <p>{@code scan} leaves out files by their manifests; here is what can be known once a file is open. {@code spark.read}
 * asks for each row group and decodes the rows that are left:
 *
 * <pre>
 * RowGroupFilter.select(RowGroupIndexes) -> RowRanges          the rows of a row group that might match
 *   ResidualFilter   statistics of the footer -> page index -> dictionaries and bloom filters, until nothing is left
 * </pre>
 *
 * <ul>
 *   <li>Predicates are {@code expression}'s, never parquet-java's, because only they know Spark's NaN, -0.0 and promoted
 *       types.
 *   <li>Columns are found by field id, in structs too, never inside lists and maps, because those have more or fewer values
 *       than rows.
 *   <li>An index that contradicts itself, the footer or the file's length is not used, because reading too much is slow but
 *       reading too little is wrong. The same holds for one that cannot be read.
 *   <li>What parquet-java would allocate by the word of a corrupt file is compared with the file's length first.
 * </ul>
 *
 * It reads no data page and decides no row by its values.
 */
@NullMarked
package dev.calve.pruning;

import org.jspecify.annotations.NullMarked;
