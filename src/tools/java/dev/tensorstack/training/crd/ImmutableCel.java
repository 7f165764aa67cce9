package dev.tensorstack.training.crd;

import static dev.tensorstack.training.crd.Cel.changed;
import static dev.tensorstack.training.crd.Cel.given;
import static dev.tensorstack.training.crd.Cel.ofOld;
import static dev.tensorstack.training.crd.Cel.on;
import static dev.tensorstack.training.crd.Cel.orDefault;
import static dev.tensorstack.training.crd.Cel.replicas;
import static dev.tensorstack.training.crd.Example.WORKER;
import static dev.tensorstack.training.crd.Example.job;
import static dev.tensorstack.training.crd.Example.jobOf;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * {@code immutable} in the CRD. Absent means the default on both sides, also where the whole block
 * is absent: that is why most of these rules stand at {@code spec}.
 */
final class ImmutableCel {

  private static final String ID = "immutable";
  private static final String SPECS = "spec.replicaSpecs";
  private static final String PS = WORKER.replace("worker", "ps");

  private static final String PROCESSES =
      "("
          + given("self.torchrunConfig.procPerNode")
          + " ? string(self.torchrunConfig.procPerNode).trim() : '')";

  /** The default depends on what counts as an accelerator, which the CRD does not know. */
  private static final String MAY_BE_DEFAULT =
      "(%1$s == '' && %2$s in ['', '1', 'gpu'] || %2$s == '' && %1$s in ['', '1', 'gpu'])"
          .formatted(PROCESSES, ofOld(PROCESSES));

  private static final String RESTART_SCOPE =
      orDefault(
          "self.runPolicy.restartScope",
          "(%s || %s && self.replicaSpecs.map(r, %s).sum() == 1 ? 'Replica' : 'Job')"
              .formatted(on("self.elastic"), given("self.replicaSpecs"), replicas("r")));

  private static final String SCHEDULERS =
      SchedulerCel.MEMBERS.stream()
          .map(member -> given("self.scheduler." + member))
          .collect(Collectors.joining(", ", "[", "]"));

  private static final List<String> CONTAINERS = List.of("containers", "initContainers");

  /**
   * The operator sets restartPolicy to Never: it may come and go. A field that is null is no field,
   * in metadata, the pod's spec and its containers: whoever makes manifests from types writes such.
   */
  private static final String TEMPLATE =
      "has(self.spec) && has(oldSelf.spec) ? !(%s) : self != oldSelf"
          .formatted(
              Stream.concat(
                      Stream.of(
                          sameBut("['metadata', 'spec']", "self", "oldSelf"),
                          sameBut("[]", metadata("self"), metadata("oldSelf")),
                          sameBut(
                              "['restartPolicy', 'containers', 'initContainers']",
                              "self.spec",
                              "oldSelf.spec")),
                      CONTAINERS.stream()
                          .map(list -> sameContainers("self.spec." + list, "oldSelf.spec." + list)))
                  .collect(Collectors.joining(" && ")));

