package dev.calve.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.spark.SparkEnv;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The set-up is what the command line asked for; without this, a wrong class path or serializer would pass unseen. */
class SessionSmokeIT {

    @Test
    void runsTheExpectedSparkVersion() {
        assertThat(SparkTestSession.spark().version()).isEqualTo(System.getProperty("expected.spark.version"));
    }

    @Test
    @Tag("serialization")
    void serializesWithTheAskedForSerializer() {
        SparkTestSession.spark();

        assertThat(SparkEnv.get().serializer().getClass().getName()).isEqualTo(System.getProperty("spark.serializer"));
    }

    @Test
    @Tag("iceberg-peer")
    void hasThePeerOnTheClassPath() {
        assertThat(SparkTestSession.hasPeer()).isTrue();
    }

    @Test
    void testsTheBundleAndNotLooseClasses() throws ClassNotFoundException {
        var source = Class.forName("dev.calve.io.Storage").getProtectionDomain().getCodeSource();

        assertThat(source.getLocation().getPath())
                .contains("calve-spark-runtime_2.13")
                .endsWith(".jar");
    }
}
