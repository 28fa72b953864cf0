package dev.calve.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Audits, after every test class, the tables in the warehouse of {@link SparkTestSession} that were changed since the last
 * time: whatever a test was about, the table it leaves must be sound. JUnit finds it by its entry in {@code
 * META-INF/services}, so that no test class can forget it. Does nothing if no session was started.
 */
public final class WarehouseAudit implements BeforeAllCallback, AfterAllCallback {

    private static final Set<Path> LEFT_OUT = new HashSet<>();

    /** The metadata file audited last, by table. */
    private static final Map<Path, Path> AUDITED = new HashMap<>();

    /** Test classes after which there is an audit. */
    private static final Set<Class<?>> WATCHED = new HashSet<>();

    /** Whether JUnit found this extension by itself when it began with the test class. */
    static synchronized boolean watches(Class<?> testClass) {
        return WATCHED.contains(testClass);
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        synchronized (WarehouseAudit.class) {
            WATCHED.add(context.getRequiredTestClass());
        }
    }

    /** For a test that damages a table on purpose and leaves it so. */
    static synchronized void leaveOut(Path tableFolder) {
        LEFT_OUT.add(tableFolder);
    }

    @Override
    public void afterAll(ExtensionContext context) throws IOException {
        Optional<Path> warehouse = SparkTestSession.startedWarehouse();
        if (warehouse.isPresent()) {
            assertThat(findings(warehouse.get()))
                    .as("what %s left in the warehouse", context.getDisplayName())
                    .isEmpty();
        }
    }

    /** What is wrong with tables that changed since the last call, each sentence with the name of the table. */
    static synchronized List<String> findings(Path warehouse) throws IOException {
        var findings = new ArrayList<String>();
        for (Path folder : tables(warehouse)) {
            Path newest = TableAudit.newestMetadata(folder).orElseThrow();
            if (LEFT_OUT.contains(folder) || newest.equals(AUDITED.put(folder, newest))) {
                continue;
            }
            String table = warehouse.relativize(folder).toString().replace('/', '.');
            try {
                TableAudit.findings(newest).forEach(finding -> findings.add("table " + table + ", " + finding));
            } catch (IOException | RuntimeException e) {
                findings.add("table " + table + " cannot be read from " + newest + ": " + e);
            }
        }
        return findings;
    }

    private static List<Path> tables(Path warehouse) throws IOException {
        var tables = new ArrayList<Path>();
        Files.walkFileTree(warehouse, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) throws IOException {
                if (TableAudit.newestMetadata(folder).isPresent()) {
                    tables.add(folder);
                    return FileVisitResult.SKIP_SUBTREE;
                }
                return FileVisitResult.CONTINUE;
            }
        });
        return tables;
    }
}
