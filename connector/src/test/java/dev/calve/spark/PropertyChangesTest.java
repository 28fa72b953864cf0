package dev.calve.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.metadata.MetadataUpdate;
import dev.calve.metadata.MetadataUpdates;
import dev.calve.metadata.TableMetadata;
import dev.calve.partition.PartitionSpec;
import dev.calve.partition.SortOrder;
import dev.calve.schema.Field;
import dev.calve.schema.Schema;
import dev.calve.schema.Type;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.spark.sql.connector.catalog.TableChange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PropertyChangesTest {

    private static final TableMetadata TABLE = MetadataUpdates.fresh(
            new Schema(0, List.of(Field.required(1, "id", Type.Simple.LONG))),
            PartitionSpec.unpartitioned(0),
            SortOrder.UNSORTED,
            "/wh/t",
            Map.of("old", "1"),
            2,
            1000);

    private static List<MetadataUpdate> updates(TableChange... changes) {
        return PropertyChanges.of("lake.db.t", List.of(changes)).updates(TABLE);
    }

    @Test
    void setsAndRemovesProperties() {
        assertThat(updates(
                        TableChange.setProperty("write.delete.mode", "merge-on-read"),
                        TableChange.removeProperty("old")))
                .containsExactly(
                        new MetadataUpdate.SetProperties(Map.of("write.delete.mode", "merge-on-read")),
                        new MetadataUpdate.RemoveProperties(Set.of("old")));
    }

    @Test
    void upgradesTheFormat() {
        assertThat(updates(TableChange.setProperty("format-version", "3")))
                .containsExactly(new MetadataUpdate.UpgradeFormatVersion(3));
        assertThatThrownBy(() ->
                        MetadataUpdates.apply(TABLE, updates(TableChange.setProperty("format-version", "1")), 2000))
                .hasMessageContaining("can only be raised");
    }

    @Test
    void doesNothingToATableThatIsAsAskedFor() {
        assertThat(updates(
                        TableChange.setProperty("old", "1"),
                        TableChange.setProperty("format-version", "2"),
                        TableChange.removeProperty("never")))
                .isEmpty();
    }

    @Test
    void theLastChangeOfAPropertyCounts() {
        assertThat(updates(TableChange.removeProperty("old"), TableChange.setProperty("old", "2")))
                .containsExactly(new MetadataUpdate.SetProperties(Map.of("old", "2")));
        assertThat(updates(TableChange.setProperty("old", "2"), TableChange.removeProperty("old")))
                .containsExactly(new MetadataUpdate.RemoveProperties(Set.of("old")));
    }

    @Test
    void refusesValuesAPropertyCannotHave() {
        assertThatThrownBy(() -> updates(TableChange.setProperty("write.delete.mode", "mor")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("write.delete.mode must be")
                .hasMessageContaining("not 'mor' (table lake.db.t)");
        assertThatThrownBy(() -> updates(TableChange.setProperty("format-version", "9")))
                .hasMessageContaining("not '9'");
        assertThatThrownBy(() -> updates(TableChange.setProperty("write.object-storage.path", "s3a://b/x")))
                .isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> updates(TableChange.setProperty("encryption.key-id", "k")))
                .isInstanceOf(UnsupportedOperationException.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"location", "provider", "current-snapshot-id", "cherry-pick-snapshot-id", "sort-order", "uuid"})
    void refusesPropertiesThatTellTheState(String name) {
        assertThatThrownBy(() -> updates(TableChange.setProperty(name, "x")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("Cannot set property '" + name + "' to 'x' (table lake.db.t)");
        assertThatThrownBy(() -> updates(TableChange.removeProperty(name)))
                .hasMessageContaining("Cannot unset property '" + name + "'");
    }
}
