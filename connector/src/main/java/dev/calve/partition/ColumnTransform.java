package dev.calve.partition;

/**
 * A transform of a column that is named and not yet looked up.
 *
 * @param column full name, parts joined by dots
 */
public record ColumnTransform(String column, Transform transform) {

    /** As SQL writes it: {@code id}, {@code bucket(16, id)}, {@code days(ts)}. */
    @Override
    public String toString() {
        if (transform instanceof Transform.Identity) {
            return column;
        }
        if (transform instanceof Transform.Bucket bucket) {
            return "bucket(" + bucket.count() + ", " + column + ")";
        }
        if (transform instanceof Transform.Truncate truncate) {
            return "truncate(" + truncate.width() + ", " + column + ")";
        }
        return transform instanceof Transform.Time ? transform + "s(" + column + ")" : transform + "(" + column + ")";
    }
}
