package dev.calve;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertAll;

import com.tngtech.archunit.ArchConfiguration;
import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/**
 * The table of allowed imports, and what else the shape of the code promises.
 *
 * <p>A row names everything of ours its package may import and every row stands below the rows it names, so that the
 * table cannot hold a cycle. Sub-packages belong to the row of their parent. A package that is not in the table fails:
 * a new package starts with a row here.
 */
class ArchitectureTest {

    private static final String ROOT = "dev.calve";

    /** Above the line: no Spark, no Scala. */
    private static final Map<String, Set<String>> CORE = table(
            row("io"),
            row("schema", "io"),
            row("partition", "io", "schema"),
            row("expression", "io", "schema", "partition"),
            row("puffin", "io"),
            row("deletes", "io", "schema", "puffin"),
            row("manifest", "io", "schema", "partition", "expression"),
            row("metadata", "io", "schema", "partition", "manifest"),
            row("parquet", "io", "schema", "partition", "expression", "deletes", "manifest", "metadata"),
            row("pruning", "io", "schema", "partition", "expression"),
            row("rewrite", "io", "schema", "partition", "expression", "deletes", "manifest", "metadata", "parquet"),
            row("scan", "io", "schema", "partition", "expression", "deletes", "manifest", "metadata"),
            row(
                    "rowdelete",
                    "io",
                    "schema",
                    "partition",
                    "expression",
                    "puffin",
                    "deletes",
                    "manifest",
                    "metadata",
                    "parquet",
                    "rewrite",
                    "scan"),
            row("commit", "io", "schema", "partition", "expression", "deletes", "manifest", "metadata", "scan"),
            row(
                    "rowlevel",
                    "io",
                    "schema",
                    "partition",
                    "expression",
                    "puffin",
                    "deletes",
                    "manifest",
                    "metadata",
                    "parquet",
                    "rewrite",
                    "scan",
                    "rowdelete",
                    "commit"),
            row("catalog", "io", "schema", "partition", "manifest", "metadata", "commit"),
            row("hadoop", "io", "catalog"));

    /** Below the line: each may use all of the core and the rows named. */
    private static final Map<String, Set<String>> SPARK = table(
            row("spark.compat"),
            row("spark.convert", "spark.compat"),
            row("spark.wire", "spark.convert", "spark.compat"),
            row("spark.read", "spark.compat", "spark.convert", "spark.wire"),
            row("spark.inspect", "spark.compat", "spark.convert", "spark.wire", "spark.read"),
            row("spark.write", "spark.compat", "spark.convert", "spark.wire", "spark.read"),
            row("spark.rowlevel", "spark.compat", "spark.convert", "spark.wire", "spark.read", "spark.write"),
            row(
                    "spark.procedure",
                    "spark.compat",
                    "spark.convert",
                    "spark.wire",
                    "spark.read",
                    "spark.write",
                    "spark.rowlevel"),
            row("spark.functions"),
            row(
                    "spark",
                    "spark.compat",
                    "spark.convert",
                    "spark.wire",
                    "spark.read",
                    "spark.inspect",
                    "spark.write",
                    "spark.rowlevel",
                    "spark.procedure",
                    "spark.functions"));

    /** A line of the list in dev/ARCHITECTURE.md, like {@code partition:   io schema}. */
    private static final Pattern DRAWN_ROW = Pattern.compile("([a-z.]+):((?: +[a-z.]+)*)");

    /** A library that only some packages may know, so that replacing it stays a local change. */
    private static final Map<String, String[]> ONLY_IN = Map.of(
            "org.apache.spark..", within("spark"),
            "scala..", within("spark"),
            "org.apache.parquet..", within("parquet", "pruning", "rewrite", "spark.read"),
            "org.apache.hadoop..", within("hadoop", "parquet", "spark.read"),
            "org.apache.avro..", within("manifest"),
            "org.roaringbitmap..", within("deletes"));

    /** Everything a class may lean on at all: the JDK and what Spark ships (decision 0002). */
    private static final String[] LIBRARIES = {
        "java..",
        "javax..",
        ROOT + "..",
        "org.apache.spark..",
        "scala..",
        "org.apache.parquet..",
        "org.apache.hadoop..",
        "org.apache.avro..",
        "org.roaringbitmap..",
        "com.fasterxml.jackson..",
        "com.github.luben.zstd..",
        "org.slf4j..",
        "org.jspecify.annotations.."
    };

    /** Endings that mean the idea has no name yet. */
    private static final List<String> NAMELESS =
            List.of("Utils", "Util", "Helper", "Helpers", "Manager", "Impl", "Base", "V2");

    private static final JavaClasses CLASSES = importMainClasses();

    @Test
    void everyRowNamesOnlyRowsAboveIt() {
        var above = new ArrayList<String>();
        Stream.of(CORE, SPARK).flatMap(rows -> rows.entrySet().stream()).forEach(row -> {
            assertThat(above).as("rows above '%s'", row.getKey()).containsAll(row.getValue());
            above.add(row.getKey());
        });
        assertThat(above).hasSize(27);
    }

    @Test
    void theArchitecturePageDrawsThisTable() throws IOException {
        var drawn = Files.readString(findUpwards("dev/ARCHITECTURE.md"))
                .lines()
                .map(DRAWN_ROW::matcher)
                .filter(Matcher::matches)
                .map(row -> row.group(1) + " "
                        + new TreeSet<>(List.of(row.group(2).trim().split("\\s+"))));

        assertThat(drawn)
                .containsExactlyElementsOf(Stream.of(CORE, SPARK)
                        .flatMap(rows -> rows.entrySet().stream())
                        .map(row -> row.getKey() + " "
                                + (row.getValue().isEmpty() ? Set.of("") : new TreeSet<>(row.getValue())))
                        .toList());
    }

