package dev.tensorstack.training.kubectl.submit;

import dev.tensorstack.training.kubectl.job.JobKind;
import dev.tensorstack.training.kubectl.job.Tree;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The objects that run a script: pure functions of what the user asked for. */
public final class Manifests {

  /** Where the script's ConfigMap is mounted. */
  static final String SCRIPT_FOLDER = "/opt/kubectl-pj";

  private static final String VOLUME = "script";

  private Manifests() {}

  /**
   * The name of the ConfigMap that holds the script.
   *
   * @param job the job's name
   * @return its name
   */
  public static String configMapName(String job) {
    return job + "-script";
  }

  /**
   * The ConfigMap that holds the script.
   *
   * @param submission what the user asked for
   * @return the object, without an owner
   */
  public static Tree configMap(Submission submission) {
    Map<String, Object> object = ordered("apiVersion", "v1", "kind", "ConfigMap");
    Map<String, Object> metadata = metadata(configMapName(submission.name()), submission);
    metadata.put(
        "labels",
        ordered(
            "app.kubernetes.io/managed-by",
            "kubectl-pj",
            submission.kind().nameLabel(),
            submission.name()));
    object.put("metadata", metadata);
    object.put("data", ordered(submission.scriptName(), submission.script()));
    return Tree.of(object);
  }

  /**
   * Makes an object belong to a job, so that it is deleted with it.
   *
   * @param kind the job's kind
   * @param job the job's name
   * @param uid the job's uid
   * @return a merge patch
   */
  public static Map<String, Object> ownedBy(JobKind kind, String job, String uid) {
    return Map.of(
        "metadata",
        Map.of(
            "ownerReferences",
            List.of(
                ordered(
                    "apiVersion",
                    kind.apiVersion(),
                    "kind",
                    kind.kind(),
                    "name",
                    job,
                    "uid",
                    uid))));
  }

  /**
   * The job.
   *
   * @param submission what the user asked for
   * @return the object
   */
  public static Tree job(Submission submission) {
    JobKind kind = submission.kind();
    Map<String, Object> object = ordered("apiVersion", kind.apiVersion(), "kind", kind.kind());
    Map<String, Object> metadata = metadata(submission.name(), submission);
    if (submission.queue() != null) {
      metadata.put("labels", ordered("kueue.x-k8s.io/queue-name", submission.queue()));
    }
    object.put("metadata", metadata);
    object.put(
        "spec",
        kind == JobKind.TRAINING_JOB ? trainingJobSpec(submission) : pytorchJobSpec(submission));
    return Tree.of(object);
  }

  private static Map<String, Object> metadata(String name, Submission submission) {
    return ordered("name", name, "namespace", submission.namespace());
  }

  private static Map<String, Object> trainingJobSpec(Submission submission) {
    Map<String, Object> torchrun = ordered("enabled", true);
    if (submission.processes() != null) {
      torchrun.put("procPerNode", submission.processes());
    }
    if (submission.maxRestarts() != null) {
      torchrun.put("maxRestarts", submission.maxRestarts());
    }
    Map<String, Object> spec = ordered("torchrunConfig", torchrun);
    Submission.Bounds elastic = submission.elastic();
    if (elastic != null) {
      spec.put(
          "elastic",
          ordered("enabled", true, "minReplicas", elastic.min(), "maxReplicas", elastic.max()));
    }
    List<String> args = new ArrayList<>(List.of(scriptPath(submission)));
    args.addAll(submission.arguments());
    Map<String, Object> replica =
        ordered(
            "type", "node",
            "replicas", submission.nodes(),
            "restartPolicy", submission.restartPolicy(),
            "template", template(submission, ordered("args", args)));
    spec.put("replicaSpecs", List.of(replica));
    return spec;
  }

