package dev.calve.bundle;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.Test;

/** Looks into the jar that users drop into Spark. Needs the packaged jar, hence an IT although it starts nothing. */
class BundleContentsIT {

    private static final Path BUNDLE = Path.of(System.getProperty("calve.bundle"));
    private static final long MAX_BYTES = 3L << 20;
    private static final Pattern OURS = Pattern.compile("dev/calve/[\\w/$-]+\\.class");
    private static final Pattern META = Pattern.compile("META-INF/(MANIFEST\\.MF|LICENSE|NOTICE|services/[\\w.$]+)");

    @Test
    void holdsOnlyOurClassesAndLicenceFiles() throws IOException {
        try (var jar = new JarFile(BUNDLE.toFile())) {
            var names = jar.stream()
                    .filter(entry -> !entry.isDirectory())
                    .map(ZipEntry::getName)
                    .toList();

            assertThat(names)
                    .allMatch(name ->
                            OURS.matcher(name).matches() || META.matcher(name).matches())
                    .contains("META-INF/LICENSE", "META-INF/NOTICE", "dev/calve/io/Storage.class")
                    .doesNotHaveDuplicates();
        }
    }

    @Test
    void registersNoServiceOfSomebodyElse() throws IOException {
        try (var jar = new JarFile(BUNDLE.toFile())) {
            for (var entry : jar.stream()
                    .filter(found -> found.getName().startsWith("META-INF/services/") && !found.isDirectory())
                    .toList()) {
                assertThat(lines(jar, entry))
                        .as(entry.getName())
                        .isNotEmpty()
                        .allMatch(line -> line.startsWith("dev.calve."));
            }
        }
    }

    @Test
    void saysItsVersion() throws IOException {
        try (var jar = new JarFile(BUNDLE.toFile())) {
            assertThat(jar.getManifest().getMainAttributes().getValue("Implementation-Version"))
                    .isNotBlank();
        }
    }

    @Test
    void staysUnderThreeMegabytes() throws IOException {
        assertThat(Files.size(BUNDLE)).isLessThan(MAX_BYTES);
    }

    private static List<String> lines(JarFile jar, ZipEntry entry) throws IOException {
        try (var in = jar.getInputStream(entry)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.isBlank() && !line.startsWith("#"))
                    .toList();
        }
    }
}
