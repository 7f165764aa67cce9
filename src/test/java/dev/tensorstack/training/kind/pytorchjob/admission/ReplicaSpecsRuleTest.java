package dev.tensorstack.training.kind.pytorchjob.admission;

import static dev.tensorstack.training.kind.pytorchjob.admission.Jobs.job;
import static dev.tensorstack.training.kind.pytorchjob.admission.Jobs.jobOf;
import static dev.tensorstack.training.kind.pytorchjob.admission.Jobs.master;
import static dev.tensorstack.training.kind.pytorchjob.admission.Jobs.workers;
import static dev.tensorstack.training.kind.pytorchjob.admission.Jobs.workersOnly;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.Arguments;

class ReplicaSpecsRuleTest extends RuleTable {

  ReplicaSpecsRuleTest() {
    super(new ReplicaSpecsRule());
  }

  @Override
  List<String> possible() {
    return List.of(
        job(""),
        workersOnly(""),
        jobOf("", master()),
        jobOf("", workers(10_000)),
        job("").replace("Master: {", "Master: {replicas: 1, restartPolicy: ExitCode, "),
        job("").replace("replicas: 3", "replicas: null, restartPolicy: ''"));
  }

  @Override
  Stream<Arguments> impossible() {
    return Stream.of(
        Arguments.of(
            "{}",
            List.of("spec.pytorchReplicaSpecs: give at least one replica spec: Master or Worker")),
        Arguments.of(
            "{pytorchReplicaSpecs: {}}",
            List.of("spec.pytorchReplicaSpecs: give at least one replica spec: Master or Worker")),
        Arguments.of(
            job("").replace("Worker", "worker"),
            List.of(
                "spec.pytorchReplicaSpecs[worker]: \"worker\" is no type of replicas: write Master or Worker, spelled like this")),
        Arguments.of(
            jobOf("", master(), "Chief: null"),
            List.of(
                "spec.pytorchReplicaSpecs[Chief]: \"Chief\" is no type of replicas: write Master or Worker, spelled like this")),
        Arguments.of(
            job("").replace("Master: {", "Master: {replicas: 2, "),
            List.of(
                "spec.pytorchReplicaSpecs[Master].replicas: must be 1: all other replicas are Workers")),
        Arguments.of(
            job("").replace("Master: {", "Master: {replicas: 0, "),
            List.of(
                "spec.pytorchReplicaSpecs[Master].replicas: must be 1: all other replicas are Workers")),
        Arguments.of(
            jobOf("", workers(0)),
            List.of(
                "spec.pytorchReplicaSpecs[Worker].replicas: must be at least 1: suspend the job to have no pods for a while, or leave Worker out")),
        Arguments.of(
            jobOf("", master(), workers(-1)),
            List.of(
                "spec.pytorchReplicaSpecs[Worker].replicas: must be at least 1: suspend the job to have no pods for a while, or leave Worker out")),
        Arguments.of(
            jobOf("", workers(10_001)),
            List.of(
                "spec.pytorchReplicaSpecs[Worker].replicas: must be at most 10000, because a job's state is kept in one object: write fewer, or make several jobs")),
        Arguments.of(
            job("").replace("replicas: 3", "restartPolicy: onFailure"),
            List.of(
                "spec.pytorchReplicaSpecs[Worker].restartPolicy: \"onFailure\" is unknown: use one of [Always, OnFailure, Never, ExitCode]")),
        Arguments.of(
            jobOf("", "Master: {replicas: 3, restartPolicy: x}", "worker: {}", workers(0)),
            List.of(
                "spec.pytorchReplicaSpecs[worker]: \"worker\" is no type of replicas: write Master or Worker, spelled like this",
                "spec.pytorchReplicaSpecs[Master].replicas: must be 1: all other replicas are Workers",
                "spec.pytorchReplicaSpecs[Master].restartPolicy: \"x\" is unknown: use one of [Always, OnFailure, Never, ExitCode]",
                "spec.pytorchReplicaSpecs[Worker].replicas: must be at least 1: suspend the job to have no pods for a while, or leave Worker out")));
  }
}
