package dev.calve.spark.rowlevel;

import dev.calve.catalog.LoadedTable;
import dev.calve.commit.CommitOutcome;
import dev.calve.commit.MetadataCommit;
import dev.calve.commit.Resettle;
import dev.calve.commit.RowCounts;
import dev.calve.commit.SnapshotChange;
import dev.calve.commit.Statement;
import dev.calve.commit.TableCommit;
import dev.calve.commit.TableState;
import dev.calve.manifest.ContentFile;
import dev.calve.manifest.DataFile;
import dev.calve.manifest.DeleteFile;
import dev.calve.manifest.ManifestFile;
import dev.calve.metadata.MetadataUpdate;
import dev.calve.metadata.Snapshot;
import dev.calve.metadata.TableMetadata;
import dev.calve.partition.PartitionField;
import dev.calve.partition.PartitionSpec;
import dev.calve.partition.SortOrder;
import dev.calve.scan.SnapshotManifests;
import dev.calve.schema.Field;
import dev.calve.schema.Schema;
import dev.calve.schema.Type;
import dev.calve.spark.convert.SparkTypes;
import dev.calve.spark.write.NewFiles;
import dev.calve.spark.write.SnapshotSummaries;
import dev.calve.spark.write.WriteAuditPublish;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Cast;
import org.apache.spark.sql.connector.write.WriterCommitMessage;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.StructField;
import scala.reflect.ClassTag$;
import scala.runtime.AbstractFunction2;
import scala.runtime.BoxedUnit;

/**
 * Deletes by key: writes the keys into equality delete files and looks at no row. All rows go that are older than the commit and
 * whose key columns have the values of one of the keys; null is the same as null. Rows that are added later stay, whatever their
 * key. Spec: Equality Delete Files. Used once, on the driver.
 *
 * <p>Cost: the query of the keys, a distinct over them, and the files. What the keys delete is found out by every reader from then
 * on, so that the table should be compacted once there are many.
 */
public final class EqualityDelete {

    /** To which rows keys apply. */
    public enum Scope {
        /** All rows of the table, whatever their partition. */
        GLOBAL,
        /** Rows of the partition the key itself belongs to: readers compare fewer files, but the key must have its columns. */
        PARTITION
    }

    private final LoadedTable table;
    private final Scope scope;
    private final SparkSession session;
    private final List<Field> key;

    /**
     * What was done.
     *
     * @param snapshotId empty if there was nothing to do
     * @param files equality delete files that were written
     * @param keys different keys in them
     */
    public record Result(OptionalLong snapshotId, int files, long keys) {}

    /**
     * Nothing is done yet.
     *
     * @param table on the branch that is written
     * @param columns of the table, top-level ones; letter case counts as it does for the session
     * @throws UnsupportedOperationException if the table is of a format version without equality deletes of ours
     * @throws IllegalArgumentException if a column is not there or cannot be part of a key
     */
    public EqualityDelete(LoadedTable table, List<String> columns, Scope scope, SparkSession session) {
        this.table = table;
        this.scope = scope;
        this.session = session;
        requireVersion(table);
        this.key = key(table, columns);
    }

    private static void requireVersion(LoadedTable table) {
        int version = table.metadata().formatVersion();
        if (version == 1) {
            throw new UnsupportedOperationException(
                    "Cannot delete from " + table.name() + " by key: its format version 1"
                            + " has no delete files. Run a DELETE, or upgrade the table to format version 2.");
        }
        if (version != 2) {
            throw new UnsupportedOperationException("Cannot delete from " + table.name() + " by key: a table of format"
                    + " version " + version + " records which row became which, and a key does not tell which rows it"
                    + " deletes. Run a DELETE or MERGE, which writes deletion vectors.");
        }
    }

    private static List<Field> key(LoadedTable table, List<String> columns) {
        boolean caseSensitive = SQLConf.get().caseSensitiveAnalysis();
        var fields = new ArrayList<Field>();
        for (String column : columns) {
            Field field = table.metadata().schema().fields().stream()
                    .filter(one -> caseSensitive
                            ? one.name().equals(column)
                            : one.name().equalsIgnoreCase(column))
                    .findFirst()
                    .orElseThrow(() -> cannot(
                            table,
                            "'" + column + "' must be a top-level column, but the columns are "
                                    + table.metadata().schema().fields().stream()
                                            .map(Field::name)
                                            .toList()));
            if (fields.contains(field)) {
                throw cannot(table, "'" + column + "' is named twice");
            }
            if (field.type() == Type.Simple.FLOAT || field.type() == Type.Simple.DOUBLE) {
                throw cannot(
                        table,
                        "'" + column + "' is a " + field.type()
                                + ", and floating-point numbers must not be compared for equality (spec: Equality Delete"
                                + " Files)");
            }
            if (!field.type().isPrimitive()) {
                throw cannot(table, "'" + column + "' must be of a primitive type, but is " + field.type());
            }
            fields.add(field);
        }
        if (fields.isEmpty()) {
            throw cannot(table, "a key must have a column");
        }
        return fields;
    }

