package dev.calve.parquet;

/** What is known about the values of a float or double column: how many are NaN, and the range of the others. */
final class FloatingRange {

    private double lowest = Double.POSITIVE_INFINITY;
    private double highest = Double.NEGATIVE_INFINITY;
    private long nans;
    private boolean hasRange;

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

    long nans() {
        return nans;
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
