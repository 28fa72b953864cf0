package dev.calve.spark.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.metadata.MetadataUpdate;
import dev.calve.metadata.MetadataUpdates;
import dev.calve.metadata.TableMetadata;
import dev.calve.partition.PartitionSpec;
import dev.calve.partition.SortOrder;
import dev.calve.spark.convert.SparkTypes;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MergedColumnsTest {

    private static TableMetadata table(String columns) {
        return MetadataUpdates.fresh(
                SparkTypes.fromSpark(StructType.fromDDL(columns)),
                PartitionSpec.unpartitioned(0),
                SortOrder.UNSORTED,
                "memory:/t",
                Map.of(),
                3,
                1_000);
    }

    private static String merged(String columns, String rows, boolean caseSensitive) {
        TableMetadata table = table(columns);
        List<MetadataUpdate> updates = new MergedColumns(StructType.fromDDL(rows), caseSensitive).apply(table);
        TableMetadata result = MetadataUpdates.apply(table, updates, 2_000);
        assertThat(new MergedColumns(StructType.fromDDL(rows), caseSensitive).apply(result))
                .as("once is enough")
                .isEmpty();
        return SparkTypes.toSpark(result.schema()).simpleString();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "a int, b string|b string, a int|a:int,b:string",
                "a int|c int, a int, b string|a:int,c:int,b:string",
                "a int, b float, c decimal(4,2)|a bigint, b double, c decimal(9,2)|a:bigint,b:double,c:decimal(9,2)",
                "a bigint, b double|a int, b float|a:bigint,b:double",
                "s struct<a: int>|s struct<b: string, a: bigint>|s:struct<a:bigint,b:string>",
                "l array<struct<a: int>>, m map<string, struct<x: int>>|l array<struct<b: int>>, m map<string, struct<x: int, y: array<int>>>"
                        + "|l:array<struct<a:int,b:int>>,m:map<string,struct<x:int,y:array<int>>>",
                "a int|A bigint|a:bigint",
                "a int NOT NULL|a int|a:int",
            })
    void addsWhatIsMissingLastAndWidens(String columns, String rows, String expected) {
        assertThat(merged(columns, rows, false)).isEqualTo("struct<" + expected + ">");
    }

    @Test
    void namesMayDifferInCaseAlone() {
        assertThat(merged("a int", "A bigint", true)).isEqualTo("struct<a:int,A:bigint>");
    }

    @Test
    void newColumnsMayBeNullAndOldOnesStayAsTheyAre() {
        TableMetadata table = table("a int NOT NULL");
        List<MetadataUpdate> updates =
                new MergedColumns(StructType.fromDDL("a int, b int NOT NULL COMMENT 'new'"), false).apply(table);
        var schema = MetadataUpdates.apply(table, updates, 2_000).schema();
        assertThat(schema.field("a").orElseThrow().required()).isTrue();
        assertThat(schema.field("b").orElseThrow().required()).isFalse();
        assertThat(schema.field("b").orElseThrow().doc()).contains("new");
        assertThat(schema.field("b").orElseThrow().id()).isEqualTo(2);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"a int|a string", "a string|a int", "s struct<a: int>|s int", "a decimal(4,2)|a decimal(9,3)"})
    void refusesWhatIsNotWider(String columns, String rows) {
        assertThatThrownBy(() -> merged(columns, rows, false)).isInstanceOf(IllegalArgumentException.class);
    }
}
