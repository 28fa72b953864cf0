package dev.calve.manifest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.calve.Randomly;
import dev.calve.expression.Metrics;
import dev.calve.io.InvalidTableException;
import dev.calve.partition.PartitionField;
import dev.calve.partition.PartitionSpec;
import dev.calve.partition.PartitionTuple;
import dev.calve.partition.Transform;
import dev.calve.schema.Bytes;
import dev.calve.schema.Field;
import dev.calve.schema.Schema;
import dev.calve.schema.Type;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What was written is what is read, for every type a partition can have. */
class ManifestRoundTripTest {

    private static final List<Type> TYPES = List.of(
            Type.Simple.BOOLEAN,
            Type.Simple.INT,
            Type.Simple.LONG,
            Type.Simple.FLOAT,
            Type.Simple.DOUBLE,
            Type.Simple.DATE,
            Type.Simple.TIME,
            Type.Simple.TIMESTAMP,
            Type.Simple.TIMESTAMPTZ,
            Type.Simple.TIMESTAMP_NS,
            Type.Simple.TIMESTAMPTZ_NS,
            Type.Simple.STRING,
            Type.Simple.UUID,
            Type.Simple.BINARY,
            new Type.Fixed(5),
            new Type.Fixed(0),
            new Type.Decimal(9, 2),
            new Type.Decimal(10, 0),
            new Type.Decimal(38, 38),
            Type.Simple.UNKNOWN);

    private final ManifestFixture fixture = new ManifestFixture();

    ManifestRoundTripTest() {
        var fields = new ArrayList<Field>();
        var partition = new ArrayList<PartitionField>();
        for (int i = 0; i < TYPES.size(); i++) {
            // Names that Avro refuses, and one that collides once it is made legal.
            String name = i == 3 ? "p_x20" + 2 : i % 2 == 0 ? "p " + i : i + "-ü";
            fields.add(Field.optional(i + 1, name, TYPES.get(i)));
            partition.add(PartitionField.of(i + 1, 1000 + i, name, Transform.IDENTITY));
        }
        fixture.schema = new Schema(4, fields);
        fixture.spec = new PartitionSpec(2, partition);
    }

    private static @Nullable Object value(Type type, Randomly random) {
        if (type == Type.Simple.UNKNOWN || random.percent(15)) {
            return null;
        }
        if (type instanceof Type.Fixed fixed) {
            return Bytes.wrap(random.bytes(fixed.length()));
        }
        if (type instanceof Type.Decimal decimal) {
            BigInteger most = BigInteger.TEN.pow(decimal.precision()).subtract(BigInteger.ONE);
            BigInteger unscaled = random.oneOf(
                    most,
                    most.negate(),
                    BigInteger.ZERO,
                    BigInteger.valueOf(-1),
                    BigInteger.valueOf(random.anyLong()).mod(most));
            return new BigDecimal(unscaled, decimal.scale());
        }
        return switch ((Type.Simple) type) {
            case BOOLEAN -> random.yes();
            case INT, DATE -> (int) random.anyLong();
            case FLOAT -> random.oneOf(Float.NaN, -0f, 0f, Float.MIN_VALUE, (float) random.anyLong());
            case DOUBLE -> random.oneOf(Double.NaN, -0d, Double.NEGATIVE_INFINITY, (double) random.anyLong());
            case STRING -> random.string(20);
            case UUID -> new UUID(random.anyLong(), random.anyLong());
            case BINARY -> Bytes.wrap(random.bytes(random.intBelow(9)));
            default -> random.anyLong();
        };
    }

    private ContentFile.Common common(Randomly random, FileFormat format, boolean statistics) {
        var tuple = new ArrayList<@Nullable Object>();
        TYPES.forEach(type -> tuple.add(value(type, random)));
        var metrics = new Metrics(
                random.longBelow(1L << 50),
                statistics ? longs(random) : Map.of(),
                statistics ? longs(random) : Map.of(),
                statistics ? longs(random) : Map.of(),
                statistics ? longs(random) : Map.of(),
                statistics ? bounds(random) : Map.of(),
                statistics ? bounds(random) : Map.of());
        return new ContentFile.Common(
                "file:/" + random.string(50),
                format,
                fixture.spec.id(),
                PartitionTuple.copyOf(tuple),
                metrics,
                random.longBelow(1L << 60),
                random.listOf(5, () -> random.longBelow(1L << 40)),
                random.yes() ? OptionalInt.of(random.intBelow(5)) : OptionalInt.empty(),
                Optional.empty());
    }

    private static Map<Integer, Long> longs(Randomly random) {
        return map(random, () -> random.longBelow(Long.MAX_VALUE));
    }

    private static Map<Integer, Bytes> bounds(Randomly random) {
        return map(random, () -> Bytes.wrap(random.bytes(random.intBelow(20))));
    }

    private static <V> Map<Integer, V> map(Randomly random, Supplier<V> value) {
        var result = new HashMap<Integer, V>();
        for (int i = random.intBelow(60); i > 0; i--) {
            result.put(random.intBelow(1000), value.get());
        }
        return result;
    }

    private DataFile data(Randomly random, int formatVersion) {
        boolean hasId = formatVersion == 3 && random.yes();
        return new DataFile(
                common(random, FileFormat.PARQUET, true),
                hasId ? OptionalLong.of(random.longBelow(1L << 40)) : OptionalLong.empty());
    }

