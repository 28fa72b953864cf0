package dev.calve.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.connector.catalog.FunctionCatalog;
import org.apache.spark.sql.connector.catalog.Identifier;
import org.apache.spark.sql.connector.catalog.functions.BoundFunction;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Partition functions in SQL, in generated and interpreted code, against the peer's. */
@Tag("iceberg-peer")
class FunctionIT {

    private static final SparkSession SPARK = SparkTestSession.spark();

    @BeforeAll
    static void makeRows() {
        SPARK.sql("SELECT CAST(id AS INT) AS i, id * 7919 - 3000 AS l, CAST(id * 1.37 - 50 AS DECIMAL(9, 2)) AS d,"
                        + " concat('äß', CAST(id AS STRING)) AS s, CAST(concat('b', CAST(id AS STRING)) AS BINARY) AS b,"
                        + " date_add(DATE '1969-06-01', CAST(id * 3 AS INT)) AS dt,"
                        + " timestamp_micros(id * 987654321987 - 30000000000000) AS ts,"
                        + " CAST(timestamp_micros(id * 987654321987 - 30000000000000) AS TIMESTAMP_NTZ) AS ntz"
                        + " FROM range(200) UNION ALL SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL")
                .createOrReplaceTempView("function_rows");
    }

    private static final String ALL = "SELECT %1$s.system.bucket(16, i), %1$s.system.bucket(16, l),"
            + " %1$s.system.bucket(16, d), %1$s.system.bucket(16, s), %1$s.system.bucket(16, b),"
            + " %1$s.system.bucket(16, dt), %1$s.system.bucket(16, ts), %1$s.system.bucket(16, ntz),"
            + " %1$s.system.bucket(16, CAST(i %% 100 AS TINYINT)), %1$s.system.truncate(10, CAST(i AS SMALLINT)),"
            + " %1$s.system.truncate(10, i), %1$s.system.truncate(10, l), %1$s.system.truncate(50, d),"
            + " %1$s.system.truncate(3, s), hex(%1$s.system.truncate(2, b)), %1$s.system.years(dt),"
            + " %1$s.system.years(ts), %1$s.system.months(dt), %1$s.system.months(ntz), %1$s.system.days(dt),"
            + " %1$s.system.days(ts), %1$s.system.hours(ts), %1$s.system.hours(ntz) FROM function_rows";

    @ParameterizedTest
    @ValueSource(strings = {"CODEGEN_ONLY", "NO_CODEGEN"})
    void givesThePeersResults(String mode) {
        SPARK.conf().set("spark.sql.codegen.factoryMode", mode);
        SPARK.conf().set("spark.sql.codegen.wholeStage", String.valueOf(mode.equals("CODEGEN_ONLY")));
        try {
            List<String> ours = Sql.rows(ALL, "lake");
            assertThat(ours).hasSize(201).isEqualTo(Sql.rows(ALL, "peer"));
            String nulls = "[" + "null,".repeat(22) + "null]";
            assertThat(ours).contains(nulls);
        } finally {
            SPARK.conf().unset("spark.sql.codegen.factoryMode");
            SPARK.conf().unset("spark.sql.codegen.wholeStage");
        }
    }

    @Test
    void constantArgumentsAreFolded() {
        assertThat(Sql.rows("SELECT lake.system.bucket(16, 34L), lake.bucket(16, CAST(NULL AS STRING)),"
                        + " lake.truncate(10, -1), lake.system.days(DATE '2017-11-16')"))
                .containsExactly("[3,null,-10,2017-11-16]");
    }

    /** Spark joins tables by their partitions only if both call the functions the same. */
    @Test
    void isNamedAsThePeersFunctions() {
        var arguments = List.of(
                DataTypes.ByteType,
                DataTypes.ShortType,
                DataTypes.IntegerType,
                DataTypes.LongType,
                DataTypes.createDecimalType(9, 2),
                DataTypes.StringType,
                DataTypes.BinaryType,
                DataTypes.DateType,
                DataTypes.TimestampType,
                DataTypes.TimestampNTZType,
                DataTypes.BooleanType,
                DataTypes.FloatType,
                DataTypes.DoubleType);
        int compared = 0;
        for (String function : List.of("bucket", "truncate", "years", "months", "days", "hours")) {
            for (DataType argument : arguments) {
                String theirs = describe("peer", function, argument);
                assertThat(describe("lake", function, argument))
                        .as("%s of %s", function, argument)
                        .isEqualTo(theirs);
                compared += theirs.equals("none") ? 0 : 1;
            }
        }
        assertThat(compared).isEqualTo(10 + 7 + 3 * 3 + 2);
    }

    private static String describe(String catalog, String name, DataType argument) {
        var functions = (FunctionCatalog) SPARK.sessionState().catalogManager().catalog(catalog);
        boolean withNumber = name.equals("bucket") || name.equals("truncate");
        StructType type = withNumber ? new StructType().add("n", DataTypes.IntegerType) : new StructType();
        BoundFunction bound;
        try {
            bound = functions
                    .loadFunction(Identifier.of(new String[] {"system"}, name))
                    .bind(type.add("v", argument));
        } catch (UnsupportedOperationException e) {
            return "none";
        } catch (org.apache.spark.sql.catalyst.analysis.NoSuchFunctionException e) {
            throw new AssertionError(e);
        }
        return bound.name() + " " + bound.canonicalName() + " -> " + bound.resultType() + " nullable "
                + bound.isResultNullable() + " deterministic " + bound.isDeterministic();
    }

    @Test
    void saysWhatIsWrongWithACall() {
        assertThat(Sql.failure("SELECT lake.system.bucket(16, 1.5D)")).contains("not double");
        assertThat(Sql.failure("SELECT lake.system.bucket(16)")).contains("two arguments");
        assertThat(Sql.failure("SELECT lake.system.bucket(0, 1)")).contains("positive number of buckets");
        assertThat(Sql.failure("SELECT lake.system.minutes(current_timestamp())"))
                .contains("minutes");
        assertThat(Sql.rows("SHOW USER FUNCTIONS IN lake.system"))
                .contains("[lake.system.bucket]", "[lake.system.truncate]", "[lake.system.years]")
                .contains("[lake.system.months]", "[lake.system.days]", "[lake.system.hours]");
    }
}
