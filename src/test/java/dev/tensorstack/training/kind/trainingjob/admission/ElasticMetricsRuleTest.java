package dev.tensorstack.training.kind.trainingjob.admission;

import static dev.tensorstack.training.kind.trainingjob.admission.RuleTester.fields;
import static dev.tensorstack.training.kind.trainingjob.admission.RuleTester.job;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.model.Violation;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ElasticMetricsRuleTest {

  private final RuleTester rule = new RuleTester(new ElasticMetricsRule());

  private static String metrics(String metrics) {
    return job(
        "torchrunConfig: {enabled: true}, elastic: {enabled: true, minReplicas: 1, maxReplicas: 4"
            + (metrics.isEmpty() ? "" : ", metrics: " + metrics)
            + "}");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "[{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 80}}}]",
        "[{type: Resource, resource: {name: memory, target: {type: AverageValue, averageValue: 1Gi}}}]",
        "[{type: ContainerResource, containerResource: {name: cpu, container: python, target: {type: Utilization, averageUtilization: 1}}}]",
        "[{type: Pods, pods: {metric: {name: m, selector: {matchLabels: {a: b}}}, target: {type: AverageValue, averageValue: 500m}}}]",
        "[{type: Object, object: {describedObject: {kind: Queue, name: q}, metric: {name: m}, target: {type: Value, value: 3}}}]",
        "[{type: External, external: {metric: {name: m}, target: {type: AverageValue, averageValue: '1e3'}}}]"
      })
  void whatAnAutoscalerTakesIsAccepted(String metrics) {
    assertThat(rule.creation(metrics(metrics))).isEmpty();
  }

  @Test
  void metricsOfAJobThatIsNotElasticAreOfNoUseAndOfNoHarm() {
    assertThat(rule.creation(job("elastic: {enabled: false, metrics: [{type: cpu}]}"))).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "[] |  | name at least one metric",
        "[null] | [0].type | say what is measured",
        "[{resource: {name: cpu}}] | [0].type | say what is measured",
        "[{type: ''}] | [0].type | say what is measured",
        "[{type: cpu}] | [0].type | \"cpu\" is no type of metric",
        "[{type: pods, pods: {}}] | [0].type | write Resource, ContainerResource, Pods",
        "[{type: Pods}] | [0].pods | a metric of the type Pods is described here",
        "[{type: External, external: {metric: {name: m}, target: {type: Value, value: 1}}, pods: {}}] | [0].pods | make it a metric of its own",
        "[{type: Resource, resource: {target: {type: Utilization, averageUtilization: 5}}}] | [0].resource.name | name the resource",
        "[{type: Resource, resource: {name: cpu}}] | [0].resource.target.type | say what the target is",
        "[{type: Resource, resource: {name: cpu, target: {type: percent}}}] | [0].resource.target.type | \"percent\" is no type of target",
        "[{type: Resource, resource: {name: cpu, target: {type: Utilization}}}] | [0].resource.target.averageUtilization | or give averageValue",
        "[{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 0}}}] | [0].resource.target.averageUtilization | at least 1 percent",
        "[{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 1, averageValue: 1}}}] | [0].resource.target.averageValue | not both",
        "[{type: ContainerResource, containerResource: {name: cpu, target: {type: AverageValue, averageValue: 1}}}] | [0].containerResource.container | name the container",
        "[{type: Pods, pods: {target: {type: AverageValue, averageValue: 1}}}] | [0].pods.metric.name | name the metric",
        "[{type: Pods, pods: {metric: {name: m}, target: {type: Value, value: 1}}}] | [0].pods.target.averageValue | how much each pod",
        "[{type: Pods, pods: {metric: {name: m}, target: {type: AverageValue, averageValue: -1}}}] | [0].pods.target.averageValue | must be more than 0",
        "[{type: Object, object: {metric: {name: m}, describedObject: {kind: k}, target: {type: Value, value: 1}}}] | [0].object.describedObject.name | name the object",
        "[{type: Object, object: {metric: {name: m}, describedObject: {kind: k, name: n}, target: {type: Value}}}] | [0].object.target.value | or give averageValue",
        "[{type: External, external: {metric: {name: m}, target: {type: Value, value: 1, averageValue: 1}}}] | [0].external.target.value | not both"
      })
  void whatNoAutoscalerTakesIsRefusedWithItsFieldAndARemedy(
      String metrics, String field, String remedy) {
    List<Violation> violations = rule.creation(metrics(metrics));

    assertThat(fields(violations))
        .containsExactly("spec.elastic.metrics" + (field == null ? "" : field));
    assertThat(violations.get(0).message()).contains(remedy);
  }
}
