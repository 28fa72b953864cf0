package dev.calve.expression;

import java.util.AbstractMap;

/**
 * Statistics by field id that promise never to change, whoever holds them, so that {@link Metrics} can keep them without a
 * copy. Neither keys nor values are null.
 */
public abstract class StatisticsMap<V> extends AbstractMap<Integer, V> {}
