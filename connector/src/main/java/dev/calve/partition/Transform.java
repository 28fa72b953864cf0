package dev.calve.partition;

/**
 * Derives a partition value from a column's value. Spec: Partition Transforms. {@code toString} gives the specification's
 * text, {@link TransformText#parse} reads it. What a transform computes is in {@link Transforms}.
 */
public sealed interface Transform {

    record Identity() implements Transform {
        @Override
        public boolean preservesOrder() {
            return true;
        }

        @Override
        public String toString() {
            return "identity";
        }
    }

    /** Hash of the value modulo {@code count}. */
    record Bucket(int count) implements Transform {
        public Bucket {
            if (count <= 0) {
                throw new IllegalArgumentException("bucket must have a positive number of buckets, not " + count + ".");
            }
        }

        @Override
        public boolean preservesOrder() {
            return false;
        }

        @Override
        public String toString() {
            return "bucket[" + count + "]";
        }
    }

    /** The value cut to {@code width}: a multiple of it for numbers, code points for strings, bytes for binary. */
    record Truncate(int width) implements Transform {
        public Truncate {
            if (width <= 0) {
                throw new IllegalArgumentException("truncate must have a positive width, not " + width + ".");
            }
        }

        @Override
        public boolean preservesOrder() {
            return true;
        }

        @Override
        public String toString() {
            return "truncate[" + width + "]";
        }
    }

    /** Whole years, months, days or hours since 1970-01-01T00:00. */
    enum Time implements Transform {
        YEAR("year"),
        MONTH("month"),
        DAY("day"),
        HOUR("hour");

        private final String text;

        Time(String text) {
            this.text = text;
        }

        @Override
        public boolean preservesOrder() {
            return true;
        }

        @Override
        public String toString() {
            return text;
        }
    }

    /** Always null: what is left of a field dropped from a v1 spec. */
    @SuppressWarnings("JavaLangClash") // the specification's name
    record Void() implements Transform {
        @Override
        public boolean preservesOrder() {
            return false;
        }

        @Override
        public String toString() {
            return "void";
        }
    }

    /** A transform of a later version of the format, kept as text. */
    record Unknown(String text) implements Transform {
        @Override
        public boolean preservesOrder() {
            return false;
        }

        @Override
        public String toString() {
            return text;
        }
    }

    Identity IDENTITY = new Identity();
    Void VOID = new Void();

    /**
     * Whether equal partition values are known to come from equal or from one range of ordered source values.
     *
     * <p>Not a default method: with one, the constants above could deadlock class initialization.
     */
    boolean preservesOrder();
}
