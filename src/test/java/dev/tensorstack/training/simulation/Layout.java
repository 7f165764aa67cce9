package dev.tensorstack.training.simulation;

import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobSpec;
import dev.tensorstack.training.kind.trainingjob.v1beta1.ReplicaSpec;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** How many nodes of each type a spec asks for (contract section 5). */
final class Layout {

  private Layout() {}

  /** Whether these are the nodes that the spec asks for; types without nodes may be absent. */
  static boolean isWished(PyTorchTrainingJobSpec spec, Map<String, Integer> counts) {
    List<ReplicaSpec> types = spec.replicaSpecs();
    int[] wished = wished(spec);
    int[] had = new int[wished.length];
    int all = 0;
    for (int i = 0; i < had.length; i++) {
      had[i] = counts.getOrDefault(types.get(i).type(), 0);
      all += had[i];
    }
    if (Arrays.equals(wished, had)) {
      return true;
    }
    // The master's node has to come from somebody; the contract does not say from whom.
    boolean lent = wished[0] == 1 && Arrays.stream(wished).sum() > total(spec);
    if (!lent || had[0] != 1 || all != total(spec)) {
      return false;
    }
    for (int i = 1; i < had.length; i++) {
      if (had[i] > wished[i] || had[i] < wished[i] - 1) {
        return false;
      }
    }
    return true;
  }

  /** All nodes together. */
  static int total(PyTorchTrainingJobSpec spec) {
    return spec.elasticOn()
        ? spec.elastic().expectedReplicas()
        : spec.replicaSpecs().stream().mapToInt(ReplicaSpec::replicas).sum();
  }

  /** By type; the first may get one more than there is, which is then lent by another. */
  static int[] wished(PyTorchTrainingJobSpec spec) {
    List<ReplicaSpec> types = spec.replicaSpecs();
    int[] counts = new int[types.size()];
    int weights = 0;
    int rest = total(spec);
    for (int i = 0; i < counts.length; i++) {
      ReplicaSpec type = types.get(i);
      if (!spec.elasticOn() || type.scalingWeight() == 0) {
        counts[i] = type.replicas();
        rest -= counts[i];
      } else {
        weights += type.scalingWeight();
      }
    }
    if (!spec.elasticOn()) {
      return counts;
    }
    int shared = rest;
    int[] remainders = new int[counts.length];
    for (int i = 0; i < counts.length; i++) {
      int weight = types.get(i).scalingWeight();
      remainders[i] = weight == 0 ? -1 : shared * weight % weights;
      if (weight > 0) {
        counts[i] = shared * weight / weights;
        rest -= counts[i];
      }
    }
    for (; rest > 0; rest--) {
      int most = 0;
      for (int i = 1; i < counts.length; i++) {
        most = remainders[i] > remainders[most] ? i : most;
      }
      counts[most]++;
      remainders[most] = -1;
    }
    counts[0] = Math.max(1, counts[0]);
    return counts;
  }
}
