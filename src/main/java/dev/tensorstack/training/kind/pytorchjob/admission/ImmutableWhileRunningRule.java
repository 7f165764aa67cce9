package dev.tensorstack.training.kind.pytorchjob.admission;

import static dev.tensorstack.training.core.model.Violation.Reason.FieldValueForbidden;

import dev.tensorstack.training.core.model.Violation;
import dev.tensorstack.training.kind.FieldCheck;
import dev.tensorstack.training.kind.Rule;
import dev.tensorstack.training.kind.RuleContext;
import dev.tensorstack.training.kind.SpecComparison;
import dev.tensorstack.training.kind.pytorchjob.spec.ProcessesPerNode;
import dev.tensorstack.training.kind.pytorchjob.v1.ElasticPolicy;
import dev.tensorstack.training.kind.pytorchjob.v1.PyTorchJobSpec;
import dev.tensorstack.training.kind.pytorchjob.v1.ReplicaSpec;
import dev.tensorstack.training.kind.pytorchjob.v1.ReplicaType;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What pods were made from changes only while there are none. It compares with the stored object;
 * what is absent has its default, on both sides. An update that suspends or resumes the job may
 * change anything: Kueue puts templates back while it suspends, and changes them while it resumes.
 *
 * <p>Refuses: a change of a template or restartPolicy, of the types of replicas, of nprocPerNode or
 * of elasticPolicy but for its metrics, while the job runs and goes on running.
 */
final class ImmutableWhileRunningRule implements Rule<PyTorchJobSpec> {

  private static final String REMEDY =
      " while the job runs: its pods would not notice; set runPolicy.suspend to true before, or in"
          + " the same update";
  private static final String CHANGED = "cannot be changed" + REMEDY;
  private static final String ELASTIC = "spec.elasticPolicy";

  /** Fields of elasticPolicy beside its bounds. */
  private static final Map<String, Function<ElasticPolicy, @Nullable Object>> RENDEZVOUS =
      new LinkedHashMap<>();

  static {
    RENDEZVOUS.put("rdzvBackend", ElasticPolicy::rdzvBackend);
    RENDEZVOUS.put("rdzvPort", ElasticPolicy::rdzvPort);
    RENDEZVOUS.put("rdzvHost", ElasticPolicy::rdzvHost);
    RENDEZVOUS.put("rdzvId", ElasticPolicy::rdzvId);
    RENDEZVOUS.put("rdzvConf", policy -> orEmpty(policy.rdzvConf()));
    RENDEZVOUS.put("standalone", policy -> Boolean.TRUE.equals(policy.standalone()));
    RENDEZVOUS.put("maxRestarts", ElasticPolicy::maxRestarts);
  }

  @Override
  public String id() {
    return "immutable-while-running";
  }

  @Override
  public List<Violation> check(RuleContext<PyTorchJobSpec> subject) {
    FieldCheck check = new FieldCheck(id());
    PyTorchJobSpec old = subject.old();
    PyTorchJobSpec now = subject.spec();
    if (old == null || old.suspended() || now.suspended()) {
      return check.violations();
    }
    types(check, ReplicaFields.known(old), ReplicaFields.known(now));
    compare(check, "spec.nprocPerNode", ProcessesPerNode.of(old), ProcessesPerNode.of(now));
    ElasticPolicy before = old.elasticPolicy();
    ElasticPolicy after = now.elasticPolicy();
    if (before == null || after == null) {
      givenOrNot(check, ELASTIC, before != null, after != null);
    } else {
      bounds(check, old, before, now, after);
      RENDEZVOUS.forEach(
          (field, value) ->
              compare(check, ELASTIC + "." + field, value.apply(before), value.apply(after)));
    }
    return check.violations();
  }

  private static void types(
      FieldCheck check, Map<ReplicaType, ReplicaSpec> old, Map<ReplicaType, ReplicaSpec> now) {
    for (ReplicaType type : ReplicaType.values()) {
      ReplicaSpec before = old.get(type);
      ReplicaSpec after = now.get(type);
      if (before == null || after == null) {
        givenOrNot(check, ReplicaFields.of(type), before != null, after != null);
      } else {
        compare(
            check,
            ReplicaFields.of(type) + ".restartPolicy",
            before.restartPolicy(),
            after.restartPolicy());
        compare(check, ReplicaFields.template(type), before.template(), after.template());
      }
    }
  }

  private static void bounds(
      FieldCheck check,
      PyTorchJobSpec old,
      ElasticPolicy before,
      PyTorchJobSpec now,
      ElasticPolicy after) {
    if (areWorkers(old, before) && areWorkers(now, after)) {
      // As when no bound is given: then it is the number of workers that the user has changed.
      if (!Objects.equals(before.maxReplicas(), after.maxReplicas())) {
        check.add(
            ReplicaFields.of(ReplicaType.Worker) + ".replicas",
            FieldValueForbidden,
            "torchrun has started with exactly "
                + before.maxReplicas()
                + " workers: to scale the job while it runs, suspend it once and give it"
                + " elasticPolicy.minReplicas and maxReplicas");
      }
      return;
    }
    bound(check, "minReplicas", before.minReplicas(), after.minReplicas());
    bound(check, "maxReplicas", before.maxReplicas(), after.maxReplicas());
  }

  /** Whether both bounds are the number of workers. */
  private static boolean areWorkers(PyTorchJobSpec spec, ElasticPolicy elastic) {
    ReplicaSpec workers = spec.replicas(ReplicaType.Worker);
    return workers != null
        && Objects.equals(elastic.minReplicas(), workers.replicas())
        && Objects.equals(elastic.maxReplicas(), workers.replicas());
  }

  private static void bound(
      FieldCheck check, String field, @Nullable Integer before, @Nullable Integer after) {
    if (!Objects.equals(before, after)) {
      check.add(
          ELASTIC + "." + field,
          FieldValueForbidden,
          "cannot be changed from " + before + " to " + after + REMEDY);
    }
  }

  private static void givenOrNot(FieldCheck check, String field, boolean before, boolean after) {
    if (before != after) {
      check.add(
          field, FieldValueForbidden, "cannot be " + (after ? "added" : "taken out") + REMEDY);
    }
  }

  private static void compare(
      FieldCheck check, String field, @Nullable Object before, @Nullable Object after) {
    if (!SpecComparison.same(before, after)) {
      check.add(field, FieldValueForbidden, CHANGED);
    }
  }

  private static <T> List<T> orEmpty(@Nullable List<T> list) {
    return list == null ? List.of() : list;
  }
}
