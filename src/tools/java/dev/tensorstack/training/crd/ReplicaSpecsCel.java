package dev.tensorstack.training.crd;

import static dev.tensorstack.training.crd.Cel.replicas;
import static dev.tensorstack.training.crd.Example.WORKER;
import static dev.tensorstack.training.crd.Example.jobOf;

import java.util.List;

/** {@code replica-specs} in the CRD. */
final class ReplicaSpecsCel {

  private static final String ID = "replica-specs";
  private static final String SPECS = "spec.replicaSpecs";
  private static final String TOGETHER = "self.map(r, %s).sum()".formatted(replicas("r"));

  static final RuleInCrd IN_CRD =
      new RuleInCrd(
          ID,
          List.of(
              CelRule.of(ID, SPECS).refuses("size(self) == 0").example("{replicaSpecs: []}"),
              CelRule.of(ID, SPECS)
                  .refusesNew("size(self) > 0 && has(self[0].replicas) && self[0].replicas < 1")
                  .example(jobOf(WORKER.replace("4", "0"), "")),
              CelRule.of(ID, SPECS)
                  .refusesNew(
                      "self.all(r, %1$s >= 0 && %1$s <= 10000) && %2$s > 10000"
                          .formatted(replicas("r"), TOGETHER))
                  .example(
                      jobOf(
                          WORKER.replace("4", "6000")
                              + ", "
                              + WORKER.replace("4", "7000").replace("worker", "ps"),
                          ""))
                  .value("13000", TOGETHER),
              CelRule.of(ID, SPECS + "[].type")
                  .refuses("!self.matches('^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$')")
                  .example(jobOf(WORKER.replace("worker", "Worker"), ""))
                  .value("Worker", "self"),
              CelRule.of(ID, SPECS + "[].replicas")
                  .refuses("self < 0")
                  .example(
                      jobOf(WORKER + ", " + WORKER.replace("4", "-1").replace("worker", "ps"), "")),
              CelRule.of(ID, SPECS + "[].replicas")
                  .refuses("self > 10000")
                  .example(jobOf(WORKER.replace("4", "10001"), "")),
              CelRule.of(ID, SPECS + "[].scalingWeight")
                  .refuses("self < 0")
                  .example(jobOf(WORKER.replace("type", "scalingWeight: -1, type"), ""))),
          "the API server itself, in its own words, refuses more than 64 entries, two entries of one"
              + " type, an entry without a type and an unknown restartPolicy; a mistake in the number of replicas"
              + " of the first entry names the list");

  private ReplicaSpecsCel() {}
}
