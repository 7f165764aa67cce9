package dev.tensorstack.training.kind.trainingjob.admission;

import dev.tensorstack.training.core.model.Violation;
import dev.tensorstack.training.kind.QuantitiesRule;
import dev.tensorstack.training.kind.Rule;
import dev.tensorstack.training.kind.RuleContext;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobSpec;
import java.util.List;

/** All rules, in the order in which their violations are reported. */
public final class Rules {

  /** Every rule that is checked without asking the API server. */
  public static final List<Rule<PyTorchTrainingJobSpec>> ALL =
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
          new ElasticMetricsRule(),
          new TorchrunProcPerNodeRule(),
          new TorchrunReservedOptionsRule(),
          new TorchrunEtcdEndpointRule(),
          new RunPolicyRule(),
          new ProgressRule(),
          new RunModeRule(),
          new SchedulerRule(),
          new TensorboardRule(),
          new ManagedByRule(),
          new QuantitiesRule<>(),
          new ReadableRule(),
          new ImmutableRule());

  private Rules() {}

  /**
   * Checks all rules.
   *
   * @param subject the job to look at
   * @return every violation of every rule; empty when the job can work
   */
  public static List<Violation> check(RuleContext<PyTorchTrainingJobSpec> subject) {
    return Rule.checkAll(ALL, subject);
  }
}
