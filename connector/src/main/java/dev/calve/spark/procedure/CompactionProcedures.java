package dev.calve.spark.procedure;

import static org.apache.spark.sql.types.DataTypes.StringType;

import dev.calve.expression.Expression;
import dev.calve.metadata.SnapshotRef;
import dev.calve.metadata.TableProperties;
import dev.calve.rowlevel.BinPack;
import dev.calve.spark.read.SnapshotScan;
import dev.calve.spark.rowlevel.RewriteDataFiles;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.classic.Dataset;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation;
import org.apache.spark.sql.types.DataTypes;
import scala.jdk.javaapi.CollectionConverters;

/** Files are written again, rows stay as they are. */
final class CompactionProcedures {

    private static final String TARGET = "target-file-size-bytes";
    private static final String LEAST = "min-file-size-bytes";
    private static final String MOST = "max-file-size-bytes";
    private static final String FILES = "min-input-files";
    private static final String DELETES = "delete-file-threshold";
    private static final String RATIO = "delete-ratio-threshold";
    private static final String ALL_FILES = "rewrite-all";

    private static final Set<String> KNOWN = Set.of(TARGET, LEAST, MOST, FILES, DELETES, RATIO, ALL_FILES);

    /** Options of Apache Iceberg's that say what is done here anyway, or how fast. */
    private static final Map<String, Optional<String>> WITHOUT_EFFECT = Map.of(
            "partial-progress.enabled", Optional.of("false"),
            "use-starting-sequence-number", Optional.of("true"),
            "max-concurrent-file-group-rewrites", Optional.empty(),
            "max-file-group-size-bytes", Optional.empty(),
            "rewrite-job-order", Optional.empty(),
            "remove-dangling-deletes", Optional.empty());

    static final List<Definition> ALL = List.of(Definition.of(
            "rewrite_data_files",
            "Joins small data files, cuts large ones and applies deletes, in one snapshot.",
            "rewritten_data_files_count INT NOT NULL, added_data_files_count INT NOT NULL, "
                    + "rewritten_bytes_count BIGINT NOT NULL, failed_data_files_count INT NOT NULL, "
                    + "removed_delete_files_count INT NOT NULL",
            CompactionProcedures::rewriteDataFiles,
            Definition.optional("strategy", StringType, "'binpack', the only one so far"),
            Definition.optional("sort_order", StringType, "not supported yet"),
            Definition.optional(
                    "options",
                    DataTypes.createMapType(StringType, StringType),
                    "such as map('target-file-size-bytes', '134217728', 'min-input-files', '2')"),
            Definition.optional("where", StringType, "files that cannot hold a matching row are left alone"),
            Definition.optional("branch", StringType, "the branch; main if not given")));

    private CompactionProcedures() {}

    private static Object[] rewriteDataFiles(Arguments arguments, TargetTable table) {
        String strategy = arguments.optionalString("strategy").orElse("binpack");
        if (!strategy.toLowerCase(Locale.ROOT).equals("binpack") || arguments.isGiven("sort_order")) {
            throw new UnsupportedOperationException("rewrite_data_files can only pack files so far: strategy must be"
                    + " 'binpack', not '" + strategy + "', and sort_order not given.");
        }
        var binPack = binPack(arguments.pairs("options"), table);
        SparkSession session = SparkSession.active();
        Expression filter = arguments
                .optionalString("where")
                .map(where -> filter(session, table, where))
                .orElse(Expression.Constant.TRUE);
        String branch = arguments.optionalString("branch").orElse(SnapshotRef.MAIN);
        table.requireBranch(branch);
        var result = new RewriteDataFiles(table.loaded(), branch, filter, binPack, session).run();
        if (result.rewrittenFiles() > 0) {
            table.changed();
        }
        return new Object[] {
            result.rewrittenFiles(), result.addedFiles(), result.rewrittenBytes(), 0, result.removedDeleteFiles()
        };
    }

    private static BinPack binPack(Map<String, String> options, TargetTable table) {
        var unknown = new TreeSet<>(options.keySet());
        unknown.removeAll(KNOWN);
        unknown.removeIf(name -> {
            Optional<String> only = WITHOUT_EFFECT.getOrDefault(name, Optional.of("\0"));
            return only.isEmpty() || only.get().equalsIgnoreCase(options.get(name));
        });
        if (!unknown.isEmpty()) {
            throw new IllegalArgumentException("Options of rewrite_data_files must be of " + new TreeSet<>(KNOWN)
                    + ", but these are not, or are not supported with their value: " + unknown + ".");
        }
        long target = option(options, TARGET, Long::parseLong)
                .orElse(table.loaded().properties().get(TableProperties.TARGET_FILE_SIZE));
        return new BinPack(
                target,
                option(options, LEAST, Long::parseLong).orElse(target / 4 * 3),
                option(options, MOST, Long::parseLong).orElse((long) (target * 1.8)),
                option(options, FILES, Integer::parseInt).orElse(5),
                option(options, DELETES, Integer::parseInt).orElse(Integer.MAX_VALUE),
                option(options, RATIO, Double::parseDouble).orElse(0.3),
                option(options, ALL_FILES, Boolean::parseBoolean).orElse(false));
    }

    private static <T> Optional<T> option(Map<String, String> options, String name, Function<String, T> parser) {
        String text = options.get(name);
        if (text == null) {
            return Optional.empty();
        }
        try {
            return Optional.of(parser.apply(text.strip()));
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("Option " + name + " must be a number, not '" + text + "'.", e);
        }
    }

    /** What files a query with the condition would choose by. */
    private static Expression filter(SparkSession session, TargetTable table, String where) {
        var query = (Dataset<?>) session.table(table.sqlName()).where(where);
        List<LogicalPlan> leaves = CollectionConverters.asJava(
                query.queryExecution().optimizedPlan().collectLeaves());
        for (LogicalPlan leaf : leaves) {
            if (leaf instanceof DataSourceV2ScanRelation relation && relation.scan() instanceof SnapshotScan scan) {
                if (scan.filter() == Expression.Constant.TRUE) {
                    break;
                }
                return scan.filter();
            }
            if (!(leaf instanceof DataSourceV2ScanRelation)) {
                // Spark has found out that no row matches.
                return Expression.Constant.FALSE;
            }
        }
        throw new IllegalArgumentException("where must be a condition by which files can be told apart, such as"
                + " 'day = date\'2024-01-01\'', not '" + where + "'.");
    }
}
