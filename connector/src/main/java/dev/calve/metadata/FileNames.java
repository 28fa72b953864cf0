package dev.calve.metadata;

import dev.calve.partition.PartitionPath;
import dev.calve.partition.PartitionTuple;
import dev.calve.partition.Transforms;
import dev.calve.schema.Type;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;

/**
 * Names for the files one task attempt of a statement writes: {@code <data>/<partition>/<task>-<attempt>-<statement>-<n>.ext},
 * with a hash behind {@code <data>} where the table says {@code write.object-storage.enabled}. Unique across tasks, attempts and
 * statements, and the statement's id finds what a crash left behind. Not for several threads.
 */
public final class FileNames {

    private static final int HASH_BITS = 20;

    private final TableMetadata table;
    private final UUID statementId;
    private final int task;
    private final long attempt;
    private final TableProperties properties;
    private final String folder;
    private final boolean hashed;
    private final String context;
    private int count;

    /**
     * @param task number of the task in its stage
     * @param attempt different for every attempt of the task
     */
    public FileNames(TableMetadata table, UUID statementId, int task, long attempt) {
        this.table = table;
        this.statementId = statementId;
        this.task = task;
        this.attempt = attempt;
        this.properties = TableProperties.of(table, table.location());
        this.folder = withoutSlash(properties.get(TableProperties.DATA_PATH).orElse(table.location() + "/data"));
        this.hashed = properties.get(TableProperties.OBJECT_STORAGE);
        this.context = context();
    }

    /** A new data file of one partition. */
    public String dataFile(int specId, PartitionTuple partition) {
        return inPartition(specId, partition, ".parquet");
    }

    /** A new position delete file of one partition. */
    public String positionDeletes(int specId, PartitionTuple partition) {
        return inPartition(specId, partition, "-deletes.parquet");
    }

    /** A new Puffin file of deletion vectors, which may belong to several partitions. */
    public String vectors() {
        return place(next("-deletes.puffin"));
    }

    private String inPartition(int specId, PartitionTuple partition, String suffix) {
        String name = next(suffix);
        if (hashed && !properties.get(TableProperties.OBJECT_STORAGE_PARTITIONS)) {
            return place(name);
        }
        String path = PartitionPath.of(table.spec(specId), table.partitionType(specId), partition);
        return place(path.isEmpty() ? name : path + "/" + name);
    }

    private String place(String name) {
        if (!hashed) {
            return folder + "/" + name;
        }
        String hash = hashFolders(name);
        if (!context.isEmpty()) {
            return folder + "/" + hash + "/" + context + "/" + name;
        }
        boolean partitions = properties.get(TableProperties.OBJECT_STORAGE_PARTITIONS);
        return folder + "/" + hash + (partitions ? "/" : "-") + name;
    }

    /** Folders that spread the requests of an object store: 20 bits of a hash of the name, four by four and the rest. */
    private static String hashFolders(String name) {
        int hash = Transforms.bucketHash(Type.Simple.STRING, name);
        String bits = Integer.toBinaryString(hash | Integer.MIN_VALUE).substring(Integer.SIZE - HASH_BITS);
        return bits.substring(0, 4) + "/" + bits.substring(4, 8) + "/" + bits.substring(8, 12) + "/"
                + bits.substring(12);
    }

    /** The last two folders of the table's location, which say whose files these are where the folder is not the table's own. */
    private String context() {
        String location = withoutSlash(table.location());
        if (!hashed || folder.startsWith(location)) {
            return "";
        }
        String path = location.replaceFirst("^[a-zA-Z][a-zA-Z0-9+.-]*:(//[^/]*)?", "");
        List<String> parts = Arrays.stream(path.split("/", -1))
                .filter(part -> !part.isEmpty())
                .toList();
        return String.join("/", parts.subList(Math.max(0, parts.size() - 2), parts.size()));
    }

    private static String withoutSlash(String location) {
        return location.endsWith("/") ? location.substring(0, location.length() - 1) : location;
    }

    private String next(String suffix) {
        return String.format("%05d-%d-%s-%05d%s", task, attempt, statementId, ++count, suffix);
    }
}
