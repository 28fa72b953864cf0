/**
 * Integration tests: a real Spark session, real tables on disk, and Apache Iceberg's own runtime as the oracle.
 *
 * <p>{@code XTest} beside the code says that a class does what it claims; an {@code XIT} here says that a user's statement
 * does. {@link dev.calve.it.SparkTestSession} starts the session; a test class makes a namespace of its own in it.
 *
 * <p>Tags choose where a test runs besides Spark 4.1:
 *
 * <ul>
 *   <li>{@code smoke}: also on the other Spark versions, with the same runtime jar. Its oracle is a model in memory,
 *       because there is no peer for every version.
 *   <li>{@code serialization}: also under Kryo, because classes that cross the wire there must not be records.
 *   <li>{@code iceberg-peer}: not where Apache Iceberg has no runtime. Only needed beside {@code smoke}.
 * </ul>
 *
 * No test here looks at a private class: what needs one belongs beside it.
 */
package dev.calve.it;
