package dev.tensorstack.training.gitops;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tensorstack.training.core.observe.ObjectWrite;
import dev.tensorstack.training.core.observe.WriteFailure;
import dev.tensorstack.training.kind.pytorchjob.PyTorchJobStates;
import dev.tensorstack.training.world.World;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Jobs of both kinds in all states that tools tell apart, as the operator leaves them. Of each
 * there is what these tools read: metadata, phase, conditions, the generation that they are of, and
 * the end.
 */
final class JobStates {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String TWO = World.workers(2, "OnFailure");
  private static final String PAUSE = "runMode: {pause: {enabled: true}}\n";
  private static final String POD = "mnist-12e8d-worker-";

  private static final List<String> READ =
      List.of("observedGeneration", "phase", "completionTime", "conditions");

  private final Map<String, JsonNode> states = new LinkedHashMap<>();

  private JobStates() {}

  /**
   * All of them.
   *
   * @return the jobs by kind and state, with a space between
   */
  static Map<String, JsonNode> all() {
    JobStates all = new JobStates();
    all.waiting();
    all.running();
    all.paused();
    all.ended();
    PyTorchJobStates.all()
        .forEach(
            (state, job) -> all.put(state, "kubeflow.org/v1", json(Serialization.asJson(job))));
    return all.states;
  }

  private void waiting() {
    put("new", new World(TWO), 1);

    World pending = new World(TWO);
    pending.settle();
    put("pending", pending, 1);

    pending.see(World.unschedulable(pending.pod(POD + 0), "0/3 nodes are available"));
    pending.settle();
    put("unschedulable", pending, 1);

    put("over its quota", refused(WriteFailure.Kind.QUOTA), 1);
    put("rejected", refused(WriteFailure.Kind.FORBIDDEN), 1);
  }

  private static World refused(WriteFailure.Kind kind) {
    World world = new World(TWO);
    world.refuse(
        new WriteFailure(ObjectWrite.pod(POD + 0), kind, "no", world.now().plusSeconds(60)));
    world.settle();
    return world;
  }

  private void running() {
    World running = worldThatRuns();
    put("running", running, 1);
    put("edited", running, 2);

    World silent = worldThatRuns();
    silent.see(silent.pod(POD + 0).lost(silent.now()));
    silent.settle();
    put("on a silent node", silent, 1);

    running.exit("worker", 1, 1);
    running.settle();
    put("restarting", running, 1);
  }

  private void paused() {
    World slow = worldThatRuns();
    slow.podsEndSlowly();
    slow.edit(TWO + PAUSE);
    slow.step();
    put("pausing", slow, 1);

    World paused = worldThatRuns();
    paused.edit(TWO + PAUSE);
    paused.settle();
    put("paused", paused, 1);
    paused.edit(TWO);
    paused.settle();
    put("resuming", paused, 1);
  }

  private void ended() {
    World succeeded = worldThatRuns();
    succeeded.exit("worker", 0, 0);
    succeeded.exit("worker", 1, 0);
    succeeded.settle();
    put("succeeded", succeeded, 1);

    String once = World.workers(2, "Never");
    World failed = new World(once);
    failed.settle();
    failed.allRun();
    failed.settle();
    failed.exit("worker", 1, 3);
    failed.pass(Duration.ofMinutes(1));
    failed.settle();
    put("failed", failed, 1);

    World invalid = new World(once.replace("type: worker", "type: No_Label"));
    invalid.settle();
    put("invalid", invalid, 1);
  }

  private static World worldThatRuns() {
    World world = new World(TWO);
    world.settle();
    world.allRun();
    world.settle();
    return world;
  }

  private void put(String state, World world, long generation) {
    ObjectNode job = JsonNodeFactory.instance.objectNode().put("kind", "PyTorchTrainingJob");
    job.putObject("metadata").put("name", "mnist").put("generation", generation);
    if (world.stored() != null) {
      job.set("status", json(Serialization.asJson(world.status())));
    }
    put(state, "batch.tensorstack.dev/v1beta1", job);
  }

  private void put(String state, String apiVersion, JsonNode job) {
    ObjectNode read = JsonNodeFactory.instance.objectNode();
    read.put("apiVersion", apiVersion).set("kind", job.get("kind"));
    ObjectNode metadata = read.putObject("metadata");
    metadata.set("name", job.at("/metadata/name"));
    metadata.set("generation", job.at("/metadata/generation"));
    if (job.hasNonNull("status")) {
      ObjectNode status = read.putObject("status");
      for (String field : READ) {
        if (job.get("status").hasNonNull(field)) {
          status.set(field, job.get("status").get(field));
        }
      }
    }
    states.put(job.get("kind").asText() + " " + state, json(read.toString()));
  }

  private static JsonNode json(String text) {
    try {
      return JSON.readTree(text);
    } catch (JsonProcessingException impossible) {
      throw new AssertionError(impossible);
    }
  }
}
