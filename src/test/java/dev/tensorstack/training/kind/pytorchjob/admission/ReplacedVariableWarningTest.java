package dev.tensorstack.training.kind.pytorchjob.admission;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.Arguments;

class ReplacedVariableWarningTest extends WarningTable {

  ReplacedVariableWarningTest() {
    super(new ReplacedVariableWarning());
  }

  @Override
  Stream<Arguments> jobs() {
    return Stream.of(
        Arguments.of("{}", List.of()),
        Arguments.of(
            "{pytorchReplicaSpecs: {Master: null, Worker: {}, Chief: {template: {}}}}", List.of()),
        Arguments.of(
            "{pytorchReplicaSpecs: {Master: {template: null}, Worker: {template: {spec: {containers: null}}}}}",
            List.of()),
        Arguments.of(
            "{pytorchReplicaSpecs: {Worker: {template: {spec: {containers: [null, {env: null}, {env: [null, {}]}]}}}}}",
            List.of()),
        Arguments.of(Jobs.job(""), List.of()),
        Arguments.of(
            Jobs.job("")
                .replace("image: i:1", "image: i:1, env: [{name: NCCL_DEBUG, value: INFO}]"),
            List.of()),
        Arguments.of(
            Jobs.job("")
                .replace(
                    "image: i:1",
                    "image: i:1, env: [{name: PYTHONUNBUFFERED, value: '1'}, {name: PET_NPROC_PER_NODE, value: auto}]"),
            List.of()),
        Arguments.of(
            Jobs.jobOf("", Jobs.master())
                .replace(
                    "image: i:1",
                    "image: i:1, env: [{name: RANK}, {name: WORLD_SIZE}, {name: RANK}]"),
            List.of(
                "spec.pytorchReplicaSpecs[Master].template.spec.containers[0].env: the operator sets RANK, WORLD_SIZE too, and its values win: take them out")),
        Arguments.of(
            Jobs.jobOf("", Jobs.master())
                .replace(
                    "image: i:1",
                    "image: i:1, env: [{name: MASTER_ADDR}, {name: MASTER_PORT}, {name: PET_MASTER_ADDR}, {name: PET_MASTER_PORT}, {name: PET_NODE_RANK}, {name: PET_NNODES}, {name: PET_NPROC_PER_NODE}, {name: PYTHONUNBUFFERED}]"),
            List.of(
                "spec.pytorchReplicaSpecs[Master].template.spec.containers[0].env: the operator sets MASTER_ADDR, MASTER_PORT, PET_MASTER_ADDR, PET_MASTER_PORT, PET_NODE_RANK, PET_NNODES, PET_NPROC_PER_NODE, PYTHONUNBUFFERED too, and its values win: take them out")),
        Arguments.of(
            Jobs.jobOf("", Jobs.workers(1))
                .replace(
                    "image: i:1",
                    "image: i:1, env: [{name: RANK}, {name: WORLD_SIZE}, {name: MASTER_ADDR}, {name: PET_RDZV_ID}]"),
            List.of()),
        Arguments.of(
            Jobs.jobOf("elasticPolicy: {}", Jobs.workers(1))
                .replace(
                    "image: i:1",
                    "image: i:1, env: [{name: PET_RDZV_ENDPOINT}, {name: PET_RDZV_ID}, {name: PET_RDZV_BACKEND, value: c10d}, {name: PET_MAX_RESTARTS}]"),
            List.of(
                "spec.pytorchReplicaSpecs[Worker].template.spec.containers[0].env: the operator sets PET_RDZV_ENDPOINT too, and its value wins: take it out")),
        Arguments.of(
            Jobs.jobOf(
                    "elasticPolicy: {rdzvId: a, rdzvConf: [], standalone: true, maxRestarts: 1, rdzvBackend: etcd}",
                    Jobs.workers(1))
                .replace(
                    "image: i:1",
                    "image: i:1, env: [{name: PET_RDZV_BACKEND, value: c10d}, {name: PET_RDZV_ID}, {name: PET_RDZV_CONF}, {name: PET_STANDALONE}, {name: PET_MAX_RESTARTS}]"),
            List.of(
                "spec.pytorchReplicaSpecs[Worker].template.spec.containers[0].env: the operator sets PET_RDZV_BACKEND, PET_RDZV_ID, PET_RDZV_CONF, PET_STANDALONE, PET_MAX_RESTARTS too, and its values win: take them out")),
        Arguments.of(
            Jobs.jobOf("", Jobs.master())
                .replace("containers", "initContainers: [{env: [{name: RANK}]}], containers"),
            List.of(
                "spec.pytorchReplicaSpecs[Master].template.spec.initContainers[0].env: the operator sets RANK too, and its value wins: take it out")));
  }
}
