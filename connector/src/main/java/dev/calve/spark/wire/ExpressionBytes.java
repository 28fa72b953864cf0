package dev.calve.spark.wire;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.ObjectStreamClass;
import java.io.Serializable;
import java.io.UncheckedIOException;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.types.StructType;

/** A bound expression of Spark and the columns it is bound to, in Java's serialization, which Spark's expressions support. */
public final class ExpressionBytes implements Serializable {

    private static final long serialVersionUID = 1L;

    private final byte[] expression;
    private final String columnsJson;

    private ExpressionBytes(byte[] expression, String columnsJson) {
        this.expression = expression;
        this.columnsJson = columnsJson;
    }

    public static ExpressionBytes of(Expression expression, StructType columns) {
        var bytes = new ByteArrayOutputStream();
        try (var out = new ObjectOutputStream(bytes)) {
            out.writeObject(expression);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new ExpressionBytes(bytes.toByteArray(), columns.json());
    }

    /** A fresh copy, which may be used by one thread. */
    public Expression expression() {
        try (var in = new SparkObjects(expression)) {
            return (Expression) in.readObject();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException("The executor must have the driver's Spark classes: " + e.getMessage(), e);
        }
    }

    public StructType columns() {
        return (StructType) StructType.fromJson(columnsJson);
    }

    /** Finds classes through the task's class loader, since jars added to a session are not seen by Spark's own. */
    private static final class SparkObjects extends ObjectInputStream {
        SparkObjects(byte[] bytes) throws IOException {
            super(new ByteArrayInputStream(bytes));
        }

        @Override
        protected Class<?> resolveClass(ObjectStreamClass description) throws IOException, ClassNotFoundException {
            ClassLoader loader = Thread.currentThread().getContextClassLoader();
            try {
                return Class.forName(description.getName(), false, loader);
            } catch (ClassNotFoundException e) {
                return super.resolveClass(description);
            }
        }
    }
}
