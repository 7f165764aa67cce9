package dev.tensorstack.training.crd;

/** Specs for the examples of rules, as YAML. */
final class Example {

  /** An entry of replicaSpecs. */
  static final String WORKER =
      "{type: worker, replicas: 4, template: {spec: {containers: [{name: c, args: [t.py]}]}}}";

  private Example() {}

  /** A job with four workers and something more. */
  static String job(String more) {
    return jobOf(WORKER, more);
  }

  /** A job with these entries of replicaSpecs and something more. */
  static String jobOf(String entries, String more) {
    return "{replicaSpecs: [" + entries + "]" + (more.isEmpty() ? "" : ", " + more) + "}";
  }

  /** An elastic job with four workers. */
  static String elastic(String bounds) {
    return job("torchrunConfig: {enabled: true}, elastic: {enabled: true, " + bounds + "}");
  }
}
