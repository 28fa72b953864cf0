/**
 * Transforms, partition specs, partition tuples and their paths, sort orders; pure values, no I/O.
 *
 * <p>{@code expression} projects predicates through the transforms defined here, {@code manifest} stores the tuples.
 *
 * <ul>
 *   <li>A partition is identified by its spec id and its tuple together, because tuples of different specs are never equal
 *       even where they look alike.
 *   <li>A tuple is typed by the spec's own partition type, because the table's current schema may have dropped the source.
 *   <li>Paths made from tuples are for people. Nothing ever parses one.
 *   <li>A transform this version does not know is kept as text and read past, but nothing is written with it, because rows
 *       in a wrong partition are lost to every reader.
 * </ul>
 */
@NullMarked
package dev.calve.partition;

import org.jspecify.annotations.NullMarked;
