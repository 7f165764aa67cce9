package dev.tensorstack.training.engine;

import dev.tensorstack.training.core.model.TrainingReport;
import dev.tensorstack.training.core.observe.ObservedPod;
import dev.tensorstack.training.core.observe.TrainingJob;
import dev.tensorstack.training.kind.JobKind;
import io.fabric8.kubernetes.client.CustomResource;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The reports of the trainings of one kind, from the door to the memory of their jobs. */
final class JobReports<R extends CustomResource<?, ?>> implements ReportReceiver {

  private final JobKind<R> kind;
  private final JobEventSources<R> sources;
  private final JobReadings<R> readings;
  private final JobMemories memories;
  private final Clock clock;
  private final Duration minInterval;

  /**
   * The receiver of one kind.
   *
   * @param minInterval the shortest time between two status writes of a job
   */
  JobReports(
      JobKind<R> kind,
      JobEventSources<R> sources,
      JobReadings<R> readings,
      JobMemories memories,
      Clock clock,
      Duration minInterval) {
    this.kind = kind;
    this.sources = sources;
    this.readings = readings;
    this.memories = memories;
    this.clock = clock;
    this.minInterval = minInterval;
  }

  /** A job that is worked on here; null when there is none. */
  private @Nullable R job(String namespace, String name) {
    return sources
        .job(namespace, name)
        .filter(resource -> kind.isManagedHere(resource) && kind.unreadable(resource) == null)
        .orElse(null);
  }

  private static boolean isWanted(TrainingJob job) {
    return job.spec().runPolicy().progress().reports()
        && !job.deleting()
        && job.ledger().outcome() == null;
  }

  /** The pod, when it is a present one of the job's. */
  private Optional<ObservedPod> sender(TrainingJob job, String pod, String podUid) {
    return sources
        .observer()
        .pod(job, pod)
        .filter(found -> found.uid().equals(podUid))
        .filter(found -> found.attempt() == job.ledger().counts().attempt());
  }

  @Override
  public Answer receive(String namespace, String job, String pod, String podUid, Content content) {
    R resource = job(namespace, job);
    if (resource == null) {
      return Answer.NO_JOB;
    }
    TrainingJob read = readings.read(resource);
    ObservedPod sender = sender(read, pod, podUid).orElse(null);
    if (sender == null) {
      return Answer.NOT_ITS_POD;
    }
    if (!isWanted(read)) {
      return Answer.NOT_WANTED;
    }
    Instant now = clock.instant();
    JobMemory memory = memories.of(resource.getMetadata(), sources::exists);
    memory
        .training()
        .receive(
            now,
            moment ->
                new TrainingReport(
                    sender.attempt(),
                    content.percent(),
                    content.remainingSeconds(),
                    content.metrics(),
                    moment));
    sources.enqueueAlsoAt(
        new ResourceID(read.name(), read.namespace()), nextLook(read, memory, now));
    return Answer.ACCEPTED;
  }

  @Override
  public void turnedAway(String namespace, String job, String pod, String podUid) {
    R resource = job(namespace, job);
    if (resource != null && sender(readings.read(resource), pod, podUid).isPresent()) {
      memories.of(resource.getMetadata(), sources::exists).training().missed(clock.instant());
    }
  }

  /** A look that could write nothing yet would be in vain; a hang that is over is told at once. */
  private Instant nextLook(TrainingJob job, JobMemory memory, Instant now) {
    boolean hung = job.ledger().training() != null && job.ledger().training().problem() != null;
    boolean counts = job.spec().runPolicy().progress().failOnNaN() != null;
    Instant due = hung || counts ? null : memory.statusPace().nextOfTraining(minInterval);
    return later(now, due);
  }

  private static Instant later(Instant a, @Nullable Instant b) {
    return b != null && b.isAfter(a) ? b : a;
  }
}
