package dev.tensorstack.training.crd;

import static dev.tensorstack.training.crd.Cel.given;
import static dev.tensorstack.training.crd.Cel.orDefault;
import static dev.tensorstack.training.crd.Cel.text;
import static dev.tensorstack.training.crd.Example.job;

import java.util.List;
import java.util.stream.Collectors;

/** {@code scheduler} in the CRD. */
final class SchedulerCel {

  private static final String ID = "scheduler";
  static final List<String> MEMBERS =
      List.of("t9kScheduler", "volcano", "coscheduling", "kubernetes");
  private static final String GIVEN =
      MEMBERS.stream()
          .map(member -> "(has(self.%s) ? [%s] : [])".formatted(member, text(member)))
          .collect(Collectors.joining(" + ", "(", ")"));

  static final RuleInCrd IN_CRD =
      new RuleInCrd(
          ID,
          List.of(
              CelRule.of(ID, "spec.scheduler")
                  .refusesNew("size(" + GIVEN + ") > 1")
                  .example(job("scheduler: {volcano: {}, kubernetes: {}}"))
                  .value("[\"volcano\", \"kubernetes\"]", GIVEN),
              CelRule.of(ID, "spec.scheduler.t9kScheduler.priority")
                  .refuses("self < 0 || self > 100")
                  .example(job("scheduler: {t9kScheduler: {priority: 101}}"))
                  .value("101", "self"),
              conflict("t9kScheduler", "'t9k-scheduler'", "t9kScheduler: {}", "t9k-scheduler"),
              conflict("volcano", "'volcano'", "volcano: {}", "\"volcano\""),
              conflict(
                  "coscheduling",
                  orDefault("self.scheduler.coscheduling.schedulerName", "''"),
                  "coscheduling: {schedulerName: packs}",
                  "packs")),
          "a template whose schedulerName is another one names the list of types");

  private SchedulerCel() {}

  /** A template that wants another scheduler than the only member of {@code scheduler}. */
  private static CelRule conflict(String member, String name, String example, String shown) {
    String others =
        MEMBERS.stream()
            .filter(other -> !other.equals(member))
            .map(other -> "!has(self.scheduler." + other + ")")
            .collect(Collectors.joining(" && "));
    String inTemplate = "r.template.spec.schedulerName";
    String conflicts =
        "has(r.template.spec) && has(%1$s) && %1$s != '' && %1$s != %2$s"
            .formatted(inTemplate, name);
    return CelRule.of(ID, "spec")
        .field("replicaSpecs")
        .refusesNew(
            "%s && %s && %s && %s != '' && self.replicaSpecs.exists(r, %s)"
                .formatted(
                    given("self.scheduler." + member),
                    others,
                    given("self.replicaSpecs"),
                    name,
                    conflicts))
        .example(
            job("scheduler: {" + example + "}")
                .replace("spec: {containers", "spec: {schedulerName: mine, containers"))
        .value(
            "mine",
            "self.replicaSpecs.filter(r, %s)[0].%s".formatted(conflicts, inTemplate.substring(2)))
        .value(shown, shown.startsWith("\"") ? "'\"' + " + name + " + '\"'" : name);
  }
}
