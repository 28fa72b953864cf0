package dev.calve.tools;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A command line: options with a value, in their order, flags, and the rest.
 *
 * @param options name and value of each option, as often as it was given
 */
record Arguments(List<Option> options, Set<String> flags, List<String> rest) {

    /** An option as it was given. */
    record Option(String name, String value) {}

    Arguments {
        options = List.copyOf(options);
        flags = Set.copyOf(flags);
        rest = List.copyOf(rest);
    }

    /**
     * Parses a command line. {@code --name=value} is the same as {@code --name value}.
     *
     * @throws IllegalArgumentException for an option that is neither valued nor a flag, or lacks its value
     */
    static Arguments parse(String[] arguments, Set<String> valued, Set<String> flags) {
        var options = new ArrayList<Option>();
        var found = new java.util.TreeSet<String>();
        var rest = new ArrayList<String>();
        for (int i = 0; i < arguments.length; i++) {
            String argument = arguments[i];
            int equals = argument.startsWith("--") ? argument.indexOf('=') : -1;
            String name = equals < 0 ? argument : argument.substring(0, equals);
            if (valued.contains(name)) {
                if (equals < 0 && i + 1 == arguments.length) {
                    throw new IllegalArgumentException("Option " + name + " must be followed by a value; see --help.");
                }
                options.add(new Option(name, equals < 0 ? arguments[++i] : argument.substring(equals + 1)));
            } else if (flags.contains(argument)) {
                found.add(argument);
            } else if (argument.startsWith("-") && argument.length() > 1) {
                throw new IllegalArgumentException("Unknown option '" + argument + "'; see --help.");
            } else {
                rest.add(argument);
            }
        }
        return new Arguments(options, found, rest);
    }

    /** The value of an option; the last one if it was given several times. */
    Optional<String> value(String name) {
        List<String> all = values(name);
        return all.isEmpty() ? Optional.empty() : Optional.of(all.get(all.size() - 1));
    }

    List<String> values(String name) {
        return options.stream()
                .filter(option -> option.name().equals(name))
                .map(Option::value)
                .toList();
    }

    boolean has(String flag) {
        return flags.contains(flag);
    }

    /**
     * The value of an option as a whole number.
     *
     * @throws IllegalArgumentException if it is none
     */
    int number(String name, int otherwise) {
        Optional<String> text = value(name);
        try {
            return text.map(Integer::parseInt).orElse(otherwise);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(
                    "Option " + name + " must have a whole number, not '" + text.orElse("") + "'.", e);
        }
    }
}
