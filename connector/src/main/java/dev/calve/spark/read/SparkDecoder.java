package dev.calve.spark.read;

import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.parquet.VersionParser;
import org.apache.parquet.column.page.PageReadStore;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.Type;
import org.apache.spark.sql.AnalysisException;
import org.apache.spark.sql.execution.datasources.parquet.ParquetColumn;
import org.apache.spark.sql.execution.datasources.parquet.ParquetToSparkSchemaConverter;
import org.apache.spark.sql.execution.datasources.parquet.VectorizedParquetRecordReader;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;
import scala.Option;

/**
 * Spark's vectorized Parquet decoder, fed with row groups that somebody else reads.
 *
 * <p>Spark offers this only to its own tests, so three of its members are reached by reflection: the row group source
 * (a package-private interface, implemented by a proxy that its own class loader defines), the method that checks the
 * columns, and the configuration, which Spark 4.0 does not have. They are looked up once; {@link #verify} tells whether
 * they are there. Spark's own way in, the four-argument {@code initialize}, is not used because it refuses some columns
 * that are read here as another type, and parses Hadoop's default configuration for each file.
 */
final class SparkDecoder extends VectorizedParquetRecordReader {

    /** Dates and timestamps are Gregorian, whoever wrote them: the table format knows no other calendar. */
    private static final String CORRECTED = "CORRECTED";

    private static final Configuration CONFIGURATION = configuration();

    /** Spark 4.0 reads shredded variants, but only when asked to. */
    private static final SQLConf SHREDDED_VARIANTS = shreddedVariants();

    private static final Hooks HOOKS = Hooks.find();

    /** Hands out the row groups to decode, in order. */
    @FunctionalInterface
    interface RowGroups {
        /** The pages of the next row group, which has at least one row; null if there is none left. */
        @Nullable PageReadStore next() throws IOException;
    }

    private SparkDecoder(int batchRows) {
        super(null, CORRECTED, "UTC", CORRECTED, "UTC", false, batchRows);
    }

    /**
     * Checks that this Spark has what is needed.
     *
     * @throws UnsupportedOperationException naming what is missing
     */
    static void verify() {
        HOOKS.verify();
    }

    /**
     * Starts decoding.
     *
     * @param schema the columns to decode; the row groups have all of them
     * @param types what to decode them as; names equal those of the schema
     * @param rows number of rows of all row groups
     * @param createdBy who wrote the file; some writers' bytes need care
     */
    static SparkDecoder open(
            MessageType schema,
            StructType types,
            long rows,
            RowGroups rowGroups,
            @Nullable String createdBy,
            int batchRows)
            throws IOException {
        HOOKS.verify();
        var decoder = new SparkDecoder(batchRows);
        decoder.fileSchema = schema;
        decoder.requestedSchema = schema;
        decoder.parquetColumn = SQLConf.withExistingConf(SHREDDED_VARIANTS, () -> column(schema, Option.apply(types)));
        decoder.sparkSchema = (StructType) decoder.parquetColumn.sparkType();
        decoder.sparkRequestedSchema = decoder.sparkSchema;
        decoder.totalRowCount = rows;
        decoder.writerVersion = writerVersion(createdBy);
        HOOKS.start(decoder, rowGroups);
        decoder.resultBatch();
        decoder.enableReturningBatches();
        return decoder;
    }

    /** The field of a struct as Spark would decode it if nobody asked for a type. */
    static StructField naturalField(Type type) {
        return ((StructType)
                        column(new MessageType("table", type), Option.empty()).sparkType())
                .apply(0);
    }

    @SuppressWarnings("ConstantValue") // Scala throws checked exceptions that it does not declare.
    private static ParquetColumn column(MessageType schema, Option<StructType> types) {
        try {
            return new ParquetToSparkSchemaConverter(CONFIGURATION).convertParquetColumn(schema, types);
        } catch (Exception e) {
            if (e instanceof AnalysisException) {
                throw new UnsupportedOperationException(e.getMessage(), e);
            }
            throw e;
        }
    }

