/**
 * The Puffin container: blobs and the footer that describes them.
 *
 * <p>It knows no blob's meaning: what a deletion vector is, {@code deletes} knows.
 *
 * <pre>
 * magic                 4 bytes, 50 46 41 31 ("PFA1")
 * blobs                 one after the other, the first at offset 4
 * footer:
 *   magic               4 bytes
 *   payload             JSON in UTF-8: the blobs' metadata, the file's properties
 *   payload length      4 bytes, little endian
 *   flags               4 bytes; bit 0 of the first: payload is compressed with LZ4
 *   magic               4 bytes
 * </pre>
 *
 * <ul>
 *   <li>The writer says where a blob lies as soon as it is written, because a manifest entry needs offset and length and
 *       never sees the footer.
 *   <li>Nothing in a footer is used before it is checked, because lengths and offsets lead to allocations and reads.
 *   <li>LZ4 is refused by name, because nothing this project reads uses it and Spark's class path has no codec for its
 *       frame format that is ours to rely on.
 *   <li>The same blobs give the same bytes, because properties keep the order they were given in.
 * </ul>
 *
 * It neither caches nor reads more than one file.
 */
@NullMarked
package dev.calve.puffin;

import org.jspecify.annotations.NullMarked;
