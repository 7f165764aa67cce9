package dev.tensorstack.training.engine;

import dev.tensorstack.training.core.observe.ObjectWrite;
import dev.tensorstack.training.core.observe.RefusedWrites;
import dev.tensorstack.training.core.observe.WriteFailure;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What this process knows of a job's refused writes, one entry for each object and kind of write,
 * and how long writes wait because of them: 1, 2, 4, … up to 60 seconds, in a row of its own for
 * what is created and what is deleted.
 */
final class RefusalMemory {

  private final Map<ObjectWrite, WriteFailure> refused = new HashMap<>();
  private final Set<ObjectWrite> retried = new HashSet<>();
  private final Map<ObjectWrite, Row> rows = new HashMap<>();

  /** Refusals one after the other, of writes that wait with each other. */
  private static final class Row {
    private int refusals;
    private Instant until = Instant.MIN;
  }

  /** What was refused and neither accepted since nor forgotten. */
  synchronized RefusedWrites known() {
    List<WriteFailure> failures = new ArrayList<>(refused.size());
    for (WriteFailure failure : refused.values()) {
      failures.add(
          new WriteFailure(
              failure.write(),
              failure.kind(),
              failure.message(),
              failure.retryAt(),
              retried.contains(failure.write())));
    }
    return RefusedWrites.of(failures);
  }

  /** Whether the last one of these writes, or one that waits with them, was refused. */
  synchronized boolean isRefused(ObjectWrite write) {
    return rows.containsKey(write.company());
  }

  /** A write is sent. */
  synchronized void sent(ObjectWrite write) {
    if (refused.containsKey(write)) {
      retried.add(write);
    }
  }

  /** A write was called back, or ended without an answer that says anything. */
  synchronized void cancelled(ObjectWrite write) {
    retried.remove(write);
  }

  /** The API server accepted a write. */
  synchronized void accepted(ObjectWrite write, Instant now) {
    retried.remove(write);
    refused.remove(write);
    Row row = rows.get(write.company());
    // One that was under way beside a refused one says nothing about the next.
    if (row != null && (write.company().equals(write) || !now.isBefore(row.until))) {
      rows.remove(write.company());
    }
  }

  /**
   * The API server refused a write. Several that were under way together are one refusal as far as
   * the delay is concerned.
   */
  synchronized void refused(
      ObjectWrite write, WriteFailure.Kind kind, String message, Instant now) {
    retried.remove(write);
    Row row = rows.computeIfAbsent(write.company(), any -> new Row());
    boolean clockWasPutBack = row.until.isAfter(now.plus(RefusedWrites.LONGEST));
    if (!now.isBefore(row.until) || clockWasPutBack) {
      if (kind == WriteFailure.Kind.NAME_ENDING) {
        // It takes as long as it takes, and ends.
        row.until = now.plus(RetryDelay.after(0));
      } else {
        row.until = now.plus(RetryDelay.after(row.refusals));
        row.refusals++;
      }
    }
    refused.put(write, new WriteFailure(write, kind, message, row.until));
  }

  /**
   * Forgets what is not wanted any more.
   *
   * @param seen what was known when the plan was made; what was refused since is kept
   * @param wanted what of it is still wanted
   */
  synchronized void forget(RefusedWrites seen, RefusedWrites wanted) {
    if (refused.isEmpty()) {
      return;
    }
    for (WriteFailure failure : seen.byWrite().values()) {
      WriteFailure present = refused.get(failure.write());
      if (wanted.get(failure.write()) == null
          && present != null
          && present.retryAt().equals(failure.retryAt())
          && !retried.contains(failure.write())) {
        refused.remove(failure.write());
      }
    }
    Set<ObjectWrite> left = new HashSet<>();
    refused.keySet().forEach(write -> left.add(write.company()));
    rows.keySet().retainAll(left);
  }
}