  private static Map<String, Object> pytorchJobSpec(Submission submission) {
    Map<String, Object> spec = new LinkedHashMap<>();
    if (submission.processes() != null) {
      spec.put("nprocPerNode", submission.processes());
    }
    Submission.Bounds elastic = submission.elastic();
    Integer maxRestarts = submission.maxRestarts();
    if (elastic != null) {
      Map<String, Object> policy =
          ordered("minReplicas", elastic.min(), "maxReplicas", elastic.max());
      policy.put("rdzvBackend", "c10d");
      if (maxRestarts != null) {
        policy.put("maxRestarts", maxRestarts);
      }
      spec.put("elasticPolicy", policy);
    }
    List<String> command = new ArrayList<>(List.of("torchrun"));
    if (elastic == null && maxRestarts != null) {
      command.add("--max-restarts=" + maxRestarts);
    }
    command.add(scriptPath(submission));
    command.addAll(submission.arguments());
    Map<String, Object> replicas = new LinkedHashMap<>();
    // The rendezvous of an elastic job is with the first worker: it has no master.
    int masters = elastic == null ? 1 : 0;
    if (masters == 1) {
      replicas.put("Master", pytorchReplica(submission, 1, command));
    }
    if (submission.nodes() > masters) {
      replicas.put("Worker", pytorchReplica(submission, submission.nodes() - masters, command));
    }
    spec.put("pytorchReplicaSpecs", replicas);
    return spec;
  }

  private static Map<String, Object> pytorchReplica(
      Submission submission, int replicas, List<String> command) {
    return ordered(
        "replicas", replicas,
        "restartPolicy", submission.restartPolicy(),
        "template", template(submission, ordered("command", command)));
  }

  private static Map<String, Object> template(Submission submission, Map<String, Object> start) {
    Map<String, Object> container =
        ordered("name", submission.kind().trainingContainer(), "image", submission.image());
    container.putAll(start);
    if (!submission.environment().isEmpty()) {
      List<Object> variables = new ArrayList<>();
      submission
          .environment()
          .forEach((name, value) -> variables.add(ordered("name", name, "value", value)));
      container.put("env", variables);
    }
    Map<String, Object> resources = resources(submission);
    if (!resources.isEmpty()) {
      container.put("resources", resources);
    }
    List<Object> mounts = new ArrayList<>();
    List<Object> volumes = new ArrayList<>();
    mounts.add(ordered("name", VOLUME, "mountPath", SCRIPT_FOLDER, "readOnly", true));
    volumes.add(
        ordered("name", VOLUME, "configMap", ordered("name", configMapName(submission.name()))));
    int number = 0;
    for (Map.Entry<String, String> claim : submission.claims().entrySet()) {
      String volume = "claim-" + number++;
      mounts.add(ordered("name", volume, "mountPath", claim.getKey()));
      volumes.add(
          ordered("name", volume, "persistentVolumeClaim", ordered("claimName", claim.getValue())));
    }
    container.put("volumeMounts", mounts);
    return ordered("spec", ordered("containers", List.of(container), "volumes", volumes));
  }

  private static Map<String, Object> resources(Submission submission) {
    Map<String, Object> requests = new LinkedHashMap<>();
    if (submission.cpu() != null) {
      requests.put("cpu", submission.cpu());
    }
    if (submission.memory() != null) {
      requests.put("memory", submission.memory());
    }
    Map<String, Object> resources = new LinkedHashMap<>();
    if (!requests.isEmpty()) {
      resources.put("requests", requests);
    }
    if (submission.gpus() > 0) {
      resources.put("limits", ordered(submission.gpuResource(), submission.gpus()));
    }
    return resources;
  }

  private static String scriptPath(Submission submission) {
    return SCRIPT_FOLDER + "/" + submission.scriptName();
  }

  private static Map<String, Object> ordered(Object... namesAndValues) {
    Map<String, Object> map = new LinkedHashMap<>();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      map.put(String.valueOf(namesAndValues[i]), namesAndValues[i + 1]);
    }
    return map;
  }
}
