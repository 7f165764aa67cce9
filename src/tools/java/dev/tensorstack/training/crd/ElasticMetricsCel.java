package dev.tensorstack.training.crd;

import static dev.tensorstack.training.crd.Cel.on;
import static dev.tensorstack.training.crd.Example.elastic;

import java.util.stream.Stream;

/** {@code elastic-metrics} in the CRD. */
final class ElasticMetricsCel {

  private static final String ID = "elastic-metrics";
  private static final String ON = on("self") + " && has(self.metrics) && ";
  private static final String BOUNDS = "minReplicas: 1, maxReplicas: 4, metrics: ";
  private static final String TYPED = "has(m.type) && m.type != ''";
  private static final String KNOWN =
      "['Resource', 'ContainerResource', 'Pods', 'Object', 'External']";

  static final RuleInCrd IN_CRD =
      new RuleInCrd(
          ID,
          Stream.concat(
                  Stream.of(
                      rule()
                          .refusesNew(ON + "size(self.metrics) == 0")
                          .example(elastic(BOUNDS + "[]")),
                      rule()
                          .refusesNew(ON + "self.metrics.exists(m, !(" + TYPED + "))")
                          .example(elastic(BOUNDS + "[{}]")),
                      rule()
                          .refusesNew(
                              ON
                                  + "self.metrics.exists(m, "
                                  + TYPED
                                  + " && !(m.type in "
                                  + KNOWN
                                  + "))")
                          .example(elastic(BOUNDS + "[{type: cpu}]"))
                          .value(
                              "cpu",
                              "self.metrics.filter(m, "
                                  + TYPED
                                  + " && !(m.type in "
                                  + KNOWN
                                  + "))[0].type")),
                  Stream.of(
                          "Resource resource",
                          "ContainerResource containerResource",
                          "Pods pods",
                          "Object object",
                          "External external")
                      .map(ElasticMetricsCel::described))
              .toList(),
          "names, targets and sources that do not go with the type are left to the webhook");

  private ElasticMetricsCel() {}

  private static CelRule rule() {
    return CelRule.of(ID, "spec.elastic").field("metrics");
  }

  private static CelRule described(String typeAndMember) {
    String type = typeAndMember.split(" ")[0];
    String member = typeAndMember.split(" ")[1];
    return rule()
        .refusesNew(
            ON
                + "self.metrics.exists(m, has(m.type) && m.type == '"
                + type
                + "' && !has(m."
                + member
                + "))")
        .example(elastic(BOUNDS + "[{type: " + type + "}]"));
  }
}
