package dev.calve.expression;

import dev.calve.expression.Expression.And;
import dev.calve.expression.Expression.Column;
import dev.calve.expression.Expression.Comparison;
import dev.calve.expression.Expression.Constant;
import dev.calve.expression.Expression.In;
import dev.calve.expression.Expression.IsNaN;
import dev.calve.expression.Expression.IsNull;
import dev.calve.expression.Expression.Not;
import dev.calve.expression.Expression.Operator;
import dev.calve.expression.Expression.Or;
import dev.calve.expression.Expression.Predicate;
import dev.calve.expression.Expression.StartsWith;
import dev.calve.expression.Expression.Term;
import dev.calve.expression.Expression.Transformed;
import dev.calve.partition.Transform;
import dev.calve.partition.Transforms;
import dev.calve.schema.Type;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Makes expressions. Every rewrite here keeps all three truth values on every row, so that the result may stand under any
 * other operator.
 *
 * <p>There is no null literal, because no predicate of ours is UNKNOWN on every row: who converts {@code x = NULL} must
 * decide what it means where it stands. A NaN literal becomes a comparison with an infinity: NaN is what is greater than
 * +infinity, and unlike {@link IsNaN} that is UNKNOWN on null.
 */
public final class Expressions {

    private Expressions() {}

    /** A transform of a column, as a term; the column itself for identity. */
    public static Term transformed(Column column, Transform transform) {
        if (transform instanceof Transform.Identity) {
            return column;
        }
        return new Transformed(column, transform, Transforms.resultType(transform, column.type()));
    }

    public static Expression and(Expression... parts) {
        return and(Arrays.asList(parts));
    }

    /** The conjunction, flattened, constants folded; TRUE for no parts. */
    public static Expression and(List<Expression> parts) {
        var flat = new LinkedHashSet<Expression>();
        for (Expression part : parts) {
            if (part == Constant.FALSE) {
                return Constant.FALSE;
            }
            if (part instanceof And and) {
                flat.addAll(and.parts());
            } else if (part != Constant.TRUE) {
                flat.add(part);
            }
        }
        return switch (flat.size()) {
            case 0 -> Constant.TRUE;
            case 1 -> flat.iterator().next();
            default -> new And(List.copyOf(flat));
        };
    }

    public static Expression or(Expression... parts) {
        return or(Arrays.asList(parts));
    }

    /** The disjunction, flattened, constants folded; FALSE for no parts. */
    public static Expression or(List<Expression> parts) {
        var flat = new LinkedHashSet<Expression>();
        for (Expression part : parts) {
            if (part == Constant.TRUE) {
                return Constant.TRUE;
            }
            if (part instanceof Or or) {
                flat.addAll(or.parts());
            } else if (part != Constant.FALSE) {
                flat.add(part);
            }
        }
        return switch (flat.size()) {
            case 0 -> Constant.FALSE;
            case 1 -> flat.iterator().next();
            default -> new Or(List.copyOf(flat));
        };
    }

    /** The negation; constants, double negations and comparisons are folded. */
    public static Expression not(Expression part) {
        if (part instanceof Constant constant) {
            return constant == Constant.TRUE ? Constant.FALSE : Constant.TRUE;
        }
        if (part instanceof Not not) {
            return not.part();
        }
        if (part instanceof Comparison comparison) {
            return new Comparison(comparison.term(), comparison.operator().negated(), comparison.literal());
        }
        return new Not(part);
    }

    /**
     * The same predicate with {@link Not} only directly around predicates that have no negated form (all but comparisons).
     * Above them is only what preserves "more TRUE": algorithms that replace predicates by weaker or stronger ones need that.
     */
    public static Expression negationNormal(Expression expression) {
        return normal(expression, false);
    }

    private static Expression normal(Expression expression, boolean negated) {
        if (expression instanceof Not not) {
            return normal(not.part(), !negated);
        }
        if (expression instanceof And and) {
            List<Expression> parts = normalParts(and.parts(), negated);
            return negated ? or(parts) : and(parts);
        }
        if (expression instanceof Or or) {
            List<Expression> parts = normalParts(or.parts(), negated);
            return negated ? and(parts) : or(parts);
        }
        return negated ? not(expression) : expression;
    }

