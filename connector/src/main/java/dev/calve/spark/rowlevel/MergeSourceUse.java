package dev.calve.spark.rowlevel;

import java.util.Arrays;
import java.util.Locale;
import org.apache.spark.sql.internal.SQLConf;

/** What a MERGE may do with its source to read less of its target: the setting {@code spark.calve.merge.source}. */
enum MergeSourceUse {
    /** Read it twice if it is known to give the same rows. */
    AUTO,
    /** Read it twice, since whoever says so knows that it gives the same rows. */
    TWICE,
    /** Leave it to Spark. */
    OFF;

    static final String SETTING = "spark.calve.merge.source";

    /** @throws IllegalArgumentException if the session says something else */
    static MergeSourceUse ofSession() {
        String asked = SQLConf.get().getConfString(SETTING, "auto");
        return Arrays.stream(values())
                .filter(use -> use.name().toLowerCase(Locale.ROOT).equals(asked))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "Setting " + SETTING + " must be 'auto', 'twice' or 'off', not '" + asked + "'."));
    }
}
