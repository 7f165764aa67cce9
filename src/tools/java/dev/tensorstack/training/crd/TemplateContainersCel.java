package dev.tensorstack.training.crd;

import static dev.tensorstack.training.crd.Cel.given;
import static dev.tensorstack.training.crd.Cel.on;
import static dev.tensorstack.training.crd.Example.WORKER;
import static dev.tensorstack.training.crd.Example.job;
import static dev.tensorstack.training.crd.Example.jobOf;

import java.util.List;

/** {@code template-containers} in the CRD. */
final class TemplateContainersCel {

  private static final String ID = "template-containers";
  private static final String PYTHON = "(has(c.name) && c.name == 'python')";
  private static final String CONTAINERS = "r.template.spec.containers";

  /** A container {@code c} with neither args nor a command. */
  private static final String NOTHING_TO_RUN =
      "(!has(c.args) || size(c.args) == 0) && (!has(c.command) || size(c.command) == 0)";

  /** It is the training container's: the one named python, else the first. */
  private static final String NOTHING_TO_TRAIN =
      "self.replicaSpecs.exists(r, %1$s && size(%2$s) > 0 && (%2$s.exists(c, %3$s) ? %2$s.filter(c, %3$s) : %2$s).map(c, %4$s)[0])"
          .formatted(
              given(CONTAINERS).replace("has(r.template) && ", ""),
              CONTAINERS,
              PYTHON,
              NOTHING_TO_RUN);

  static final RuleInCrd IN_CRD =
      new RuleInCrd(
          ID,
          List.of(
              CelRule.of(ID, "spec.replicaSpecs[].template")
                  .field("spec.containers")
                  .refusesNew(
                      "!(" + given("self.spec.containers") + ") || size(self.spec.containers) == 0")
                  .example(jobOf(WORKER.replace("[{name: c, args: [t.py]}]", "[]"), "")),
              CelRule.of(ID, "spec")
                  .field("replicaSpecs")
                  .refusesNew(
                      on("self.torchrunConfig")
                          + " && !"
                          + on("self.runMode.debug")
                          + " && "
                          + given("self.replicaSpecs")
                          + " && "
                          + NOTHING_TO_TRAIN)
                  .example(job("torchrunConfig: {enabled: true}").replace(", args: [t.py]", ""))),
          "a command without args is taken for one that names a script; where torchrun has nothing to"
              + " run, the list of types is named");

  private TemplateContainersCel() {}
}
