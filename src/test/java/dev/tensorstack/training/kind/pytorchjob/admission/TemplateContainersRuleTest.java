package dev.tensorstack.training.kind.pytorchjob.admission;

import static dev.tensorstack.training.kind.pytorchjob.admission.Jobs.job;
import static dev.tensorstack.training.kind.pytorchjob.admission.Jobs.jobOf;
import static dev.tensorstack.training.kind.pytorchjob.admission.Jobs.master;
import static dev.tensorstack.training.kind.pytorchjob.admission.Jobs.workers;
import static dev.tensorstack.training.kind.pytorchjob.admission.Jobs.workersOnly;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.Arguments;

class TemplateContainersRuleTest extends RuleTable {

  TemplateContainersRuleTest() {
    super(new TemplateContainersRule());
  }

  @Override
  List<String> possible() {
    return List.of(
        job(""),
        "{}",
        workersOnly("").replace("[{name: pytorch", "[{name: sidecar, image: s:1}, {name: pytorch"),
        jobOf("", "Chief: {}"));
  }

  @Override
  Stream<Arguments> impossible() {
    return Stream.of(
        Arguments.of(
            jobOf("", "Master: null", "Worker: {replicas: 2}"),
            List.of(
                "spec.pytorchReplicaSpecs[Master].template: give the pod to run, with a container named pytorch",
                "spec.pytorchReplicaSpecs[Worker].template: give the pod to run, with a container named pytorch")),
        Arguments.of(
            jobOf("", "Worker: {template: {}}"),
            List.of(
                "spec.pytorchReplicaSpecs[Worker].template.spec.containers: give at least one container; the one named pytorch trains")),
        Arguments.of(
            jobOf("", "Worker: {template: {spec: {containers: null}}}"),
            List.of(
                "spec.pytorchReplicaSpecs[Worker].template.spec.containers: give at least one container; the one named pytorch trains")),
        Arguments.of(
            jobOf("", "Worker: {template: {spec: {containers: []}}}"),
            List.of(
                "spec.pytorchReplicaSpecs[Worker].template.spec.containers: give at least one container; the one named pytorch trains")),
        Arguments.of(
            jobOf("", master().replace("pytorch", "python")),
            List.of(
                "spec.pytorchReplicaSpecs[Master].template.spec.containers: none is named pytorch: give the container that trains this name")),
        Arguments.of(
            jobOf("", workers(1).replace(", image: i:1", "")),
            List.of(
                "spec.pytorchReplicaSpecs[Worker].template.spec.containers[0].image: name the image to run")),
        Arguments.of(
            jobOf("", workers(1).replace("[{", "[null, {image: ''}, {")),
            List.of(
                "spec.pytorchReplicaSpecs[Worker].template.spec.containers[0].image: name the image to run",
                "spec.pytorchReplicaSpecs[Worker].template.spec.containers[1].image: name the image to run")),
        Arguments.of(
            jobOf("", workers(1).replace("pytorch, image: i:1", "other")),
            List.of(
                "spec.pytorchReplicaSpecs[Worker].template.spec.containers: none is named pytorch: give the container that trains this name",
                "spec.pytorchReplicaSpecs[Worker].template.spec.containers[0].image: name the image to run")));
  }
}
