package dev.tensorstack.training.benchmark;

import com.fasterxml.jackson.databind.JsonNode;

/** The kinds of jobs that stories are about: their manifests, and where their statuses say what. */
enum StoryKind {
  /** The operator's own. */
  TRAINING_JOB(JobResource.PYTORCH_TRAINING_JOB) {
    @Override
    String manifest(String name, Story.Plot plot) {
      return resource().manifest(name, plot.pods(), plot.restartPolicy(), plot.options());
    }

    @Override
    int backoff(JsonNode status) {
      return status.path("backoffCount").asInt();
    }

    @Override
    int disruptions(JsonNode status) {
      return status.path("disruptionCount").asInt();
    }

    @Override
    int attempt(JsonNode status) {
      return status.path("attempt").asInt();
    }

    @Override
    int restarts(JsonNode status) {
      return status.path("tasks").path(0).path("restartCount").asInt();
    }

    @Override
    String reasonOfFailed(JsonNode status) {
      for (JsonNode condition : status.path("conditions")) {
        if (condition.path("type").asText().equals("Failed")
            && condition.path("status").asText().equals("True")) {
          return condition.path("reason").asText();
        }
      }
      return "";
    }

    @Override
    boolean lists(JsonNode status, String uid) {
      for (JsonNode replica : status.path("tasks").path(0).path("replicas")) {
        if (replica.path("uid").asText().equals(uid)) {
          return true;
        }
      }
      return false;
    }

    @Override
    boolean reusesPodNames() {
      return false;
    }
  },

  /** Kubeflow's: a Master, and Workers. */
  PYTORCH_JOB(JobResource.PYTORCH_JOB) {
    @Override
    String manifest(String name, Story.Plot plot) {
      String template =
          """
          "template":{"spec":{"nodeName":"%s","containers":[{"name":"pytorch",\
          "image":"registry.example/train:1","command":["python","train.py"]}]}}"""
              .formatted(SwiftKubelet.NODE);
      return """
          {"apiVersion":"kubeflow.org/v1","kind":"PyTorchJob","metadata":{"name":"%1$s"%2$s},\
          "spec":{"runPolicy":{"cleanPodPolicy":"Running"%3$s},"pytorchReplicaSpecs":{\
          "Master":{"restartPolicy":"%4$s",%5$s},\
          "Worker":{"replicas":%6$d,"restartPolicy":"%4$s",%5$s}}}}"""
          .formatted(
              name,
              plot.options().equals(Story.ALL_ANEW)
                  ? ",\"annotations\":{\"training.kubeflow.org/restart-scope\":\"Job\"}"
                  : "",
              plot.options().equals(Story.ALL_ANEW) ? "" : plot.options(),
              plot.restartPolicy(),
              template,
              plot.pods() - 1);
    }

    @Override
    int backoff(JsonNode status) {
      return status.path("ledger").path("backoff").asInt();
    }

    @Override
    int disruptions(JsonNode status) {
      return status.path("ledger").path("disruptions").asInt();
    }

    @Override
    int attempt(JsonNode status) {
      return status.path("ledger").path("attempt").asInt();
    }

    @Override
    int restarts(JsonNode status) {
      int restarts = 0;
      for (JsonNode ofType : status.path("ledger").path("restarts")) {
        restarts += ofType.asInt();
      }
      return restarts;
    }

    @Override
    String reasonOfFailed(JsonNode status) {
      JsonNode outcome = status.path("ledger").path("outcome");
      return outcome.path("succeeded").asBoolean() ? "" : outcome.path("reason").asText();
    }

    @Override
    boolean lists(JsonNode status, String uid) {
      for (JsonNode ofType : status.path("ledger").path("replicas")) {
        for (JsonNode listed : ofType.path("uids")) {
          if (listed.asText().equals(uid)) {
            return true;
          }
        }
      }
      return false;
    }

    @Override
    boolean reusesPodNames() {
      return true;
    }
  };

  private final JobResource resource;

  StoryKind(JobResource resource) {
    this.resource = resource;
  }

  /** Where the API server has them. */
  JobResource resource() {
    return resource;
  }

  /** The manifest of a job. */
  abstract String manifest(String name, Story.Plot plot);

  /** Counted restarts. */
  abstract int backoff(JsonNode status);

  /** Restarts after disruptions. */
  abstract int disruptions(JsonNode status);

  /** The number of the attempt. */
  abstract int attempt(JsonNode status);

  /** Restarts of all types. */
  abstract int restarts(JsonNode status);

  /** Empty while the job has not failed. */
  abstract String reasonOfFailed(JsonNode status);

  /** Whether a status lists a pod as the present one of a replica. */
  abstract boolean lists(JsonNode status, String uid);

  /** Whether all pods of a replica have the same name, one after the other. */
  abstract boolean reusesPodNames();
}