    @Test
    void packagesImportOnlyWhatTheTableAllows() {
        check(classes().should(followTheTable()));
    }

    @Test
    void packagesHaveNoCycles() {
        check(slices().matching(ROOT + ".(**)").should().beFreeOfCycles());
    }

    @Test
    void librariesStayWhereTheyBelong() {
        assertAll(ONLY_IN.entrySet().stream().map(use -> () -> check(onlyIn(use.getKey(), use.getValue()))));
    }

    @Test
    void nothingLeansOnALibrarySparkDoesNotShip() {
        check(noClasses()
                .should()
                .dependOnClassesThat(resideOutsideOf(LIBRARIES))
                .as("classes use only the JDK and the libraries of decision 0002"));
    }

    @Test
    void everyClassHasANameForItsIdea() {
        check(noClasses()
                .should()
                .haveNameMatching(".*(" + String.join("|", NAMELESS) + ")")
                .as("no class name ends in one of " + NAMELESS));
    }

    @Test
    void packagesAboveTheLineAreNullMarked() {
        assertThat(CLASSES.stream()
                        .filter(found -> rowOf(found).filter(CORE::containsKey).isPresent())
                        .map(JavaClass::getPackage)
                        .filter(found -> !found.isAnnotatedWith(NullMarked.class))
                        .map(found -> found.getName()))
                .as("packages without @NullMarked in their package-info")
                .isEmpty();
    }

    private static ArchRule onlyIn(String library, String... homes) {
        return noClasses()
                .that()
                .resideOutsideOfPackages(homes)
                .should()
                .dependOnClassesThat()
                .resideInAPackage(library)
                .as("%s is used only in %s".formatted(library, Arrays.toString(homes)));
    }

    private static void check(ArchRule rule) {
        rule.allowEmptyShould(true).check(CLASSES);
    }

    private static ArchCondition<JavaClass> followTheTable() {
        return new ArchCondition<>("import only what the table allows") {
            @Override
            public void check(JavaClass origin, ConditionEvents events) {
                var from = rowOf(origin);
                if (from.isEmpty()) {
                    events.add(
                            SimpleConditionEvent.violated(origin, origin.getName() + " is in a package without a row"));
                    return;
                }
                for (var dependency : origin.getDirectDependenciesFromSelf()) {
                    var target = dependency.getTargetClass().getBaseComponentType();
                    if (isOurs(target) && !mayImport(from.get(), rowOf(target).orElse("(no row)"))) {
                        events.add(SimpleConditionEvent.violated(dependency, dependency.getDescription()));
                    }
                }
            }
        };
    }

    private static boolean mayImport(String from, String to) {
        if (from.equals(to)) {
            return true;
        }
        return CORE.containsKey(from)
                ? CORE.get(from).contains(to)
                : CORE.containsKey(to) || SPARK.get(from).contains(to);
    }

    /** The most specific row whose package is the class's package or a parent of it. */
    private static Optional<String> rowOf(JavaClass found) {
        var name = found.getPackageName() + ".";
        return Stream.concat(SPARK.keySet().stream(), CORE.keySet().stream())
                .filter(row -> name.startsWith(ROOT + "." + row + "."))
                .max((left, right) -> Integer.compare(left.length(), right.length()));
    }

    private static boolean isOurs(JavaClass found) {
        return found.getPackageName().equals(ROOT) || found.getPackageName().startsWith(ROOT + ".");
    }

    private static DescribedPredicate<JavaClass> resideOutsideOf(String... libraries) {
        var inside = resideInAnyPackage(libraries);
        return DescribedPredicate.describe("live elsewhere", found -> {
            var component = found.getBaseComponentType();
            return !component.isPrimitive() && !inside.test(component);
        });
    }

    /** The tests run in their module or in the root, depending on who starts them. */
    private static Path findUpwards(String file) {
        return Stream.iterate(Path.of("").toAbsolutePath(), Objects::nonNull, Path::getParent)
                .map(folder -> folder.resolve(file))
                .filter(Files::exists)
                .findFirst()
                .orElseThrow();
    }

    private static String[] within(String... rows) {
        return Arrays.stream(rows).map(row -> ROOT + "." + row + "..").toArray(String[]::new);
    }

    @SafeVarargs
    @SuppressWarnings("varargs")
    private static Map<String, Set<String>> table(Map.Entry<String, Set<String>>... rows) {
        var table = new LinkedHashMap<String, Set<String>>();
        for (var row : rows) {
            table.put(row.getKey(), row.getValue());
        }
        return table;
    }

    private static Map.Entry<String, Set<String>> row(String name, String... imports) {
        return Map.entry(name, Set.of(imports));
    }

    /** Everything of ours on the class path, except where this test itself was compiled to. */
    private static JavaClasses importMainClasses() {
        var tests = ArchitectureTest.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toString();
        // Names are enough for every rule here; resolving Spark's classes as well would cost seconds.
        ArchConfiguration.get().setResolveMissingDependenciesFromClassPath(false);
        return new ClassFileImporter()
                .withImportOption((Location location) -> !location.contains(tests))
                .importPackages(ROOT);
    }
}
