package dev.tensorstack.training.kind.pytorchjob;

import dev.tensorstack.training.core.naming.JobNaming;
import java.util.Locale;

/**
 * The names of everything that belongs to one PyTorchJob, as Kubeflow's operator makes them: from
 * the job's name alone, so that all pods of a replica have the same.
 *
 * @param job the job's name
 * @param uid the job's uid
 */
public record PyTorchJobNames(String job, String uid) implements JobNaming {

  private static final int OF_UID = 8;

  /** With a part of the uid: an earlier job of the same name may have left events. */
  @Override
  public String instance() {
    String letters = uid.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]", "");
    return job + "-" + letters.substring(0, Math.min(OF_UID, letters.length()));
  }

  @Override
  public String podGroup() {
    return job;
  }

  /** There is none for all pods. */
  @Override
  public String service() {
    return job;
  }

  @Override
  public String autoscaler() {
    return job;
  }

  /** There is none. */
  @Override
  public String tensorboard() {
    return job + "-tensorboard";
  }

  @Override
  public String hostName(String type, int index) {
    return (job + "-" + type + "-" + index).replace('/', '-');
  }

  @Override
  public String pod(String type, int index, int earlierPods) {
    return hostName(type, index);
  }

  /** The labels say it. */
  @Override
  public int earlierPods(String podName, String type, int index) {
    return 0;
  }

  @Override
  public String address(String type, int index) {
    return replicaService(type, index);
  }
}
