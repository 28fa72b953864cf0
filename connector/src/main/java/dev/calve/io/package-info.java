/**
 * Bytes by location: ranged reads, create-if-absent writes, deletes.
 *
 * <p>The port {@link dev.calve.io.Storage} is implemented over Hadoop's file systems by {@code hadoop} and in memory by
 * the tests. Publishing a table's metadata without replacing anything is not here but in {@code catalog}: it is a
 * protocol, not a byte store.
 *
 * <ul>
 *   <li>A location is a string and is passed on unchanged, because the table format compares paths as strings.
 *   <li>Reads are ranged and positional, because footers, row groups and deletion vectors are found by offset.
 *   <li>{@link dev.calve.io.Storage#create} never replaces a file, because every name this project writes is unique and a
 *       collision means somebody else's file.
 *   <li>What is left of failed work is deleted by {@link dev.calve.io.CleanUp} alone, because clean-up that stops at an interrupt
 *       or takes the place of the failure before it leaves files nobody knows of.
 *   <li>{@link dev.calve.io.InvalidTableException} lives here because every package that trusts bytes may have to say
 *       that they are not what the table promised.
 * </ul>
 *
 * It knows no file format and no table.
 */
@NullMarked
package dev.calve.io;

import org.jspecify.annotations.NullMarked;
