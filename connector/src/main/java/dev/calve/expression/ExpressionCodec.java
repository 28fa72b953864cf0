package dev.calve.expression;

import dev.calve.expression.Expression.And;
import dev.calve.expression.Expression.Cases;
import dev.calve.expression.Expression.Column;
import dev.calve.expression.Expression.Comparison;
import dev.calve.expression.Expression.Constant;
import dev.calve.expression.Expression.In;
import dev.calve.expression.Expression.IsNaN;
import dev.calve.expression.Expression.IsNull;
import dev.calve.expression.Expression.Not;
import dev.calve.expression.Expression.Operator;
import dev.calve.expression.Expression.Or;
import dev.calve.expression.Expression.StartsWith;
import dev.calve.expression.Expression.Term;
import dev.calve.expression.Expression.Transformed;
import dev.calve.io.InvalidTableException;
import dev.calve.partition.Transform;
import dev.calve.schema.Bytes;
import dev.calve.schema.Type;
import dev.calve.schema.ValueCodec;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Carries expressions between processes that run the same version of this class; not a storage format. Prefix notation: a
 * tag, then what the tag needs; integers are big-endian, texts and literals preceded by their length.
 */
@SuppressWarnings("EnumOrdinal") // Both ends run this very class.
public final class ExpressionCodec {

    private enum Tag {
        TRUE,
        FALSE,
        AND,
        OR,
        NOT,
        COMPARISON,
        IN,
        STARTS_WITH,
        IS_NULL,
        IS_NAN
    }

    private enum TransformTag {
        IDENTITY,
        BUCKET,
        TRUNCATE,
        TIME,
        VOID,
        UNKNOWN
    }

    private enum TypeTag {
        SIMPLE,
        FIXED,
        DECIMAL,
        GEOMETRY,
        GEOGRAPHY
    }

    private ExpressionCodec() {}

    /** The expression as bytes, for {@link #fromBytes} only. */
    public static byte[] toBytes(Expression expression) {
        var bytes = new ByteArrayOutputStream();
        expression.match(new Writer(new DataOutputStream(bytes)));
        return bytes.toByteArray();
    }

    /**
     * Reads an expression back.
     *
     * @throws IllegalArgumentException if the bytes are not what {@link #toBytes} made
     */
    public static Expression fromBytes(byte[] bytes) {
        try (var in = new DataInputStream(new ByteArrayInputStream(bytes))) {
            Expression expression = new Reader(in).expression();
            if (in.available() > 0) {
                throw new IOException(in.available() + " bytes follow the expression");
            }
            return expression;
        } catch (IOException | ArrayIndexOutOfBoundsException | InvalidTableException e) {
            throw new IllegalArgumentException(
                    "Bytes must be an encoded expression, but " + bytes.length + " bytes are not: " + e.getMessage(),
                    e);
        }
    }

    @FunctionalInterface
    private interface Action {
        void run() throws IOException;
    }

    private record Writer(DataOutputStream out) implements Cases<Boolean> {

