package dev.tensorstack.training.benchmark;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tensorstack.training.core.observe.TrainingJob;
import dev.tensorstack.training.kind.pytorchjob.NameLookup;
import dev.tensorstack.training.kind.pytorchjob.PyTorchJobKind;
import dev.tensorstack.training.kind.pytorchjob.PyTorchJobSettings;
import dev.tensorstack.training.kind.pytorchjob.v1.PyTorchJob;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJob;
import dev.tensorstack.training.world.StoredJob;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;

/** Which kind of jobs a benchmark submits, and how its status is read. */
enum JobResource {
  /** Jobs of one type, {@code worker}, and one Service. */
  PYTORCH_TRAINING_JOB("/apis/batch.tensorstack.dev/v1beta1", "pytorchtrainingjobs") {
    @Override
    String manifest(String name, int pods, String restartPolicy, String options) {
      return """
          {"apiVersion":"batch.tensorstack.dev/v1beta1","kind":"PyTorchTrainingJob",\
          "metadata":{"name":"%s"},"spec":{%s"replicaSpecs":[{"type":"worker","replicas":%d,\
          "restartPolicy":"%s","template":%s}]}}"""
          .formatted(name, options, pods, restartPolicy, TEMPLATE);
    }

    @Override
    TrainingJob read(String manifest, String namespace) {
      PyTorchTrainingJob job = Serialization.unmarshal(manifest, PyTorchTrainingJob.class);
      identify(job.getMetadata(), namespace);
      return StoredJob.read(job);
    }

    @Override
    String phase(JsonNode job) {
      return job.path("status").path("phase").asText();
    }
  },

  /** Jobs of a Master and Workers, each with a Service of its own. */
  PYTORCH_JOB("/apis/kubeflow.org/v1", "pytorchjobs") {
    @Override
    String manifest(String name, int pods, String restartPolicy, String options) {
      String replicas = "{\"replicas\":%d,\"restartPolicy\":\"%s\",\"template\":%s}";
      String master = replicas.formatted(1, restartPolicy, TEMPLATE);
      String workers =
          pods == 1 ? "" : ",\"Worker\":" + replicas.formatted(pods - 1, restartPolicy, TEMPLATE);
      return """
          {"apiVersion":"kubeflow.org/v1","kind":"PyTorchJob","metadata":{"name":"%s"},\
          "spec":{%s"pytorchReplicaSpecs":{"Master":%s%s}}}"""
          .formatted(name, options, master, workers);
    }

    @Override
    TrainingJob read(String manifest, String namespace) {
      PyTorchJob job = Serialization.unmarshal(manifest, PyTorchJob.class);
      identify(job.getMetadata(), namespace);
      return KIND.read(job);
    }

    /** The condition {@code Running} only tells of the Master; the counts tell of all. */
    @Override
    String phase(JsonNode job) {
      JsonNode status = job.path("status");
      for (JsonNode condition : status.path("conditions")) {
        String type = condition.path("type").asText();
        if (condition.path("status").asText().equals("True")
            && (type.equals("Succeeded") || type.equals("Failed"))) {
          return type;
        }
      }
      int wanted = 0;
      int active = 0;
      for (JsonNode replicas : job.path("spec").path("pytorchReplicaSpecs")) {
        wanted += replicas.path("replicas").asInt(1);
      }
      for (JsonNode replicas : status.path("replicaStatuses")) {
        active += replicas.path("active").asInt();
      }
      return active == wanted ? "Running" : "Pending";
    }
  };

  private static final String TEMPLATE =
      """
      {"spec":{"nodeName":"%s","containers":[{"name":"pytorch",\
      "image":"registry.example/train:1","command":["python","train.py"]}]}}"""
          .formatted(SwiftKubelet.NODE);

  /** With the operator's default: workers wait in an init container for the Master's name. */
  private static final PyTorchJobKind KIND =
      new PyTorchJobKind(new PyTorchJobSettings(null, new NameLookup("busybox:1.36.1", 100)));

  private final String group;
  private final String plural;

  JobResource(String group, String plural) {
    this.group = group;
    this.plural = plural;
  }

  /**
   * The manifest of a job on the node of the benchmark.
   *
   * @param options further fields of the spec in JSON, each followed by a comma
   */
  abstract String manifest(String name, int pods, String restartPolicy, String options);

  /** The job of a manifest as the operator reads it once it is stored. */
  abstract TrainingJob read(String manifest, String namespace);

  /** Whether a stored job says that all of its pods run, or that it has ended. */
  abstract String phase(JsonNode job);

  /** Jobs of so many pods by name, with further fields of the spec in JSON. */
  Map<String, String> manifests(String prefix, int jobs, int pods, String options) {
    Map<String, String> manifests = new LinkedHashMap<>();
    for (int i = 0; i < jobs; i++) {
      String name = prefix + i;
      manifests.put(name, manifest(name, pods, "OnFailure", options));
    }
    return manifests;
  }

  /** Where the API server has the jobs of all namespaces. */
  String path() {
    return group + "/" + plural;
  }

  /** Where the API server has the jobs of a namespace. */
  String path(String namespace) {
    return group + "/namespaces/" + namespace + "/" + plural;
  }

  private static void identify(ObjectMeta metadata, String namespace) {
    metadata.setNamespace(namespace);
    metadata.setUid(UUID.randomUUID().toString());
    metadata.setGeneration(1L);
    metadata.setCreationTimestamp(Instant.now().toString());
  }
}