    private static VersionParser.@Nullable ParsedVersion writerVersion(@Nullable String createdBy) {
        if (createdBy == null) {
            return null;
        }
        try {
            return VersionParser.parse(createdBy);
        } catch (VersionParser.VersionParseException e) {
            // Unknown writers are read as Spark reads them: with care for the known bug of old ones.
            return null;
        }
    }

    private static Configuration configuration() {
        var result = new Configuration(false);
        result.setBoolean("spark.sql.caseSensitive", true);
        result.setBoolean("spark.sql.parquet.binaryAsString", false);
        result.setBoolean("spark.sql.parquet.int96AsTimestamp", true);
        result.setBoolean("spark.sql.parquet.inferTimestampNTZ.enabled", true);
        result.setBoolean("spark.sql.legacy.parquet.nanosAsLong", true);
        return result;
    }

    private static SQLConf shreddedVariants() {
        var result = new SQLConf();
        result.setConfString("spark.sql.variant.allowReadingShredded", "true");
        return result;
    }

    /** The members of Spark's reader that are not open to us. */
    private record Hooks(
            Optional<Class<?>> rowGroupReader,
            Optional<Field> reader,
            Optional<Field> configuration,
            Optional<Method> checkColumns,
            Optional<Throwable> missing) {

        static Hooks find() {
            try {
                Class<?> parent = VectorizedParquetRecordReader.class.getSuperclass();
                var reader = parent.getDeclaredField("reader");
                reader.setAccessible(true);
                var checkColumns = VectorizedParquetRecordReader.class.getDeclaredMethod("initializeInternal");
                checkColumns.setAccessible(true);
                Class<?> rowGroupReader = reader.getType();
                if (!rowGroupReader.isInterface()) {
                    throw new NoSuchFieldException("reader of an interface type, not " + rowGroupReader);
                }
                if (rowGroupReader.getDeclaredMethod("readNextRowGroup").getReturnType() != PageReadStore.class) {
                    throw new NoSuchMethodException("PageReadStore readNextRowGroup()");
                }
                return new Hooks(
                        Optional.of(rowGroupReader),
                        Optional.of(reader),
                        configurationOf(parent),
                        Optional.of(checkColumns),
                        Optional.empty());
            } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
                return new Hooks(
                        Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), Optional.of(e));
            }
        }

        private static Optional<Field> configurationOf(Class<?> parent) {
            try {
                var field = parent.getDeclaredField("configuration");
                field.setAccessible(true);
                return Optional.of(field);
            } catch (NoSuchFieldException e) {
                return Optional.empty();
            }
        }

        void verify() {
            missing.ifPresent(cause -> {
                throw new UnsupportedOperationException(
                        "This Spark's Parquet reader must have the members of Spark 4.0 to 4.2, but: " + cause
                                + ". Use a Spark version that this connector supports.",
                        cause);
            });
        }

        void start(SparkDecoder decoder, RowGroups rowGroups) throws IOException {
            try {
                Class<?> type = rowGroupReader.orElseThrow();
                reader.orElseThrow()
                        .set(
                                decoder,
                                Proxy.newProxyInstance(
                                        type.getClassLoader(), new Class<?>[] {type}, handler(rowGroups)));
                if (configuration.isPresent()) {
                    configuration.get().set(decoder, CONFIGURATION);
                }
                checkColumns.orElseThrow().invoke(decoder);
            } catch (InvocationTargetException e) {
                if (e.getCause() instanceof IOException) {
                    throw (IOException) e.getCause();
                }
                throw new UnsupportedOperationException(String.valueOf(e.getCause()), e.getCause());
            } catch (IllegalAccessException e) {
                throw new UnsupportedOperationException("Spark's Parquet reader cannot be set up: " + e, e);
            }
        }

        private static InvocationHandler handler(RowGroups rowGroups) {
            return (proxy, method, arguments) -> switch (method.getName()) {
                case "readNextRowGroup" -> rowGroups.next();
                case "close" -> null;
                case "hashCode" -> System.identityHashCode(proxy);
                case "equals" -> proxy == arguments[0];
                default -> "Row groups for Spark's decoder";
            };
        }
    }
}
