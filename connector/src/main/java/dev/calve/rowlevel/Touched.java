package dev.calve.rowlevel;

import dev.calve.commit.ConflictRule;
import dev.calve.commit.Removal;
import dev.calve.deletes.PositionBitmap;
import dev.calve.manifest.DataFile;
import dev.calve.manifest.DeleteFile;
import dev.calve.manifest.FileKey;
import dev.calve.manifest.ManifestEntry;
import dev.calve.rowdelete.Outcome;
import dev.calve.scan.FileTask;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A data file some or all of whose rows go, and how that was settled.
 *
 * @param task the file with the deletes that applied when it was settled
 */
public record Touched(FileTask task, Outcome outcome) {

    public Touched {
        if (outcome.positions().isEmpty()) {
            throw new IllegalArgumentException(
                    "A touched file must lose a row, but " + task.file().path() + " loses none.");
        }
    }

    /**
     * Files that lose rows, from what was settled.
     *
     * @param tasks what the outcomes number, from 0
     */
    public static List<Touched> of(List<FileTask> tasks, List<Outcome> outcomes) {
        var touched = new ArrayList<Touched>();
        for (Outcome outcome : outcomes) {
            if (!(outcome instanceof Outcome.Untouched)) {
                touched.add(new Touched(tasks.get(outcome.task()), outcome));
            }
        }
        return touched;
    }

    public DataFile file() {
        return task.file();
    }

    public String path() {
        return task.file().path();
    }

    /** Rows that go and were alive in the snapshot the file was settled for. */
    public PositionBitmap positions() {
        return outcome.positions();
    }

    boolean isRewritten() {
        return outcome instanceof Outcome.Rewritten;
    }

    static Removal.Known known(FileTask task) {
        return Removal.Known.of(task);
    }

    static ConflictRule.Place place(FileTask task) {
        return new ConflictRule.Place(task.file().specId(), task.file().partition());
    }

    /** Deletes that speak of this data file alone: the new file repeats their positions. */
    Set<FileKey> absorbed() {
        return task.deletes().stream()
                .map(ManifestEntry::file)
                .filter(file -> file.scopedTo().isPresent())
                .map(DeleteFile::key)
                .collect(Collectors.toSet());
    }
}
