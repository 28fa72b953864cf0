package dev.calve.spark.compat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.connector.catalog.CatalogPlugin;

/**
 * The catalogs of a session. Spark's catalog manager is a class up to 4.1 and an interface from 4.2 on, so that a call
 * compiled for the one fails with the other: its methods are found by name.
 */
public final class SessionCatalogs {

    private final Object manager;

    public SessionCatalogs(SparkSession session) {
        this.manager = session.sessionState().catalogManager();
    }

    public boolean isRegistered(String catalog) {
        return (Boolean) ask("isCatalogRegistered", catalog);
    }

    /**
     * The catalog of this name, which is loaded if it was not yet.
     *
     * @throws RuntimeException of Spark, if there is none
     */
    public CatalogPlugin catalog(String name) {
        return (CatalogPlugin) ask("catalog", name);
    }

    /** Name of the current catalog and, after it, the current namespace. */
    public List<String> current() {
        var current = new ArrayList<String>();
        current.add(((CatalogPlugin) ask("currentCatalog")).name());
        current.addAll(List.of((String[]) ask("currentNamespace")));
        return current;
    }

    private Object ask(String method, String... arguments) {
        Class<?>[] types = new Class<?>[arguments.length];
        Arrays.fill(types, String.class);
        try {
            return manager.getClass().getMethod(method, types).invoke(manager, (Object[]) arguments);
        } catch (ReflectiveOperationException e) {
            if (e.getCause() instanceof RuntimeException failure) {
                throw failure;
            }
            throw new IllegalStateException("Spark's catalogs cannot be asked: " + e, e);
        }
    }
}
