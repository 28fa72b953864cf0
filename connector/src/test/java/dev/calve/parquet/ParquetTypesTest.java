package dev.calve.parquet;

import static dev.calve.parquet.ParquetFiles.column;
import static dev.calve.parquet.ParquetFiles.schema;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.schema.Field;
import dev.calve.schema.MetadataFields;
import dev.calve.schema.Type;
import java.util.List;
import java.util.Map;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.MessageTypeParser;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ParquetTypesTest {

    @Test
    void nestedTypesHaveThreeLevelsAndIdsEverywhere() {
        var schema = schema(
                Field.required(1, "id", Type.Simple.LONG),
                Field.optional(2, "tags", new Type.ListOf(5, false, Type.Simple.STRING)),
                Field.optional(3, "props", new Type.MapOf(6, Type.Simple.STRING, 7, true, Type.Simple.INT)),
                Field.required(
                        4,
                        "point",
                        new Type.Struct(List.of(
                                Field.required(8, "x", Type.Simple.DOUBLE),
                                Field.optional(9, "y", Type.Simple.FLOAT)))));

        assertThat(ParquetTypes.messageType(schema)).isEqualTo(MessageTypeParser.parseMessageType("""
                message table {
                  required int64 id = 1;
                  optional group tags (LIST) = 2 {
                    repeated group list {
                      optional binary element (STRING) = 5;
                    }
                  }
                  optional group props (MAP) = 3 {
                    repeated group key_value {
                      required binary key (STRING) = 6;
                      required int32 value = 7;
                    }
                  }
                  required group point = 4 {
                    required double x = 8;
                    optional float y = 9;
                  }
                }
                """));
    }

    @Test
    void primitivesHaveTheFormOfTheSpecification() {
        var schema = schema(
                Field.optional(1, "bool", Type.Simple.BOOLEAN),
                Field.optional(2, "date", Type.Simple.DATE),
                Field.optional(3, "time", Type.Simple.TIME),
                Field.optional(4, "ts", Type.Simple.TIMESTAMP),
                Field.optional(5, "tstz", Type.Simple.TIMESTAMPTZ),
                Field.optional(6, "ns", Type.Simple.TIMESTAMP_NS),
                Field.optional(7, "nstz", Type.Simple.TIMESTAMPTZ_NS),
                Field.optional(8, "uuid", Type.Simple.UUID),
                Field.optional(9, "bin", Type.Simple.BINARY),
                Field.optional(10, "fix", new Type.Fixed(7)),
                MetadataFields.ROW_ID);

        assertThat(ParquetTypes.messageType(schema)).isEqualTo(MessageTypeParser.parseMessageType("""
                message table {
                  optional boolean bool = 1;
                  optional int32 date (DATE) = 2;
                  optional int64 time (TIME(MICROS,false)) = 3;
                  optional int64 ts (TIMESTAMP(MICROS,false)) = 4;
                  optional int64 tstz (TIMESTAMP(MICROS,true)) = 5;
                  optional int64 ns (TIMESTAMP(NANOS,false)) = 6;
                  optional int64 nstz (TIMESTAMP(NANOS,true)) = 7;
                  optional fixed_len_byte_array(16) uuid (UUID) = 8;
                  optional binary bin = 9;
                  optional fixed_len_byte_array(7) fix = 10;
                  optional int64 _row_id = 2147483540;
                }
                """));
    }

    @ParameterizedTest
    @CsvSource({
        "9, int32",
        "10, int64",
        "18, int64",
        "19, fixed_len_byte_array(9)",
        "38, fixed_len_byte_array(16)",
    })
    void decimalsAreAsLongAsTheirPrecisionNeeds(int precision, String physical) {
        var expected = MessageTypeParser.parseMessageType(
                "message table { optional " + physical + " c (DECIMAL(" + precision + ",2)) = 1; }");

        assertThat(ParquetTypes.messageType(column(new Type.Decimal(precision, 2))))
                .isEqualTo(expected);
    }

    @Test
    void unknownColumnsAreLeftOut() {
        var schema = schema(Field.optional(1, "nothing", Type.Simple.UNKNOWN), Field.optional(2, "a", Type.Simple.INT));

        assertThat(ParquetTypes.messageType(schema))
                .isEqualTo(MessageTypeParser.parseMessageType("message table { optional int32 a = 2; }"));
    }

    @Test
    void variantsAreTwoColumnsWithoutIds() {
        var schema = schema(
                Field.optional(1, "v", Type.Simple.VARIANT),
                Field.required(2, "l", new Type.ListOf(3, true, Type.Simple.VARIANT)));
        var expected = MessageTypeParser.parseMessageType("""
                message table {
                  optional group v = 1 { required binary metadata; required binary value; }
                  required group l (LIST) = 2 {
                    repeated group list {
                      required group element = 3 { required binary metadata; required binary value; }
                    }
                  }
                }
                """);

        MessageType type = ParquetTypes.messageType(schema);

        assertThat(type.getPaths()).usingRecursiveComparison().isEqualTo(expected.getPaths());
        assertThat(type.getColumns()).isEqualTo(expected.getColumns());
        assertThat(type.getType("v").getId().intValue()).isEqualTo(1);
        assertThat(type.getType("v").getLogicalTypeAnnotation()).hasToString("VARIANT(1)");
        assertThat(type.getType("l", "list", "element").getLogicalTypeAnnotation())
                .hasToString("VARIANT(1)");
        assertThat(ParquetTypes.variantsById(schema, type))
                .isEqualTo(Map.of(1, List.of("v"), 3, List.of("l", "list", "element")));
    }

    @Test
    void columnsOfGeoTypesAreLeftOutOrRefused() {
        var geometry = new Type.Geometry("");
        var schema = schema(
                Field.optional(1, "geo", geometry),
                Field.optional(
                        2,
                        "s",
                        new Type.Struct(List.of(
                                Field.optional(3, "geo", new Type.Geography("", "")),
                                Field.optional(4, "a", Type.Simple.INT)))));

        assertThat(ParquetTypes.messageType(schema))
                .isEqualTo(MessageTypeParser.parseMessageType(
                        "message table { optional group s = 2 { optional int32 a = 4; } }"));
        for (var refused : List.of(
                schema(Field.required(1, "c", geometry)),
                column(geometry),
                column(new Type.ListOf(2, false, geometry)),
                column(new Type.MapOf(2, Type.Simple.INT, 3, false, geometry)),
                column(Type.Simple.UNKNOWN))) {
            assertThatThrownBy(() -> ParquetTypes.messageType(refused))
                    .as("%s", refused)
                    .isInstanceOf(UnsupportedOperationException.class);
        }
    }

    @Test
    void findsColumnsByTheIdOfTheLeaf() {
        var file = MessageTypeParser.parseMessageType("""
                message spark {
                  optional int32 a = 3;
                  optional group l (LIST) = 4 { repeated group list { optional int32 element = 9; } }
                  optional int32 stray;
                }
                """);

        assertThat(ParquetTypes.columnsById(file)).containsOnlyKeys(3, 9);
        assertThat(ParquetTypes.hasFieldIds(file)).isTrue();
        assertThat(ParquetTypes.hasFieldIds(
                        MessageTypeParser.parseMessageType("message m { optional group s { optional int32 a; } }")))
                .isFalse();
    }
}
