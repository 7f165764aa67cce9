package dev.tensorstack.training.kind.trainingjob.admission;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NoRequestsWarningTest {

  private final WarningTester warning = new WarningTester(new NoRequestsWarning());

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{} | ``",
        "{elastic: {enabled: true, minReplicas: 1, maxReplicas: 4}} | ``",
        "{replicaSpecs: [{type: w, template: {spec: {containers: [null]}}}], elastic: {enabled: true, minReplicas: 1, maxReplicas: 4}} | ``",
        "{replicaSpecs: [{type: w, template: {spec: {containers: [{name: c}]}}}], } | ``",
        "{replicaSpecs: [{type: w, template: {spec: {containers: [{name: c}]}}}], elastic: {enabled: false}} | ``",
        "{replicaSpecs: [{type: w, template: {spec: {containers: [{name: c}]}}}], elastic: {enabled: true, minReplicas: 1, maxReplicas: 4}} | spec.replicaSpecs[0].template.spec.containers[0].resources.requests: nothing is requested, so autoscalers cannot see what a node of type \"w\" needs: write cpu and memory",
        "{replicaSpecs: [{type: w, template: {spec: {containers: [{name: c}]}}}], elastic: {enable: true, minReplicas: 1, maxReplicas: 4}} | containers[0].resources.requests: nothing is requested",
        "{replicaSpecs: [{type: w, template: {spec: {containers: [{name: c}]}}}], elastic: {enabled: true, minReplicas: 1, maxReplicas: 4, metrics: [{type: Resource}]}} | containers[0].resources.requests: nothing is requested",
        "{replicaSpecs: [{type: w, template: {spec: {containers: [{name: c, resources: {}}]}}}], elastic: {enabled: true, minReplicas: 1, maxReplicas: 4}} | containers[0].resources.requests: nothing is requested",
        "{replicaSpecs: [{type: w, template: {spec: {containers: [{name: c, resources: {requests: {}, limits: null}}]}}}], elastic: {enabled: true, minReplicas: 1, maxReplicas: 4}} | containers[0].resources.requests: nothing is requested",
        "{replicaSpecs: [{type: w, template: {spec: {containers: [{name: c, resources: {requests: {cpu: 1}}}]}}}], elastic: {enabled: true, minReplicas: 1, maxReplicas: 4}} | ``",
        "{replicaSpecs: [{type: w, template: {spec: {containers: [{name: c, resources: {limits: {cpu: 1}}}]}}}], elastic: {enabled: true, minReplicas: 1, maxReplicas: 4}} | ``",
        "{replicaSpecs: [{type: w, template: {spec: {containers: [{name: c}, null, {name: d, resources: {requests: {cpu: 1}}}]}}}], elastic: {enabled: true, minReplicas: 1, maxReplicas: 4}} | ``",
        "{replicaSpecs: [{type: w, template: {spec: {containers: [{name: c}], resources: {requests: {cpu: 1}}, volumes: []}}}], elastic: {enabled: true, minReplicas: 1, maxReplicas: 4}} | ``",
        "{replicaSpecs: [{type: w, template: {spec: {containers: [{name: side}, {name: python}]}}}], elastic: {enabled: true, minReplicas: 1, maxReplicas: 4}} | containers[1].resources.requests"
      })
  void isGivenWhereThereIsReason(String spec, String expected) {
    List<String> parts = expected.isEmpty() ? List.of() : List.of(expected.split(" ;; "));
    List<String> texts = warning.check(spec);

    assertThat(texts).hasSameSizeAs(parts);
    for (int i = 0; i < parts.size(); i++) {
      assertThat(texts.get(i)).contains(parts.get(i));
    }
  }
}
