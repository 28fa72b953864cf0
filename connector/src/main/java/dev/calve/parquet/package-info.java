/**
 * Parquet files of a table: data files written from any engine's rows, position-delete files, and raw access by field
 * id.
 *
 * <p>{@code rewrite} decides which chunks are copied, {@code spark.read} decodes files; here is what turns rows into
 * bytes, what takes chunks from one file into another, and what is known about a file afterwards.
 *
 * <pre>
 * Schema + WriteSettings        -> FileLayout            once a task
 * FileLayout + RowReader        -> DataFileWriter        one file: write(row)…, close() gives the manifest's entry
 *                                  RollingDataWriter     as many files as the target size asks for
 *                                  PositionDeleteWriter  one v2 position-delete file
 * FileLayout + ChunkSource      -> ChunkFile             one file put together from column chunks, copied or encoded
 * </pre>
 *
 * <ul>
 *   <li>Every field of a file carries its field id, elements, keys and values included, because readers that find ids
 *       anywhere in a file ignore columns without one.
 *   <li>Values go from the port {@link dev.calve.parquet.RowReader} straight to parquet-java's column writers with their
 *       levels, because its record consumer costs more than the encoding of most values.
 *   <li>Bounds come from the statistics parquet-java keeps in memory, not from the footer as stored, because the stored
 *       ones are dropped when they are long. Bounds of float and double are kept here instead, because NaN spoils
 *       parquet's.
 *   <li>All bytes go through {@code io.Storage}; Hadoop is used for its {@code Configuration} only, because parquet-java's
 *       codecs ask for one.
 *   <li>Only API that parquet-java 1.15, 1.16 and 1.17 share is called, because Spark ships one of them; the annotation of
 *       variants, which 1.15 lacks, is looked up.
 * </ul>
 *
 * It does not know where files go, nor which rows belong into which file. Of the geo types only nulls are written, by leaving
 * the column out; variants are written unshredded.
 */
@NullMarked
package dev.calve.parquet;

import org.jspecify.annotations.NullMarked;
