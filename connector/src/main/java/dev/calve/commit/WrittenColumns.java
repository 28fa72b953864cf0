package dev.calve.commit;

import dev.calve.schema.Field;
import dev.calve.schema.Schema;
import java.util.Optional;

/**
 * Whether files written for one schema hold the rows of a table that has another one by now. What {@code ALTER TABLE} does
 * is as if it came after the rows; a replaced table has none from before.
 */
final class WrittenColumns {

    private WrittenColumns() {}

    /**
     * Why readers would not find in the files what was written; empty if they would.
     *
     * @param lastKnown highest field id of the table that was read: fields with higher ids come with the files, and must have
     *     become what they were written as
     */
    static Optional<Conflict> mismatch(Schema written, Schema found, int lastKnown) {
        if (written.sameFields(found)) {
            return Optional.empty();
        }
        for (Field field : written.allFields()) {
            String name = written.name(field.id()).orElseThrow();
            boolean taken = field.id() > lastKnown
                    && !found.name(field.id()).filter(name::equalsIgnoreCase).isPresent();
            if (taken || (found.field(field.id()).isEmpty() && found.field(name).isPresent())) {
                return Optional.of(new Conflict.ColumnsChanged(
                        "'" + name + "' is another column now, in which the values written would be missing"));
            }
        }
        for (Field field : found.allFields()) {
            if (field.required() && field.initialDefault().isEmpty() && isMissing(field, written, found)) {
                return Optional.of(new Conflict.ColumnsChanged("'"
                        + found.name(field.id()).orElseThrow() + "' is new and must not be null, as it would be in"
                        + " the rows written"));
            }
        }
        return Optional.empty();
    }

    /** What is missing as a part of a field that is missing is as that field is. */
    private static boolean isMissing(Field field, Schema written, Schema found) {
        return written.field(field.id()).isEmpty()
                && found.parent(field.id())
                        .map(parent -> written.field(parent.id()).isPresent())
                        .orElse(true);
    }
}
