/**
 * Types, fields, schemas, name mapping and single values of the table format; pure values, no I/O.
 *
 * <p>{@code partition} builds on it for what a partition is, {@code spark.convert} translates to and from Spark's types.
 *
 * <p>A value of a primitive type is a plain Java object of the class this table names, because bounds, partition values,
 * defaults and literals all meet here:
 *
 * <pre>
 * boolean            Boolean        time, timestamp(tz)          Long, microseconds
 * int                Integer        timestamp(tz)_ns             Long, nanoseconds
 * long               Long           string                       String
 * float              Float          uuid                         java.util.UUID
 * double             Double         fixed, binary                Bytes
 * date               Integer, days  decimal                      BigDecimal of the type's scale
 * </pre>
 *
 * <ul>
 *   <li>Fields are found by id, because names change and ids never do.
 *   <li>Strings are ordered by code point, as their UTF-8 bytes are, because bounds in files are; Java's own order differs
 *       for surrogates.
 *   <li>Float and double are ordered -0.0 &lt; +0.0 and NaN last, as Java's {@code compare} does; predicates that follow
 *       SQL say so where they evaluate.
 * </ul>
 */
@NullMarked
package dev.calve.schema;

import org.jspecify.annotations.NullMarked;
