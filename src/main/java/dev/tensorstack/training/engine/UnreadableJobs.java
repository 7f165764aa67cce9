package dev.tensorstack.training.engine;

import dev.tensorstack.training.core.naming.Events;
import dev.tensorstack.training.core.report.JobEvent;
import dev.tensorstack.training.kind.JobKind;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.util.List;
import org.jboss.logging.Logger;

/** Reports jobs that the API types cannot read: in the log, in a metric, on the job. */
final class UnreadableJobs<R extends CustomResource<?, ?>> {

  private static final Logger LOG = Logger.getLogger(UnreadableJobs.class);

  private final JobKind<R> kind;
  private final EventWriter events;
  private final JobMetrics metrics;

  UnreadableJobs(JobKind<R> kind, EventWriter events, JobMetrics metrics) {
    this.kind = kind;
    this.events = events;
    this.metrics = metrics;
  }

  /** Reports one; the job itself is left as it is, because its status could not be kept. */
  void report(R job) {
    LOG.errorf(
        "job %s/%s cannot be read and is left alone: %s; correct the field, or delete the job",
        job.getMetadata().getNamespace(), job.getMetadata().getName(), kind.unreadable(job));
    metrics.unreadable(job.getMetadata().getNamespace());
    events.write(
        EventTarget.of(kind, job),
        List.of(
            new JobEvent(
                Events.CREATE_FAILED,
                true,
                0,
                "the job cannot be read: "
                    + kind.unreadable(job)
                    + "; correct the field, or delete the job")));
  }

  /** Reports a job whose reconciliation failed; it is tried again, and holds up no other job. */
  void cannotBeReconciled(R job, Exception problem) {
    LOG.errorf(
        problem,
        "job %s/%s: the reconciliation failed; it is tried again",
        job.getMetadata().getNamespace(),
        job.getMetadata().getName());
    JobEvent event =
        new JobEvent(
            Events.CREATE_FAILED,
            true,
            0,
            "the operator cannot work with this job, which is a defect of the operator: "
                + problem);
    try {
      events.write(EventTarget.of(kind, job), List.of(event));
    } catch (KubernetesClientException away) {
      // The job is tried again in any case, and fails again: the event comes then.
      LOG.warnf("the event about it could not be written: %s", away.getMessage());
    }
  }
}
