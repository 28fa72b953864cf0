package dev.calve.catalog;

import java.util.List;

/** A table's namespace parts and name inside a catalog. */
public record TableName(List<String> namespace, String name) {

    public TableName {
        namespace = List.copyOf(namespace);
    }

    @Override
    public String toString() {
        return namespace.isEmpty() ? name : String.join(".", namespace) + "." + name;
    }
}
