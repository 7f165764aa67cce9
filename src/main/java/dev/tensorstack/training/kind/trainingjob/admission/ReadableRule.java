package dev.tensorstack.training.kind.trainingjob.admission;

import static java.util.Objects.requireNonNullElse;

import dev.tensorstack.training.kind.ContainersRule;
import dev.tensorstack.training.kind.JobSize;
import dev.tensorstack.training.kind.PlacedContainer;
import dev.tensorstack.training.kind.ReadLimits;
import dev.tensorstack.training.kind.trainingjob.v1beta1.Elastic;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobSpec;
import dev.tensorstack.training.kind.trainingjob.v1beta1.ReplicaSpec;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The operator can keep in mind what the job's pods are made of, and the status can tell of them.
 *
 * <p>Refuses: a spec that is nested deeper than {@value ReadLimits#DEPTH} levels or has a name of
 * more than {@value ReadLimits#NAME} characters; a template with more than {@value
 * JobSize#MOST_CONTAINERS} containers, init containers included; a job whose pods have more than
 * {@value JobSize#MOST_CONTAINERS_TOGETHER} containers together.
 */
final class ReadableRule extends ContainersRule<PyTorchTrainingJobSpec> {

  ReadableRule() {
    super("spec.replicaSpecs");
  }

  @Override
  protected List<PodsOfType> pods(PyTorchTrainingJobSpec spec) {
    List<ReplicaSpec> types = PlacedContainers.types(spec);
    return IntStream.range(0, types.size())
        .mapToObj(
            i ->
                new PodsOfType(
                    PlacedContainers.templateOf(i),
                    PlacedContainer.count(types.get(i).template()),
                    requireNonNullElse(types.get(i).replicas(), 1)))
        .toList();
  }

  /** Of an elastic job when it is largest; any type may be the one that grows. */
  @Override
  protected long together(PyTorchTrainingJobSpec spec, List<PodsOfType> types) {
    Elastic elastic = spec.elastic();
    if (elastic == null || !elastic.on()) {
      return super.together(spec, types);
    }
    int most = types.stream().mapToInt(PodsOfType::containers).max().orElse(0);
    return (long) most * requireNonNullElse(elastic.maxReplicas(), 0);
  }
}
