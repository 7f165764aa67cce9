package dev.tensorstack.training.crd;

import static dev.tensorstack.training.crd.Cel.changed;
import static dev.tensorstack.training.crd.Cel.fixed;
import static dev.tensorstack.training.crd.Cel.given;
import static dev.tensorstack.training.crd.Cel.ofOld;
import static dev.tensorstack.training.crd.Cel.on;
import static dev.tensorstack.training.crd.Cel.orDefault;
import static dev.tensorstack.training.crd.Cel.replicas;
import static dev.tensorstack.training.crd.Example.WORKER;
import static dev.tensorstack.training.crd.Example.elastic;
import static dev.tensorstack.training.crd.Example.job;
import static dev.tensorstack.training.crd.Example.jobOf;

import java.util.List;

/** The rules of {@code elastic} in the CRD. */
final class ElasticCel {

  private static final String ELASTIC = on("self.elastic");
  private static final String SELF_ELASTIC = on("self");
  private static final String TORCHRUN = "torchrunConfig: {enabled: true}";

  static final RuleInCrd NEEDS_TORCHRUN =
      new RuleInCrd(
          "elastic-needs-torchrun",
          List.of(
              CelRule.of("elastic-needs-torchrun", "spec")
                  .field("torchrunConfig.enabled")
                  .refusesNew(ELASTIC + " && !" + on("self.torchrunConfig"))
                  .example(job("elastic: {enabled: true, minReplicas: 1, maxReplicas: 4}"))),
          "");

  static final RuleInCrd BOUNDS =
      new RuleInCrd(
          "elastic-bounds",
          List.of(
              bound("minReplicas")
                  .refusesNew(SELF_ELASTIC + " && !has(self.minReplicas)")
                  .example(elastic("maxReplicas: 4")),
              bound("maxReplicas")
                  .refusesNew(SELF_ELASTIC + " && !has(self.maxReplicas)")
                  .example(elastic("minReplicas: 4")),
              bound("minReplicas")
                  .refusesNew(SELF_ELASTIC + " && has(self.minReplicas) && self.minReplicas < 1")
                  .example(elastic("minReplicas: 0, maxReplicas: 4")),
              bound("maxReplicas")
                  .refusesNew(SELF_ELASTIC + " && has(self.maxReplicas) && self.maxReplicas < 1")
                  .example(elastic("minReplicas: 1, maxReplicas: 0")),
              bound("maxReplicas")
                  .refusesNew(
                      SELF_ELASTIC + " && has(self.maxReplicas) && self.maxReplicas > 10000")
                  .example(elastic("minReplicas: 1, maxReplicas: 10001")),
              bound("minReplicas")
                  .refusesNew(
                      SELF_ELASTIC
                          + " && has(self.minReplicas) && has(self.maxReplicas)"
                          + " && self.minReplicas >= 1 && self.maxReplicas >= 1"
                          + " && self.minReplicas > self.maxReplicas")
                  .example(elastic("minReplicas: 7, maxReplicas: 4"))
                  .value("7", "self.minReplicas")
                  .value("4", "self.maxReplicas")),
          "");

  private static final String TOGETHER =
      "self.replicaSpecs.map(r, %s).sum()".formatted(replicas("r"));

  static final RuleInCrd EXPECTED_IN_RANGE =
      new RuleInCrd(
          "elastic-expected-in-range",
          List.of(
              CelRule.of("elastic-expected-in-range", "spec.elastic")
                  .field("expectedReplicas")
                  .refusesNew(
                      SELF_ELASTIC
                          + " && has(self.minReplicas) && has(self.maxReplicas)"
                          + " && has(self.expectedReplicas) && self.minReplicas <= self.maxReplicas"
                          + " && (self.expectedReplicas < self.minReplicas"
                          + " || self.expectedReplicas > self.maxReplicas)",
                      "has(oldSelf.expectedReplicas)"
                          + " && oldSelf.expectedReplicas == self.expectedReplicas")
                  .example(elastic("minReplicas: 2, maxReplicas: 4, expectedReplicas: 9"))
                  .value("9", "self.expectedReplicas")
                  .value("2", "self.minReplicas")
                  .value("4", "self.maxReplicas"),
              CelRule.of("elastic-expected-in-range", "spec")
                  .field("elastic.expectedReplicas")
                  .refusesChange(
                      "!"
                          + ELASTIC
                          + " && "
                          + given("self.elastic.expectedReplicas")
                          + " && !("
                          + given("oldSelf.elastic.expectedReplicas")
                          + " && oldSelf.elastic.expectedReplicas == self.elastic.expectedReplicas)"
                          + " && !("
                          + given("self.replicaSpecs")
                          + " && self.elastic.expectedReplicas == "
                          + TOGETHER
                          + ")")
                  .example(job(""), job("elastic: {expectedReplicas: 3}"))),
          "");

