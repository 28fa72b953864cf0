/**
 * Reads the rows of data files as Spark's columnar batches.
 *
 * <p>{@code scan} decides which files and which of their deletes matter; this package decodes one file task at a time.
 * Scans, delete planning and the re-encoding half of a rewrite all read through the same class:
 *
 * <pre>
 * try (var reader = ColumnarFileReader.open(FileRead.of(file, columns).deleted(positions).build())) {
 *     while (reader.next()) {
 *         use(reader.batch());                          // live rows, columns in the order asked for
 *         reader.positionOf(i);                         // where row i of the batch stands in the file
 *     }
 * }
 * </pre>
 *
 * <ul>
 *   <li>Spark's own vectorized decoders decode, because they are fast and maintained; everything around them is ours:
 *       which bytes, which row groups, which columns, positions, deletes.
 *   <li>Spark is only ever asked for columns that exist in the file, in the file's own names. Renames, missing columns,
 *       defaults and new fields inside structs are settled here, because Spark's answers to them differ by version.
 *   <li>Columns are found by field id; names count only in a file without any id, through the name mapping, because one
 *       name can have meant two columns.
 *   <li>Positions count all rows of the file, skipped row groups and pages included, because deletes and row ids do.
 *   <li>Which rows of a row group are read is a value, {@code RowRanges}, that a port decides: today {@code pruning}, by what
 *       is known before reading. A reader that decodes a predicate's columns first is another decision, not another reader.
 *   <li>Rows are skipped within pages only of encodings of which Spark skips them right, and files with encodings it refuses
 *       are decoded by parquet-java into the same vectors, because a wrong row is worse than a slow one.
 *   <li>A batch without deletes is passed on as it was decoded, because the indirection costs on every value.
 *   <li>Equality deletes are rows ruled out by value ({@link dev.calve.spark.read.RowFilter}): their key columns are read with
 *       the wanted ones, field by field, because a query may want neither. {@link dev.calve.spark.read.KeyDeletes} joins the
 *       deletes of a task, because a table that is streamed into has hundreds of them for each file.
 *   <li>Spark's package-private hooks are looked up once, by reflection and from this package, because a class placed in
 *       Spark's package cannot be loaded from {@code --packages}.
 *   <li>{@code InternalRow} and {@code ArrayData} are never subclassed, because their abstract methods differ between
 *       Spark versions; {@code ColumnVector} is.
 *   <li>Keys that rows must have ({@link dev.calve.spark.read.SoughtRows}) rule rows out by the machinery of equality deletes,
 *       the other way round, and become a short condition to prune by.
 * </ul>
 *
 * It evaluates no predicate of a query on rows.
 */
@NullMarked
package dev.calve.spark.read;

import org.jspecify.annotations.NullMarked;
