package dev.calve.rowlevel.interleaving;

import dev.calve.commit.CommitConflictException;
import dev.calve.commit.CommitOutcome;
import dev.calve.commit.CommitStateUnknownException;
import dev.calve.commit.CommitTarget;
import dev.calve.commit.Committer;
import dev.calve.commit.FileLedger;
import dev.calve.commit.MetadataCommit;
import dev.calve.commit.Resettle;
import dev.calve.commit.ScriptedCommitter.Answer;
import dev.calve.commit.SnapshotChange;
import dev.calve.commit.Statement;
import dev.calve.commit.SwapOutcome;
import dev.calve.commit.SwapRequest;
import dev.calve.commit.TableCommit;
import dev.calve.commit.TableState;
import dev.calve.metadata.MetadataUpdate;
import dev.calve.metadata.Requirement;
import dev.calve.metadata.Snapshot;
import dev.calve.metadata.TableMetadata;
import dev.calve.metadata.TableProperties;
import dev.calve.rowlevel.interleaving.Scheduler.Step;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.function.Function;

/**
 * One writer with its own connection to the catalog. Pauses before each request; one request may get an answer that is not the
 * honest one.
 */
final class Client implements Committer {

    /** What becomes of a swap, the honest answer first. */
    enum Fate {
        HONEST,
        REJECTED,
        /** Done, but the client is told that somebody was faster; a retry below it, mostly. */
        DONE_BUT_REJECTED,
        /** Done, the answer lost; the client looks for its snapshot. */
        DONE_BUT_UNKNOWN,
        /** As before, but the client cannot look either. */
        DONE_BUT_UNSEEN,
        /** Never done, the answer lost. */
        NEVER,
        /** The answer is lost; done at some time after it was given up, if nobody was faster. */
        LATE,
        /** Certainly not done, and the table is not to blame. */
        FAILED;

        private static final List<String> NAMES =
                List.of(values()).stream().map(Fate::toString).toList();
    }

    private static final List<String> LOADS = List.of("loaded", "a failing load");

    private final Work work;
    final UUID id = UUID.randomUUID();
    final FileLedger ledger;

    private final Table table;
    private final Scheduler scheduler;
    private final Scheduler.Actor actor;

    /** The queue within a JVM goes by it. */
    private final String uuid = UUID.randomUUID().toString();

    private boolean mayBeUnlucky = true;
    private boolean nextLoadFails;
    private Optional<Ending> ending = Optional.empty();
    private Optional<Snapshot> read = Optional.empty();
    private Optional<Snapshot> seen = Optional.empty();

    Client(Work work, Table table, Scheduler scheduler) {
        this.work = work;
        this.table = table;
        this.scheduler = scheduler;
        this.ledger = new FileLedger(table.storage);
        this.actor = scheduler.add(work.name(), self -> run());
    }

    Work work() {
        return work;
    }

    Ending ending() {
        return ending.orElseThrow();
    }

    /** The snapshot whose rows it read last; empty for a table without rows. */
    Optional<Snapshot> read() {
        return read;
    }

    /** The newest snapshot it knew of. */
    Optional<Snapshot> seen() {
        return seen;
    }

    /** Notes that the rows of this state are about to be read. */
    void reads(TableState state) {
        read = state.metadata().currentSnapshot();
    }

    /** What snapshots say of the writer. */
    Map<String, String> summary() {
        return Map.of("writer", work.name());
    }

    private void run() {
        TableState state = shown();
        seen = state.metadata().currentSnapshot();
        try {
            ending = Optional.of(
                    work.kind().addsNoSnapshot() ? changeMetadata() : new Execution(this, table, work).run(state));
        } catch (CommitConflictException e) {
            ending = Optional.of(new Ending.Refused(e));
        } catch (CommitStateUnknownException e) {
            ending = Optional.of(new Ending.Unknown(e));
        } catch (UncheckedIOException | UnsupportedOperationException e) {
            ledger.abort();
            ending = Optional.of(new Ending.Failed(e));
        } catch (IOException e) {
            ledger.abort();
            ending = Optional.of(new Ending.Failed(new UncheckedIOException(e)));
        }
        scheduler.note(work.name() + " ends " + ending.get());
    }

    private Ending changeMetadata() throws IOException {
        Function<TableMetadata, List<MetadataUpdate>> change = work.kind() == Work.Kind.UPGRADE
                ? metadata ->
                        metadata.formatVersion() == 3 ? List.of() : List.of(new MetadataUpdate.UpgradeFormatVersion(3))
                : metadata -> work.name().equals(metadata.properties().get("set-by"))
                        ? List.of()
                        : List.of(new MetadataUpdate.SetProperties(Map.of("set-by", work.name())));
        new MetadataCommit(UUID.randomUUID(), "db.t", uuid, this, Clock.systemUTC()).commit(change);
        return new Ending.Changed();
    }

