package dev.calve.catalog.warehouse;

import dev.calve.metadata.TableProperties.MetadataCompression;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Pattern;

/** Names of versioned metadata files: {@code v<N>} and one of three endings. */
final class MetadataFileName {

    /** What every reader looks at: the plain ending, the one of gzip, and the one old writers gave to gzip. */
    private static final List<String> ENDINGS = List.of(".metadata.json", ".gz.metadata.json", ".metadata.json.gz");

    private static final Pattern PATTERN =
            Pattern.compile("v([1-9]\\d{0,8})(?:\\.metadata\\.json|\\.gz\\.metadata\\.json|\\.metadata\\.json\\.gz)");

    private MetadataFileName() {}

    static String of(int version, MetadataCompression compression) {
        return "v" + version
                + switch (compression) {
                    case NONE -> ENDINGS.get(0);
                    case GZIP -> ENDINGS.get(1);
                };
    }

    /** Every name the version can have. */
    static List<String> spellings(int version) {
        return ENDINGS.stream().map(ending -> "v" + version + ending).toList();
    }

    /** The version a name or location ends in; empty if it is no versioned metadata file. */
    static OptionalInt version(String location) {
        var matcher = PATTERN.matcher(location.substring(location.lastIndexOf('/') + 1));
        return matcher.matches() ? OptionalInt.of(Integer.parseInt(matcher.group(1))) : OptionalInt.empty();
    }

    /** Whether it is a metadata file of any catalog. */
    static boolean isMetadata(String name) {
        return ENDINGS.stream().anyMatch(name::endsWith);
    }

    /** The number a hint holds; empty if it holds anything else. */
    static OptionalInt parseHint(Optional<byte[]> content) {
        if (content.isEmpty() || content.get().length > 32) {
            return OptionalInt.empty();
        }
        String text = new String(content.get(), java.nio.charset.StandardCharsets.US_ASCII).strip();
        return Pattern.matches("[1-9]\\d{0,8}", text) ? OptionalInt.of(Integer.parseInt(text)) : OptionalInt.empty();
    }
}
