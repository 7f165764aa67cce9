package dev.tensorstack.training.engine;

import dev.tensorstack.training.core.report.JobEvent;
import dev.tensorstack.training.kind.JobKind;
import io.fabric8.kubernetes.client.CustomResource;
import java.util.List;

/** Tells of jobs on which nobody works, as far as this operator knows. */
final class JobsLeftAlone<R extends CustomResource<?, ?>> {

  private final JobKind<R> kind;
  private final EventWriter events;

  JobsLeftAlone(JobKind<R> kind, EventWriter events) {
    this.kind = kind;
    this.events = events;
  }

  /** Tells of one; at a later look the event is there and stays as it is. */
  void report(R job) {
    JobEvent event = kind.leftAlone(job);
    if (event != null) {
      events.write(EventTarget.of(kind, job), List.of(event));
    }
  }
}
