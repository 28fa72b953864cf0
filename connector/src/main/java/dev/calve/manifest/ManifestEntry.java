package dev.calve.manifest;

import dev.calve.io.InvalidTableException;

/**
 * One file's place in a snapshot, with everything inherited filled in.
 *
 * @param snapshotId the snapshot that added the file, or, for DELETED, that removed it
 * @param sequenceNumber data sequence number: which deletes apply; {@link #UNKNOWN_SEQUENCE_NUMBER} only for DELETED entries of
 *     old writers
 * @param fileSequenceNumber sequence number of the snapshot that added the file itself
 */
public record ManifestEntry<F extends ContentFile>(
        Status status, long snapshotId, long sequenceNumber, long fileSequenceNumber, F file) {

    public static final long UNKNOWN_SEQUENCE_NUMBER = -1;

    /** Spec: Manifests, {@code status}. */
    public enum Status {
        EXISTING(0),
        ADDED(1),
        DELETED(2);

        private final int code;

        Status(int code) {
            this.code = code;
        }

        /** The stored number. */
        public int code() {
            return code;
        }

        static Status of(long code) {
            for (Status status : values()) {
                if (status.code == code) {
                    return status;
                }
            }
            throw new InvalidTableException("status must be 0, 1 or 2, not " + code + ".");
        }
    }

    public boolean isLive() {
        return status != Status.DELETED;
    }
}
