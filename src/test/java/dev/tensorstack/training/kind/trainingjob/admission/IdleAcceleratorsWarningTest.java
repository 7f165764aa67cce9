package dev.tensorstack.training.kind.trainingjob.admission;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.policy.AcceleratorResources;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class IdleAcceleratorsWarningTest {

  private final WarningTester warning =
      new WarningTester(new IdleAcceleratorsWarning(AcceleratorResources.DEFAULT));

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{} | ``",
        "{replicaSpecs: [{type: w, template: {spec: {containers: [{name: c, args: [t.py], resources: {limits: {nvidia.com/gpu: 8}}}]}}}], torchrunConfig: {enabled: true}} | ``",
        "{replicaSpecs: [{type: w, template: {spec: {containers: [{name: c, args: [t.py], resources: {limits: {nvidia.com/gpu: 8}}}]}}}], torchrunConfig: {enabled: true, procPerNode: gpu}} | ``",
        "{replicaSpecs: [{type: w, template: {spec: {containers: [{name: c, args: [t.py], resources: {limits: {nvidia.com/gpu: 8}}}]}}}], torchrunConfig: {enabled: true, procPerNode: auto}} | ``",
        "{replicaSpecs: [{type: w, template: {spec: {containers: [{name: c, args: [t.py], resources: {limits: {nvidia.com/gpu: 8}}}]}}}], torchrunConfig: {enabled: true, procPerNode: cpu}} | ``",
        "{replicaSpecs: [{type: w, template: {spec: {containers: [{name: c, args: [t.py], resources: {limits: {nvidia.com/gpu: 8}}}]}}}], torchrunConfig: {enabled: true, procPerNode: 8}} | ``",
        "{replicaSpecs: [{type: w, template: {spec: {containers: [{name: c, args: [t.py], resources: {limits: {nvidia.com/gpu: 8}}}]}}}], torchrunConfig: {enabled: true, procPerNode: 16}} | ``",
        "{replicaSpecs: [{type: w, template: {spec: {containers: [{name: c, args: [t.py], resources: {limits: {nvidia.com/gpu: 8}}}]}}}], torchrunConfig: {enabled: true, procPerNode: 0}} | ``",
        "{replicaSpecs: [{type: w, template: {spec: {containers: [{name: c, args: [t.py], resources: {limits: {nvidia.com/gpu: 8}}}]}}}], torchrunConfig: {enabled: true, procPerNode: tpu}} | ``",
        "{replicaSpecs: [{type: w, template: {spec: {containers: [{name: c, args: [t.py], resources: {limits: {nvidia.com/gpu: 8}}}]}}}], torchrunConfig: {enabled: true, procPerNode: '99999999999999'}} | ``",
        "{replicaSpecs: [{type: w, template: {spec: {containers: [{name: c, args: [t.py], resources: {limits: {nvidia.com/gpu: 8}}}]}}}], torchrunConfig: {enabled: true, procPerNode: 1}} | spec.torchrunConfig.procPerNode: 1 process on each node of type \"w\", which asks for 8 accelerators: write gpu to use all",
        "{replicaSpecs: [{type: w, template: {spec: {containers: [{name: c, args: [t.py], resources: {limits: {nvidia.com/gpu: 8}}}]}}}], torchrunConfig: {enabled: true, procPerNode: ' 4 '}} | 4 processes",
        "{replicaSpecs: [{type: w, template: {spec: {containers: [{name: c, args: [t.py], resources: {limits: {hygon.com/dcu: 2}}}]}}}], torchrunConfig: {enabled: true, procPerNode: 1}} | 2 accelerators",
        "{replicaSpecs: [{type: w, template: {spec: {containers: [{name: c, args: [t.py], resources: {limits: {cpu: 8}}}]}}}], torchrunConfig: {enabled: true, procPerNode: 1}} | ``",
        "{replicaSpecs: [{type: w, template: {spec: {containers: [{name: c, args: [t.py], resources: {limits: {nvidia.com/gpu: many}}}]}}}], torchrunConfig: {enabled: true, procPerNode: 1}} | ``",
        "{replicaSpecs: [{type: w, template: {spec: {containers: [{name: c, args: [t.py], resources: {limits: {nvidia.com/gpu: null}}}]}}}], torchrunConfig: {enabled: true, procPerNode: 1}} | ``",
        "{replicaSpecs: [{type: w, template: {spec: {containers: [{name: c, args: [t.py], resources: {limits: {nvidia.com/gpu: 99999999999}}}]}}}], torchrunConfig: {enabled: true, procPerNode: 1}} | accelerators",
        "{replicaSpecs: [{type: w, template: {spec: {containers: [{name: c, args: [t.py], resources: {limits: {nvidia.com/gpu: -1}}}]}}}], torchrunConfig: {enabled: true, procPerNode: 1}} | ``",
        "{replicaSpecs: [{type: w, template: {spec: {containers: [{name: c, args: [t.py], resources: {limits: {nvidia.com/gpu: 8}}}]}}}], torchrunConfig: {enable: true, procPerNode: 1}} | 1 process",
        "{replicaSpecs: [{type: w, template: {spec: {containers: [{name: c, args: [t.py], resources: {limits: {nvidia.com/gpu: 8}}}]}}}], torchrunConfig: {enabled: false, procPerNode: 1}} | ``"
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
