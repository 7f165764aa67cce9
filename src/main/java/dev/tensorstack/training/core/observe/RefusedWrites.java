package dev.tensorstack.training.core.observe;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The writes for a job that the API server has refused, one refusal for each object and kind of
 * write. It is gone as soon as the write is accepted, or not wanted any more: a quota of long ago
 * says nothing about a job that has its pods, nor does a refused deletion about a creation.
 *
 * @param byWrite the last refusal of each write
 */
public record RefusedWrites(Map<ObjectWrite, WriteFailure> byWrite) {

  /** Nothing was refused. */
  public static final RefusedWrites NONE = new RefusedWrites(Map.of());

  /** A moment that lies further ahead was never decided on: the clock was put back. */
  public static final Duration LONGEST = Duration.ofMinutes(2);

  /** Nobody changes it afterwards. */
  public RefusedWrites {
    byWrite = Map.copyOf(byWrite);
  }

  /**
   * These refusals.
   *
   * @param failures the refusals; of one write the last one counts
   * @return all of them
   */
  public static RefusedWrites of(Collection<WriteFailure> failures) {
    Map<ObjectWrite, WriteFailure> byWrite = new LinkedHashMap<>();
    failures.forEach(failure -> byWrite.put(failure.write(), failure));
    return byWrite.isEmpty() ? NONE : new RefusedWrites(byWrite);
  }

  /**
   * The refusal of a write.
   *
   * @param write the write
   * @return its last refusal; null when there was none, or it was accepted since
   */
  public @Nullable WriteFailure get(ObjectWrite write) {
    return byWrite.get(write);
  }

  /**
   * Whether nothing was refused.
   *
   * @return true when all is well
   */
  public boolean isEmpty() {
    return byWrite.isEmpty();
  }

  /**
   * What has to wait.
   *
   * @param now the present time
   * @return by {@link ObjectWrite#company()}, until when those writes wait; without those that may
   *     be tried now
   */
  public Map<ObjectWrite, Instant> heldBack(Instant now) {
    Map<ObjectWrite, Instant> until = new HashMap<>();
    for (WriteFailure failure : byWrite.values()) {
      if (now.isBefore(failure.retryAt()) && !failure.retryAt().isAfter(now.plus(LONGEST))) {
        until.merge(failure.write().company(), failure.retryAt(), (a, b) -> a.isAfter(b) ? a : b);
      }
    }
    return until;
  }

  /**
   * What still matters.
   *
   * @param wanted the writes that are wanted
   * @return the refusals of those, and of what is being tried again at this moment
   */
  public RefusedWrites ofWanted(Set<ObjectWrite> wanted) {
    List<WriteFailure> left =
        byWrite.values().stream()
            .filter(failure -> failure.retried() || wanted.contains(failure.write()))
            .toList();
    return left.size() == byWrite.size() ? this : of(left);
  }
}