    private DeleteFile delete(Randomly random, int formatVersion) {
        Optional<String> of = random.yes() ? Optional.of("file:/" + random.string(9)) : Optional.empty();
        return switch (random.intBelow(formatVersion)) {
            case 0 -> new DeleteFile.PositionDeletes(common(random, FileFormat.AVRO, true), of);
            case 1 -> new DeleteFile.EqualityDeletes(common(random, FileFormat.ORC, true), List.of(1, 7));
            default ->
                new DeleteFile.DeletionVector(
                        common(random, FileFormat.PUFFIN, false), "file:/x", random.longBelow(1L << 40), 99);
        };
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void readsDataFilesAsTheyWereWritten(int formatVersion) {
        Randomly.check(10, random -> {
            List<DataFile> files = random.listOf(20, () -> data(random, formatVersion));
            ManifestFile manifest = fixture.dataManifest(formatVersion, writer -> {
                for (DataFile file : files) {
                    writer.existing(ManifestFixture.entry(5, 0, 0, file));
                }
            });

            assertThat(ManifestReader.readData(fixture.storage, manifest))
                    .containsExactlyElementsOf(files.stream()
                            .map(file -> ManifestFixture.entry(5, 0, 0, file))
                            .toList());
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void readsDeleteFilesAsTheyWereWritten(int formatVersion) {
        Randomly.check(10, random -> {
            List<DeleteFile> files = random.listOf(20, () -> delete(random, formatVersion));
            ManifestFile manifest = fixture.deleteManifest(formatVersion, writer -> {
                for (DeleteFile file : files) {
                    writer.existing(ManifestFixture.entry(5, 3, 4, file));
                }
            });

            assertThat(ManifestReader.readDeletes(fixture.storage, manifest))
                    .containsExactlyElementsOf(files.stream()
                            .map(file -> ManifestFixture.entry(5, 3, 4, file))
                            .toList());
        });
    }

    /** Statistics that were read are not decoded to be written again. */
    @Test
    void rewritesEntriesAsTheyWereRead() {
        Randomly.check(10, random -> {
            List<DataFile> files = random.listOf(20, () -> data(random, 3));
            ManifestFile first = fixture.dataManifest(3, writer -> {
                for (DataFile file : files) {
                    writer.existing(ManifestFixture.entry(5, 3, 4, file));
                }
            });

            ManifestFile second = fixture.dataManifest(3, writer -> {
                for (var entry : ManifestReader.readData(fixture.storage, first)) {
                    writer.existing(entry);
                }
            });

            assertThat(fixture.records(second.path())).isEqualTo(fixture.records(first.path()));
            assertThat(ManifestReader.readData(fixture.storage, second))
                    .containsExactlyElementsOf(files.stream()
                            .map(file -> ManifestFixture.entry(5, 3, 4, file))
                            .toList());
        });
    }

    @Test
    void carriesEveryKindOfFileInMessages() {
        var codec = new ContentFileCodec(fixture.spec.partitionType(fixture.schema));
        Randomly.check(100, random -> {
            ContentFile file = random.yes() ? data(random, 3) : delete(random, 3);
            var number = random.yes() ? OptionalLong.of(random.longBelow(1L << 40)) : OptionalLong.empty();

            assertThat(codec.decode(codec.encode(file, number))).isEqualTo(new ContentFileCodec.Decoded(file, number));
            assertThat(codec.decode(codec.encode(file)).dataSequenceNumber()).isEmpty();
        });
    }

    @Test
    void refusesMessagesThatAreCutOrTooLong() {
        var codec = new ContentFileCodec(fixture.spec.partitionType(fixture.schema));
        byte[] whole = codec.encode(data(new Randomly(7), 3));
        for (int length = 0; length <= whole.length + 1; length++) {
            byte[] changed = Arrays.copyOf(whole, length);
            if (length != whole.length) {
                org.assertj.core.api.Assertions.assertThatThrownBy(() -> codec.decode(changed))
                        .isInstanceOf(InvalidTableException.class);
            }
        }
    }

    @Test
    void writesEqualBytesForEqualFiles() {
        var codec = new ContentFileCodec(fixture.spec.partitionType(fixture.schema));

        assertThat(codec.encode(data(new Randomly(3), 3))).isEqualTo(codec.encode(data(new Randomly(3), 3)));
    }

    @Test
    void widensTuplesToThePromotedTypeThatIsAskedFor() throws IOException {
        ManifestFixture narrow = ManifestFixture.partitionedBy(Type.Simple.INT);
        ManifestFile manifest = narrow.dataManifest(2, writer -> writer.added(narrow.data("a", 1, 7)));
        var wide = new Type.Struct(List.of(Field.optional(1000, "part", Type.Simple.LONG)));

        assertThat(ManifestReader.readData(
                        narrow.storage, manifest, Selection.all().typedAs(wide)))
                .singleElement()
                .satisfies(entry -> assertThat(entry.file().partition()).isEqualTo(PartitionTuple.of(7L)));
        assertThat(ManifestReader.readData(narrow.storage, manifest))
                .singleElement()
                .satisfies(entry -> assertThat(entry.file().partition()).isEqualTo(PartitionTuple.of(7)));
    }
}
