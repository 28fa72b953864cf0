package dev.calve.parquet;

import dev.calve.metadata.MetricsMode;
import dev.calve.partition.SortOrder;
import dev.calve.schema.Field;
import dev.calve.schema.Schema;
import dev.calve.schema.Type;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.StreamSupport;

/**
 * Which column gets which metrics.
 *
 * <p>A column's own mode wins. Otherwise the table's default applies, or if none is set {@code truncate(16)} to the
 * first columns and nothing to the rest: of a schema with more fields than the limit the first primitive ones, those
 * of a struct before those of the structs inside it. Columns the table is sorted by get at least {@code truncate(16)}
 * in place of a default, because their bounds are what the sorting was for.
 */
final class ColumnModes {

    private static final MetricsMode DEFAULT = new MetricsMode.Truncate(16);

    private ColumnModes() {}

    /** Modes by the field id of leaf columns; columns that get nothing may be missing. */
    static Map<Integer, MetricsMode> of(Schema schema, WriteSettings settings, SortOrder sortOrder) {
        Set<Integer> counted = settings.metricsDefault().isPresent()
                ? allPrimitives(schema)
                : firstPrimitives(schema, settings.metricsMaxColumns());
        var defaultMode = settings.metricsDefault().orElse(DEFAULT);
        var modes = new HashMap<Integer, MetricsMode>();
        counted.forEach(id -> modes.put(id, defaultMode));
        for (SortOrder.Term term : sortOrder.terms()) {
            for (int id : term.sourceIds()) {
                if (!hasBounds(modes.getOrDefault(id, new MetricsMode.None()))) {
                    modes.put(id, DEFAULT);
                }
            }
        }
        settings.metricsByColumn()
                .forEach((name, mode) -> schema.field(name).ifPresent(field -> modes.put(field.id(), mode)));
        return modes;
    }

    private static boolean hasBounds(MetricsMode mode) {
        return mode instanceof MetricsMode.Truncate || mode instanceof MetricsMode.Full;
    }

    private static Set<Integer> allPrimitives(Schema schema) {
        var ids = new LinkedHashSet<Integer>();
        for (Field field : schema.allFields()) {
            if (field.type().isPrimitive()) {
                ids.add(field.id());
            }
        }
        return ids;
    }

    private static Set<Integer> firstPrimitives(Schema schema, int limit) {
        if (StreamSupport.stream(schema.allFields().spliterator(), false).count() <= limit) {
            return allPrimitives(schema);
        }
        var ids = new LinkedHashSet<Integer>();
        addPrimitives(schema.struct(), limit, ids);
        return ids;
    }

    private static void addPrimitives(Type.Nested type, int limit, Set<Integer> ids) {
        for (Field field : type.fields()) {
            if (field.type().isPrimitive() && ids.size() < limit) {
                ids.add(field.id());
            }
        }
        for (Field field : type.fields()) {
            if (field.type() instanceof Type.Nested nested && ids.size() < limit) {
                addPrimitives(nested, limit, ids);
            }
        }
    }
}
