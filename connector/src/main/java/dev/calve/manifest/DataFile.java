package dev.calve.manifest;

import java.util.OptionalLong;

/**
 * A file of rows.
 *
 * @param firstRowId the {@code _row_id} of the row at position 0 (v3); empty before one is assigned
 */
public record DataFile(Common common, OptionalLong firstRowId) implements ContentFile {

    @Override
    public FileKey key() {
        return FileKey.of(path());
    }

    public DataFile withFirstRowId(OptionalLong newFirstRowId) {
        return new DataFile(common, newFirstRowId);
    }
}
