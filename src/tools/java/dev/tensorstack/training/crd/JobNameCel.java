package dev.tensorstack.training.crd;

import static dev.tensorstack.training.crd.Cel.fixed;
import static dev.tensorstack.training.crd.Cel.given;
import static dev.tensorstack.training.crd.Cel.on;
import static dev.tensorstack.training.crd.Cel.replicas;
import static dev.tensorstack.training.crd.Example.job;

import dev.tensorstack.training.kind.trainingjob.spec.JobNames;
import java.util.List;

/** {@code job-name} in the CRD: rules of the whole object, which alone see its name. */
final class JobNameCel {

  private static final String ID = "job-name";
  private static final String NAME = "self.metadata.name";
  private static final String FIELD = "metadata.name";
  private static final String SERVICE =
      "(size(%s) + %d)".formatted(NAME, JobNames.baseSuffixLength());
  private static final String TENSORBOARD = "(%s + %d)".formatted(SERVICE, "-tensorboard".length());

  /** The largest index of a type {@code r}. */
  private static final String LARGEST =
      "(%s && has(self.spec.elastic.maxReplicas) && !%s ? self.spec.elastic.maxReplicas : %s)"
          .formatted(on("self.spec.elastic"), fixed("r"), replicas("r"));

  private static final String INDEX = "string([int(%s), 1].max() - 1)".formatted(LARGEST);
  private static final String HOST_NAME =
      "(%s + 2 + size(r.type) + size(%s))".formatted(SERVICE, INDEX);
  private static final String TOO_LONG =
      "self.spec.replicaSpecs.filter(r, %s > 63)".formatted(HOST_NAME);

  static final RuleInCrd IN_CRD =
      new RuleInCrd(
          ID,
          List.of(
              CelRule.of(ID, "")
                  .field(FIELD)
                  .refusesNew("!" + NAME + ".matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')")
                  .exampleName("1mnist")
                  .example(job(""))
                  .value("1mnist", NAME),
              CelRule.of(ID, "")
                  .field(FIELD)
                  .refusesNew(SERVICE + " > 63")
                  .exampleName("a".repeat(59))
                  .example(job(""))
                  .value("a".repeat(59), NAME)
                  .value("65", SERVICE)
                  .value("2", SERVICE + " - 63"),
              CelRule.of(ID, "")
                  .field(FIELD)
                  .refusesNew(given("self.spec.tensorboardSpec") + " && " + TENSORBOARD + " > 63")
                  .exampleName("a".repeat(47))
                  .example(
                      job("tensorboardSpec: {logDir: {pvc: [{name: logs}]}}")
                          .replace("worker", "w"))
                  .value("a".repeat(47), NAME)
                  .value("65", TENSORBOARD)
                  .value("2", TENSORBOARD + " - 63"),
              CelRule.of(ID, "")
                  .field(FIELD)
                  .refusesNew(given("self.spec.replicaSpecs") + " && size(" + TOO_LONG + ") > 0")
                  .exampleName("a".repeat(50))
                  .example(job(""))
                  .value("a".repeat(50), NAME)
                  .value("worker", TOO_LONG + "[0].type")
                  .value("3", first(INDEX))
                  .value("65", first(HOST_NAME))
                  .value("2", first(HOST_NAME + " - 63"))),
          "of several types whose host names would be too long it names the first");

  private JobNameCel() {}

  private static String first(String value) {
    return "%s.map(r, %s)[0]".formatted(TOO_LONG, value);
  }
}
