package dev.tensorstack.training.kubectl.job;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Objects for tests, written as JSON with single quotes. */
public final class Samples {

  /** The present time of the tests. */
  public static final Instant NOW = Instant.parse("2026-11-21T16:30:00Z");

  private static final ObjectMapper JSON = new ObjectMapper();

  private Samples() {}

  /**
   * An object.
   *
   * @param json JSON with single quotes
   * @return the object
   */
  public static Tree tree(String json) {
    try {
      return Tree.of(JSON.readValue(json.replace('\'', '"'), Map.class));
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(json, e);
    }
  }

  /**
   * A PyTorchTrainingJob {@code team-a/mnist} of two workers.
   *
   * @param spec more fields of its spec, each with a comma before it
   * @param status its status, JSON of an object
   * @return the job
   */
  public static Job trainingJob(String spec, String status) {
    return new Job(
        JobKind.TRAINING_JOB,
        tree(
            "{'metadata':{'name':'mnist','namespace':'team-a','uid':'u1','generation':1,"
                + "'creationTimestamp':'2026-11-21T16:00:00Z'},"
                + "'spec':{'replicaSpecs':[{'type':'worker','replicas':2,'restartPolicy':'OnFailure'}]"
                + spec
                + "},'status':"
                + status
                + "}"));
  }

  /**
   * The status of a PyTorchTrainingJob that has not ended.
   *
   * @param phase its phase
   * @param reason the reason of its condition Running
   * @param message its message
   * @param more more fields, each with a comma before it
   * @return JSON
   */
  public static String status(String phase, String reason, String message, String more) {
    return "{'phase':'"
        + phase
        + "','replicas':2,'startTime':'2026-11-21T16:00:00Z','observedGeneration':1,'conditions':["
        + "{'type':'Running','status':'False','reason':'"
        + reason
        + "','message':'"
        + message
        + "','lastTransitionTime':'2026-11-21T16:28:00Z'}]"
        + more
        + "}";
  }

  /**
   * The status of a PyTorchTrainingJob that has failed.
   *
   * @param reason the reason of its condition Failed
   * @param message its message
   * @param more more fields, each with a comma before it
   * @return JSON
   */
  public static String failed(String reason, String message, String more) {
    return "{'phase':'Failed','replicas':2,'startTime':'2026-11-21T16:00:00Z',"
        + "'completionTime':'2026-11-21T16:24:00Z','conditions':["
        + "{'type':'Failed','status':'True','reason':'"
        + reason
        + "','message':'"
        + message
        + "'}]"
        + more
        + "}";
  }

  /**
   * A PyTorchJob {@code team-a/mnist} of a master and two workers.
   *
   * @param spec more fields of its spec, each with a comma before it
   * @param status its status, JSON of an object
   * @return the job
   */
  public static Job pytorchJob(String spec, String status) {
    return new Job(
        JobKind.PYTORCH_JOB,
        tree(
            "{'metadata':{'name':'mnist','namespace':'team-a','uid':'u1',"
                + "'creationTimestamp':'2026-11-21T16:00:00Z'},"
                + "'spec':{'pytorchReplicaSpecs':{'Worker':{'replicas':2},'Master':{'replicas':1}}"
                + spec
                + "},'status':"
                + status
                + "}"));
  }

  /**
   * A pod of a PyTorchTrainingJob.
   *
   * @param name its name
   * @param type its replica's type
   * @param index its index
   * @param attempt its attempt
   * @param more fields beside the metadata, each with a comma before it
   * @return the pod
   */
  public static Tree pod(String name, String type, int index, int attempt, String more) {
    return tree(
        "{'metadata':{'name':'"
            + name
            + "','namespace':'team-a','uid':'uid-"
            + name
            + "','creationTimestamp':'2026-11-21T16:0"
            + attempt
            + ":00Z','labels':{'tensorstack.dev/owner-name':'mnist','replica-type':'"
            + type
            + "','replica-index':'"
            + index
            + "','batch.tensorstack.dev/attempt':'"
            + attempt
            + "'},'ownerReferences':[{'uid':'u1'}]}"
            + more
            + "}");
  }

  /**
   * What a pod's container says.
   *
   * @param phase the pod's phase
   * @param state the container's state, JSON of an object
   * @return fields of a pod, with a comma before them
   */
  public static String running(String phase, String state) {
    return ",'spec':{'nodeName':'n1','containers':[{'name':'python'}]},'status':{'phase':'"
        + phase
        + "','containerStatuses':[{'name':'python','restartCount':0,'state':"
        + state
        + "}]}";
  }

  /**
   * Pods with their ranks.
   *
   * @param job their job
   * @param pods the pods
   * @return the pods by rank
   */
  public static List<RankedPod> ranked(Job job, Tree... pods) {
    return Ranks.of(job, new ArrayList<>(List.of(pods)));
  }
}
