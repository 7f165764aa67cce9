package dev.tensorstack.training.kind.pytorchjob.admission;

import static java.util.Objects.requireNonNullElse;

import dev.tensorstack.training.kind.ContainersRule;
import dev.tensorstack.training.kind.JobSize;
import dev.tensorstack.training.kind.PlacedContainer;
import dev.tensorstack.training.kind.ReadLimits;
import dev.tensorstack.training.kind.pytorchjob.v1.ElasticPolicy;
import dev.tensorstack.training.kind.pytorchjob.v1.PyTorchJobSpec;
import dev.tensorstack.training.kind.pytorchjob.v1.ReplicaType;
import java.util.List;

/**
 * The operator can keep in mind what the job's pods are made of.
 *
 * <p>Refuses: a spec that is nested deeper than {@value ReadLimits#DEPTH} levels or has a name of
 * more than {@value ReadLimits#NAME} characters; a template with more than {@value
 * JobSize#MOST_CONTAINERS} containers, init containers included; a job whose pods have more than
 * {@value JobSize#MOST_CONTAINERS_TOGETHER} containers together.
 */
final class ReadableRule extends ContainersRule<PyTorchJobSpec> {

  ReadableRule() {
    super(ReplicaFields.ALL);
  }

  /** Of an elastic job when it is largest. */
  @Override
  protected List<PodsOfType> pods(PyTorchJobSpec spec) {
    ElasticPolicy elastic = spec.elasticPolicy();
    return ReplicaFields.known(spec).entrySet().stream()
        .map(
            entry -> {
              long pods = requireNonNullElse(entry.getValue().replicas(), 1);
              if (entry.getKey() == ReplicaType.Worker && elastic != null) {
                pods = Math.max(pods, requireNonNullElse(elastic.maxReplicas(), 1));
              }
              return new PodsOfType(
                  ReplicaFields.template(entry.getKey()),
                  PlacedContainer.count(entry.getValue().template()),
                  pods);
            })
        .toList();
  }
}
