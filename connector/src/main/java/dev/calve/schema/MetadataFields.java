package dev.calve.schema;

/** The fields the format reserves: metadata columns and the columns of position delete files. Spec: Reserved Field IDs. */
public final class MetadataFields {

    /** Ids of a table's own fields must be lower. */
    public static final int FIRST_RESERVED_ID = 2147483447;

    public static final Field FILE = Field.required(2147483646, "_file", Type.Simple.STRING);
    public static final Field POS = Field.required(2147483645, "_pos", Type.Simple.LONG);
    public static final Field DELETED = Field.required(2147483644, "_deleted", Type.Simple.BOOLEAN);
    public static final Field SPEC_ID = Field.required(2147483643, "_spec_id", Type.Simple.INT);

    /** Id of {@code _partition}, whose type is the union of all partition fields of the table. */
    public static final int PARTITION_ID = 2147483642;

    public static final Field DELETE_FILE_PATH = Field.required(2147483546, "file_path", Type.Simple.STRING);
    public static final Field DELETE_FILE_POS = Field.required(2147483545, "pos", Type.Simple.LONG);

    /** Id of {@code row} in position delete files, whose type is the table's. */
    public static final int DELETE_FILE_ROW_ID = 2147483544;

    public static final Field ROW_ID = Field.optional(2147483540, "_row_id", Type.Simple.LONG);
    public static final Field LAST_UPDATED_SEQUENCE_NUMBER =
            Field.optional(2147483539, "_last_updated_sequence_number", Type.Simple.LONG);

    private MetadataFields() {}
}