  static final RuleInCrd IN_CRD =
      new RuleInCrd(
          ID,
          List.of(
              CelRule.of(ID, SPECS)
                  .refusesChange(changed("size(self)"))
                  .example(jobOf(WORKER + ", " + PS, ""), job("")),
              CelRule.of(ID, SPECS)
                  .refusesChange("size(self) == size(oldSelf) && " + changed("self.map(r, r.type)"))
                  .example(job(""), jobOf(PS, "")),
              CelRule.of(ID, SPECS + "[]")
                  .field("replicas")
                  .refusesChange(changed(replicas("self")))
                  .example(job(""), job("").replace("replicas: 4", "replicas: 5")),
              CelRule.of(ID, SPECS + "[]")
                  .field("restartPolicy")
                  .refusesChange(changed(orDefault("self.restartPolicy", "'Never'")))
                  .example(job(""), job("").replace("type:", "restartPolicy: OnFailure, type:")),
              CelRule.of(ID, SPECS + "[].template")
                  .refusesChange(TEMPLATE)
                  .example(job(""), job("").replace("t.py", "u.py")),
              torchrun("enabled", on("self.torchrunConfig"), "enabled: true"),
              torchrun(
                  "maxRestarts",
                  orDefault(
                      "self.torchrunConfig.maxRestarts",
                      "(has(self.torchrunConfig) && " + on("self.elastic") + " ? 10 : 0)"),
                  "maxRestarts: 1"),
              CelRule.of(ID, "spec")
                  .field("torchrunConfig.procPerNode")
                  .refusesChange(changed(PROCESSES) + " && !" + MAY_BE_DEFAULT)
                  .example(
                      job("torchrunConfig: {procPerNode: 2}"),
                      job("torchrunConfig: {procPerNode: 3}")),
              torchrun(
                  "rdzvBackend",
                  orDefault("self.torchrunConfig.rdzvBackend", "'c10d'"),
                  "rdzvBackend: static"),
              torchrun(
                  "extraOptions",
                  orDefault("self.torchrunConfig.extraOptions", "[]"),
                  "extraOptions: [--no-python]"),
              ofTypes("runMode.debug.replicaSpecs", "['sleep', 'inf']"),
              ofTypes("runMode.pause.resumeSpecs", "[]"),
              CelRule.of(ID, "spec")
                  .field("runPolicy.restartScope")
                  .refusesChange(changed(RESTART_SCOPE))
                  .example(job(""), job("runPolicy: {restartScope: Replica}")),
              CelRule.of(ID, "spec")
                  .field("runPolicy.retryableExitCodes")
                  .refusesChange(
                      changed(
                          orDefault("self.runPolicy.retryableExitCodes", "[130, 137, 138, 143]")))
                  .example(job(""), job("runPolicy: {retryableExitCodes: [3]}")),
              CelRule.of(ID, "spec")
                  .field("scheduler")
                  .refusesChange(changed(SCHEDULERS))
                  .example(job(""), job("scheduler: {volcano: {}}")),
              scheduler("t9kScheduler", "queue", "'default'", "research"),
              scheduler("t9kScheduler", "priority", "10", "11"),
              scheduler("volcano", "queue", "''", "research"),
              scheduler("volcano", "priorityClassName", "''", "high"),
              scheduler("coscheduling", "scheduleTimeoutSeconds", "0", "5"),
              scheduler("coscheduling", "schedulerName", "''", "packs"),
              CelRule.of(ID, "spec")
                  .field("managedBy")
                  .refusesChange(changed(orDefault("self.managedBy", "''")))
                  .example(job(""), job("managedBy: example.com/other"))),
          "a change of types or of their order names the list; templates are compared letter by"
              + " letter (cpu 1 and 1000m are different, and a null below a container's fields is not nothing); procPerNode may be added or taken out"
              + " where it is 1 or gpu, because the default depends on the operator's settings");

  private ImmutableCel() {}

  private static String metadata(String template) {
    return "(has(%1$s.metadata) && %1$s.metadata != null ? %1$s.metadata : {})".formatted(template);
  }

  /** Whether two objects have the same in all fields but these; null is no value. */
  private static String sameBut(String fields, String one, String other) {
    return hasAll(fields, one, other) + " && " + hasAll(fields, other, one);
  }

  private static String hasAll(String butFields, String one, String other) {
    return "%2$s.all(k, k in %1$s || %2$s[k] == null || k in %3$s && %2$s[k] == %3$s[k])"
        .formatted(butFields, one, other);
  }

  /** Whether two lists have the same containers in the same order. */
  private static String sameContainers(String one, String other) {
    String now = orDefault(one, "[]");
    String before = orDefault(other, "[]");
    String name = "(has(%1$s.name) ? %1$s.name : '')";
    return "%1$s.map(c, %3$s) == %2$s.map(c, %3$s) && %1$s.all(c, %2$s.exists(d, %3$s == %4$s && %5$s))"
        .formatted(now, before, name.formatted("c"), name.formatted("d"), sameBut("[]", "c", "d"));
  }

  private static CelRule torchrun(String field, String value, String example) {
    return CelRule.of(ID, "spec")
        .field("torchrunConfig." + field)
        .refusesChange(changed(value))
        .example(job(""), job("torchrunConfig: {" + example + "}"));
  }

  /** What is said of types: compared field by field, because each has its own default. */
  private static CelRule ofTypes(String list, String command) {
    String path = orDefault("self." + list, "[]");
    String same =
        changed(path + ".map(d, d.type)")
            + " || "
            + changed(path + ".map(d, has(d.skipInitContainer) && d.skipInitContainer)")
            + " || "
            + changed(path + ".map(d, " + orDefault("d.command", command) + ")");
    if (list.endsWith("resumeSpecs")) {
      same += " || " + changed(path + ".map(d, " + orDefault("d.args", "[]") + ")");
    }
    return CelRule.of(ID, "spec")
        .field(list)
        .refusesChange(same)
        .example(
            job(""),
            job(
                "runMode: {"
                    + list.substring("runMode.".length()).replace(".", ": {")
                    + ": [{type: worker}]}}"));
  }

  private static CelRule scheduler(
      String member, String field, String defaultValue, String example) {
    return CelRule.of(ID, "spec.scheduler." + member)
        .field(field)
        // The queue may be null.
        .refusesChange(
            changed(
                "(has(self.%1$s) && self.%1$s != null ? self.%1$s : %2$s)"
                    .formatted(field, defaultValue)))
        .example(
            job("scheduler: {" + member + ": {}}"),
            job("scheduler: {" + member + ": {" + field + ": " + example + "}}"));
  }
}
