package dev.calve.spark.rowlevel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.deletes.PositionBitmap;
import dev.calve.spark.wire.RowsChanged.Fragment;
import org.junit.jupiter.api.Test;

class UpdatedOnceTest {

    private static Fragment fragment(String path, PositionBitmap deleted, PositionBitmap updated) {
        return new Fragment(path, deleted, updated);
    }

    @Test
    void unitesWhatTasksDidToAFile() {
        var changed = new UpdatedOnce();
        changed.add(fragment("a", PositionBitmap.of(1), PositionBitmap.of(2, 3)));
        changed.add(fragment("b", PositionBitmap.of(), PositionBitmap.of(0)));
        changed.add(fragment("a", PositionBitmap.of(4), PositionBitmap.of(5)));
        assertThat(changed.updated()).isEqualTo(4);
        assertThat(changed.going())
                .containsOnlyKeys("a", "b")
                .containsEntry("a", PositionBitmap.of(1, 2, 3, 4, 5))
                .containsEntry("b", PositionBitmap.of(0));
    }

    @Test
    void aRowMayBeDeletedTwice() {
        var changed = new UpdatedOnce();
        changed.add(fragment("a", PositionBitmap.of(1), PositionBitmap.of()));
        changed.add(fragment("a", PositionBitmap.of(1), PositionBitmap.of()));
        assertThat(changed.going()).containsEntry("a", PositionBitmap.of(1));
        assertThat(changed.updated()).isZero();
    }

    @Test
    void refusesARowThatTwoTasksUpdate() {
        var changed = new UpdatedOnce();
        changed.add(fragment("a", PositionBitmap.of(), PositionBitmap.of(1, 7)));
        assertThatThrownBy(() -> changed.add(fragment("a", PositionBitmap.of(), PositionBitmap.of(7))))
                .hasMessageContaining("of a 1 updates change a row another one changed")
                .hasMessageContaining("Save it first");
    }

    @Test
    void refusesARowThatIsUpdatedAndDeleted() {
        var changed = new UpdatedOnce();
        changed.add(fragment("a", PositionBitmap.of(), PositionBitmap.of(1, 7)));
        assertThatThrownBy(() -> changed.add(fragment("a", PositionBitmap.of(7), PositionBitmap.of())))
                .hasMessageContaining("the row at position 7 is both updated and deleted");
    }

    @Test
    void refusesARowThatOneTaskUpdatesTwice() {
        assertThatThrownBy(() -> UpdatedOnce.check("a", PositionBitmap.of(), PositionBitmap.of(1), 2))
                .isInstanceOf(IllegalStateException.class);
        UpdatedOnce.check("a", PositionBitmap.of(2), PositionBitmap.of(1), 1);
    }
}
