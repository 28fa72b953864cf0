package dev.calve.it;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.apache.spark.sql.SparkSession;

/**
 * The one Spark session of a test JVM, started when first asked for.
 *
 * <p>Two catalogs share one warehouse folder: {@code lake} is Calve and {@code peer} is Apache Iceberg's own, the latter
 * only where its jar is on the class path. The peer caches no table, because the other engine changes them under it.
 * Tests keep apart by namespaces of their own.
 *
 * <p>The serializer is Spark's default unless the system property {@code spark.serializer} names another. Shared by all
 * threads; nobody stops it: it ends with the JVM.
 */
public final class SparkTestSession {

    /** Name of Calve's catalog. */
    public static final String LAKE = "lake";

    /** Name of the peer's catalog. */
    public static final String PEER = "peer";

    private static final String PEER_CATALOG = "org.apache.iceberg.spark.SparkCatalog";

    private static volatile boolean started;

    private SparkTestSession() {}

    /** The session. Starts in 5 to 15 seconds when first called in a JVM, costs nothing afterwards. */
    public static SparkSession spark() {
        return Holder.SPARK;
    }

    /** The folder both catalogs call their warehouse: an absolute path on the local disk, empty when the JVM started. */
    public static Path warehouse() {
        return Holder.WAREHOUSE;
    }

    /** The same folder, if a session was started in this JVM; starts none. */
    static Optional<Path> startedWarehouse() {
        return started ? Optional.of(warehouse()) : Optional.empty();
    }

    /** Whether Apache Iceberg's runtime is on the class path, and with it the catalog {@code peer}. */
    public static boolean hasPeer() {
        return SparkTestSession.class.getResource("/" + PEER_CATALOG.replace('.', '/') + ".class") != null;
    }

    private static SparkSession start(Path warehouse) {
        var builder = SparkSession.builder()
                .appName("calve-integration-tests")
                .master("local[2]")
                .config("spark.ui.enabled", "false")
                .config("spark.driver.host", "127.0.0.1")
                .config("spark.driver.bindAddress", "127.0.0.1")
                .config("spark.sql.shuffle.partitions", "2")
                .config("spark.sql.session.timeZone", "UTC")
                .config(
                        "spark.sql.warehouse.dir",
                        warehouse
                                .resolveSibling(warehouse.getFileName() + "-spark")
                                .toString())
                .config("spark.sql.catalog." + LAKE, "dev.calve.spark.CalveCatalog")
                .config("spark.sql.catalog." + LAKE + ".type", "warehouse")
                .config("spark.sql.catalog." + LAKE + ".warehouse", warehouse.toString());
        if (hasPeer()) {
            builder.config("spark.sql.catalog." + PEER, PEER_CATALOG)
                    .config("spark.sql.catalog." + PEER + ".type", "hadoop")
                    .config("spark.sql.catalog." + PEER + ".warehouse", warehouse.toString())
                    .config("spark.sql.catalog." + PEER + ".cache-enabled", "false");
        }
        var spark = builder.getOrCreate();
        requireExpectedVersion(spark);
        return spark;
    }

    /** A class path with the wrong Spark would otherwise pass every test silently. */
    private static void requireExpectedVersion(SparkSession spark) {
        var expected = System.getProperty("expected.spark.version");
        if (expected != null && !expected.equals(spark.version())) {
            throw new IllegalStateException(
                    "The class path must bring Spark '%s', not '%s'. Check the module's dependencies."
                            .formatted(expected, spark.version()));
        }
    }

    private static final class Holder {
        private static final Path WAREHOUSE = createFolder();
        private static final SparkSession SPARK = start(WAREHOUSE);

        static {
            started = true;
        }

        private static Path createFolder() {
            try {
                return Files.createTempDirectory("calve-warehouse-").toRealPath();
            } catch (IOException e) {
                throw new UncheckedIOException("Cannot create the warehouse folder of the tests", e);
            }
        }
    }
}
