package dev.calve.rewrite;

/**
 * What a rewrite did.
 *
 * @param rowGroupsCopied whose chunks were copied, apart from the lineage columns
 * @param rowGroupsEncoded row groups of outputs that were encoded again
 * @param bytesCopied of chunks copied as they were
 * @param bytesEncoded of chunks encoded again, as they are stored now
 */
public record RewriteCounts(long rowGroupsCopied, long rowGroupsEncoded, long bytesCopied, long bytesEncoded) {

    public static final RewriteCounts NONE = new RewriteCounts(0, 0, 0, 0);

    public RewriteCounts plus(RewriteCounts other) {
        return new RewriteCounts(
                rowGroupsCopied + other.rowGroupsCopied,
                rowGroupsEncoded + other.rowGroupsEncoded,
                bytesCopied + other.bytesCopied,
                bytesEncoded + other.bytesEncoded);
    }
}
