/**
 * The partition transforms as SQL functions: {@code bucket}, {@code truncate}, {@code years}, {@code months}, {@code days},
 * {@code hours}.
 *
 * <p>{@code partition} computes them; here they get Spark's types. Spark finds them through the catalog when a write asks
 * for rows to be clustered by partition, and users as {@code catalog.system.bucket(16, id)}.
 *
 * <ul>
 *   <li>Each result is the one {@code partition.Transforms} gives, because rows are clustered by the one and stored by the
 *       other.
 *   <li>A function names itself as the peer's does, because Spark joins two tables without a shuffle only if the functions
 *       of their partitions have one name.
 *   <li>Spark calls the static {@code invoke} with Spark's own value classes, so that generated code does not box numbers. It
 *       does not call them for a null of a primitive type; for other types null comes in and must go out.
 * </ul>
 */
@NullMarked
package dev.calve.spark.functions;

import org.jspecify.annotations.NullMarked;
