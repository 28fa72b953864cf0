package dev.calve.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.calve.catalog.LoadedTable;
import dev.calve.catalog.TableName;
import dev.calve.catalog.warehouse.WarehouseCatalog;
import dev.calve.hadoop.HadoopDirectory;
import dev.calve.hadoop.HadoopStorage;
import dev.calve.partition.PartitionTuple;
import dev.calve.spark.wire.ExecutorTable;
import dev.calve.spark.wire.ExpressionBytes;
import dev.calve.spark.wire.FileSplits;
import dev.calve.spark.wire.FilesToSettle;
import dev.calve.spark.wire.FilesWritten;
import dev.calve.spark.wire.KeyedFileSplits;
import dev.calve.spark.wire.KeysFound;
import dev.calve.spark.wire.MetadataPart;
import dev.calve.spark.wire.PartitionsOfSpec;
import dev.calve.spark.wire.RowsChanged;
import dev.calve.spark.wire.WantedKeys;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.spark.SparkEnv;
import org.apache.spark.serializer.JavaSerializer;
import org.apache.spark.serializer.SerializerInstance;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.Literal$;
import org.apache.spark.sql.connector.catalog.Identifier;
import org.apache.spark.sql.connector.catalog.SupportsRead;
import org.apache.spark.sql.connector.catalog.SupportsWrite;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.catalog.TableCatalog;
import org.apache.spark.sql.connector.read.Batch;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.connector.write.BatchWrite;
import org.apache.spark.sql.connector.write.DataWriterFactory;
import org.apache.spark.sql.connector.write.LogicalWriteInfo;
import org.apache.spark.sql.connector.write.WriterCommitMessage;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;

/**
 * Everything that crosses between driver and executors does so with Java's serializer, which Spark uses for tasks, and with the
 * session's, which it uses for partitions and results; {@code dev/it --kryo} makes that one Kryo.
 */
@Tag("serialization")
class SerializationIT {

    private static final String NAMESPACE = SparkTestSession.LAKE + ".wire";

    @BeforeAll
    static void create() {
        Sql.run("CREATE NAMESPACE IF NOT EXISTS " + NAMESPACE);
    }

    private static String table(int version, String mode) {
        String table = NAMESPACE + "." + Sql.unique("t");
        Sql.run(
                "CREATE TABLE %s (id bigint, text string, day date) USING calve PARTITIONED BY (day)"
                        + " TBLPROPERTIES ('format-version'='%d', 'write.delete.mode'='%s')",
                table, version, mode);
        Sql.run(
                "INSERT INTO %s SELECT id, concat('t', id), date_add(DATE '2024-02-28', CAST(id %% 3 AS int)) FROM range(30)",
                table);
        return table;
    }

    private static <T> T cross(T value, SerializerInstance serializer) {
        ClassTag<Object> any = ClassTag$.MODULE$.apply(Object.class);
        @SuppressWarnings("unchecked")
        T arrived = (T) serializer.<Object>deserialize(serializer.serialize(value, any), any);
        assertThat(arrived).isNotSameAs(value).hasSameClassAs(value);
        return arrived;
    }

    /** As a part of a task, and then as a partition or result. */
    private static <T> T cross(T value) {
        var task = new JavaSerializer(SparkEnv.get().conf());
        return cross(
                cross(value, task.newInstance()), SparkEnv.get().serializer().newInstance());
    }

    private static LoadedTable loaded(String table) throws IOException {
        var storage = new HadoopStorage(SparkTestSession.spark().sessionState().newHadoopConf());
        var catalog = new WarehouseCatalog(SparkTestSession.warehouse().toString(), new HadoopDirectory(storage));
        var name = new TableName(List.of("wire"), table.substring(NAMESPACE.length() + 1));
        return new LoadedTable(table, catalog.load(name).orElseThrow(), storage, catalog.committer(name));
    }

    private static Table sparkTable(String table) throws Exception {
        var catalog = (TableCatalog)
                SparkTestSession.spark().sessionState().catalogManager().catalog(SparkTestSession.LAKE);
        return catalog.loadTable(Identifier.of(new String[] {"wire"}, table.substring(NAMESPACE.length() + 1)));
    }

    @Test
    void aTableArrivesWithoutItsHistory() throws IOException {
        String table = table(3, "merge-on-read");
        LoadedTable loaded = loaded(table);
        ExecutorTable arrived = cross(ExecutorTable.of(loaded));
        assertThat(arrived.name()).isEqualTo(table);
        assertThat(arrived.metadata().schemas()).isEqualTo(loaded.metadata().schemas());
        assertThat(arrived.metadata().specs()).isEqualTo(loaded.metadata().specs());
        assertThat(arrived.metadata().properties()).isEqualTo(loaded.metadata().properties());
        assertThat(arrived.metadata().snapshots()).isEmpty();
        assertThat(arrived.storage().exists(loaded.state().metadataLocation())).isTrue();
    }

