package dev.tensorstack.training.kind.toy;

import dev.tensorstack.training.core.naming.JobNaming;

/** Names without a hash: {@code toy-<job>}, {@code <job>-part-<index>}. */
record ToyNames(String job, String namespace) implements JobNaming {

  @Override
  public String instance() {
    return "toy-" + job;
  }

  @Override
  public String podGroup() {
    return instance();
  }

  @Override
  public String service() {
    return instance();
  }

  @Override
  public String autoscaler() {
    return instance();
  }

  @Override
  public String tensorboard() {
    return instance() + "-board";
  }

  @Override
  public String hostName(String type, int index) {
    return job + "-" + type + "-" + index;
  }

  @Override
  public String pod(String type, int index, int earlierPods) {
    return hostName(type, index) + (earlierPods == 0 ? "" : "-again-" + earlierPods);
  }

  @Override
  public int earlierPods(String podName, String type, int index) {
    String prefix = hostName(type, index) + "-again-";
    return podName.startsWith(prefix) ? Integer.parseInt(podName.substring(prefix.length())) : 0;
  }

  @Override
  public String address(String type, int index) {
    return hostName(type, index) + "." + service() + "." + namespace + ".svc";
  }
}
