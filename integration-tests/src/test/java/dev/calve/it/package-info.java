/**
 * Integration tests: a real Spark session, real tables on disk, and Apache Iceberg's own runtime as the oracle.
 *
 * <p>{@code XTest} beside the code says that a class does what it claims; an {@code XIT} here says that a user's statement
 * does. {@link dev.calve.it.SparkTestSession} starts the session; a test class makes a namespace of its own in it.
 *
 * <p>Where a test runs besides Spark 4.1:
 *
 * <ul>
 *   <li>A class named {@code XSmokeIT}: also on the other Spark versions, with the same runtime jar. By name, because
 *       looking for a tag loads every class and those that know the peer cannot load where there is none. Its oracle is
 *       a model in memory; a test in it that needs the peer is tagged {@code iceberg-peer}.
 *   <li>A test tagged {@code serialization}: also under Kryo, because classes that cross the wire there must not be
 *       records.
 * </ul>
 *
 * No test here looks at a private class: what needs one belongs beside it.
 */
package dev.calve.it;
