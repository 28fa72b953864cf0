package dev.calve.commit;

/**
 * What it took to write data files again. Goes into the snapshot's summary as {@code calve.files-rewritten}, {@code
 * calve.bytes-copied} and {@code calve.bytes-encoded}; a count of 0 is left out there.
 *
 * @param files data files of which rows were written again; those are gone
 * @param bytesCopied that went into new files as they were
 * @param bytesEncoded that were encoded again, as they are stored now
 */
public record CopyCounts(long files, long bytesCopied, long bytesEncoded) {

    public static final CopyCounts NONE = new CopyCounts(0, 0, 0);

    public CopyCounts {
        if (files < 0 || bytesCopied < 0 || bytesEncoded < 0) {
            throw new IllegalArgumentException("Numbers of files and bytes must be 0 or more, not " + files + ", "
                    + bytesCopied + " and " + bytesEncoded + ".");
        }
    }
}
