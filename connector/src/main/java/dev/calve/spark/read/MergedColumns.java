package dev.calve.spark.read;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.vectorized.ColumnVector;

/** The columns that several readers want of one file, each field once; structs are merged field by field, by field id. */
final class MergedColumns {

    private MergedColumns() {}

    /** All fields of the first, in their order and of their type, then those only the second has. */
    static StructType merge(StructType first, StructType second) {
        List<StructField> merged = new ArrayList<>(List.of(first.fields()));
        for (StructField field : second.fields()) {
            int at = find(merged, field).orElse(-1);
            if (at < 0) {
                merged.add(field);
            } else if (merged.get(at).dataType() instanceof StructType has
                    && field.dataType() instanceof StructType wants) {
                StructField own = merged.get(at);
                merged.set(at, new StructField(own.name(), merge(has, wants), own.nullable(), own.metadata()));
            }
        }
        return new StructType(merged.toArray(StructField[]::new));
    }

    /** Shows, of the vectors of merged columns, those that one of the readers wants. */
    static List<ColumnVector> part(List<ColumnVector> vectors, StructType merged, StructType wanted) {
        var result = new ArrayList<ColumnVector>(wanted.size());
        for (StructField field : wanted.fields()) {
            int at = find(List.of(merged.fields()), field)
                    .orElseThrow(() -> new IllegalStateException(field + " must be one of " + merged));
            result.add(part(vectors.get(at), merged.apply(at).dataType(), field.dataType()));
        }
        return result;
    }

    private static ColumnVector part(ColumnVector vector, DataType merged, DataType wanted) {
        if (!(merged instanceof StructType all) || !(wanted instanceof StructType some) || all.equals(some)) {
            return vector;
        }
        var children = new ColumnVector[all.size()];
        Arrays.setAll(children, vector::getChild);
        return new Shape.StructVector(
                some, vector, part(List.of(children), all, some).toArray(ColumnVector[]::new));
    }

    private static Optional<Integer> find(List<StructField> fields, StructField wanted) {
        for (int i = 0; i < fields.size(); i++) {
            if (FileProjection.idOf(fields.get(i)).equals(FileProjection.idOf(wanted))) {
                return Optional.of(i);
            }
        }
        return Optional.empty();
    }
}
