package dev.calve.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.catalog.TableName;
import dev.calve.catalog.warehouse.Directory;
import dev.calve.commit.CommitStateUnknownException;
import dev.calve.hadoop.HadoopDirectory;
import dev.calve.hadoop.HadoopStorage;
import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Commits whose publication gets no answer, on a real directory: they end committed or unknown, and nothing is deleted. */
class LostAnswerIT {

    @TempDir
    Path warehouse;

    private CoreTable table;
    private CoreTable unsteady;
    private Unsteady directory;
    private CrashScene scene;

    @BeforeEach
    void makeDirectory() {
        HadoopStorage storage = CoreTable.localStorage();
        directory = new Unsteady(new HadoopDirectory(storage));
        var name = new TableName(List.of("ns"), "t");
        var proxy = (Directory)
                Proxy.newProxyInstance(Directory.class.getClassLoader(), new Class<?>[] {Directory.class}, directory);
        unsteady = new CoreTable(CoreTable.catalog(warehouse, proxy), storage, name);
        table = CoreTable.in(warehouse, "t");
    }

    /** What happens to the publication of a statement. */
    private enum Fault {
        NONE,
        /** It is done, and the client fails before it can say so. */
        ANSWER_LOST,
        /** It is done, and a repeated request finds its own file. */
        ASKED_TWICE,
        /** It is done, and then the store does not answer anything any more. */
        STORE_LOST,
        /** It is still on its way when the client gives up. */
        STILL_COMING
    }

    /** A directory with one fault. */
    private static final class Unsteady implements InvocationHandler {

        private final Directory real;
        private Fault fault = Fault.NONE;
        private boolean gone;
        private String lateLocation = "";
        private byte[] lateContent = {};
        private UUID lateStatement = new UUID(0, 0);

        Unsteady(Directory real) {
            this.real = real;
        }

        @Override
        public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
            if (gone) {
                throw new IOException("the store does not answer");
            }
            if (!method.getName().equals("publish") || fault == Fault.NONE) {
                return call(method, arguments);
            }
            switch (fault) {
                case STILL_COMING -> {
                    lateLocation = (String) arguments[0];
                    lateContent = (byte[]) arguments[1];
                    lateStatement = (UUID) arguments[2];
                    throw new IllegalStateException("no answer in time");
                }
                case ASKED_TWICE -> {
                    assertThat(call(method, arguments)).isInstanceOf(Directory.Publication.Published.class);
                    return call(method, arguments);
                }
                default -> {
                    assertThat(call(method, arguments)).isInstanceOf(Directory.Publication.Published.class);
                    gone = fault == Fault.STORE_LOST;
                    throw new IllegalStateException("the answer is lost");
                }
            }
        }

        private Object call(Method method, Object[] arguments) throws Throwable {
            try {
                return method.invoke(real, arguments);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        }

        /** The publication that was on its way arrives. */
        Directory.Publication arrive() {
            return real.publish(lateLocation, lateContent, lateStatement);
        }
    }

    private UUID begin(CrashKind kind, Fault fault) throws IOException {
        kind.prepare(table);
        UUID statement = UUID.randomUUID();
        scene = CrashScene.before(warehouse, table, kind + ", " + fault + ", statement " + statement);
        directory.fault = fault;
        return statement;
    }

    @ParameterizedTest
    @EnumSource(CrashKind.class)
    void aLostAnswerIsFoundOut(CrashKind kind) throws IOException {
        UUID statement = begin(kind, Fault.ANSWER_LOST);
        kind.run(unsteady, statement);
        scene.assertRows(kind.rowsAfter());
        assertThat(scene.leftovers()).as(scene.what()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(CrashKind.class)
    void aRepeatedRequestDoesNotLoseToItself(CrashKind kind) throws IOException {
        UUID statement = begin(kind, Fault.ASKED_TWICE);
        kind.run(unsteady, statement);
        scene.assertRows(kind.rowsAfter());
        assertThat(scene.leftovers()).as(scene.what()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(CrashKind.class)
    void aStatementIsUnknownWhenTheStoreIsGone(CrashKind kind) throws IOException {
        UUID statement = begin(kind, Fault.STORE_LOST);
        var before = FolderState.of(warehouse);
        assertThatThrownBy(() -> kind.run(unsteady, statement))
                .as(scene.what())
                .isInstanceOf(CommitStateUnknownException.class);
        // All rows are there, so nothing the statement wrote was deleted; nor was anything else, like old metadata.
        scene.assertRows(kind.rowsAfter());
        assertThat(FolderState.of(warehouse).files())
                .as("what was there; %s", scene.what())
                .containsAllEntriesOf(before.files());
        CrashKind.next(table);
        Set<Long> ids = kind.rowsAfter();
        ids.remove(CrashKind.NEXT_ROW);
        scene.assertRows(ids);
    }

    @ParameterizedTest
    @EnumSource(CrashKind.class)
    void aPublicationMayArriveAfterTheStatementGaveUp(CrashKind kind) throws IOException {
        UUID statement = begin(kind, Fault.STILL_COMING);
        assertThatThrownBy(() -> kind.run(unsteady, statement))
                .as(scene.what())
                .isInstanceOf(CommitStateUnknownException.class);
        scene.assertRows(CrashKind.rowsBefore());
        scene.assertLeftovers(Set.of(statement), false);
        assertThat(directory.arrive()).isInstanceOf(Directory.Publication.Published.class);
        scene.assertRows(kind.rowsAfter());
        // All it needs was kept. What the commit would have cleaned up was kept too: metadata, and a manifest merged
        // away.
        boolean merges = kind == CrashKind.APPEND_AND_MERGE_MANIFESTS;
        assertThat(scene.leftovers())
                .as(scene.what())
                .allMatch(file -> file.matches("metadata/v\\d+\\.metadata\\.json")
                        || (merges && file.equals("metadata/" + statement + "-m0.avro")));
    }

    @ParameterizedTest
    @EnumSource(CrashKind.class)
    void aPublicationThatArrivesTooLateChangesNothing(CrashKind kind) throws IOException {
        UUID statement = begin(kind, Fault.STILL_COMING);
        assertThatThrownBy(() -> kind.run(unsteady, statement))
                .as(scene.what())
                .isInstanceOf(CommitStateUnknownException.class);
        CrashKind.next(table);
        assertThat(directory.arrive()).as(scene.what()).isInstanceOf(Directory.Publication.Taken.class);
        Set<Long> ids = CrashKind.rowsBefore();
        ids.remove(CrashKind.NEXT_ROW);
        scene.assertRows(ids);
        scene.assertLeftovers(Set.of(statement), false);

        // Whoever runs the statement again gets what it says, and the files of the first try change nothing.
        kind.run(table, UUID.randomUUID());
        ids = kind.rowsAfter();
        ids.remove(CrashKind.NEXT_ROW);
        scene.assertRows(ids);
        scene.assertLeftovers(Set.of(statement), false);
    }
}
