/**
 * Source files minus positions become output files; where each row went.
 *
 * <p>{@code parquet} encodes and decodes; here it is known which rows of which sources make up an output. So far the package
 * holds the position map only.
 *
 * <pre>
 * (source path, source position) --PositionMap--> (output path, output position), or nothing for a row that did not survive
 * </pre>
 *
 * <ul>
 *   <li>Per source the map ascends, because a rewrite keeps the order of rows; so runs of neighbours, not rows, are stored.
 *   <li>No output position has two sources, because a row would be lost or doubled when deletes are carried over.
 * </ul>
 *
 * It does not decide what is rewritten, and knows no history.
 */
@NullMarked
package dev.calve.rewrite;

import org.jspecify.annotations.NullMarked;
