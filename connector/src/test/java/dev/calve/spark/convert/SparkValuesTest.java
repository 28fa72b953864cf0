package dev.calve.spark.convert;

import static org.assertj.core.api.Assertions.assertThat;

import dev.calve.schema.Type;
import org.apache.spark.unsafe.types.UTF8String;
import org.junit.jupiter.api.Test;

class SparkValuesTest {

    @Test
    void textThatIsNotUtf8HasNoEqualValue() {
        // Both would become U+FFFD: one partition, and one answer to a predicate, for different values.
        UTF8String ff = UTF8String.fromBytes(new byte[] {(byte) 0xFF});
        UTF8String fe = UTF8String.fromBytes(new byte[] {(byte) 0xFE});

        assertThat(SparkValues.fromSpark(Type.Simple.STRING, ff)).isEmpty();
        assertThat(SparkValues.fromSpark(Type.Simple.STRING, fe)).isEmpty();
    }

    @Test
    void aReplacementCharacterIsAnOrdinaryValue() {
        assertThat(SparkValues.fromSpark(Type.Simple.STRING, UTF8String.fromString("a\uFFFD")))
                .contains("a\uFFFD");
    }
}