  /** Whether the block is on now and was not, or the other way round. */
  private static final String SWITCHED = "(" + SELF_ELASTIC + " != " + ofOld(SELF_ELASTIC) + ")";

  /** Whether there is a bound now, and was one. */
  private static final String BOUNDED =
      "(has(self.minReplicas) || has(self.maxReplicas))"
          + " && (has(oldSelf.minReplicas) || has(oldSelf.maxReplicas))";

  static final RuleInCrd BOUNDS_IMMUTABLE =
      new RuleInCrd(
          "elastic-bounds-immutable",
          List.of(
              CelRule.of("elastic-bounds-immutable", "spec")
                  .field("elastic.enabled")
                  .refusesChange(changed(ELASTIC))
                  .example(elastic("minReplicas: 2, maxReplicas: 4"), job(TORCHRUN))
                  .value("true", ofOld(ELASTIC))
                  .value("false", ELASTIC),
              boundChange("minReplicas"),
              boundChange("maxReplicas")),
          "bounds of a job that is not elastic may go with the whole block");

  static final RuleInCrd C10D_ONLY =
      new RuleInCrd(
          "elastic-c10d-only",
          List.of(
              CelRule.of("elastic-c10d-only", "spec")
                  .field("torchrunConfig.rdzvBackend")
                  .refusesNew(
                      ELASTIC
                          + " && "
                          + orDefault("self.torchrunConfig.rdzvBackend", "'c10d'")
                          + " != 'c10d'")
                  .example(
                      elastic("minReplicas: 2, maxReplicas: 4")
                          .replace("torchrunConfig: {", "torchrunConfig: {rdzvBackend: static, "))
                  .value("static", "self.torchrunConfig.rdzvBackend")),
          "");

  private static final String NEEDED =
      "(self.replicaSpecs.filter(r, %s).map(r, %s).sum() + (%s ? 0 : 1))"
          .formatted(fixed("r"), replicas("r"), fixed("self.replicaSpecs[0]"));

  private static final String ALL_FIXED = "self.replicaSpecs.all(r, " + fixed("r") + ")";

  /** An elastic job in which at least one type does not scale. */
  private static final String SOME_FIXED =
      ELASTIC
          + " && has(self.elastic.minReplicas) && "
          + given("self.replicaSpecs")
          + " && self.replicaSpecs.exists(r, "
          + fixed("r")
          + ")";

  private static final String FIXED_WORKER =
      WORKER.replace("type: worker", "type: ps, scalingWeight: 0");

  static final RuleInCrd FIXED_FITS =
      new RuleInCrd(
          "elastic-fixed-fits",
          List.of(
              CelRule.of("elastic-fixed-fits", "spec")
                  .field("replicaSpecs")
                  .refusesNew(SOME_FIXED + " && " + ALL_FIXED)
                  .example(
                      jobOf(
                          FIXED_WORKER,
                          TORCHRUN + ", elastic: {enabled: true, minReplicas: 4, maxReplicas: 9}")),
              tooSmall(
                  fixed("self.replicaSpecs[0]"),
                  jobOf(
                      FIXED_WORKER + ", " + WORKER,
                      TORCHRUN + ", elastic: {enabled: true, minReplicas: 3, maxReplicas: 9}"),
                  "4",
                  "3"),
              tooSmall(
                  "!" + fixed("self.replicaSpecs[0]"),
                  jobOf(
                      WORKER + ", " + FIXED_WORKER,
                      TORCHRUN + ", elastic: {enabled: true, minReplicas: 3, maxReplicas: 9}"),
                  "5",
                  "3")),
          "");

  private ElasticCel() {}

  private static CelRule bound(String field) {
    return CelRule.of("elastic-bounds", "spec.elastic").field(field);
  }

  private static CelRule boundChange(String field) {
    String value = orDefault("self." + field, "-1");
    String shown = "(has(self.%1$s) ? string(self.%1$s) : 'nothing')".formatted(field);
    String bounds = "minReplicas: 2, maxReplicas: 4";
    return CelRule.of("elastic-bounds-immutable", "spec.elastic")
        .field(field)
        .refusesChange(changed(value) + " && (!" + SWITCHED + " || " + BOUNDED + ")")
        .example(elastic(bounds), elastic(bounds.replace(field + ": ", field + ": 1")))
        .value(field.equals("minReplicas") ? "2" : "4", ofOld(shown))
        .value(field.equals("minReplicas") ? "12" : "14", shown);
  }

  private static CelRule tooSmall(String which, String example, String needed, String min) {
    return CelRule.of("elastic-fixed-fits", "spec")
        .field("replicaSpecs")
        .refusesNew(
            SOME_FIXED
                + " && !"
                + ALL_FIXED
                + " && "
                + which
                + " && "
                + NEEDED
                + " > self.elastic.minReplicas")
        .example(example)
        .value(needed, NEEDED)
        .value(min, "self.elastic.minReplicas");
  }
}
