package dev.calve.it;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.spark.sql.SparkSession;

/**
 * A second JVM with a Spark session of its own on a warehouse of somebody else. Runs one {@link Work}.
 *
 * <p>What the child prints is in {@code output} when it ends, for failures to show.
 */
final class WriterProcess {

    /** What a child does; constructed by name, so a class of its own with a constructor without arguments. */
    interface Work {
        void run(SparkSession spark, List<String> arguments) throws Exception;
    }

    private final Process process;
    private final Path output;

    private WriterProcess(Process process, Path output) {
        this.process = process;
        this.output = output;
    }

    /** @param warehouse of the child's catalog {@code lake} */
    static WriterProcess start(String warehouse, Class<? extends Work> work, String... arguments) throws IOException {
        var command = new ArrayList<String>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        String flags = System.getProperty("calve.jvm.args", "");
        for (String flag : flags.split(" ", -1)) {
            if (!flag.isBlank()) {
                command.add(flag);
            }
        }
        command.add("-Xmx1g");
        command.add("-Djava.io.tmpdir=" + System.getProperty("java.io.tmpdir"));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), WriterProcess.class.getName()));
        command.addAll(List.of(warehouse, work.getName()));
        command.addAll(List.of(arguments));
        Path output = Files.createTempFile("writer-", ".out");
        var builder = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
        return new WriterProcess(builder.start(), output);
    }

    /** Waits for the end and returns the exit code. */
    int await(long seconds) throws InterruptedException {
        if (!process.waitFor(seconds, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new AssertionError("The writer must end within " + seconds + " s.\n" + output());
        }
        return process.exitValue();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** As {@code kill -9}: nothing of the child gets to run any more. */
    void kill() throws InterruptedException {
        process.destroyForcibly();
        process.waitFor();
    }

    String output() {
        try {
            return Files.readString(output);
        } catch (IOException e) {
            return "(output is gone: " + e + ")";
        }
    }

    /** The child. */
    public static void main(String[] arguments) throws Exception {
        var spark = SparkSession.builder()
                .appName("writer")
                .master("local[1]")
                .config("spark.ui.enabled", "false")
                .config("spark.driver.host", "127.0.0.1")
                .config("spark.driver.bindAddress", "127.0.0.1")
                .config("spark.sql.shuffle.partitions", "1")
                .config("spark.sql.session.timeZone", "UTC")
                .config("spark.hadoop.fs.s3a.impl", FaultyFileSystem.class.getName())
                .config("spark.sql.catalog.lake", "dev.calve.spark.CalveCatalog")
                .config("spark.sql.catalog.lake.warehouse", arguments[0])
                .getOrCreate();
        var constructor = Class.forName(arguments[1]).asSubclass(Work.class).getDeclaredConstructor();
        constructor.setAccessible(true);
        constructor.newInstance().run(spark, List.of(arguments).subList(2, arguments.length));
        spark.stop();
    }

    /** Adds a line to a file at once, so that it is there whatever happens to this JVM next. */
    static void note(Path file, String line) throws IOException {
        Files.writeString(
                file,
                line + "\n",
                StandardCharsets.UTF_8,
                StandardOpenOption.CREATE,
                StandardOpenOption.APPEND,
                StandardOpenOption.SYNC);
    }
}
