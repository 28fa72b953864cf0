package dev.calve.rewrite;

/** Whether sources can be rewritten chunk by chunk. */
public sealed interface Verdict permits Copyable, Verdict.NotCopyable {

    /**
     * They must be read as rows and written again.
     *
     * @param path of the first source that is in the way
     * @param reason a part of a sentence, such as "it has other columns than the table"
     */
    record NotCopyable(String path, String reason) implements Verdict {}
}
