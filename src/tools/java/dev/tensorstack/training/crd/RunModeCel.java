package dev.tensorstack.training.crd;

import static dev.tensorstack.training.crd.Cel.given;
import static dev.tensorstack.training.crd.Cel.on;
import static dev.tensorstack.training.crd.Example.job;

import java.util.List;

/** {@code run-mode} in the CRD. */
final class RunModeCel {

  private static final String ID = "run-mode";
  private static final String MODE = "spec.runMode";
  private static final String TYPES = "self.replicaSpecs.map(r, r.type)";

  static final RuleInCrd IN_CRD =
      new RuleInCrd(
          ID,
          List.of(
              CelRule.of(ID, MODE)
                  .refusesNew(on("self.debug") + " && " + on("self.pause"))
                  .example(job("runMode: {debug: {enabled: true}, pause: {enabled: true}}")),
              unknownType("debug.replicaSpecs"),
              unknownType("pause.resumeSpecs"),
              emptyCommand("debug.replicaSpecs"),
              emptyCommand("pause.resumeSpecs")),
          "the API server itself, in its own words, refuses two entries of one type and an entry"
              + " without one; an unknown type names the list");

  private RunModeCel() {}

  private static CelRule unknownType(String list) {
    String path = "self.runMode." + list;
    String unknown = "!self.replicaSpecs.exists(r, r.type == d.type)";
    return CelRule.of(ID, "spec")
        .field("runMode." + list)
        .refusesNew(
            "%s && %s && %s.exists(d, %s)"
                .formatted(given(path), given("self.replicaSpecs"), path, unknown))
        .example(job(withEntry(list, "type: ps")))
        .value("ps", "%s.filter(d, %s)[0].type".formatted(path, unknown))
        .value("[\"worker\"]", TYPES);
  }

  private static CelRule emptyCommand(String list) {
    return CelRule.of(ID, MODE + "." + list + "[].command")
        .refuses("size(self) == 0")
        .example(job(withEntry(list, "type: worker, command: []")));
  }

  private static String withEntry(String list, String entry) {
    return "runMode: {" + list.replace(".", ": {") + ": [{" + entry + "}]}}";
  }
}
