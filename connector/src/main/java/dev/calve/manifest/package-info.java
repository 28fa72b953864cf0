/**
 * Data and delete file entries, manifests and manifest lists of every format version, read and written.
 *
 * <p>{@code scan} decides which manifests to open, {@code commit} which to rewrite; this package knows only their content.
 * It is the only user of Avro.
 *
 * <ul>
 *   <li>Fields are resolved by Avro field id, not by name or position, because old writers used other names.
 *   <li>What a reader hands out is complete: sequence numbers, snapshot ids and {@code first_row_id} are inherited here,
 *       because an entry without them would be read with the wrong deletes.
 *   <li>Inheritance applies to entries ADDED by the manifest's own snapshot; EXISTING and DELETED entries are written with
 *       explicit numbers, because a null would silently re-date the file.
 *   <li>Statistics stay encoded until one is asked for and are written back as they were, because a manifest holds those of
 *       thousands of files and a statement asks for those of few.
 *   <li>A tuple is typed by the manifest's own spec and schema, because the table's current ones may differ.
 * </ul>
 */
@NullMarked
package dev.calve.manifest;

import org.jspecify.annotations.NullMarked;
