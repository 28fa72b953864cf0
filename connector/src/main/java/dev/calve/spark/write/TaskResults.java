package dev.calve.spark.write;

import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.executor.CommitDeniedException;

/**
 * Whether the driver still takes what a task has done. It drops the result of a task that succeeds after its job has failed,
 * or after another attempt of it has succeeded, and then nobody would know of the files it wrote.
 *
 * <p>Asked when all files are complete, which leaves the time a result travels as the only one in which files can be left
 * behind. A task that asks and fails afterwards fails its job: Spark cannot know whether its result counts.
 */
public final class TaskResults {

    private TaskResults() {}

    /**
     * Ends the task if its result is not wanted; the caller deletes what it wrote. Cost: one message to the driver.
     *
     * @throws org.apache.spark.TaskKilledException if the task was killed meanwhile: Spark fails it even if it ends well
     * @throws IllegalStateException which Spark does not count as a failure of the task, because of its cause
     */
    public static void requireWanted(TaskContext context) {
        boolean wanted = SparkEnv.get()
                .outputCommitCoordinator()
                .canCommit(
                        context.stageId(),
                        context.stageAttemptNumber(),
                        context.partitionId(),
                        context.attemptNumber());
        if (!wanted) {
            String message = "The result of task " + context.partitionId() + ", attempt " + context.attemptNumber()
                    + ", of stage " + context.stageId()
                    + " is not wanted any more: the job failed, or another attempt was faster.";
            throw new IllegalStateException(
                    message,
                    new CommitDeniedException(
                            message, context.stageId(), context.partitionId(), context.attemptNumber()));
        }
        context.killTaskIfInterrupted();
    }
}