        private static Boolean written(Action action) {
            try {
                action.run();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            return true;
        }

        private void tag(Enum<?> tag) throws IOException {
            out.writeByte(tag.ordinal());
        }

        @Override
        public Boolean constant(Constant constant) {
            return written(() -> tag(constant == Constant.TRUE ? Tag.TRUE : Tag.FALSE));
        }

        @Override
        public Boolean and(And and) {
            return written(() -> parts(Tag.AND, and.parts()));
        }

        @Override
        public Boolean or(Or or) {
            return written(() -> parts(Tag.OR, or.parts()));
        }

        private void parts(Tag tag, List<Expression> parts) throws IOException {
            tag(tag);
            out.writeInt(parts.size());
            parts.forEach(part -> part.match(this));
        }

        @Override
        public Boolean not(Not not) {
            return written(() -> {
                tag(Tag.NOT);
                not.part().match(this);
            });
        }

        @Override
        public Boolean comparison(Comparison comparison) {
            return written(() -> {
                tag(Tag.COMPARISON);
                term(comparison.term());
                tag(comparison.operator());
                literal(comparison.term(), comparison.literal());
            });
        }

        @Override
        public Boolean in(In in) {
            return written(() -> {
                tag(Tag.IN);
                term(in.term());
                out.writeInt(in.literals().size());
                for (Object literal : in.literals()) {
                    literal(in.term(), literal);
                }
            });
        }

        @Override
        public Boolean startsWith(StartsWith startsWith) {
            return written(() -> {
                tag(Tag.STARTS_WITH);
                term(startsWith.term());
                text(startsWith.prefix());
            });
        }

        @Override
        public Boolean isNull(IsNull isNull) {
            return written(() -> {
                tag(Tag.IS_NULL);
                term(isNull.term());
            });
        }

        @Override
        public Boolean isNaN(IsNaN isNaN) {
            return written(() -> {
                tag(Tag.IS_NAN);
                term(isNaN.term());
            });
        }

        private void term(Term term) throws IOException {
            Column column = term.column();
            out.writeInt(column.fieldId());
            type(column.type());
            out.writeBoolean(column.required());
            out.writeBoolean(term instanceof Transformed);
            if (term instanceof Transformed transformed) {
                transform(transformed.transform());
                type(transformed.type());
            }
        }

        private void literal(Term term, Object literal) throws IOException {
            if (literal instanceof BigDecimal number) {
                // The partition value of a literal may need a digit more than its type has.
                bytes(number.unscaledValue().toByteArray());
            } else {
                bytes(ValueCodec.encode(term.type(), literal).toArray());
            }
        }

        private void type(Type type) throws IOException {
            if (type instanceof Type.Simple simple) {
                tag(TypeTag.SIMPLE);
                tag(simple);
            } else if (type instanceof Type.Fixed fixed) {
                tag(TypeTag.FIXED);
                out.writeInt(fixed.length());
            } else if (type instanceof Type.Decimal decimal) {
                tag(TypeTag.DECIMAL);
                out.writeByte(decimal.precision());
                out.writeByte(decimal.scale());
            } else if (type instanceof Type.Geometry geometry) {
                tag(TypeTag.GEOMETRY);
                text(geometry.crs());
            } else if (type instanceof Type.Geography geography) {
                tag(TypeTag.GEOGRAPHY);
                text(geography.crs());
                text(geography.algorithm());
            } else {
                throw new IllegalArgumentException("Column must have a primitive type, not " + type + ".");
            }
        }

        private void transform(Transform transform) throws IOException {
            if (transform instanceof Transform.Identity) {
                tag(TransformTag.IDENTITY);
            } else if (transform instanceof Transform.Bucket bucket) {
                tag(TransformTag.BUCKET);
                out.writeInt(bucket.count());
            } else if (transform instanceof Transform.Truncate truncate) {
                tag(TransformTag.TRUNCATE);
                out.writeInt(truncate.width());
            } else if (transform instanceof Transform.Time time) {
                tag(TransformTag.TIME);
                tag(time);
            } else if (transform instanceof Transform.Void) {
                tag(TransformTag.VOID);
            } else {
                tag(TransformTag.UNKNOWN);
                text(transform.toString());
            }
        }

        private void text(String text) throws IOException {
            bytes(text.getBytes(StandardCharsets.UTF_8));
        }

        private void bytes(byte[] bytes) throws IOException {
            out.writeInt(bytes.length);
            out.write(bytes);
        }
    }

    private record Reader(DataInputStream in) {

        Expression expression() throws IOException {
            return switch (Tag.values()[in.readByte()]) {
                case TRUE -> Constant.TRUE;
                case FALSE -> Constant.FALSE;
                case AND -> new And(parts());
                case OR -> new Or(parts());
                case NOT -> new Not(expression());
                case COMPARISON -> {
                    Term term = term();
                    Operator operator = Operator.values()[in.readByte()];
                    yield new Comparison(term, operator, literal(term));
                }
                case IN -> {
                    Term term = term();
                    yield new In(term, literals(term));
                }
                case STARTS_WITH -> new StartsWith(term(), text());
                case IS_NULL -> new IsNull(term());
                case IS_NAN -> new IsNaN(term());
            };
        }

        private List<Expression> parts() throws IOException {
            var parts = new ArrayList<Expression>();
            for (int left = in.readInt(); left > 0; left--) {
                parts.add(expression());
            }
            return parts;
        }

        private Set<Object> literals(Term term) throws IOException {
            Set<Object> literals = new LinkedHashSet<>();
            for (int left = in.readInt(); left > 0; left--) {
                literals.add(literal(term));
            }
            return literals;
        }

        private Term term() throws IOException {
            var column = new Column(in.readInt(), type(), in.readBoolean());
            return in.readBoolean() ? new Transformed(column, transform(), type()) : column;
        }

        private Object literal(Term term) throws IOException {
            return ValueCodec.decode(term.type(), Bytes.wrap(bytes()));
        }

        private Type type() throws IOException {
            return switch (TypeTag.values()[in.readByte()]) {
                case SIMPLE -> Type.Simple.values()[in.readByte()];
                case FIXED -> new Type.Fixed(in.readInt());
                case DECIMAL -> new Type.Decimal(in.readByte(), in.readByte());
                case GEOMETRY -> new Type.Geometry(text());
                case GEOGRAPHY -> new Type.Geography(text(), text());
            };
        }

        private Transform transform() throws IOException {
            return switch (TransformTag.values()[in.readByte()]) {
                case IDENTITY -> Transform.IDENTITY;
                case BUCKET -> new Transform.Bucket(in.readInt());
                case TRUNCATE -> new Transform.Truncate(in.readInt());
                case TIME -> Transform.Time.values()[in.readByte()];
                case VOID -> Transform.VOID;
                case UNKNOWN -> new Transform.Unknown(text());
            };
        }

        private String text() throws IOException {
            return new String(bytes(), StandardCharsets.UTF_8);
        }

        private byte[] bytes() throws IOException {
            int length = in.readInt();
            if (length < 0 || length > in.available()) {
                throw new IOException("a length of " + length + " where " + in.available() + " bytes are left");
            }
            return in.readNBytes(length);
        }
    }
}
