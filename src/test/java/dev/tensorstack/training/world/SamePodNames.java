package dev.tensorstack.training.world;

import dev.tensorstack.training.core.naming.JobNaming;

/** The names of a kind in which all pods of a replica have the same name, one after the other. */
public record SamePodNames(JobNaming names) implements JobNaming {

  @Override
  public String instance() {
    return names.instance();
  }

  @Override
  public String podGroup() {
    return names.podGroup();
  }

  @Override
  public String service() {
    return names.service();
  }

  @Override
  public String autoscaler() {
    return names.autoscaler();
  }

  @Override
  public String tensorboard() {
    return names.tensorboard();
  }

  @Override
  public String hostName(String type, int index) {
    return names.hostName(type, index);
  }

  @Override
  public String pod(String type, int index, int earlierPods) {
    return names.pod(type, index, 0);
  }

  @Override
  public int earlierPods(String podName, String type, int index) {
    return 0;
  }

  @Override
  public String address(String type, int index) {
    return names.address(type, index);
  }
}
