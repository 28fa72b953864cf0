/**
 * The only classes that cross between driver and executors.
 *
 * <p>Each holds {@code byte[]} made by the codecs of the packages above, which stay free of Spark; {@code spark.read}, {@code
 * spark.write} and {@code spark.rowlevel} open them.
 *
 * <ul>
 *   <li>Fields are byte arrays, numbers and strings only, because Spark may use Kryo, which cannot rebuild records.
 *   <li>What is the same for all tasks of a job is in {@link dev.calve.spark.wire.ExecutorTable}, sent once a stage; what
 *       differs is in the partition, because a table's description times a hundred thousand tasks does not fit a driver.
 *   <li>Both ends run the same version of the jar, so nothing here is a format.
 * </ul>
 */
@NullMarked
package dev.calve.spark.wire;

import org.jspecify.annotations.NullMarked;
