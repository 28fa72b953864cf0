package dev.calve.spark.write;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.sql.SparkSession;

/** What every snapshot says about who made it. */
public final class SnapshotSummaries {

    private SnapshotSummaries() {}

    /** Entries for the summary of a snapshot committed by this session. */
    public static Map<String, String> of(SparkSession session) {
        var entries = new LinkedHashMap<String, String>();
        entries.put("engine-name", "spark");
        entries.put("engine-version", session.version());
        entries.put("calve-version", version());
        entries.put("spark.app.id", session.sparkContext().applicationId());
        entries.put("app-id", session.sparkContext().applicationId());
        entries.put("app-name", session.sparkContext().appName());
        return entries;
    }

    /** What files say wrote them. */
    public static String createdBy(SparkSession session) {
        return "Calve " + version() + " on Spark " + session.version();
    }

    private static String version() {
        return Optional.ofNullable(SnapshotSummaries.class.getPackage().getImplementationVersion())
                .orElse("unpackaged");
    }
}
