package dev.calve.expression;

import dev.calve.expression.Expression.Cases;
import dev.calve.expression.Expression.In;
import dev.calve.expression.Expression.IsNaN;
import dev.calve.expression.Expression.IsNull;
import dev.calve.expression.Expression.Not;
import dev.calve.expression.Expression.StartsWith;

/** Cases for expressions in negation normal form: a negation is seen together with the predicate it is around. */
interface NormalCases<R> extends Cases<R> {

    R in(In in, boolean negated);

    R startsWith(StartsWith startsWith, boolean negated);

    R isNull(IsNull isNull, boolean negated);

    R isNaN(IsNaN isNaN, boolean negated);

    @Override
    default R in(In in) {
        return in(in, false);
    }

    @Override
    default R startsWith(StartsWith startsWith) {
        return startsWith(startsWith, false);
    }

    @Override
    default R isNull(IsNull isNull) {
        return isNull(isNull, false);
    }

    @Override
    default R isNaN(IsNaN isNaN) {
        return isNaN(isNaN, false);
    }

    @Override
    default R not(Not not) {
        if (not.part() instanceof In in) {
            return in(in, true);
        }
        if (not.part() instanceof StartsWith startsWith) {
            return startsWith(startsWith, true);
        }
        if (not.part() instanceof IsNull isNull) {
            return isNull(isNull, true);
        }
        if (not.part() instanceof IsNaN isNaN) {
            return isNaN(isNaN, true);
        }
        return Expressions.negationNormal(not).match(this);
    }
}
