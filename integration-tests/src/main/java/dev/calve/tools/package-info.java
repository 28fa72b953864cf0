/**
 * The mains behind the scripts in {@code dev/}: a quick start, a SQL shell, a printer of files and
 * measurements.
 *
 * <p>They stand outside the connector and use it as a user does: through Spark's SQL and the class name in a catalog's
 * configuration. Only {@link dev.calve.tools.Inspect}, {@link dev.calve.tools.CommitBench} and the counts {@link dev.calve.tools.Quickstart} prints read a
 * table's files, with the connector's own readers.
 *
 * <ul>
 *   <li>The peer is named in configuration and not compiled against, because only {@code dev/peer}, {@code dev/quickstart}
 *       and {@code dev/bench} have its jar. Only what {@link dev.calve.tools.CommitBench} measures calls it, and what makes its tables.
 *   <li>Answers go to standard output, everything else to standard error, because answers get piped.
 *   <li>A failure is one line and a non-zero exit code; {@code --debug} adds the stack, because a stack of Spark's hides
 *       the one line that matters.
 * </ul>
 *
 * Nothing here is shipped.
 */
@NullMarked
package dev.calve.tools;

import org.jspecify.annotations.NullMarked;
