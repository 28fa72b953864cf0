package dev.calve.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.catalog.TableName;
import dev.calve.metadata.TableMetadata;
import dev.calve.schema.Type;
import java.net.URI;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.connector.catalog.Column;
import org.apache.spark.sql.connector.expressions.Expressions;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NewTableTest {

    private static final StructType COLUMNS = new StructType()
            .add("id", DataTypes.LongType, false)
            .add("point", new StructType().add("x", DataTypes.IntegerType).add("y", DataTypes.IntegerType))
            .add("tags", DataTypes.createArrayType(DataTypes.StringType))
            .add("ts", DataTypes.TimestampType);

    private static String qualify(String location) {
        return new Path(location)
                .makeQualified(URI.create("hdfs://nn"), new Path("/"))
                .toString();
    }

    private static TableMetadata create(Map<String, String> properties, Transform... partitions) {
        return create(COLUMNS, properties, partitions);
    }

    private static TableMetadata create(StructType columns, Map<String, String> properties, Transform... partitions) {
        var options = new CatalogOptions("/wh", List.of(), Map.of(), Map.of(), true);
        return new NewTable(new TableName(List.of("db"), "t"), "/wh/db/t", options, NewTableTest::qualify)
                .metadata(columns, partitions, properties);
    }

    @Test
    void numbersColumnsLevelByLevelAndTellsTheirNullability() {
        TableMetadata table = create(Map.of());

        assertThat(table.formatVersion()).isEqualTo(2);
        assertThat(table.location()).isEqualTo("/wh/db/t");
        assertThat(table.schema().field("id").orElseThrow().id()).isEqualTo(1);
        assertThat(table.schema().field("id").orElseThrow().required()).isTrue();
        assertThat(table.schema().field("ts").orElseThrow().id()).isEqualTo(4);
        assertThat(table.schema().field("point.x").orElseThrow().id()).isEqualTo(5);
        assertThat(table.schema().field("tags.element").orElseThrow().id()).isEqualTo(7);
        assertThat(table.lastColumnId()).isEqualTo(7);
    }

    @Test
    void partitionsByEveryTransformAndFindsColumnsInAnyLetterCase() {
        TableMetadata table = create(
                Map.of(),
                Expressions.bucket(8, "ID"),
                Expressions.apply("truncate", Expressions.literal(10), Expressions.column("point.X")),
                Expressions.identity("point.y"),
                Expressions.hours("ts"));

        assertThat(table.spec().fields())
                .extracting(field ->
                        field.fieldId() + " " + field.sourceId() + " " + field.name() + " " + field.transform())
                .containsExactly(
                        "1000 1 id_bucket bucket[8]",
                        "1001 5 point.x_trunc truncate[10]",
                        "1002 6 point.y identity",
                        "1003 4 ts_hour hour");
    }

    @Test
    void storesTheUsersPropertiesOnly() {
        TableMetadata table = create(Map.of(
                "provider", "iceberg",
                "location", "hdfs://nn/wh/db/t/",
                "owner", "me",
                "comment", "a table",
                "format-version", "3",
                "current-snapshot-id", "none",
                "format", "iceberg/parquet",
                "option.k", "v",
                "k", "v"));

        assertThat(table.formatVersion()).isEqualTo(3);
        assertThat(table.properties())
                .isEqualTo(Map.of(
                        "owner", "me", "comment", "a table", "k", "v", "write.parquet.compression-codec", "zstd"));
    }

    @Test
    void catalogOptionsComeBeforeAndAfterTheUser() {
        var options = new CatalogOptions(
                "/wh", List.of(), Map.of("a", "default", "b", "default"), Map.of("c", "override"), true);
        TableMetadata table = new NewTable(
                        new TableName(List.of("db"), "t"), "/wh/db/t", options, NewTableTest::qualify)
                .metadata(COLUMNS, new Transform[0], Map.of("b", "user", "c", "user"));

        assertThat(table.properties()).containsEntry("a", "default").containsEntry("b", "user");
        assertThat(table.properties()).containsEntry("c", "override");
    }

    @ParameterizedTest
    @ValueSource(strings = {"calve", "iceberg", "ICEBERG", "parquet"})
    void knowsItsProviders(String provider) {
        assertThat(create(Map.of("provider", provider)).properties()).doesNotContainKey("provider");
    }

    @Test
    void refusesWhatATableCannotBe() {
        assertRefused(Map.of("provider", "orc"), "USING orc", "'calve' or 'iceberg'");
        assertRefused(Map.of("format-version", "1"), "format-version must be 2 or 3", "not '1'", "db.t");
        assertRefused(Map.of("format-version", "4"), "format-version must be", "not '4'");
        assertRefused(Map.of("format-version", "x"), "not 'x'");
        assertRefused(Map.of("location", "/else"), "LOCATION of table db.t must be '/wh/db/t'", "not '/else'");
        assertRefused(Map.of("write.delete.mode", "mor"), "write.delete.mode must be 'copy-on-write'", "not 'mor'");
        assertRefused(Map.of("write.target-file-size-bytes", "-1"), "write.target-file-size-bytes", "not '-1'");
        assertRefused(Map.of("sort-order", "id ASC"), "sort-order = 'id ASC'");
        assertRefused(Map.of("encryption.key-id", "k"), "encryption.key-id", "not supported");
        assertRefused(Map.of("write.object-storage.path", "s3a://b/x"), "write.object-storage.path");
        assertRefused(Map.of("collation", "UNICODE_CI"), "DEFAULT COLLATION UNICODE_CI");
    }

    private static void assertRefused(Map<String, String> properties, String... parts) {
        assertThatThrownBy(() -> create(properties)).hasMessageContainingAll(parts);
    }

    @Test
    void refusesPartitioningThatIsNotPossible() {
        assertThatThrownBy(() -> create(Map.of(), Expressions.identity("nope"))).hasMessageContaining("'nope'");
        assertThatThrownBy(() -> create(Map.of(), Expressions.bucket(0, "id")))
                .hasMessageContaining("positive number of buckets, not 0");
        assertThatThrownBy(() -> create(Map.of(), Expressions.years("id")))
                .hasMessageContaining("'id'")
                .hasMessageContaining("long");
        assertThatThrownBy(() -> create(Map.of(), Expressions.identity("tags.element")))
                .hasMessageContaining("tags.element");
        assertThatThrownBy(() -> create(Map.of(), Expressions.apply("zorder", Expressions.column("id"))))
                .hasMessageContaining("zorder");
    }

    @Test
    void refusesTypesTheFormatLacksNamingTheColumn() {
        var interval = new StructType().add("s", new StructType().add("i", DataTypes.CalendarIntervalType));
        assertThatThrownBy(() -> create(interval, Map.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'s.i'");
    }

    @Test
    void variantsAndVoidsNeedFormatVersion3AndPartitionNothing() {
        var columns = new StructType()
                .add("id", DataTypes.LongType)
                .add("v", DataTypes.VariantType)
                .add("nothing", DataTypes.NullType);
        var three = Map.of("format-version", "3");

        assertThat(create(columns, three).schema().fields().stream().map(field -> field.type()))
                .containsExactly(Type.Simple.LONG, Type.Simple.VARIANT, Type.Simple.UNKNOWN);
        assertThatThrownBy(() -> create(columns, Map.of("format-version", "2")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'v' of type variant needs format version 3")
                .hasMessageContaining("'nothing' of type unknown needs format version 3");
        for (Transform transform :
                List.of(Expressions.identity("v"), Expressions.bucket(4, "v"), Expressions.days("v"))) {
            assertThatThrownBy(() -> create(columns, three, transform))
                    .as("%s", transform)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("'v'")
                    .hasMessageContaining("variant");
        }
    }

    @Test
    void keepsColumnComments() {
        var columns = new Column[] {Column.create("id", DataTypes.IntegerType, true, "the key", null)};
        Type.Struct struct =
                create(VisibleSchema.of(columns), Map.of()).schema().struct();

        assertThat(struct.fields().get(0).doc()).contains("the key");
    }

    @Test
    void showsASchemaWithoutFieldIdsAtAnyDepth() {
        StructType nested = new StructType()
                .add("m", DataTypes.createMapType(DataTypes.StringType, COLUMNS))
                .add("a", DataTypes.createArrayType(COLUMNS, false));

        assertThat(VisibleSchema.of(create(nested, Map.of()).schema())).isEqualTo(nested);
    }
}
