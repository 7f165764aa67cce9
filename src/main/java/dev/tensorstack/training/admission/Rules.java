package dev.tensorstack.training.admission;

import dev.tensorstack.training.api.v1beta1.PyTorchTrainingJobSpec;
import java.util.ArrayList;
import java.util.List;

/** All rules, in the order in which their violations are reported. */
public final class Rules {

  /** Every rule that is checked without asking the API server. */
  public static final List<Rule> ALL =
      List.of(
          new ReplicaSpecsRule(),
          new JobNameRule(),
          new TemplateContainersRule(),
          new ElasticNeedsTorchrunRule(),
          new ElasticBoundsRule(),
          new ElasticExpectedInRangeRule(),
          new ElasticBoundsImmutableRule(),
          new ElasticC10dOnlyRule(),
          new ElasticFixedFitsRule(),
          new TorchrunProcPerNodeRule(),
          new TorchrunReservedOptionsRule(),
          new TorchrunEtcdEndpointRule(),
          new RunPolicyRule(),
          new RunModeRule(),
          new SchedulerRule(),
          new TensorboardRule(),
          new ImmutableRule());

  private Rules() {}

  /**
   * Checks all rules.
   *
   * @param subject the job to look at
   * @return every violation of every rule; empty when the job can work
   */
  public static List<Violation> check(Subject subject) {
    List<Violation> violations = new ArrayList<>();
    for (Rule rule : ALL) {
      violations.addAll(rule.check(subject));
    }
    return violations;
  }

  /**
   * Checks a number that is asked for through the scale subresource.
   *
   * @param stored the stored spec with all defaults
   * @param replicas the number of nodes wanted
   * @return what is wrong: the job is not elastic, or the number is outside its bounds; empty when
   *     the job can have that size
   */
  public static List<Violation> checkScale(PyTorchTrainingJobSpec stored, int replicas) {
    return ElasticExpectedInRangeRule.checkScale(stored.elastic(), replicas);
  }
}