    private static IllegalArgumentException cannot(LoadedTable table, String why) {
        return new IllegalArgumentException("Cannot delete from " + table.name() + " by key: " + why + ".");
    }

    /**
     * Deletes the keys.
     *
     * @param keys rows that have the key's columns, by name; others do not matter. The types must be the table's, or narrower
     *     numbers
     */
    public Result run(Dataset<Row> keys) {
        Dataset<Row> distinct = distinct(keys);
        if (table.head().isEmpty()) {
            return new Result(OptionalLong.empty(), 0, 0);
        }
        try {
            return scope == Scope.GLOBAL ? write(distinct, global()) : write(distinct, divided());
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot delete from " + table.name() + " by key: " + e.getMessage(), e);
        }
    }

    private Dataset<Row> distinct(Dataset<Row> keys) {
        var columns = new ArrayList<Column>();
        for (Field field : key) {
            StructField wanted = SparkTypes.toSpark(field);
            StructField given = List.of(keys.schema().fields()).stream()
                    .filter(one -> SQLConf.get().caseSensitiveAnalysis()
                            ? one.name().equals(field.name())
                            : one.name().equalsIgnoreCase(field.name()))
                    .findFirst()
                    .orElseThrow(() -> cannot(
                            table,
                            "the source must have a column '" + field.name() + "', but its columns are "
                                    + List.of(keys.schema().fieldNames())));
            requireFits(field.name(), given.dataType(), wanted.dataType());
            columns.add(functions
                    .col("`" + given.name().replace("`", "``") + "`")
                    .cast(wanted.dataType())
                    .as(field.name()));
        }
        return keys.select(columns.toArray(Column[]::new)).distinct();
    }

    /** A cast that fails for some values would make NULL of them, and delete rows nobody meant. */
    private void requireFits(String column, DataType given, DataType wanted) {
        boolean textOfOther = wanted instanceof StringType && !given.equals(wanted);
        boolean fits = given.equals(wanted)
                || (!textOfOther && Cast.canUpCast(given, wanted))
                || given.typeName().equals("void");
        if (!fits) {
            throw cannot(
                    table,
                    "column '" + column + "' of the source must be a " + wanted.sql() + ", not " + given.sql()
                            + "; cast it there");
        }
    }

    /** The spec of no fields, which is added if the table has none; its default spec stays. */
    private TableMetadata global() throws IOException {
        Optional<PartitionSpec> known = withoutFields(table.metadata());
        if (known.isPresent()) {
            return table.metadata();
        }
        TableState state = new MetadataCommit(
                        UUID.randomUUID(), table.name(), table.metadata().uuid(), table.committer(), Clock.systemUTC())
                .commit(found -> withoutFields(found).isPresent()
                        ? List.of()
                        : List.of(new MetadataUpdate.AddSpec(PartitionSpec.unpartitioned(0))));
        return state.metadata();
    }

    private static Optional<PartitionSpec> withoutFields(TableMetadata metadata) {
        return metadata.specs().stream().filter(spec -> spec.fields().isEmpty()).findFirst();
    }

    /** The default spec, if it is that of all files and the key has its columns. */
    private TableMetadata divided() throws IOException {
        TableMetadata metadata = table.metadata();
        for (PartitionField field : metadata.spec().fields()) {
            boolean has = field.sourceIds().stream().allMatch(id -> key.stream().anyMatch(column -> column.id() == id));
            if (!has) {
                throw cannot(
                        table,
                        "with scope 'partition' the key must have the columns of partition field '" + field.name()
                                + "'. Add them, or use scope 'global'");
            }
        }
        Snapshot head = table.head().orElseThrow();
        for (ManifestFile manifest : SnapshotManifests.of(table.storage(), head)) {
            if (manifest.content() == ManifestFile.Content.DATA
                    && manifest.mayHaveLiveFiles()
                    && manifest.specId() != metadata.defaultSpecId()) {
                throw cannot(
                        table,
                        "some of its files were written with an older partition spec, in whose partitions a key of the"
                                + " current one deletes nothing. Use scope 'global'");
            }
        }
        return metadata;
    }

