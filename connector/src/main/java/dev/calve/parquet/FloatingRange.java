package dev.calve.parquet;

/**
 * What is known about the values of a float or double column: how many are NaN, and the range of the others. Of values that
 * nobody looked at either may be unknown, and then it is unknown of all.
 */
final class FloatingRange {

    private double lowest = Double.POSITIVE_INFINITY;
    private double highest = Double.NEGATIVE_INFINITY;
    private long nans;
    private boolean hasRange;
    private boolean nansKnown = true;
    private boolean rangeKnown = true;

    void add(double value) {
        if (Double.isNaN(value)) {
            nans++;
            return;
        }
        hasRange = true;
        if (value < lowest) {
            lowest = value;
        }
        if (value > highest) {
            highest = value;
        }
    }

    /** Adds what another knows. */
    void add(FloatingRange other) {
        nans += other.nans;
        nansKnown &= other.nansKnown;
        rangeKnown &= other.rangeKnown;
        if (other.hasRange) {
            addRange(other.lowest, other.highest);
        }
    }

    /** Adds values of which only this is known: none is lower or higher, except for NaN. */
    void addRange(double least, double greatest) {
        if (Double.isNaN(least) || Double.isNaN(greatest)) {
            addUnknownRange();
            return;
        }
        hasRange = true;
        lowest = Math.min(lowest, least);
        highest = Math.max(highest, greatest);
    }

    /** Says that there are values which were not compared. */
    void addUnknownRange() {
        rangeKnown = false;
    }

    /** Says that there are values among which NaN was not counted. */
    void addUncounted() {
        nansKnown = false;
    }

    /** Number of NaNs; only meaningful if {@link #nansKnown}. */
    long nans() {
        return nans;
    }

    boolean nansKnown() {
        return nansKnown;
    }

    /** Whether {@link #lowest} and {@link #highest} hold for all values. */
    boolean rangeKnown() {
        return rangeKnown;
    }

    /** Whether there was a value other than NaN. */
    boolean hasRange() {
        return hasRange;
    }

    /** The lowest value; of zeros the negative one, whichever was there. */
    double lowest() {
        return lowest == 0 ? -0.0 : lowest;
    }

    /** The highest value; of zeros the positive one, whichever was there. */
    double highest() {
        return highest == 0 ? 0.0 : highest;
    }
}
