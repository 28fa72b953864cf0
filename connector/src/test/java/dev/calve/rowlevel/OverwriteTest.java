package dev.calve.rowlevel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.commit.ConflictRule;
import dev.calve.commit.SnapshotChange;
import dev.calve.commit.SnapshotChange.Operation;
import dev.calve.expression.Expression;
import dev.calve.manifest.DataFile;
import dev.calve.metadata.TableProperties.IsolationLevel;
import dev.calve.rowlevel.RowTable.Range;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class OverwriteTest {

    private static final Range THREE = new Range(1, 3);
    private static final ConflictRule ADDITIONS = new ConflictRule.NoNewDataMatching(Expression.Constant.TRUE);

    private final RowTable table = RowTable.unpartitioned(3);

    private Overwrite of(boolean rewrite, Range going, DataFile... coming) {
        RowChange delete = table.run(rewrite, IsolationLevel.SNAPSHOT).delete(going);
        return new Overwrite(delete, List.of(coming), Optional.of(ADDITIONS));
    }

    private DataFile coming() {
        return table.file(List.of(RowTable.Row.of(70), RowTable.Row.of(71)));
    }

    @Test
    void isADeleteOnlyIfItAddsNoFile() {
        table.append(1, 10);
        assertThat(of(false, THREE, coming()).toSnapshotChange().operation()).isEqualTo(Operation.OVERWRITE);
        assertThat(of(false, THREE).toSnapshotChange().operation()).isEqualTo(Operation.DELETE);
        assertThat(of(true, THREE).toSnapshotChange().operation()).isEqualTo(Operation.OVERWRITE);
        // As elsewhere, also where nothing was.
        assertThat(of(false, new Range(50, 60), coming()).toSnapshotChange().operation())
                .isEqualTo(Operation.OVERWRITE);
        assertThat(of(false, new Range(50, 60)).isEmpty()).isTrue();
    }

    @Test
    void newRowsAreYoungerThanThoseWrittenAgain() {
        table.append(1, 10);
        SnapshotChange change = of(true, THREE, coming()).toSnapshotChange();
        assertThat(change.addedData())
                .extracting(SnapshotChange.AddedData::dataSequenceNumber)
                .containsExactly(OptionalLong.empty(), OptionalLong.of(1));
        assertThat(change.rowCounts().deleted()).hasValue(3);
        assertThat(change.rowCounts().inserted()).hasValue(2);
        assertThat(change.rowCounts().copied()).hasValue(7);
    }

    @Test
    void guardsFilesThatGoAndWhatMayBeAdded() {
        table.append(1, 10);
        assertThat(of(false, THREE, coming()).toSnapshotChange().rules())
                .hasAtLeastOneElementOfType(ConflictRule.FilesStillThere.class)
                .contains(ADDITIONS);
    }

    @Test
    void whatGoesMustGoLikeDeletedRowsUnderNoIsolationOfItsOwn() {
        table.append(1, 10);
        RowChange serializable = table.run(false, IsolationLevel.SERIALIZABLE).delete(THREE);
        assertThatThrownBy(() -> new Overwrite(serializable, List.of(), Optional.empty()))
                .isInstanceOf(IllegalArgumentException.class);
        RowChange update = table.run(false, IsolationLevel.SNAPSHOT).update(THREE, id -> id);
        assertThatThrownBy(() -> new Overwrite(update, List.of(), Optional.empty()))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
