package dev.calve.spark.read;

import static org.assertj.core.api.Assertions.assertThat;

import dev.calve.expression.Expression;
import dev.calve.expression.Metrics;
import dev.calve.manifest.ContentFile;
import dev.calve.manifest.DataFile;
import dev.calve.manifest.DeleteFile;
import dev.calve.manifest.FileFormat;
import dev.calve.manifest.ManifestEntry;
import dev.calve.partition.PartitionTuple;
import dev.calve.scan.FileTask;
import dev.calve.schema.Bytes;
import dev.calve.schema.Field;
import dev.calve.schema.Schema;
import dev.calve.schema.Type;
import dev.calve.schema.ValueCodec;
import dev.calve.spark.convert.SparkPredicates;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import org.apache.spark.sql.connector.expressions.FieldReference;
import org.apache.spark.sql.connector.expressions.aggregate.AggregateFunc;
import org.apache.spark.sql.connector.expressions.aggregate.Aggregation;
import org.apache.spark.sql.connector.expressions.aggregate.Count;
import org.apache.spark.sql.connector.expressions.aggregate.CountStar;
import org.apache.spark.sql.connector.expressions.aggregate.Max;
import org.apache.spark.sql.connector.expressions.aggregate.Min;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class MetadataAnswerTest {

    private static final int LONG = 1;
    private static final int DOUBLE = 2;
    private static final int TEXT = 3;

    private static final Schema SCHEMA = new Schema(
            0,
            List.of(
                    Field.optional(LONG, "l", Type.Simple.LONG),
                    Field.optional(DOUBLE, "d", Type.Simple.DOUBLE),
                    Field.optional(TEXT, "s", Type.Simple.STRING),
                    Field.optional(4, "u", Type.Simple.UUID),
                    Field.optional(5, "st", new Type.Struct(List.of(Field.optional(6, "x", Type.Simple.LONG))))));

    private static final SparkPredicates NAMES = new SparkPredicates(SCHEMA, true);

    private static final AggregateFunc COUNT_ALL = new CountStar();

    private static AggregateFunc count(String column) {
        return new Count(FieldReference.column(column), false);
    }

    private static AggregateFunc min(String column) {
        return new Min(FieldReference.column(column));
    }

    private static AggregateFunc max(String column) {
        return new Max(FieldReference.column(column));
    }

    private static <T> Map<Integer, T> of(int id, @Nullable T value) {
        return value == null ? Map.of() : Map.of(id, value);
    }

    /** A file of 10 rows; what is null is not recorded. */
    private static FileTask file(
            int id,
            @Nullable Long values,
            @Nullable Long nulls,
            @Nullable Long nans,
            @Nullable Object least,
            @Nullable Object most) {
        Type type = SCHEMA.field(id).orElseThrow().type();
        var metrics = new Metrics(
                10,
                Map.of(),
                of(id, values),
                of(id, nulls),
                of(id, nans),
                of(id, least == null ? null : ValueCodec.encode(type, least)),
                of(id, most == null ? null : ValueCodec.encode(type, most)));
        return task(new DataFile(common("f", metrics), OptionalLong.empty()));
    }

    private static ContentFile.Common common(String path, Metrics metrics) {
        return new ContentFile.Common(
                path,
                FileFormat.PARQUET,
                0,
                PartitionTuple.EMPTY,
                metrics,
                100,
                List.of(),
                OptionalInt.empty(),
                Optional.<Bytes>empty());
    }

    private static <F extends ContentFile> ManifestEntry<F> entry(F file) {
        return new ManifestEntry<>(ManifestEntry.Status.ADDED, 1, 1, 1, file);
    }

    private static FileTask task(DataFile file, DeleteFile... deletes) {
        return new FileTask(
                entry(file),
                "m",
                Arrays.stream(deletes).map(MetadataAnswerTest::entry).toList(),
                Expression.Constant.TRUE,
                true);
    }

    private static Optional<MetadataAnswer> answer(AggregateFunc function, FileTask... files) {
        var aggregation = new Aggregation(
                new AggregateFunc[] {function}, new org.apache.spark.sql.connector.expressions.Expression[0]);
        return MetadataAnswer.columns(aggregation, SCHEMA, NAMES)
                .flatMap(ids -> MetadataAnswer.of(
                        aggregation,
                        List.of(files),
                        SCHEMA,
                        NAMES,
                        new ScannedState("uuid", "main", Optional.empty(), true),
                        "answer"));
    }

    private static @Nullable Object value(AggregateFunc function, FileTask... files) {
        return answer(function, files).orElseThrow().values().get(0);
    }

    @Test
    void countsRowsThatVectorsLeave() {
        FileTask whole = file(LONG, 10L, 3L, null, 1L, 2L);
        var vector = new DeleteFile.DeletionVector(common("v", Metrics.ofCount(4)), "f", 4, 40);
        FileTask some = task(whole.file(), vector);
        assertThat(value(COUNT_ALL, whole, some)).isEqualTo(16L);
        assertThat(value(COUNT_ALL)).isEqualTo(0L);
        assertThat(answer(count("l"), whole, some)).isEmpty();
        assertThat(answer(min("l"), whole, some)).isEmpty();
        // Positions may be listed twice, keys may match any number of rows, a vector cannot delete more rows than there
        // are.
        assertThat(answer(
                        COUNT_ALL,
                        task(
                                whole.file(),
                                new DeleteFile.PositionDeletes(common("p", Metrics.ofCount(4)), Optional.of("f")))))
                .isEmpty();
        assertThat(answer(
                        COUNT_ALL,
                        task(
                                whole.file(),
                                new DeleteFile.EqualityDeletes(common("e", Metrics.ofCount(4)), List.of(LONG)))))
                .isEmpty();
        assertThat(answer(
                        COUNT_ALL,
                        task(
                                whole.file(),
                                new DeleteFile.DeletionVector(common("v", Metrics.ofCount(11)), "f", 4, 40))))
                .isEmpty();
    }

    @Test
    void countsValuesOnlyWhereEveryFileSaysHowManyAreNull() {
        FileTask some = file(LONG, 10L, 3L, null, 1L, 2L);
        assertThat(value(count("l"), some, some)).isEqualTo(14L);
        assertThat(answer(count("l"), some, file(LONG, 10L, null, null, 1L, 2L)))
                .isEmpty();
        assertThat(answer(count("l"), some, file(LONG, null, 3L, null, 1L, 2L))).isEmpty();
        // Fewer values than rows: a writer that does not count where a struct is null, or a wrong count.
        assertThat(answer(count("l"), file(LONG, 9L, 3L, null, 1L, 2L))).isEmpty();
        // A file older than the column.
        assertThat(answer(count("l"), some, file(DOUBLE, 10L, 0L, 0L, 1d, 2d))).isEmpty();
        assertThat(answer(count("st.x"), some)).isEmpty();
        assertThat(answer(new Count(FieldReference.column("l"), true), some)).isEmpty();
        assertThat(answer(count("nothing"), some)).isEmpty();
    }

    @Test
    void takesTheLeastAndGreatestOfAllBounds() {
        FileTask low = file(LONG, 10L, 3L, null, -5L, 2L);
        FileTask high = file(LONG, 10L, 0L, null, 0L, 70L);
        FileTask nulls = file(LONG, 10L, 10L, null, null, null);
        assertThat(value(min("l"), low, high, nulls)).isEqualTo(-5L);
        assertThat(value(max("l"), low, high, nulls)).isEqualTo(70L);
        assertThat(value(max("l"), nulls)).isNull();
        assertThat(value(max("l"))).isNull();
        assertThat(answer(min("l"), low, file(LONG, 10L, 3L, null, null, 2L))).isEmpty();
        assertThat(answer(min("l"), low, file(LONG, null, null, null, null, null)))
                .isEmpty();
        assertThat(answer(min("u"), nulls)).isEmpty();
    }

    /** In Spark NaN is the greatest of all, and which of two zeros it answers with depends on the order of rows. */
    @Test
    void answersFloatingPointOnlyWithoutDoubt() {
        FileTask plain = file(DOUBLE, 10L, 0L, 0L, 1d, 2d);
        assertThat(value(max("d"), plain)).isEqualTo(2d);
        assertThat(value(max("d"), plain, file(DOUBLE, 10L, 0L, 3L, 1d, 5d))).isEqualTo(Double.NaN);
        assertThat(value(min("d"), plain, file(DOUBLE, 10L, 0L, 3L, 0.5d, 5d))).isEqualTo(0.5d);
        assertThat(value(min("d"), file(DOUBLE, 10L, 4L, 6L, null, null))).isEqualTo(Double.NaN);
        assertThat(value(min("d"), plain, file(DOUBLE, 10L, 4L, 6L, null, null)))
                .isEqualTo(1d);
        assertThat(answer(max("d"), file(DOUBLE, 10L, 0L, null, 1d, 2d))).isEmpty();
        assertThat(answer(min("d"), file(DOUBLE, 10L, 0L, 0L, Double.NaN, 2d))).isEmpty();
        assertThat(answer(min("d"), file(DOUBLE, 10L, 0L, 0L, 0d, 2d))).isEmpty();
        assertThat(answer(max("d"), file(DOUBLE, 10L, 0L, 0L, -1d, -0d))).isEmpty();
    }

    @Test
    void answersTextOnlyWhereItCannotHaveBeenCut() {
        assertThat(answer(min("s"), file(TEXT, 10L, 0L, null, "a", "b"))).isEmpty();
        assertThat(String.valueOf(value(max("s"), file(TEXT, 10L, 0L, null, "same", "same"))))
                .isEqualTo("same");
        assertThat(answer(max("s"), file(TEXT, 10L, 0L, null, "\uFFFD", "\uFFFD")))
                .isEmpty();
    }

    @Test
    void answersNothingWhereRowsRemainToBeChecked() {
        FileTask file = file(LONG, 10L, 3L, null, 1L, 2L);
        var checked = new FileTask(
                file.entry(),
                "m",
                List.of(),
                NAMES.exact(new org.apache.spark.sql.connector.expressions.filter.Predicate(
                                "IS_NULL",
                                new org.apache.spark.sql.connector.expressions.Expression[] {FieldReference.column("l")
                                }))
                        .orElseThrow(),
                false);
        assertThat(answer(COUNT_ALL, file, checked)).isEmpty();
        assertThat(MetadataAnswer.columns(
                        new Aggregation(
                                new AggregateFunc[] {COUNT_ALL},
                                new org.apache.spark.sql.connector.expressions.Expression[] {FieldReference.column("l")
                                }),
                        SCHEMA,
                        NAMES))
                .isEmpty();
        assertThat(MetadataAnswer.columns(
                        new Aggregation(
                                new AggregateFunc[] {COUNT_ALL, max("l")},
                                new org.apache.spark.sql.connector.expressions.Expression[0]),
                        SCHEMA,
                        NAMES))
                .contains(Set.of(LONG));
    }
}
