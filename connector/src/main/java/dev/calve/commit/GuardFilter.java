package dev.calve.commit;

import dev.calve.expression.ColumnIds;
import dev.calve.expression.Expression;
import dev.calve.expression.Metrics;
import dev.calve.expression.MetricsPruner;
import dev.calve.manifest.DataFile;
import dev.calve.manifest.DeleteFile;
import dev.calve.manifest.ManifestFile;
import dev.calve.metadata.TableMetadata;
import dev.calve.scan.FileFilter;
import dev.calve.schema.Field;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** The filter of a statement held against what others added since it was made. */
final class GuardFilter {

    private final TableMetadata metadata;
    private final Expression filter;
    private final MetricsPruner keys;
    private final Map<Integer, FileFilter> bySpec = new HashMap<>();

    GuardFilter(TableMetadata metadata, Expression filter) {
        this.metadata = metadata;
        this.filter = fits(metadata, filter) ? filter : Expression.Constant.TRUE;
        this.keys = new MetricsPruner(this.filter);
    }

    /**
     * Whether every column still has the type the filter was made for. Bounds of files written after a promotion cannot be
     * compared with its literals, so that anything may match then.
     */
    private static boolean fits(TableMetadata metadata, Expression filter) {
        boolean[] fits = {true};
        filter.mapPredicates(predicate -> {
            Expression.Column column = predicate.term().column();
            fits[0] &= metadata.schema()
                    .field(column.fieldId())
                    .map(Field::type)
                    .filter(column.type()::equals)
                    .isPresent();
            return predicate;
        });
        return fits[0];
    }

    /** The columns whose statistics are asked for. */
    Set<Integer> columns() {
        return ColumnIds.of(filter);
    }

    /** Whether a data file of the manifest may hold a row the filter is TRUE for. */
    boolean mightMatch(ManifestFile manifest) {
        return onSpec(manifest.specId()).mightMatch(manifest);
    }

    boolean mightMatch(DataFile file) {
        return onSpec(file.specId()).mightMatch(file);
    }

    private FileFilter onSpec(int specId) {
        return bySpec.computeIfAbsent(specId, id -> new FileFilter(metadata, id, filter));
    }

    /**
     * Whether a row that the filter is TRUE for may have one of the keys. Columns that are not part of the key prove nothing,
     * whatever the delete file stores of them: a row with the key may have another value there.
     */
    boolean mightMatchKeys(DeleteFile.EqualityDeletes deletes) {
        Metrics metrics = deletes.metrics();
        Set<Integer> ids = Set.copyOf(deletes.equalityIds());
        return keys.mightMatch(new Metrics(
                metrics.recordCount(),
                Map.of(),
                only(ids, metrics.valueCounts()),
                only(ids, metrics.nullValueCounts()),
                only(ids, metrics.nanValueCounts()),
                only(ids, metrics.lowerBounds()),
                only(ids, metrics.upperBounds())));
    }

    private static <V> Map<Integer, V> only(Set<Integer> ids, Map<Integer, V> values) {
        return values.entrySet().stream()
                .filter(entry -> ids.contains(entry.getKey()))
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
    }
}
