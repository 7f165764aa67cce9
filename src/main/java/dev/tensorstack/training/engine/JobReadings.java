package dev.tensorstack.training.engine;

import dev.tensorstack.training.core.observe.TrainingJob;
import dev.tensorstack.training.kind.JobKind;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.client.CustomResource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What was read of the jobs that were looked at last. A job is looked at several times before its
 * status changes, and its spec hardly ever does: what is the same is not read again. Of a few
 * hundred jobs it is kept, as thousands may rest.
 *
 * @param <R> the Java type of the jobs
 */
final class JobReadings<R extends CustomResource<?, ?>> {

  /** More than are looked at in turns at any time; a completed spec is some kilobytes. */
  private static final int KEPT = 256;

  private final JobKind<R> kind;

  private final Map<String, Reading<R>> readings =
      new LinkedHashMap<>(KEPT, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Reading<R>> eldest) {
          return size() > KEPT;
        }
      };

  private record Reading<R>(R resource, TrainingJob job) {}

  /**
   * Nothing read yet.
   *
   * @param kind reads jobs
   */
  JobReadings(JobKind<R> kind) {
    this.kind = kind;
  }

  /**
   * Reads a job.
   *
   * @param resource a job that is readable
   * @return what {@link JobKind#read} says of it
   */
  TrainingJob read(R resource) {
    String uid = resource.getMetadata().getUid();
    Reading<R> before = before(uid);
    if (before != null
        && isSame(before.resource, resource)
        && before.resource.getStatus() == resource.getStatus()) {
      return before.job;
    }
    TrainingJob job =
        before != null && isSameSpec(before.resource, resource)
            ? kind.read(resource, before.job.spec())
            : kind.read(resource);
    synchronized (this) {
      readings.put(uid, new Reading<>(resource, job));
    }
    return job;
  }

  private synchronized @Nullable Reading<R> before(String uid) {
    return readings.get(uid);
  }

  /** The copies that the framework makes of a job have the same spec and status in them. */
  private static boolean isSame(CustomResource<?, ?> before, CustomResource<?, ?> now) {
    return before.getSpec() == now.getSpec() && before.getMetadata().equals(now.getMetadata());
  }

  /** A generation of the spec never changes; a queue or a scheduler may be named by a label. */
  private static boolean isSameSpec(CustomResource<?, ?> before, CustomResource<?, ?> now) {
    ObjectMeta earlier = before.getMetadata();
    ObjectMeta later = now.getMetadata();
    return earlier.getGeneration() != null
        && earlier.getGeneration().equals(later.getGeneration())
        && Objects.equals(earlier.getLabels(), later.getLabels())
        && Objects.equals(earlier.getAnnotations(), later.getAnnotations());
  }
}
