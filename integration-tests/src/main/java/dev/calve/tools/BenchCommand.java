package dev.calve.tools;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * What the mains behind {@code dev/bench} have in common: options, a folder for tables, and what is said of a failure.
 *
 * @param help printed for {@code --help}
 * @param valued names of the options with a value, {@code --dir} not among them
 * @param flags names of the others, {@code --debug} and {@code --help} not among them
 */
record BenchCommand(String help, Set<String> valued, Set<String> flags) {

    BenchCommand {
        valued = Set.copyOf(valued);
        flags = Set.copyOf(flags);
    }

    /** Measures something. */
    @FunctionalInterface
    interface Measurement {

        /**
         * Measures.
         *
         * @param folder for tables; whatever is in it is there from a run before
         * @throws IllegalArgumentException if the arguments make no sense
         */
        void run(Arguments arguments, Path folder) throws IOException, InterruptedException;
    }

    /** Runs the measurement, and returns the exit code of the process. */
    int run(String[] given, Measurement measurement) {
        boolean debug = List.of(given).contains("--debug");
        try {
            Arguments arguments = Arguments.parse(given, with(valued, "--dir"), with(flags, "--debug", "--help", "-h"));
            if (arguments.has("--help") || arguments.has("-h")) {
                System.out.print(help);
                return 0;
            }
            Optional<Path> kept = arguments.value("--dir").map(Path::of);
            Path folder = kept.isPresent()
                    ? Files.createDirectories(kept.get().toAbsolutePath())
                    : ToolSession.temporaryFolder("calve-bench");
            measurement.run(arguments, folder);
            return 0;
        } catch (IllegalArgumentException e) {
            System.err.println("Error: " + e.getMessage());
            return 2;
        } catch (Exception e) {
            System.err.println("Error: " + Failures.oneLine(e) + (debug ? "" : " (--debug prints the stack)"));
            if (debug) {
                e.printStackTrace();
            }
            return 1;
        }
    }

    private static Set<String> with(Set<String> names, String... more) {
        var all = new java.util.TreeSet<String>(names);
        all.addAll(List.of(more));
        return all;
    }

    /** The settings given as {@code --conf KEY=VALUE}. */
    static Map<String, String> settings(Arguments arguments) {
        var settings = new TreeMap<String, String>();
        for (String setting : arguments.values("--conf")) {
            String[] parts = setting.split("=", 2);
            if (parts.length != 2) {
                throw new IllegalArgumentException("--conf must have KEY=VALUE, not '" + setting + "'.");
            }
            settings.put(parts[0], parts[1]);
        }
        return settings;
    }

    /** Those of an enumeration that an option names, in its order; all if it is not given. */
    static <T extends Enum<T>> List<T> chosen(Arguments arguments, String option, T[] all) {
        Optional<String> given = arguments.value(option);
        if (given.isEmpty()) {
            return List.of(all);
        }
        return Arrays.stream(given.get().split(",", -1))
                .map(name -> Arrays.stream(all)
                        .filter(one -> title(one).equals(name))
                        .findFirst()
                        .orElseThrow(() -> new IllegalArgumentException(
                                "Option " + option + " knows no '" + name + "'; see --help.")))
                .toList();
    }

    /** An enumerated value as it is written on the command line. */
    static String title(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
