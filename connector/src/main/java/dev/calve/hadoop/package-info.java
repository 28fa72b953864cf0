/**
 * {@link dev.calve.io.Storage} over Hadoop's file systems, and over {@code java.nio.file} for local disks.
 *
 * <p>{@code io} says what a storage does; {@code catalog} publishes table metadata, which needs more than this offers.
 * {@link dev.calve.hadoop.HadoopStorage#toBytes()} carries a storage to executors.
 *
 * <ul>
 *   <li>Local files do not go through Hadoop, because its local file system starts a {@code chmod} process per created
 *       file where the native library is absent, which is everywhere but in Hadoop's own images, and leaves a checksum
 *       file beside each.
 *   <li>Such a checksum file, left by others, is removed with its file, because it would make a later file of the same
 *       name unreadable for them.
 *   <li>A location is handed out as it came in; only the file system sees it parsed, because the table format compares
 *       locations as strings.
 *   <li>A known length goes with the request to open a file, because object stores then save a request.
 *   <li>A failed write never ends in a normal close, because an object store would publish what arrived.
 * </ul>
 *
 * It lists nothing and renames nothing. File systems come from Hadoop's own cache, which distinguishes scheme, authority
 * and user, but not configurations.
 */
@NullMarked
package dev.calve.hadoop;

import org.jspecify.annotations.NullMarked;