    private Result write(Dataset<Row> keys, TableMetadata metadata) throws IOException {
        PartitionSpec spec = scope == Scope.GLOBAL ? withoutFields(metadata).orElseThrow() : metadata.spec();
        // A file of keys is a data file of a table that has only the key's columns.
        var schema = new Schema(
                metadata.currentSchemaId(),
                key.stream()
                        .map(field -> Field.optional(field.id(), field.name(), field.type()))
                        .toList());
        LoadedTable ofKeys = table.at(
                new TableState(onlyKeys(metadata, schema, spec), table.state().metadataLocation()));
        var files = new NewFiles(ofKeys, SparkTypes.toSpark(schema));
        try {
            List<DeleteFile> written = new ArrayList<>();
            for (WriterCommitMessage message : write(keys, files)) {
                for (ContentFile file : files.note(message)) {
                    written.add(new DeleteFile.EqualityDeletes(
                            ((DataFile) file).common(),
                            key.stream().map(Field::id).sorted().toList()));
                }
            }
            return commit(written, files);
        } catch (Throwable e) {
            // Not only unchecked ones: a job that fails throws SparkException, which no method of Spark's declares.
            try {
                files.ledger().abort();
            } catch (RuntimeException later) {
                e.addSuppressed(later);
            }
            throw e;
        }
    }

    private static TableMetadata onlyKeys(TableMetadata full, Schema schema, PartitionSpec spec) {
        return new TableMetadata(
                full.formatVersion(),
                full.uuid(),
                full.location(),
                full.lastSequenceNumber(),
                full.lastUpdatedMillis(),
                full.lastColumnId(),
                schema.id(),
                List.of(schema),
                spec.id(),
                List.of(spec),
                full.lastPartitionId(),
                SortOrder.UNSORTED.id(),
                List.of(SortOrder.UNSORTED),
                full.properties(),
                OptionalLong.empty(),
                full.nextRowId(),
                Map.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                Map.of());
    }

    private List<WriterCommitMessage> write(Dataset<Row> keys, NewFiles files) {
        RDD<InternalRow> rows = ((org.apache.spark.sql.classic.Dataset<?>) keys)
                .queryExecution()
                .toRdd();
        var messages = new ArrayList<WriterCommitMessage>();
        var collect = new AbstractFunction2<Object, WriterCommitMessage, BoxedUnit>() {
            @Override
            public BoxedUnit apply(Object partition, WriterCommitMessage message) {
                synchronized (messages) {
                    messages.add(message);
                    files.note(message);
                }
                return BoxedUnit.UNIT;
            }
        };
        var context = JavaSparkContext.fromSparkContext(session.sparkContext());
        String before = context.getLocalProperty("spark.job.description");
        context.setJobDescription("DELETE FROM " + table.name() + " by key: write keys");
        try {
            session.sparkContext()
                    .runJob(
                            rows,
                            new WriteRows(files.factory()),
                            collect,
                            ClassTag$.MODULE$.apply(WriterCommitMessage.class));
        } finally {
            context.setJobDescription(before);
        }
        return messages;
    }

    /** No rule: whatever is there when the commit succeeds is older than the keys. */
    private Result commit(List<DeleteFile> written, NewFiles files) {
        long keys = written.stream().mapToLong(DeleteFile::recordCount).sum();
        var change = new SnapshotChange(
                SnapshotChange.Operation.DELETE,
                table.branch(),
                OptionalLong.empty(),
                table.metadata().formatVersion(),
                List.of(),
                written.stream()
                        .map(file -> new SnapshotChange.AddedDelete(file, Set.of(), Optional.empty()))
                        .toList(),
                List.of(),
                List.of(),
                SnapshotSummaries.of(session),
                RowCounts.unknown());
        var statement = Statement.of(files.statementId(), "DELETE", files.ledger());
        Optional<CommitOutcome.Committed> committed = new TableCommit(
                        WriteAuditPublish.staged(table).target(), statement, Clock.systemUTC())
                .commit(change, Resettle.never())
                .committed();
        return new Result(
                committed.isPresent() ? OptionalLong.of(committed.get().snapshotId()) : OptionalLong.empty(),
                written.size(),
                keys);
    }
}
