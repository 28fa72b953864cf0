package dev.calve.it;

import dev.calve.commit.CommitConflictException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;

/** A JVM that commits to a {@link CoreTable}, without Spark, until it ends by itself or is killed. */
final class CommitProcess {

    /** How the process is started: what it needs to be quick, since hundreds are. */
    private static final List<String> FLAGS = List.of(
            "-Xmx256m",
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-XX:-UsePerfData",
            // Verifying classes that are known to be good is a fifth of such a short life.
            "-XX:+UnlockDiagnosticVMOptions",
            "-XX:-BytecodeVerificationRemote",
            "-Dslf4j.provider=org.slf4j.helpers.NOP_FallbackServiceProvider",
            HaltingFiles.FLAG);

    private static final long LONGEST_LIFE_SECONDS = 300;

    private final Process process;
    private final Path output;

    private CommitProcess(Process process, Path output) {
        this.process = process;
        this.output = output;
    }

    /** Starts a process that runs every kind of statement on a table of its name and writes down what it did. */
    static CommitProcess record(String classPath, List<String> flags, Path warehouse, Path steps) throws IOException {
        return start(classPath, flags, warehouse, "record", steps.toString());
    }

    /** Starts a process that ends where told. */
    static CommitProcess die(String classPath, Path warehouse, String table, Death death, UUID statementId)
            throws IOException {
        return start(
                classPath,
                List.of(),
                warehouse,
                "die",
                table,
                death.kind().name(),
                statementId.toString(),
                "" + death.step(),
                death.where().name());
    }

    /** Starts a process that runs one statement after the other and says so after each. */
    static CommitProcess runForever(String classPath, Path warehouse, String table) throws IOException {
        return start(classPath, List.of(), warehouse, "forever", table);
    }

    private static CommitProcess start(String classPath, List<String> flags, Path warehouse, String... arguments)
            throws IOException {
        var command = new ArrayList<String>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(FLAGS);
        command.addAll(flags);
        command.addAll(List.of("-cp", classPath, CommitProcess.class.getName(), warehouse.toString()));
        command.addAll(List.of(arguments));
        Path output = Files.createTempFile(warehouse.getParent(), "process-", ".out");
        var builder = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
        return new CommitProcess(builder.start(), output);
    }

    /** Waits for the end and returns the exit code. */
    int await() throws InterruptedException {
        try {
            if (!process.waitFor(LONGEST_LIFE_SECONDS, TimeUnit.SECONDS)) {
                throw new AssertionError("The process must end within " + LONGEST_LIFE_SECONDS + " s.\n" + output());
            }
            return process.exitValue();
        } finally {
            process.destroyForcibly();
        }
    }

    /** Waits until the process has said this. */
    void awaitOutput(String text) throws InterruptedException {
        long start = System.nanoTime();
        while (!output().contains(text)) {
            if (!process.isAlive() || System.nanoTime() - start > LONGEST_LIFE_SECONDS * 1_000_000_000L) {
                throw new AssertionError("The process must say '" + text + "', but said:\n" + output());
            }
            Thread.sleep(1);
        }
    }

    /** As {@code kill -9}: nothing of the process gets to run any more. */
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

    /** The process itself. */
    public static void main(String[] arguments) throws Exception {
        Path warehouse = Path.of(arguments[0]);
        switch (arguments[1]) {
            case "record" -> recordAll(warehouse, Path.of(arguments[2]));
            case "die" ->
                run(
                        warehouse,
                        arguments[2],
                        CrashKind.valueOf(arguments[3]),
                        UUID.fromString(arguments[4]),
                        Integer.parseInt(arguments[5]),
                        DeathAtStep.Where.valueOf(arguments[6]));
            case "forever" -> forever(CoreTable.in(warehouse, arguments[2]));
            default -> throw new IllegalArgumentException(arguments[1]);
        }
    }

    private static void recordAll(Path warehouse, Path target) throws IOException {
        var lines = new ArrayList<String>();
        for (CrashKind kind : CrashKind.values()) {
            kind.prepare(CoreTable.in(warehouse, kind.name()));
            List<DeathAtStep.Step> steps =
                    run(warehouse, kind.name(), kind, UUID.randomUUID(), -1, DeathAtStep.Where.BEFORE);
            steps.forEach(step -> lines.add(kind + " " + step));
        }
        Files.write(target, lines);
    }

    private static List<DeathAtStep.Step> run(
            Path warehouse, String name, CrashKind kind, UUID statementId, int step, DeathAtStep.Where where)
            throws IOException {
        CoreTable table = CoreTable.in(warehouse, name);
        var death = new DeathAtStep(warehouse.resolve("ns").resolve(name), step, where, () -> {
            if (kind.meetsWinner()) {
                kind.win(table);
            }
        });
        HaltingFiles.tell(death);
        try {
            kind.run(table, statementId);
            if (kind.isRefused()) {
                throw new IllegalStateException("The statement must be refused.");
            }
        } catch (CommitConflictException e) {
            if (!kind.isRefused()) {
                throw e;
            }
        } finally {
            HaltingFiles.tell(new DeathAtStep(Path.of("/nowhere"), -1, where, () -> {}));
        }
        return death.steps();
    }

    // One statement after the other: what the one who kills the process must know

    static final String READY = "ready";
    static final String DONE = "done ";
    static final String TURN = "turn";

    private static final int MANY = 1000;
    private static final long FIRST = 1000;

    /** Id of the statement of that number. */
    static UUID statementId(int number) {
        return new UUID(0x0CA1_7E00_0000_4000L, 0x8000_0000_0000_0000L + number);
    }

    /** Makes a table with one file of many rows. */
    static void prepareForever(CoreTable table) throws IOException {
        table.create(
                3,
                Map.of(
                        "write.metadata.delete-after-commit.enabled", "true",
                        "write.metadata.previous-versions-max", "3"));
        new CoreStatement(table, UUID.randomUUID()).append(MANY, FIRST);
    }

    private static void forever(CoreTable table) throws IOException {
        System.out.println(READY);
        for (int number = 0; number < MANY; number++) {
            var statement = new CoreStatement(table, statementId(number));
            if (setsProperty(number)) {
                statement.set(Map.of(TURN, "" + number));
            } else if (appends(number)) {
                statement.append(2, firstAppended(number));
            } else {
                statement.delete(Set.of(FIRST + number));
            }
            System.out.println(DONE + number);
        }
    }

    private static boolean appends(int number) {
        return number % 3 == 0;
    }

    static boolean setsProperty(int number) {
        return number % 3 == 2;
    }

    private static long firstAppended(int number) {
        return 100_000 + 10L * number;
    }

    /** The rows after so many statements. */
    static Set<Long> rowsAfter(int statements) {
        var ids = new TreeSet<Long>();
        LongStream.range(FIRST, FIRST + MANY).forEach(ids::add);
        for (int number = 0; number < statements; number++) {
            if (appends(number)) {
                ids.addAll(Set.of(firstAppended(number), firstAppended(number) + 1));
            } else if (!setsProperty(number)) {
                ids.remove(FIRST + number);
            }
        }
        return ids;
    }
}
