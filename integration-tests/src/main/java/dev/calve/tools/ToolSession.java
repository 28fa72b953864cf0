package dev.calve.tools;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.spark.sql.SparkSession;

/** A local Spark session with Calve's catalog and, if wanted, Apache Iceberg's own over the same warehouse. */
final class ToolSession implements AutoCloseable {

    /** Name of Calve's catalog. */
    static final String LAKE = "lake";

    /** Name of the peer's catalog. */
    static final String PEER = "peer";

    private static final String PEER_CLASS = "org.apache.iceberg.spark.SparkCatalog";
    private static final Pattern URI = Pattern.compile("[A-Za-z][A-Za-z0-9+.-]+:.*");

    private final SparkSession spark;

    private ToolSession(SparkSession spark) {
        this.spark = spark;
    }

    /**
     * Starts the session. Takes some seconds.
     *
     * @param warehouse a folder or a URI
     * @param configuration anything else, which wins over what the tools set
     * @throws IllegalStateException if the peer is wanted and its jar is not on the class path
     */
    static ToolSession start(String name, String warehouse, boolean withPeer, Map<String, String> configuration) {
        var scratch = temporaryFolder("calve-spark-");
        var builder = SparkSession.builder()
                .appName(name)
                .config("spark.master", "local[*]")
                .config("spark.ui.enabled", "false")
                .config("spark.ui.showConsoleProgress", "false")
                .config("spark.driver.host", "127.0.0.1")
                .config("spark.driver.bindAddress", "127.0.0.1")
                .config("spark.sql.warehouse.dir", scratch.toString())
                .config("spark.sql.shuffle.partitions", "8")
                .config("spark.sql.session.timeZone", "UTC")
                .config("spark.sql.defaultCatalog", LAKE)
                .config("spark.sql.catalog." + LAKE, "dev.calve.spark.CalveCatalog")
                .config("spark.sql.catalog." + LAKE + ".warehouse", warehouse);
        if (withPeer) {
            requirePeer();
            builder.config("spark.sql.catalog." + PEER, PEER_CLASS)
                    .config("spark.sql.catalog." + PEER + ".type", "hadoop")
                    .config("spark.sql.catalog." + PEER + ".warehouse", warehouse)
                    // The other engine changes the tables under it.
                    .config("spark.sql.catalog." + PEER + ".cache-enabled", "false");
        }
        configuration.forEach(builder::config);
        return new ToolSession(builder.getOrCreate());
    }

    private static void requirePeer() {
        if (ToolSession.class.getResource("/" + PEER_CLASS.replace('.', '/') + ".class") == null) {
            throw new IllegalStateException("Apache Iceberg's runtime must be on the class path, but is not: start with"
                    + " dev/peer or dev/quickstart.");
        }
    }

    SparkSession spark() {
        return spark;
    }

    /** A warehouse as both catalogs understand it: a URI as it is, anything else as an absolute path. */
    static String warehouse(String given) {
        return URI.matcher(given).matches()
                ? given
                : Path.of(given).toAbsolutePath().normalize().toString();
    }

    /** A new folder that goes with this process, however it ends. */
    static Path temporaryFolder(String prefix) {
        try {
            Path folder = Files.createTempDirectory(prefix).toRealPath();
            Runtime.getRuntime().addShutdownHook(new Thread(() -> deleteFolder(folder)));
            return folder;
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot create a temporary folder: " + e.getMessage(), e);
        }
    }

    /** Deletes a folder and everything in it; what cannot be deleted stays. */
    private static void deleteFolder(Path folder) {
        try (Stream<Path> found = Files.walk(folder)) {
            found.sorted(Comparator.reverseOrder())
                    .forEach(path -> path.toFile().delete());
        } catch (IOException e) {
            System.err.println("Could not remove " + folder + ": " + e.getMessage());
        }
    }

    @Override
    public void close() {
        spark.stop();
    }
}
