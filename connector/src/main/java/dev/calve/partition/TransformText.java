package dev.calve.partition;

import dev.calve.io.InvalidTableException;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads the specification's text of a transform. Spec: Appendix C, Partition Specs. */
public final class TransformText {

    private static final Pattern WITH_NUMBER =
            Pattern.compile("(bucket|truncate)\\[\\s*(-?\\d+)\\s*\\]", Pattern.CASE_INSENSITIVE);

    private TransformText() {}

    /**
     * Reads a transform in any letter case; what is not known becomes {@link Transform.Unknown} with its text unchanged.
     *
     * @throws InvalidTableException if a bucket count or a width is not a positive integer of 32 bits
     */
    public static Transform parse(String text) {
        Matcher matcher = WITH_NUMBER.matcher(text);
        if (matcher.matches()) {
            try {
                int number = Integer.parseInt(matcher.group(2));
                return matcher.group(1).equalsIgnoreCase("bucket")
                        ? new Transform.Bucket(number)
                        : new Transform.Truncate(number);
            } catch (IllegalArgumentException e) {
                throw new InvalidTableException("Transform '" + text + "' is not valid: " + e.getMessage(), e);
            }
        }
        return switch (text.toLowerCase(Locale.ROOT)) {
            case "identity" -> Transform.IDENTITY;
            case "void" -> Transform.VOID;
            case "year" -> Transform.Time.YEAR;
            case "month" -> Transform.Time.MONTH;
            case "day" -> Transform.Time.DAY;
            case "hour" -> Transform.Time.HOUR;
            default -> new Transform.Unknown(text);
        };
    }
}
