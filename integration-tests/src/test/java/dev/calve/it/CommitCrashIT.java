package dev.calve.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.calve.catalog.LoadedTable;
import dev.calve.it.Death.Phase;
import dev.calve.it.DeathAtStep.Step;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Processes that commit without Spark and come to an end: at every single step of every kind of statement, and at random
 * moments by {@code kill -9}. The table is then as before or as after, for both engines; the next writer goes on from there;
 * and what is left over can be told by the id of the statement in its name.
 *
 * <p>Of a file that ends empty and one that ends half written, only one is tried per step, in turns;
 * {@code -Dcalve.crash.all=true} tries both.
 */
class CommitCrashIT {

    private static final int DEATHS = 200;

    /** At least so many of them come from outside, at any moment. */
    private static final int KILLS = 20;

    /** At least so many deaths there must be in each phase of a statement. */
    private static final int IN_EACH_PHASE = 4;

    private static final int LONGEST_LIFE_MILLIS = 600;

    @TempDir
    Path folder;

    private Path warehouse;
    private final AtomicInteger acknowledgedByKilled = new AtomicInteger();

    @BeforeEach
    void makeWarehouse() throws IOException {
        warehouse = Files.createDirectory(folder.resolve("warehouse"));
    }

    @Test
    void twoHundredDeathsLeaveTheTableAsBeforeOrAsAfter() throws Exception {
        Recorded recorded = record();
        var deaths = new ArrayList<Death>();
        recorded.steps().forEach((kind, steps) -> deaths.addAll(Death.allOf(kind, steps)));
        if (!Boolean.getBoolean("calve.crash.all")) {
            deaths.removeIf(death -> !death.isOneOfTwo());
        }
        var phases = new EnumMap<Phase, Integer>(Phase.class);
        deaths.forEach(death -> phases.merge(death.phase(), 1, Integer::sum));
        assertThat(phases).as("deaths by phase").containsOnlyKeys(Phase.values());
        assertThat(phases.values()).as("deaths by phase").allMatch(count -> count >= IN_EACH_PHASE);

        int kills = Math.max(KILLS, DEATHS - deaths.size());
        long seed = Long.getLong("calve.seed", System.nanoTime());
        var random = new Random(seed);
        var work = new ArrayList<Callable<String>>();
        for (Death death : deaths) {
            String name = "t" + work.size();
            work.add(() -> outcome(death.toString(), () -> die(recorded.classPath(), name, death)));
        }
        for (int i = 0; i < kills; i++) {
            int millis = random.nextInt(LONGEST_LIFE_MILLIS);
            String name = "t" + work.size();
            // Some in the first statement, some in a later one.
            String said = i % 2 == 0 ? CommitProcess.READY : CommitProcess.DONE + i % 3;
            String what = "killed " + millis + " ms after '" + said + "' (calve.seed=" + seed + ")";
            work.add(() -> outcome(what, () -> kill(recorded.classPath(), name, what, said, millis)));
        }
        long start = System.nanoTime();
        List<String> failures = inParallel(work);
        assertThat(failures).as("%d of %d deaths", failures.size(), work.size()).isEmpty();
        assertThat(work).hasSizeGreaterThanOrEqualTo(DEATHS);
        assertThat(acknowledgedByKilled)
                .as("statements that killed processes acknowledged")
                .hasPositiveValue();
        System.out.printf(
                "%d deaths in %d s: %s, and %d kills after %d statements (calve.seed=%d)%n",
                work.size(),
                (System.nanoTime() - start) / 1_000_000_000,
                phases,
                kills,
                acknowledgedByKilled.get(),
                seed);
    }

    private interface Check {
        void run() throws Exception;
    }

    /** Runs a check that must not keep the others from running; empty if it passed. */
    private static String outcome(String what, Check check) {
        try {
            check.run();
            return "";
        } catch (Exception | AssertionError e) {
            var text = new StringBuilder(what + ": " + e);
            for (StackTraceElement element : e.getStackTrace()) {
                if (element.getClassName().startsWith("dev.calve.")) {
                    text.append("\n    at ").append(element);
                }
            }
            return text.toString();
        }
    }

    private static List<String> inParallel(List<Callable<String>> work)
            throws InterruptedException, ExecutionException {
        ExecutorService pool =
                Executors.newFixedThreadPool(Math.max(2, Runtime.getRuntime().availableProcessors()));
        try {
            var failures = new ArrayList<String>();
            for (Future<String> done : pool.invokeAll(work)) {
                if (!done.get().isEmpty()) {
                    failures.add(done.get());
                }
            }
            return failures;
        } finally {
            pool.shutdownNow();
        }
    }

    // A process lives, to see what it does

    /** @param classPath what a process needs of the class path of this one */
    private record Recorded(Map<CrashKind, List<Step>> steps, String classPath) {}

    private Recorded record() throws Exception {
        Path steps = folder.resolve("steps");
        Path classes = folder.resolve("classes");
        String everything = System.getProperty("java.class.path");
        var process = CommitProcess.record(everything, List.of("-Xlog:class+load:file=" + classes), warehouse, steps);
        assertThat(process.await()).as(process.output()).isZero();
        var byKind = new EnumMap<CrashKind, List<Step>>(CrashKind.class);
        for (String line : Files.readAllLines(steps)) {
            String[] parts = line.split(" ", 2);
            byKind.computeIfAbsent(CrashKind.valueOf(parts[0]), kind -> new ArrayList<>())
                    .add(Step.parse(parts[1]));
        }
        for (CrashKind kind : CrashKind.values()) {
            assertUndisturbed(kind);
        }
        return new Recorded(byKind, lean(everything, classes));
    }

