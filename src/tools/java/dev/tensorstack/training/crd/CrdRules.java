package dev.tensorstack.training.crd;

import io.fabric8.kubernetes.api.model.admissionregistration.v1.Variable;
import java.util.ArrayList;
import java.util.List;

/** What the CRD says of each rule of admission. */
public final class CrdRules {

  /** One for each rule of admission. */
  public static final List<RuleInCrd> ALL =
      List.of(
          ReplicaSpecsCel.IN_CRD,
          JobNameCel.IN_CRD,
          TemplateContainersCel.IN_CRD,
          ElasticCel.NEEDS_TORCHRUN,
          ElasticCel.BOUNDS,
          ElasticCel.EXPECTED_IN_RANGE,
          ElasticCel.BOUNDS_IMMUTABLE,
          ElasticCel.C10D_ONLY,
          ElasticCel.FIXED_FITS,
          ElasticMetricsCel.IN_CRD,
          TorchrunCel.PROCESSES,
          TorchrunCel.RESERVED_OPTIONS,
          TorchrunCel.ETCD_ENDPOINT,
          RunPolicyCel.IN_CRD,
          ProgressCel.IN_CRD,
          RunModeCel.IN_CRD,
          SchedulerCel.IN_CRD,
          TensorboardCel.IN_CRD,
          ManagedByCel.IN_CRD,
          new RuleInCrd(
              "quantities",
              List.of(),
              "quantities in templates have no schema; such a job is stored, and failed"),
          new RuleInCrd(
              "readable",
              List.of(),
              "such a job is stored; one with too many containers is failed, one that is too deep"
                  + " or has too long a name is reported by an event and left alone"),
          ImmutableCel.IN_CRD);

  private CrdRules() {}

  /**
   * What the CRD says of a rule.
   *
   * @param id the id of a rule of admission
   * @return what the CRD says of it
   * @throws IllegalStateException when nobody has thought of it
   */
  public static RuleInCrd of(String id) {
    return ALL.stream()
        .filter(rule -> rule.id().equals(id))
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("say in CrdRules what the CRD says of " + id));
  }

  /**
   * The rules of the CRD.
   *
   * @return all, in the order of the rules of admission
   */
  public static List<CelRule> rules() {
    return ALL.stream().flatMap(rule -> rule.rules().stream()).toList();
  }

  /**
   * The rules that stay in the schema: those of the number that {@code kubectl scale} changes, as a
   * policy is not shown the job then. They read little, and so they are cheap.
   *
   * @param rule a rule
   */
  static boolean isOfSchema(CelRule rule) {
    return rule.at().equals("spec.elastic")
        || (rule.at() + rule.fieldBelow()).equals("spec.elastic.expectedReplicas");
  }

  /**
   * The rules as a ValidatingAdmissionPolicy holds them: each is a list of messages.
   *
   * @return entries of its {@code variables}
   */
  public static List<Variable> variables() {
    List<Variable> variables = new ArrayList<>();
    for (RuleInCrd inCrd : ALL) {
      int number = 0;
      for (CelRule rule : inCrd.rules()) {
        if (!isOfSchema(rule)) {
          number++;
          variables.addAll(PolicyRule.of(rule, inCrd.id().replace('-', '_') + "_" + number));
        }
      }
    }
    return variables;
  }
}
