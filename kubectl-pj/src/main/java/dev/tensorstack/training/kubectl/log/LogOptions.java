package dev.tensorstack.training.kubectl.log;

import dev.tensorstack.training.kubectl.api.Cluster;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How much of a log is read.
 *
 * @param container the container; null for the one that trains
 * @param tail how many of the last lines; null for all
 * @param since not older than this; null for all
 */
public record LogOptions(
    @Nullable String container, @Nullable Integer tail, @Nullable Duration since) {

  /**
   * The request for a log.
   *
   * @param namespace the pod's namespace
   * @param pod the pod's name
   * @param container the container
   * @param follow whether the answer goes on while the container runs
   * @param previous whether the container's run before the present one is meant
   * @return the path with its query
   */
  public String path(
      String namespace, String pod, String container, boolean follow, boolean previous) {
    Map<String, String> query = new LinkedHashMap<>();
    query.put("container", container);
    if (follow) {
      query.put("follow", "true");
    }
    if (previous) {
      query.put("previous", "true");
    }
    if (tail != null) {
      query.put("tailLines", tail.toString());
    }
    if (since != null) {
      query.put("sinceSeconds", Long.toString(Math.max(1, since.toSeconds())));
    }
    return "/api/v1/namespaces/" + namespace + "/pods/" + pod + "/log" + Cluster.query(query);
  }
}
