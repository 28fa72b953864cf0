package dev.calve.it;

import dev.calve.commit.Removal;
import dev.calve.commit.SnapshotChange;
import dev.calve.commit.SnapshotChange.AddedData;
import dev.calve.commit.SnapshotChange.AddedDelete;
import dev.calve.commit.SnapshotChange.Operation;
import dev.calve.expression.Expression;
import dev.calve.manifest.DeleteFile;
import dev.calve.manifest.FileKey;
import dev.calve.metadata.SnapshotRef;
import dev.calve.metadata.TableMetadata;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;

/** Our side of a change to a {@link TwinTable}, read at the branch's newest snapshot. */
final class TwinChange {

    private final TwinTable twins;
    private final Operation operation;
    private final TableMetadata table;
    private final List<AddedData> data = new ArrayList<>();
    private final List<AddedDelete> deletes = new ArrayList<>();
    private final List<Removal> removals = new ArrayList<>();
    private final Map<String, String> summary = new HashMap<>();
    private String branch = SnapshotRef.MAIN;

    TwinChange(TwinTable twins, Operation operation) {
        this.twins = twins;
        this.operation = operation;
        this.table = twins.ours();
    }

    TwinChange on(String ref) {
        branch = ref;
        return this;
    }

    TwinChange add(TwinFile... files) {
        Arrays.stream(files)
                .map(file -> AddedData.ofNewRows(file.ourData(table)))
                .forEach(data::add);
        return this;
    }

    /** A file of older rows. */
    TwinChange addRewritten(TwinFile file, long sequenceNumber) {
        data.add(new AddedData(file.ourData(table), OptionalLong.of(sequenceNumber)));
        return this;
    }

    TwinChange remove(TwinFile... files) {
        removals.add(new Removal.Files(twins.known(branch, files)));
        return this;
    }

    TwinChange removeMatching(Expression filter) {
        removals.add(new Removal.Matching(filter));
        return this;
    }

    /** A vector or position delete file that takes the place of others. */
    TwinChange delete(TwinFile file, TwinFile... absorbed) {
        Set<FileKey> keys = Arrays.stream(absorbed)
                .map(other -> other.ourPositions(table).key())
                .collect(Collectors.toSet());
        return delete(file.ourPositions(table), keys);
    }

    TwinChange deleteKeys(TwinFile file) {
        return delete(file.ourKeys(table), Set.of());
    }

    private TwinChange delete(DeleteFile file, Set<FileKey> absorbed) {
        deletes.add(new AddedDelete(file, absorbed, Optional.empty()));
        return this;
    }

    TwinChange say(String key, String value) {
        summary.put(key, value);
        return this;
    }

    void commit() {
        OptionalLong read = table.commitParent(branch)
                .map(snapshot -> OptionalLong.of(snapshot.id()))
                .orElse(OptionalLong.empty());
        twins.commit(new SnapshotChange(
                operation, branch, read, table.formatVersion(), data, deletes, removals, List.of(), summary));
    }
}
