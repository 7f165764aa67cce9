package dev.tensorstack.training.kind.trainingjob.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Makes jobs out of a job that nobody would write: things missing, doubled, odd or of no use. */
final class SpecMutator {

  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  /** Whole blocks, so that mutants get where few manifests are. */
  private static final List<String> BLOCKS =
      List.of(
          "elastic: {enabled: true, minReplicas: 1, maxReplicas: 4}",
          "elastic: {enable: true, minReplicas: 3, maxReplicas: 9, expectedReplicas: 5}",
          "elastic: {enabled: true, minReplicas: 2, maxReplicas: 3, metrics: [{type: Resource}]}",
          "elastic: {enabled: true, minReplicas: 1, maxReplicas: 3, metrics: [{type: Pods, pods: {metric: {name: m}, target: {type: AverageValue, averageValue: 2}}}]}",
          "torchrunConfig: {enabled: true}",
          "torchrunConfig: {enable: true, procPerNode: 2, rdzvBackend: static, minNodes: 1}",
          "torchrunConfig: {enabled: true, rdzvBackend: etcd, extraOptions: ['--rdzv_endpoint=h:1']}",
          "torchrunConfig: {enabled: true, extraOptions: [--tee, '3', --rdzv_conf, 'a=b', --log-dir=x]}",
          "torchrunConfig: {enabled: true, enable: false, procPerNode: auto, maxRestarts: 3}",
          "runMode: {debug: {enabled: true, replicaSpecs: [{type: worker, command: [sshd]}]}}",
          "runMode: {pause: {enable: true, resumeSpecs: [{type: worker, args: [a], command: [b]}]}}",
          "runMode: {debug: {enable: false}, pause: {enabled: false, resumeSpecs: [{type: node}]}}",
          "runPolicy: {activeDeadlineSeconds: 9, backoffLimit: 0, ttlSecondsAfterFinished: 1}",
          "runPolicy: {restartScope: Replica, retryableExitCodes: [1, 255], cleanUpPolicy: None}",
          "runPolicy: {backoffLimit: 101, backoffWindowSeconds: 60}",
          "runPolicy: {backoffLimit: 101}",
          "scheduler: {t9kScheduler: {queue: null}}",
          "scheduler: {volcano: {queue: q, priorityClassName: p}}",
          "scheduler: {coscheduling: {scheduleTimeoutSeconds: 5, schedulerName: s}}",
          "scheduler: {kubernetes: {}}",
          "scheduler: {}",
          "tensorboardSpec: {logDir: {pvc: [{name: a, subPath: [b]}]}, suspend: true}",
          "tensorboardSpec: {logDir: {s3: {secretRef: {name: s}, uri: ['s3://b/p']}, http: {url: ['http://h']}}}");

  /** Members of an entry of replicaSpecs, of a pod or of a container. */
  private static final List<String> MEMBERS =
      List.of(
          "scalingWeight: 0",
          "scalingWeight: 7",
          "replicas: 0",
          "replicas: 5",
          "restartPolicy: Always",
          "type: master",
          "command: [python, '-m']",
          "command: [python, '-u', '-W', ignore, t.py]",
          "command: [bash, '-c', x]",
          "args: [a, '$(RANK)']",
          "name: python",
          "env: [{name: MASTER_ADDR, value: x}, {name: RANK, valueFrom: {fieldRef: {fieldPath: a}}}]",
          "initContainers: [{name: i, env: [{name: PET_NNODES}]}]",
          "resources: {limits: {nvidia.com/gpu: 8, nvidia.com/mig-1g.5gb: '3'}}",
          "schedulerName: volcano",
          "enable: true",
          "enabled: false",
          "metadata: {labels: {job-role: mine}, annotations: {a: b}}",
          "fromTheFuture: {a: [1, null]}");

  private final Random random;

  SpecMutator(Random random) {
    this.random = random;
  }

  /** Changes a spec in one to four places. */
  void mutate(ObjectNode spec) {
    int changes = 1 + random.nextInt(4);
    for (int i = 0; i < changes; i++) {
      List<JsonNode> places = new ArrayList<>();
      collect(spec, places);
      if (random.nextInt(4) == 0) {
        spec.setAll(yaml(anyOf(BLOCKS)));
      } else if (anyOf(places) instanceof ObjectNode object) {
        change(object);
      } else if (anyOf(places) instanceof ArrayNode array) {
        change(array);
      }
    }
  }

  private static void collect(JsonNode node, List<JsonNode> places) {
    if (node.isContainerNode()) {
      places.add(node);
      node.forEach(child -> collect(child, places));
    }
  }

  private void change(ObjectNode object) {
    List<String> names = new ArrayList<>();
    object.fieldNames().forEachRemaining(names::add);
    if (names.isEmpty() || random.nextInt(3) == 0) {
      object.setAll(yaml(anyOf(MEMBERS)));
      return;
    }
    String name = anyOf(names);
    switch (random.nextInt(3)) {
      case 0 -> object.remove(name);
      case 1 -> object.set(name, strange());
      default -> object.set(name, another(object.get(name)));
    }
  }

  private void change(ArrayNode array) {
    if (array.isEmpty() || random.nextInt(5) == 0) {
      array.add(strange());
      return;
    }
    int at = random.nextInt(array.size());
    switch (random.nextInt(4)) {
      case 0 -> array.remove(at);
      case 1 -> array.insert(at, array.get(at).deepCopy());
      case 2 -> array.set(at, strange());
      default -> array.set(at, another(array.get(at)));
    }
  }

  /** A value of the same sort. */
  private JsonNode another(JsonNode value) {
    if (value.isInt()) {
      return JSON.numberNode(anyOf(List.of(0, 1, 2, 3, 5, 8, 63, 255, 100_000, -1)));
    }
    if (value.isBoolean()) {
      return JSON.booleanNode(!value.booleanValue());
    }
    if (value.isTextual()) {
      return JSON.textNode(
          anyOf(
              List.of(
                  value.textValue() + "x",
                  value.textValue().toUpperCase(java.util.Locale.ROOT),
                  "worker",
                  "master",
                  "Never",
                  "gpu",
                  "python",
                  "--nnodes=2")));
    }
    return strange();
  }

  private JsonNode strange() {
    return switch (random.nextInt(18)) {
      case 0 -> JSON.nullNode();
      case 1 -> JSON.textNode("");
      case 2 -> JSON.textNode("x".repeat(1 + random.nextInt(3000)));
      case 3 -> JSON.textNode("ü漢\uD83D\uDE00\u0000\n\uD800");
      case 4 -> JSON.textNode(" 7 ");
      case 5 -> JSON.textNode("-");
      case 6 -> JSON.numberNode(Integer.MAX_VALUE);
      case 7 -> JSON.numberNode(Integer.MIN_VALUE);
      case 8 -> JSON.numberNode(Long.MAX_VALUE);
      case 9 -> JSON.numberNode(BigInteger.TEN.pow(40));
      case 10 -> JSON.numberNode(1.5);
      case 11 -> JSON.numberNode(-1);
      case 12 -> JSON.booleanNode(random.nextBoolean());
      case 13 -> JSON.objectNode();
      case 14 -> JSON.arrayNode();
      case 15 -> JSON.arrayNode().addNull();
      case 16 -> JSON.arrayNode().add("").add("x");
      default -> JSON.textNode("1e99999");
    };
  }

  private static ObjectNode yaml(String text) {
    return Serialization.unmarshal("---\n{" + text + "}", ObjectNode.class);
  }

  private <T> T anyOf(List<T> list) {
    return list.get(random.nextInt(list.size()));
  }
}
