package dev.tensorstack.training.controller;

import dev.tensorstack.training.api.v1beta1.PyTorchTrainingJob;
import dev.tensorstack.training.status.JobEvent;
import java.util.List;
import org.jboss.logging.Logger;

/** Reports jobs that the API types cannot read: in the log, in a metric, on the job. */
final class UnreadableJobs {

  private static final Logger LOG = Logger.getLogger(UnreadableJobs.class);

  private final EventWriter events;
  private final JobMetrics metrics;

  UnreadableJobs(EventWriter events, JobMetrics metrics) {
    this.events = events;
    this.metrics = metrics;
  }

  /** Reports one; the job itself is left as it is, because its status could not be kept. */
  void report(PyTorchTrainingJob job) {
    LOG.errorf(
        "job %s/%s cannot be read and is left alone: %s; correct the field, or delete the job",
        job.getMetadata().getNamespace(), job.getMetadata().getName(), job.unreadable());
    metrics.unreadable(job.getMetadata().getNamespace());
    events.write(
        job,
        List.of(
            new JobEvent(
                "CreateFailed",
                true,
                0,
                "the job cannot be read: "
                    + job.unreadable()
                    + "; correct the field, or delete the job")));
  }
}
