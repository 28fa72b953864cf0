/**
 * What "deleted" means: sets of row positions, deletion vectors, their bytes and their merging; sets of keys.
 *
 * <p>{@code puffin} knows the container a vector lies in, {@code manifest} the entry that points to it, {@code parquet}
 * the older position-delete files; here is only the set of positions they all carry.
 *
 * <p>Bytes of a vector, which are also the content of a Puffin blob {@code deletion-vector-v1}:
 *
 * <pre>
 * 4 bytes, big endian     length of magic and bitmap
 * 4 bytes                 magic d1 d3 39 64
 * 8 bytes, little endian  number of keys, then for each key, ascending:
 *     4 bytes, little endian  key, the upper half of the positions
 *     n bytes                 32-bit Roaring bitmap of the lower halves, portable format
 * 4 bytes, big endian     CRC-32 of magic and bitmap
 * </pre>
 *
 * <ul>
 *   <li>Length, magic and CRC are checked before anything else is looked at, and the structure of the bitmap before the
 *       library decodes it, because it trusts its input and a bad container would hide the wrong rows.
 *   <li>A vector is found by the manifest's offset and size in one ranged read and the Puffin footer is not read, because
 *       the specification makes the two equal and a scan opens thousands of vectors.
 *   <li>A data file has one vector, the union of everything deleted so far, because readers refuse two.
 *   <li>Writers store every key up to the largest, also those without positions, because the other implementation does and
 *       equal bytes are easy to compare; readers accept gaps.
 *   <li>Version 2 position deletes are kept in the same {@link dev.calve.deletes.PositionBitmap}, because nothing that
 *       applies deletes should care how they were stored.
 *   <li>Keys of equality deletes are kept as integers or bytes in {@link dev.calve.deletes.KeyTable}, with the rank of the
 *       delete, because one look-up must answer for hundreds of delete files of different ages; what a key is made of is for
 *       the engine to say.
 * </ul>
 *
 * This is the only package that uses RoaringBitmap. It does not decide which delete belongs to which data file.
 */
@NullMarked
package dev.calve.deletes;

import org.jspecify.annotations.NullMarked;