    /** A statement that nobody ends does what it should, and leaves nothing over. */
    private void assertUndisturbed(CrashKind kind) throws IOException {
        CoreTable table = CoreTable.in(warehouse, kind.name());
        var scene = CrashScene.before(warehouse, table, kind + " undisturbed");
        Set<Long> ids = kind.isRefused() ? CrashKind.rowsBefore() : kind.rowsAfter();
        kind.addWinner(ids);
        scene.assertRows(ids);
        assertThat(scene.leftovers()).as("left over by %s", kind).isEmpty();
        if (kind == CrashKind.APPEND_AND_MERGE_MANIFESTS) {
            var found = scene.reading().peersTable();
            assertThat(found.currentSnapshot().dataManifests(found.io()))
                    .as("manifests after merging")
                    .hasSize(1);
        }
    }

    /** The parts of a class path that classes were loaded from: opening two hundred jars is what a process would mostly do. */
    private static String lean(String classPath, Path log) throws IOException {
        var used = new HashSet<String>();
        Matcher source = Pattern.compile("source: file:(\\S+)").matcher(Files.readString(log));
        while (source.find()) {
            used.add(Path.of(source.group(1)).toString());
        }
        var lean = new LinkedHashSet<String>();
        for (String entry : classPath.split(File.pathSeparator, -1)) {
            if (used.contains(Path.of(entry).toAbsolutePath().normalize().toString())) {
                lean.add(entry);
            }
        }
        return String.join(File.pathSeparator, lean);
    }

    // A process ends itself

    private void die(String classPath, String name, Death death) throws Exception {
        CrashKind kind = death.kind();
        CoreTable table = CoreTable.in(warehouse, name);
        kind.prepare(table);
        UUID statement = UUID.randomUUID();
        var scene = CrashScene.before(warehouse, table, death + ", statement " + statement);
        var process = CommitProcess.die(classPath, warehouse, name, death, statement);
        assertThat(process.await()).as(process.output()).isEqualTo(DeathAtStep.EXIT);
        assertThat(process.output())
                .contains("Ended " + death.where() + " step " + death.step() + ": "
                        + death.at().verb());

        Set<Long> ids = death.isPublished() ? kind.rowsAfter() : CrashKind.rowsBefore();
        if (death.winnerIsPublished()) {
            kind.addWinner(ids);
        }
        scene.assertRows(ids);
        assertThat(table.load().metadata().property("changed").isPresent())
                .as("whether properties are set; %s", scene.what())
                .isEqualTo(kind == CrashKind.CHANGE_METADATA && death.isPublished());
        scene.assertLeftovers(Set.of(statement), death.isPublished());
        scene.assertHintIsOnlyAHint();

        // The statement runs again if it did not happen, and another one after it.
        if (!death.isPublished()) {
            kind.run(table, UUID.randomUUID());
            ids = kind.rowsAfter();
            if (death.winnerIsPublished()) {
                kind.addWinner(ids);
            }
        }
        CrashKind.next(table);
        ids.remove(CrashKind.NEXT_ROW);
        scene.assertRows(ids);
        if (death.step() % 3 == 0) {
            scene.reading().appendByPeer(901);
            ids.add(901L);
            scene.assertRows(ids);
        }
    }

    // A process is killed

    private void kill(String classPath, String name, String what, String said, int millis) throws Exception {
        CoreTable table = CoreTable.in(warehouse, name);
        CommitProcess.prepareForever(table);
        var unharmed = CrashScene.before(warehouse, table, what);
        var process = CommitProcess.runForever(classPath, warehouse, name);
        try {
            process.awaitOutput(said);
            Thread.sleep(millis);
        } finally {
            process.kill();
        }

        int acknowledged = 0;
        while (process.output().contains(CommitProcess.DONE + acknowledged + "\n")) {
            acknowledged++;
        }
        acknowledgedByKilled.addAndGet(acknowledged);
        int committed = acknowledged + (isCommitted(table.load(), acknowledged) ? 1 : 0);
        var scene = unharmed.with(", " + acknowledged + " acknowledged");
        Set<Long> ids = CommitProcess.rowsAfter(committed);
        scene.assertRows(ids);
        // It died in the statement it had not acknowledged, published or not, or had begun the next one.
        scene.assertLeftovers(
                new HashSet<>(List.of(CommitProcess.statementId(acknowledged), CommitProcess.statementId(committed))),
                true);
        scene.assertHintIsOnlyAHint();
        new CoreStatement(table, UUID.randomUUID()).append(1, 900);
        scene.reading().appendByPeer(901);
        ids.addAll(Set.of(900L, 901L));
        scene.assertRows(ids);
    }

    /** Whether the statement of that number, the first that was not acknowledged, is in the table. */
    private static boolean isCommitted(LoadedTable found, int number) {
        if (CommitProcess.setsProperty(number)) {
            return found.metadata().property(CommitProcess.TURN).equals(Optional.of("" + number));
        }
        String list =
                found.metadata().currentSnapshot().orElseThrow().manifestList().orElseThrow();
        return list.contains(CommitProcess.statementId(number).toString());
    }
}
