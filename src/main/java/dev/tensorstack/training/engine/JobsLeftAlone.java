package dev.tensorstack.training.engine;

import dev.tensorstack.training.core.report.JobEvent;
import dev.tensorstack.training.kind.JobKind;
import io.fabric8.kubernetes.client.CustomResource;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Tells of jobs on which nobody works, as far as this operator knows. */
final class JobsLeftAlone<R extends CustomResource<?, ?>> {

  private final JobKind<R> kind;
  private final EventWriter events;
  private final JobMemories memories;
  private final Predicate<JobMemories.JobKey> exists;

  /** What was told of one job. */
  static final class Memory {
    private @Nullable JobEvent told;

    private synchronized boolean isNews(JobEvent event) {
      return !Objects.equals(event, told);
    }

    private synchronized void told(JobEvent event) {
      told = event;
    }
  }

  /**
   * Nothing was told yet.
   *
   * @param kind the kind of the jobs
   * @param memories remember what was told
   * @param exists whether a job still exists in the cache
   */
  JobsLeftAlone(
      JobKind<R> kind,
      EventWriter events,
      JobMemories memories,
      Predicate<JobMemories.JobKey> exists) {
    this.kind = kind;
    this.events = events;
    this.memories = memories;
    this.exists = exists;
  }

  /**
   * Tells of one, once: a later look asks the API server for nothing. What another process has told
   * is found there, and stays as it is.
   */
  void report(R job) {
    JobEvent event = kind.leftAlone(job);
    if (event == null) {
      return;
    }
    Memory memory = memories.of(job.getMetadata(), exists).leftAlone();
    if (memory.isNews(event)) {
      events.write(EventTarget.of(kind, job), List.of(event));
      memory.told(event);
    }
  }
}