    @Test
    void partitionsArriveAsTheyAre() throws IOException {
        LoadedTable loaded = loaded(table(2, "copy-on-write"));
        Set<PartitionTuple> partitions = Set.of(PartitionTuple.of(19_782), PartitionTuple.of((Object) null));
        PartitionsOfSpec arrived = cross(PartitionsOfSpec.of(loaded.metadata(), 0, partitions));
        assertThat(arrived.specId()).isZero();
        assertThat(arrived.tuples(loaded.metadata())).isEqualTo(partitions);
    }

    @Test
    void anExpressionArrivesAndIsTheSame() {
        Expression expression = Literal$.MODULE$.apply(42L);
        var columns = StructType.fromDDL("id bigint, text string");
        ExpressionBytes arrived = cross(ExpressionBytes.of(expression, columns));
        assertThat(arrived.expression()).isEqualTo(expression);
        assertThat(arrived.columns()).isEqualTo(columns);
    }

    @ParameterizedTest
    @ValueSource(strings = {"false", "true"})
    void splitsAndTheirReaderArriveAndReadTheRows(String grouped) throws Exception {
        String table = table(3, "merge-on-read");
        Sql.run("DELETE FROM %s WHERE id %% 5 = 0", table);
        Batch batch = ((SupportsRead) sparkTable(table))
                .newScanBuilder(new CaseInsensitiveStringMap(Map.of("preserve-data-grouping", grouped)))
                .build()
                .toBatch();
        PartitionReaderFactory factory = cross(batch.createReaderFactory());
        var ids = new ArrayList<Long>();
        for (InputPartition partition : batch.planInputPartitions()) {
            assertThat(partition).isInstanceOf(FileSplits.class);
            InputPartition arrived = cross(partition);
            assertThat(partition instanceof KeyedFileSplits).isEqualTo(Boolean.parseBoolean(grouped));
            try (var reader = factory.createColumnarReader(arrived)) {
                while (reader.next()) {
                    ColumnarBatch rows = reader.get();
                    for (int i = 0; i < rows.numRows(); i++) {
                        ids.add(rows.getRow(i).getLong(0));
                    }
                }
            }
        }
        assertThat(ids.stream().sorted().toList()).isEqualTo(Sql.longs("SELECT id FROM range(30) WHERE id %% 5 <> 0"));
    }

    @Test
    void partsOfMetadataTablesAndTheirReaderArrive() throws Exception {
        String table = table(3, "merge-on-read");
        Sql.run("DELETE FROM %s WHERE id %% 5 = 0", table);
        var catalog = (TableCatalog)
                SparkTestSession.spark().sessionState().catalogManager().catalog(SparkTestSession.LAKE);
        String[] namespace = {"wire", table.substring(NAMESPACE.length() + 1)};
        for (String name : List.of("files", "partitions", "position_deletes", "all_manifests")) {
            Batch batch = ((SupportsRead) catalog.loadTable(Identifier.of(namespace, name)))
                    .newScanBuilder(new CaseInsensitiveStringMap(Map.of()))
                    .build()
                    .toBatch();
            PartitionReaderFactory factory = cross(batch.createReaderFactory());
            long rows = 0;
            for (InputPartition partition : batch.planInputPartitions()) {
                assertThat(partition).isInstanceOf(MetadataPart.class);
                try (var reader = factory.createReader(cross(partition))) {
                    while (reader.next()) {
                        assertThat(reader.get().numFields()).isPositive();
                        rows++;
                    }
                }
            }
            assertThat(rows).as(name).isPositive().isEqualTo(Sql.count(table + "." + name));
        }
    }

    /** What Spark's planner says of a write. */
    private record Rows(StructType schema) implements LogicalWriteInfo {
        @Override
        public String queryId() {
            return "query";
        }

        @Override
        public CaseInsensitiveStringMap options() {
            return new CaseInsensitiveStringMap(Map.of());
        }
    }

    @Test
    void theWriterArrivesAndItsFilesComeBack() throws Exception {
        String table = table(2, "copy-on-write");
        Table target = sparkTable(table);
        BatchWrite write = ((SupportsWrite) target)
                .newWriteBuilder(new Rows(StructType.fromDDL("id bigint, text string, day date")))
                .build()
                .toBatch();
        DataWriterFactory factory = cross(write.createBatchWriterFactory(() -> 1));
        var writer = factory.createWriter(0, 7);
        for (int i = 0; i < 10; i++) {
            InternalRow row = new GenericInternalRow(new Object[] {100L + i, null, i});
            writer.write(row);
        }
        WriterCommitMessage message = cross(writer.commit());
        writer.close();
        assertThat(message).isInstanceOf(FilesWritten.class);
        write.commit(new WriterCommitMessage[] {message});
        assertThat(Sql.longs("SELECT id FROM %s WHERE id >= 100", table)).hasSize(10);
        assertThat(Sql.rows("SELECT id FROM %s WHERE day = DATE '1970-01-03'", table))
                .containsExactly("[102]");
    }

