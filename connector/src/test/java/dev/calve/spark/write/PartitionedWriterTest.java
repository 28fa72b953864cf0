package dev.calve.spark.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.commit.CommitFixture;
import dev.calve.io.RequestLog.Request;
import dev.calve.metadata.FileNames;
import dev.calve.schema.Type;
import dev.calve.spark.convert.SparkTypes;
import java.io.IOException;
import java.util.UUID;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.unsafe.types.UTF8String;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class PartitionedWriterTest {

    private final CommitFixture table = CommitFixture.partitionedBy(Type.Simple.STRING, 3);

    private PartitionedWriter writer() {
        var names = new FileNames(table.metadata(), UUID.randomUUID(), 0, 0);
        return new PartitionedWriter(
                table.storage,
                table.metadata(),
                names,
                SparkTypes.toSpark(table.metadata().schema()));
    }

    private static InternalRow row(@Nullable Object... values) {
        return new GenericInternalRow(values);
    }

    @Test
    void showsTheColumnAndTheRowOfANullThatMustNotBe() throws IOException {
        PartitionedWriter writer = writer();
        writer.write(row(1L, UTF8String.fromString("first")));
        assertThatThrownBy(() -> writer.write(row(null, UTF8String.fromString("second"))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "Column 'id' (field id 1) is required and must not be null. It is in the row [null,second].");
        String text = "x".repeat(1_000);
        assertThatThrownBy(() -> writer.write(row(null, UTF8String.fromString(text))))
                .hasMessageEndingWith("It is in the row [null," + "x".repeat(494) + "….");
        writer.abort();
        assertThat(table.storage.locations()).isEmpty();
    }

    /** As a task that is killed. */
    @Test
    void abortsInAnInterruptedThread() throws IOException {
        PartitionedWriter writer = writer();
        for (String part : new String[] {"a", "b", "c"}) {
            writer.write(row(1L, UTF8String.fromString(part)));
        }
        table.storage.requests().failWhenInterrupted();
        table.storage.requests().interruptOn(Request.DELETE, 2);
        Thread.currentThread().interrupt();
        try {
            writer.abort();
        } finally {
            assertThat(Thread.interrupted()).isTrue();
        }
        assertThat(table.storage.locations()).isEmpty();
    }
}
