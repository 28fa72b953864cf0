package dev.calve.catalog.warehouse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.io.InvalidTableException;
import dev.calve.metadata.MetadataUpdates;
import dev.calve.metadata.TableMetadata;
import dev.calve.metadata.TableMetadataJson;
import dev.calve.partition.PartitionSpec;
import dev.calve.partition.SortOrder;
import dev.calve.schema.Field;
import dev.calve.schema.Schema;
import dev.calve.schema.Type;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ParsedMetadataTest {

    private static final String LOCATION = "memory:/t/metadata/v1.metadata.json";

    private final ParsedMetadata parsed = new ParsedMetadata();

    private static byte[] table(String comment) {
        TableMetadata metadata = MetadataUpdates.fresh(
                new Schema(0, List.of(Field.optional(1, "id", Type.Simple.LONG))),
                PartitionSpec.unpartitioned(0),
                SortOrder.UNSORTED,
                "memory:/t",
                Map.of("comment", comment),
                2,
                1000);
        return TableMetadataJson.print(metadata, LOCATION);
    }

    @Test
    void theSameContentIsParsedOnce() {
        byte[] content = table("a");
        TableMetadata first = parsed.of(content, LOCATION);
        assertThat(first).isEqualTo(TableMetadataJson.parse(content, LOCATION));
        assertThat(parsed.of(content.clone(), LOCATION)).isSameAs(first);
        assertThat(parsed.of(content, "memory:/t/metadata/v2.metadata.json")).isNotSameAs(first);
    }

    /** A table dropped and created again has the names of the old one. */
    @Test
    void otherContentUnderTheSameNameIsAnotherTable() {
        parsed.of(table("a"), LOCATION);
        assertThat(parsed.of(table("b"), LOCATION).property("comment")).contains("b");
    }

    @Test
    void corruptContentIsRefusedEachTime() {
        byte[] corrupt = "{".getBytes(StandardCharsets.UTF_8);
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> parsed.of(corrupt, LOCATION)).isInstanceOf(InvalidTableException.class);
        }
    }

    @Test
    void whatWasNotUsedForLongIsForgotten() {
        byte[] used = table("used");
        byte[] unused = table("unused");
        TableMetadata keptUsed = parsed.of(used, LOCATION);
        TableMetadata keptUnused = parsed.of(unused, LOCATION);
        long quarter = ParsedMetadata.MAX_BYTES / 4;
        for (int i = 0; i < 6; i++) {
            parsed.of(table("x".repeat(Math.toIntExact(quarter)) + i), LOCATION);
            assertThat(parsed.of(used, LOCATION)).isSameAs(keptUsed);
        }
        assertThat(parsed.of(unused, LOCATION)).isNotSameAs(keptUnused);
        byte[] huge = table("x".repeat(Math.toIntExact(ParsedMetadata.MAX_BYTES)));
        assertThat(parsed.of(huge, LOCATION)).isNotSameAs(parsed.of(huge, LOCATION));
        assertThat(parsed.of(used, LOCATION)).as("not driven out by it").isSameAs(keptUsed);
    }
}
