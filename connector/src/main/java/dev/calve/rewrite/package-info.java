/**
 * Source files minus positions become output files; where each row went.
 *
 * <p>{@code parquet} reads and writes single column chunks; here it is known which rows of which sources make up an output, and
 * what may be copied. {@code rowdelete} and {@code rowlevel} say which positions go and what the new files are for.
 *
 * <pre>
 * [(data file, positions that go)] --FileRewriter.examine--> Copyable.write --> files, counts, PositionMap
 *                                                      \--> NotCopyable: the caller reads rows and writes them again
 * row group that loses no row      --> its chunks, indexes and bloom filters copied as they are
 * others                           --> column by column: (repetition level, definition level, value) of the rows that stay
 * (source path, source position) --PositionMap--> (output path, output position), or nothing for a row that did not survive
 * </pre>
 *
 * <ul>
 *   <li>Only files stored exactly as a new file of the current schema would be are taken, names, order, types and field ids,
 *       because one stray id would hide every other column from readers. Lineage columns may be there or not.
 *   <li>A value is never looked at, so types that the engine lacks survive, and so do all bits of a NaN.
 *   <li>Rows of a source with a first row id get both lineage columns stored, because in the new file they would inherit others;
 *       the other columns are copied all the same. A source without one leaves both null. Spec: Row Lineage.
 *   <li>Counts of a new file are exact or missing; bounds may be those of the source, which is legal, as they are wider.
 *   <li>Chunks are not copied if readers know their writer by name for having got their encoding wrong, because the new file has
 *       another writer's name. Encrypted files are refused.
 *   <li>Per source the map ascends, because a rewrite keeps the order of rows; so runs of neighbours, not rows, are stored.
 *   <li>No output position has two sources, because a row would be lost or doubled when deletes are carried over.
 * </ul>
 *
 * It does not decide what is rewritten, knows no history, and gives sequence numbers to nothing.
 */
@NullMarked
package dev.calve.rewrite;

import org.jspecify.annotations.NullMarked;
