package dev.calve.parquet;

import java.lang.reflect.InvocationTargetException;
import java.util.Optional;
import org.apache.parquet.schema.LogicalTypeAnnotation;

/**
 * The annotation of variant columns, which parquet-java has from 1.16 on. Files that Spark 4.0 writes lack it; readers find
 * their variants by the table's schema.
 */
final class VariantAnnotation {

    private static final byte VERSION_1 = 1;

    private static final Optional<LogicalTypeAnnotation> FOUND = find();

    private VariantAnnotation() {}

    /** Empty if this parquet-java has no such annotation. */
    static Optional<LogicalTypeAnnotation> ofVersion1() {
        return FOUND;
    }

    private static Optional<LogicalTypeAnnotation> find() {
        try {
            return Optional.of((LogicalTypeAnnotation) LogicalTypeAnnotation.class
                    .getMethod("variantType", byte.class)
                    .invoke(null, VERSION_1));
        } catch (NoSuchMethodException e) {
            return Optional.empty();
        } catch (IllegalAccessException | InvocationTargetException e) {
            throw new IllegalStateException("parquet-java refuses the annotation of variants of version 1.", e);
        }
    }
}
