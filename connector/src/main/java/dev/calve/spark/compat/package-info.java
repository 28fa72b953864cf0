/**
 * What Spark's versions 4.0 to 4.2 offer differently: a small class for each difference, which the rest calls as if there
 * were one Spark. The versions are told apart by what they have, not by their number.
 */
@NullMarked
package dev.calve.spark.compat;

import org.jspecify.annotations.NullMarked;