    Ending commit(SnapshotChange change, Resettle resettle) {
        Optional<Statement.Isolation> isolation = work.kind().isRowLevel()
                ? Optional.of(new Statement.Isolation(work.isolation(), TableProperties.MERGE_ISOLATION.name()))
                : Optional.empty();
        var statement = new Statement(id, work.kind().toString(), isolation, ledger);
        var target = new CommitTarget("db.t", uuid, this, table.storage);
        CommitOutcome outcome = new TableCommit(target, statement, Clock.systemUTC()).commit(change, resettle);
        return outcome.committed()
                .<Ending>map(committed -> new Ending.Committed(committed.snapshotId()))
                .orElseGet(Ending.Nothing::new);
    }

    @Override
    public TableState load() throws IOException {
        actor.pause(Step.LOAD);
        if (nextLoadFails || (mayBeUnlucky && scheduler.answer(work.name(), LOADS) == 1)) {
            mayBeUnlucky = false;
            nextLoadFails = false;
            throw new IOException("Injected: no load");
        }
        TableState state = shown();
        seen = state.metadata().currentSnapshot();
        return state;
    }

    @Override
    public SwapOutcome swap(SwapRequest request) {
        actor.pause(Step.SWAP);
        Fate fate = mayBeUnlucky ? Fate.values()[scheduler.answer(work.name(), Fate.NAMES)] : Fate.HONEST;
        mayBeUnlucky &= fate == Fate.HONEST;
        nextLoadFails = fate == Fate.DONE_BUT_UNSEEN;
        SwapRequest sent = sent(request);
        return switch (fate) {
            case HONEST -> send(sent, Answer.HONEST);
            case REJECTED -> send(sent, Answer.REJECTED);
            case DONE_BUT_REJECTED -> send(sent, Answer.DONE_BUT_REJECTED);
            case DONE_BUT_UNKNOWN, DONE_BUT_UNSEEN -> send(sent, Answer.DONE_BUT_UNKNOWN);
            case NEVER -> send(sent, Answer.UNKNOWN);
            case LATE -> {
                scheduler.later(work.name() + "'s swap", () -> send(sent, Answer.HONEST));
                yield send(sent, Answer.UNKNOWN);
            }
            case FAILED -> send(sent, Answer.FAILED);
        };
    }

    /** A swap as the catalog gets it: with the table's real uuid. */
    private SwapRequest sent(SwapRequest request) {
        String real = table.metadata().uuid();
        return new SwapRequest(
                request.statement(),
                named(request.base(), real),
                request.updates(),
                request.requirements().stream()
                        .map(requirement -> requirement instanceof Requirement.TableUuid own
                                        && own.uuid().equals(uuid)
                                ? new Requirement.TableUuid(real)
                                : requirement)
                        .toList(),
                named(request.result(), real));
    }

    private SwapOutcome send(SwapRequest sent, Answer answer) {
        SwapOutcome outcome = table.committer.answer(answer).swap(sent);
        return outcome instanceof SwapOutcome.Swapped swapped
                ? new SwapOutcome.Swapped(named(swapped.state(), uuid))
                : outcome;
    }

    private TableState shown() {
        return named(table.committer.now(), uuid);
    }

    private static TableState named(TableState state, String uuid) {
        return new TableState(named(state.metadata(), uuid), state.metadataLocation());
    }

    private static TableMetadata named(TableMetadata of, String uuid) {
        return new TableMetadata(
                of.formatVersion(),
                uuid,
                of.location(),
                of.lastSequenceNumber(),
                of.lastUpdatedMillis(),
                of.lastColumnId(),
                of.currentSchemaId(),
                of.schemas(),
                of.defaultSpecId(),
                of.specs(),
                of.lastPartitionId(),
                of.defaultSortOrderId(),
                of.sortOrders(),
                of.properties(),
                of.currentSnapshotId(),
                of.nextRowId(),
                of.refs(),
                of.snapshots(),
                of.statistics(),
                of.partitionStatistics(),
                of.snapshotLog(),
                of.metadataLog(),
                of.unknownFields());
    }

    /** The id, empty for a table without rows. */
    static OptionalLong optionalId(Optional<Snapshot> snapshot) {
        return snapshot.isPresent() ? OptionalLong.of(snapshot.get().id()) : OptionalLong.empty();
    }
}
