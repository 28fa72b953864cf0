package dev.calve.spark.procedure;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.MapData;
import org.apache.spark.sql.connector.catalog.procedures.ProcedureParameter;

/** The values of a call, by the names of the parameters; Spark has brought them into their order and to their types. */
final class Arguments {

    private static final long MICROS_PER_MILLI = 1000;

    private final String procedure;
    private final List<String> names;
    private final InternalRow values;

    /** @param procedure for messages */
    Arguments(String procedure, List<ProcedureParameter> parameters, InternalRow values) {
        this.procedure = procedure;
        this.names = parameters.stream().map(ProcedureParameter::name).toList();
        this.values = values;
    }

    private int index(String name) {
        int index = names.indexOf(name);
        if (index < 0) {
            throw new IllegalStateException(procedure + " has no parameter " + name + ", but " + names);
        }
        return index;
    }

    boolean isGiven(String name) {
        return !values.isNullAt(index(name));
    }

    private int given(String name) {
        if (!isGiven(name)) {
            throw new IllegalArgumentException(
                    "CALL " + procedure + " must be given argument '" + name + "', and not NULL for it.");
        }
        return index(name);
    }

    /** @throws IllegalArgumentException if it is not given, as all accessors of required values do */
    String string(String name) {
        return values.getUTF8String(given(name)).toString();
    }

    Optional<String> optionalString(String name) {
        return isGiven(name) ? Optional.of(string(name)) : Optional.empty();
    }

    long number(String name) {
        return values.getLong(given(name));
    }

    OptionalLong optionalLong(String name) {
        return isGiven(name) ? OptionalLong.of(values.getLong(index(name))) : OptionalLong.empty();
    }

    OptionalInt optionalInt(String name) {
        return isGiven(name) ? OptionalInt.of(values.getInt(index(name))) : OptionalInt.empty();
    }

    /** False if it is not given. */
    boolean flag(String name) {
        return isGiven(name) && values.getBoolean(index(name));
    }

    /** Epoch milliseconds; what is before them, and only that, is before the time that is given. */
    long millisAtOrAfter(String name) {
        return -Math.floorDiv(-values.getLong(given(name)), MICROS_PER_MILLI);
    }

    /** A span of time in milliseconds. */
    OptionalLong optionalAge(String name) {
        if (!isGiven(name)) {
            return OptionalLong.empty();
        }
        try {
            return OptionalLong.of(Age.millis(string(name)));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("Argument '" + name + "' of " + procedure + ": " + e.getMessage(), e);
        }
    }

    /** Pairs of strings; none if they are not given. */
    Map<String, String> pairs(String name) {
        var pairs = new LinkedHashMap<String, String>();
        if (isGiven(name)) {
            MapData map = values.getMap(index(name));
            for (int i = 0; i < map.numElements(); i++) {
                if (map.valueArray().isNullAt(i)) {
                    throw new IllegalArgumentException(
                            "Argument '" + name + "' of " + procedure + " must not hold NULL, but does for '"
                                    + map.keyArray().getUTF8String(i) + "'.");
                }
                pairs.put(
                        map.keyArray().getUTF8String(i).toString(),
                        map.valueArray().getUTF8String(i).toString());
            }
        }
        return pairs;
    }

    List<String> strings(String name) {
        ArrayData array = values.getArray(given(name));
        var result = new ArrayList<String>();
        for (int i = 0; i < array.numElements(); i++) {
            if (array.isNullAt(i)) {
                throw new IllegalArgumentException(
                        "Argument '" + name + "' of " + procedure + " must not hold NULL, but does at " + i + ".");
            }
            result.add(array.getUTF8String(i).toString());
        }
        return result;
    }
}
