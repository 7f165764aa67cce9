package dev.tensorstack.training.kind.trainingjob.admission;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HiddenVariableWarningTest {

  private final WarningTester warning = new WarningTester(new HiddenVariableWarning());

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{} | ``",
        "{replicaSpecs: [{type: w, template: {spec: {containers: [null, {name: c, env: [null, {}, {value: a}]}]}}}], torchrunConfig: {enabled: true}} | ``",
        "{replicaSpecs: [{type: w, template: {spec: {containers: [{name: c, args: [t.py], env: [{name: NCCL_DEBUG, value: x}, {name: LOCAL_RANK, value: x}, {name: PET_RDZV_ID, value: x}]}]}}}], torchrunConfig: {enabled: false}} | ``",
        "{replicaSpecs: [{type: w, template: {spec: {containers: [{name: c, args: [t.py], env: [{name: MASTER_ADDR, value: x}]}]}}}], torchrunConfig: {enabled: false}} | spec.replicaSpecs[0].template.spec.containers[0].env: MASTER_ADDR takes the place of the operator's: take it out",
        "{replicaSpecs: [{type: w, template: {spec: {containers: [{name: c, args: [t.py], env: [{name: RANK, value: x}, {name: WORLD_SIZE, value: x}, {name: X, value: x}, {name: RANK, value: x}]}]}}}], torchrunConfig: {enabled: false}} | RANK, WORLD_SIZE take the place of the operator's: take them out",
        "{replicaSpecs: [{type: w, template: {spec: {containers: [{name: c, args: [t.py], env: [{name: PET_NNODES, value: x}, {name: PET_NODE_RANK, value: x}, {name: PET_MASTER_ADDR, value: x}, {name: PET_MASTER_PORT, value: x}, {name: MASTER_PORT, value: x}, {name: PYTHONUNBUFFERED, value: x}]}]}}}], torchrunConfig: {enabled: false}} | PET_NNODES, PET_NODE_RANK, PET_MASTER_ADDR, PET_MASTER_PORT, MASTER_PORT, PYTHONUNBUFFERED take",
        "{replicaSpecs: [{type: w, template: {spec: {containers: [{name: c, args: [t.py], env: [{name: RANK, value: x}, {name: WORLD_SIZE, value: x}, {name: PET_NNODES, value: x}]}]}}}], torchrunConfig: {enabled: true}} | ``",
        "{replicaSpecs: [{type: w, template: {spec: {containers: [{name: c, args: [t.py], env: [{name: RANK, value: x}, {name: MASTER_ADDR, value: x}, {name: MASTER_PORT, value: x}, {name: PYTHONUNBUFFERED, value: x}]}]}}}], torchrunConfig: {enabled: true}} | env: MASTER_ADDR, MASTER_PORT, PYTHONUNBUFFERED take",
        "{replicaSpecs: [{type: w, template: {spec: {containers: [{name: c, args: [t.py], env: [{name: RANK, value: x}]}]}}}], torchrunConfig: {enable: true}} | ``",
        "{replicaSpecs: [{type: w, template: {spec: {containers: [{name: c, args: [t.py], env: [{name: RANK, value: x}]}]}}}], torchrunConfig: {enabled: true}, runMode: {debug: {enabled: true}}} | RANK takes",
        "{replicaSpecs: [{type: w, template: {spec: {containers: [{name: c, args: [t.py], env: [{name: RANK, value: x}]}]}}}], torchrunConfig: {enabled: true}, runMode: {debug: {enabled: false}}} | ``",
        "{replicaSpecs: [{type: w, template: {spec: {containers: [{name: c, env: [{name: PYTHONUNBUFFERED, value: '1'}, {name: MASTER_PORT, value: '23456'}]}]}}}], } | ``",
        "{replicaSpecs: [{type: w, template: {spec: {containers: [{name: c, env: [{name: PYTHONUNBUFFERED, value: '0'}, {name: WORLD_SIZE, value: '0'}]}]}}}], } | PYTHONUNBUFFERED, WORLD_SIZE take",
        "{replicaSpecs: [{type: w, template: {spec: {containers: [{name: c, env: [{name: MASTER_ADDR, valueFrom: {configMapKeyRef: {name: a, key: b}}}]}]}}}], } | MASTER_ADDR takes",
        "{replicaSpecs: [{type: w, template: {spec: {initContainers: [{name: i, env: [{name: RANK}]}], containers: [{name: c}, {name: d, env: [{name: RANK}]}]}}}]} | initContainers[0].env: RANK ;; containers[1].env: RANK"
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
