package dev.calve.spark.procedure;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.parser.ParseException;
import org.apache.spark.sql.connector.catalog.Identifier;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Finds the table that an argument names, as SQL would: {@code t} is in the current namespace, {@code db.t} in the catalog of
 * the procedure, {@code lake.db.t} says so.
 *
 * @param catalog name of the procedure's catalog
 * @param defaultNamespace where tables without a namespace are while another catalog is the current one
 */
record TableNames(String catalog, List<String> defaultNamespace) {

    TableNames {
        defaultNamespace = List.copyOf(defaultNamespace);
    }

    /**
     * The table's identifier.
     *
     * @throws IllegalArgumentException if the name is one of another catalog
     */
    Identifier identifier(SparkSession session, String name) {
        List<String> parts = parts(session, name);
        if (parts.size() == 1) {
            return identifier(currentNamespace(session), name(parts));
        }
        String first = parts.get(0);
        if (first.equals(catalog)) {
            List<String> rest = parts.subList(1, parts.size());
            return identifier(rest.subList(0, rest.size() - 1), name(rest));
        }
        if (session.conf().getOption("spark.sql.catalog." + first).isDefined()) {
            throw new IllegalArgumentException("The table must be one of catalog " + catalog
                    + ", which has the procedure, but '" + name + "' is one of catalog " + first + ".");
        }
        return identifier(parts.subList(0, parts.size() - 1), name(parts));
    }

    private static String name(List<String> parts) {
        return parts.get(parts.size() - 1);
    }

    private List<String> currentNamespace(SparkSession session) {
        if (!session.catalog().currentCatalog().equals(catalog)) {
            return defaultNamespace;
        }
        String current = session.catalog().currentDatabase();
        return current.isEmpty() ? List.of() : parts(session, current);
    }

    private static List<String> parts(SparkSession session, String name) {
        try {
            return CollectionConverters.asJava(
                    session.sessionState().sqlParser().parseMultipartIdentifier(name));
        } catch (ParseException e) {
            throw new IllegalArgumentException("'" + name + "' is not the name of a table: " + e.getMessage(), e);
        }
    }

    private static Identifier identifier(List<String> namespace, String name) {
        return Identifier.of(namespace.toArray(String[]::new), name);
    }

    /** The full name as Spark's parser reads it. */
    String text(Identifier identifier) {
        return Stream.of(Stream.of(catalog), Arrays.stream(identifier.namespace()), Stream.of(identifier.name()))
                .flatMap(part -> part)
                .map(part -> part.matches("[A-Za-z_]\\w*") ? part : "`" + part.replace("`", "``") + "`")
                .collect(Collectors.joining("."));
    }
}