    @ParameterizedTest
    @CsvSource({"3,merge-on-read", "2,merge-on-read", "3,copy-on-write", "2,copy-on-write"})
    void aDeleteRunsOnExecutors(int version, String mode) {
        String table = table(version, mode);
        Sql.run("DELETE FROM %s WHERE id %% 3 = 1 AND text < 't2' OR text LIKE 't2%%'", table);
        Sql.run("DELETE FROM %s WHERE id %% 6 = 0", table);
        assertThat(Sql.longs("SELECT id FROM " + table))
                .isEqualTo(Sql.longs("SELECT id FROM range(30) WHERE NOT (id %% 3 = 1 AND concat('t', id) < 't2'"
                        + " OR concat('t', id) LIKE 't2%%') AND id %% 6 <> 0"));
    }

    @ParameterizedTest
    @CsvSource({"3,merge-on-read", "2,merge-on-read", "3,copy-on-write", "2,copy-on-write"})
    void updatesAndMergesRunOnExecutors(int version, String mode) {
        String table = table(version, mode);
        Sql.run(
                "ALTER TABLE %s SET TBLPROPERTIES ('write.update.mode'='%s', 'write.merge.mode'='%s')",
                table, mode, mode);
        Sql.run("UPDATE %s SET text = 'new', day = DATE '2024-03-05' WHERE id %% 7 = 1", table);
        Sql.run(
                "MERGE INTO %s t USING (SELECT explode(sequence(28, 33)) AS id) s ON t.id = s.id"
                        + " WHEN MATCHED AND t.id = 28 THEN DELETE WHEN MATCHED THEN UPDATE SET text = 'merged'"
                        + " WHEN NOT MATCHED THEN INSERT (id, text) VALUES (s.id, 'added')",
                table);
        assertThat(Sql.rows("SELECT id, text FROM " + table))
                .isEqualTo(Sql.rows("SELECT id, CASE WHEN id > 29 THEN 'added' WHEN id = 29 THEN 'merged'"
                        + " WHEN id %% 7 = 1 THEN 'new' ELSE concat('t', id) END FROM range(34) WHERE id <> 28"));
    }

    /** Kryo can rebuild neither records nor what hides in fields of other types. */
    @ParameterizedTest
    @ValueSource(
            classes = {
                ExecutorTable.class,
                ExpressionBytes.class,
                FileSplits.class,
                FilesToSettle.class,
                FilesWritten.class,
                KeyedFileSplits.class,
                KeysFound.class,
                MetadataPart.class,
                PartitionsOfSpec.class,
                RowsChanged.class,
                WantedKeys.class
            })
    void whatCrossesHoldsBytesNumbersAndTexts(Class<?> type) {
        assertThat(type.isRecord()).isFalse();
        for (Field field : type.getDeclaredFields()) {
            if (Modifier.isStatic(field.getModifiers()) || Modifier.isTransient(field.getModifiers())) {
                continue;
            }
            assertThat(field.getType())
                    .as(field.toString())
                    .isIn(byte[].class, int[].class, String.class, boolean.class, int.class, long.class);
        }
    }

    @Test
    void noOtherClassCrosses() {
        var folder = ExecutorTable.class.getProtectionDomain().getCodeSource().getLocation();
        List<String> classes;
        try (var files = ClassFiles.in(folder.getPath(), "dev/calve/spark/wire/")) {
            classes = files.names();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        assertThat(classes)
                .containsExactlyInAnyOrder(
                        "ExecutorTable",
                        "ExpressionBytes",
                        "FileSplits",
                        "FilesToSettle",
                        "FilesWritten",
                        "KeyedFileSplits",
                        "KeysFound",
                        "MetadataPart",
                        "PartitionsOfSpec",
                        "RowsChanged",
                        "WantedKeys");
    }

    /** The top-level classes of a package in a jar or a folder of classes. */
    private record ClassFiles(java.nio.file.FileSystem fileSystem, java.nio.file.Path folder, boolean owned)
            implements AutoCloseable {

        static ClassFiles in(String location, String packageFolder) throws IOException {
            var path = java.nio.file.Path.of(location);
            if (java.nio.file.Files.isDirectory(path)) {
                return new ClassFiles(path.getFileSystem(), path.resolve(packageFolder), false);
            }
            var jar = java.nio.file.FileSystems.newFileSystem(path);
            return new ClassFiles(jar, jar.getPath(packageFolder), true);
        }

        List<String> names() throws IOException {
            try (var all = java.nio.file.Files.list(folder)) {
                return all.map(file -> file.getFileName().toString())
                        .filter(name ->
                                name.endsWith(".class") && !name.contains("$") && !name.startsWith("package-info"))
                        .map(name -> name.substring(0, name.length() - ".class".length()))
                        .toList();
            }
        }

        @Override
        public void close() throws IOException {
            if (owned) {
                fileSystem.close();
            }
        }
    }
}
