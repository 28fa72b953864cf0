/**
 * Tables in a directory tree, in the layout that hadoop catalogs have in common.
 *
 * <pre>
 * warehouse/ns1/ns2/table/data/…
 * warehouse/ns1/ns2/table/metadata/v1.metadata.json, v2.metadata.json or v2.gz.metadata.json, …
 * warehouse/ns1/ns2/table/metadata/version-hint.text      decimal number, no newline
 * </pre>
 *
 * <p>The newest version is the highest number without a gap above the hint. {@link dev.calve.catalog.warehouse.TableFolder}
 * is one table, {@link dev.calve.catalog.warehouse.WarehouseCatalog} the tree, and the port
 * {@link dev.calve.catalog.warehouse.Directory} what they need of a file system; {@code hadoop} implements it.
 *
 * <ul>
 *   <li>A version is published by making its complete file appear under a name that nobody has, because a rename that
 *       replaces would lose the commit of whoever was faster. File systems that cannot do that are refused.
 *   <li>The base alone decides how the next file is named, because then all who start from one base compete for one name;
 *       the other spellings of the version are looked for first, because other engines decide differently.
 *   <li>The hint is a hint: missing, stale or garbage, it costs a listing and never a commit. It is written after the
 *       publication and its failure is not the commit's.
 *   <li>A newest file that cannot be read is an error and not a reason to use the one before, because that would undo
 *       a commit.
 * </ul>
 *
 * <p>Other engines may rename over a file that exists where the file system lets them, so two engines that commit to one
 * local directory at the same time can lose a commit of ours.
 */
@NullMarked
package dev.calve.catalog.warehouse;

import org.jspecify.annotations.NullMarked;
