package dev.calve.spark;

import org.apache.spark.sql.SparkSessionExtensions;
import org.apache.spark.sql.SparkSessionExtensionsProvider;
import scala.runtime.BoxedUnit;

/**
 * What Calve adds to every session that starts with it on its class path. Spark finds it by itself, so nothing has to be
 * configured; a session that started without it reads what it reads by {@code VERSION AS OF} and by names.
 */
public final class SessionRules implements SparkSessionExtensionsProvider {

    /** Called by Spark. */
    public SessionRules() {}

    @Override
    public BoxedUnit apply(SparkSessionExtensions extensions) {
        // Hints come before relations are looked up: later a table has its columns already.
        extensions.injectHintResolutionRule(StateByName::new);
        extensions.injectResolutionRule(InsertOfSomeColumns::new);
        return BoxedUnit.UNIT;
    }
}
