package dev.calve.rowlevel;

import dev.calve.metadata.TableProperties.IsolationLevel;
import dev.calve.rowlevel.RowTable.Range;
import dev.calve.rowlevel.RowTable.Row;
import java.util.List;
import java.util.OptionalLong;

/**
 * What another writer does to a table of rows 1 to 10 in one file and 11 to 20 in another, while a statement is under way that
 * selects ids 1 to 3, or 1 to 10 to get the file as a whole.
 */
enum ConcurrentChange {
    NONE {
        @Override
        void happen(RowTable table) {}
    },
    OTHER_ROWS_DELETED {
        @Override
        void happen(RowTable table) {
            delete(table, 5, 6);
        }
    },
    OTHER_ROWS_DELETED_WIDELY {
        @Override
        void happen(RowTable table) {
            table.deleteWidely(5L, 15L);
        }

        @Override
        boolean happensIn(int version) {
            return version == 2;
        }
    },
    A_ROW_DELETED {
        @Override
        void happen(RowTable table) {
            delete(table, 2, 2);
        }
    },
    A_ROW_DELETED_WIDELY {
        @Override
        void happen(RowTable table) {
            table.deleteWidely(2L, 15L);
        }

        @Override
        boolean happensIn(int version) {
            return version == 2;
        }
    },
    ALL_THREE_ROWS_DELETED {
        @Override
        void happen(RowTable table) {
            delete(table, 1, 3);
        }
    },
    A_ROW_UPDATED {
        @Override
        void happen(RowTable table) {
            update(table, 2, 2);
        }
    },
    A_ROW_UPDATED_AWAY {
        @Override
        void happen(RowTable table) {
            update(table, 2, 502);
        }
    },
    A_ROW_DELETED_AND_ANOTHER_UPDATED_AWAY {
        @Override
        void happen(RowTable table) {
            delete(table, 2, 2);
            update(table, 3, 503);
            delete(table, 6, 6);
        }
    },
    ANOTHER_ROW_UPDATED {
        @Override
        void happen(RowTable table) {
            update(table, 5, 505);
        }
    },
    ANOTHER_ROW_UPDATED_INTO_RANGE {
        @Override
        void happen(RowTable table) {
            update(table, 5, 3);
        }
    },
    FILE_DELETED {
        @Override
        void happen(RowTable table) {
            delete(table, 1, 10);
        }
    },
    ROWS_REWRITTEN {
        @Override
        void happen(RowTable table) {
            var run = table.run(true, IsolationLevel.SERIALIZABLE);
            run.commit(run.again(run.delete(new Range(6, 6))));
        }
    },
    COMPACTED {
        @Override
        void happen(RowTable table) {
            var run = table.run(false, IsolationLevel.SERIALIZABLE);
            run.commit(run.again(run.compact(new Range(1, 20), 30)));
        }
    },
    MATCHING_ROW_APPENDED {
        @Override
        void happen(RowTable table) {
            table.table.append(table.file(List.of(new Row(103, 3, OptionalLong.empty()))));
        }
    },
    OTHER_ROWS_APPENDED {
        @Override
        void happen(RowTable table) {
            table.append(200, 205);
        }
    },
    KEY_DELETED {
        @Override
        void happen(RowTable table) {
            table.deleteByKey(2L);
        }
    },
    UPGRADED {
        @Override
        void happen(RowTable table) {
            table.table.upgradeTo(3);
        }

        @Override
        boolean happensIn(int version) {
            return version == 2;
        }
    },
    UPGRADED_AND_OTHER_ROWS_DELETED {
        @Override
        void happen(RowTable table) {
            delete(table, 5, 6);
            table.table.upgradeTo(3);
        }

        @Override
        boolean happensIn(int version) {
            return version == 2;
        }
    },
    ROW_IDS_ASSIGNED {
        @Override
        void happen(RowTable table) {
            table.table.upgradeTo(3);
            table.append(200, 205);
        }

        @Override
        boolean happensIn(int version) {
            return version == 2;
        }
    };

    abstract void happen(RowTable table);

    boolean happensIn(int version) {
        return true;
    }

    private static void delete(RowTable table, long from, long to) {
        table.run(false, IsolationLevel.SERIALIZABLE).deleteAndCommit(new Range(from, to));
    }

    private static void update(RowTable table, long id, long newId) {
        var run = table.run(false, IsolationLevel.SERIALIZABLE);
        run.commit(run.again(run.update(new Range(id, id), old -> newId)));
    }
}