    private static List<Expression> normalParts(List<Expression> parts, boolean negated) {
        return parts.stream().map(part -> normal(part, negated)).toList();
    }

    public static Expression equal(Term term, Object literal) {
        return comparison(term, Operator.EQUAL, literal);
    }

    /**
     * Compares a term with a literal that is not null.
     *
     * @throws IllegalArgumentException if the literal is not a value of the term's type, or the type has no order
     */
    public static Expression comparison(Term term, Operator operator, Object literal) {
        Object canonical = Literals.checked(term.type(), literal);
        if (!Literals.isNaN(canonical)) {
            return new Comparison(term, operator, canonical);
        }
        return switch (operator) {
            case EQUAL, GREATER_OR_EQUAL -> new Comparison(term, Operator.GREATER, infinity(term.type(), 1));
            case NOT_EQUAL, LESS -> new Comparison(term, Operator.LESS_OR_EQUAL, infinity(term.type(), 1));
            case LESS_OR_EQUAL -> new Comparison(term, Operator.GREATER_OR_EQUAL, infinity(term.type(), -1));
            case GREATER -> new Comparison(term, Operator.LESS, infinity(term.type(), -1));
        };
    }

    private static Object infinity(Type type, int sign) {
        return type == Type.Simple.FLOAT ? (Object) (float) (sign / 0d) : (Object) (sign / 0d);
    }

    /** Equality that is FALSE, not UNKNOWN, on null: SQL's {@code <=>} with a literal that is not null. */
    public static Expression nullSafeEqual(Term term, Object literal) {
        return and(notNull(term), equal(term, literal));
    }

    /** Whether the term is one of the literals, none of them null; FALSE even on null for no literals, as in Spark. */
    public static Expression in(Term term, Collection<?> literals) {
        boolean hasNaN = false;
        Set<Object> distinct = new LinkedHashSet<>();
        for (Object literal : literals) {
            Object canonical = Literals.checked(term.type(), literal);
            if (Literals.isNaN(canonical)) {
                hasNaN = true;
            } else {
                distinct.add(canonical);
            }
        }
        Expression ordinary = switch (distinct.size()) {
            case 0 -> Constant.FALSE;
            case 1 -> equal(term, distinct.iterator().next());
            default -> new In(term, distinct);
        };
        return hasNaN ? or(ordinary, equal(term, nan(term.type()))) : ordinary;
    }

    private static Object nan(Type type) {
        return type == Type.Simple.FLOAT ? (Object) Float.NaN : (Object) Double.NaN;
    }

    /** Whether a string starts with the prefix; with an empty prefix TRUE on all but null. */
    public static Expression startsWith(Term term, String prefix) {
        if (term.type() != Type.Simple.STRING) {
            throw new IllegalArgumentException("startsWith must have a string to look at, not " + term.type() + ".");
        }
        Literals.checkUnicode(prefix);
        return new StartsWith(term, prefix);
    }

    /** Whether the term is null; FALSE for a column that cannot be. */
    public static Expression isNull(Term term) {
        if (term instanceof Transformed transformed) {
            return nullOf(transformed);
        }
        return term.column().required() ? Constant.FALSE : new IsNull(term);
    }

    private static Expression nullOf(Transformed term) {
        if (term.transform() instanceof Transform.Void) {
            return Constant.TRUE;
        }
        boolean known = !(term.transform() instanceof Transform.Unknown);
        return known && term.column().required() ? Constant.FALSE : new IsNull(term);
    }

    public static Expression notNull(Term term) {
        return not(isNull(term));
    }

    /** Whether the term is NaN, FALSE on null; FALSE for types without NaN. */
    public static Expression isNaN(Term term) {
        return term.type().isFloating() ? new IsNaN(term) : Constant.FALSE;
    }

    /** The same predicate of another term of the same type. */
    static Predicate withTerm(Predicate predicate, Term term) {
        if (predicate instanceof Comparison comparison) {
            return new Comparison(term, comparison.operator(), comparison.literal());
        }
        if (predicate instanceof In in) {
            return new In(term, in.literals());
        }
        if (predicate instanceof StartsWith startsWith) {
            return new StartsWith(term, startsWith.prefix());
        }
        return predicate instanceof IsNull ? new IsNull(term) : new IsNaN(term);
    }
}
