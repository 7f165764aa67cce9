package dev.tensorstack.training.kubectl.submit;

import dev.tensorstack.training.kubectl.job.JobKind;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A script, and how it is to be run.
 *
 * @param kind the kind of job
 * @param namespace where
 * @param name the job's name
 * @param scriptName the script's file name, without folders
 * @param script the script itself
 * @param arguments its arguments
 * @param image the image, which has torchrun
 * @param nodes how many nodes
 * @param elastic the bounds of an elastic job; null for one of a fixed size
 * @param processes {@code --nproc-per-node} of torchrun; null for its default
 * @param gpus accelerators of a node; 0 for none
 * @param gpuResource the resource's name
 * @param cpu a node's request; null for none
 * @param memory a node's request; null for none
 * @param maxRestarts {@code --max-restarts} of torchrun; null for its default
 * @param restartPolicy what is done when a pod fails
 * @param claims claims by the path where they are mounted
 * @param environment variables by name
 * @param queue the queue of Kueue; null for none
 */
public record Submission(
    JobKind kind,
    String namespace,
    String name,
    String scriptName,
    String script,
    List<String> arguments,
    String image,
    int nodes,
    @Nullable Bounds elastic,
    @Nullable String processes,
    int gpus,
    String gpuResource,
    @Nullable String cpu,
    @Nullable String memory,
    @Nullable Integer maxRestarts,
    String restartPolicy,
    Map<String, String> claims,
    Map<String, String> environment,
    @Nullable String queue) {

  /**
   * The bounds of an elastic job.
   *
   * @param min the fewest nodes
   * @param max the most nodes
   */
  public record Bounds(int min, int max) {

    /**
     * Reads bounds.
     *
     * @param text {@code MIN:MAX}
     * @return the bounds
     * @throws IllegalArgumentException with a sentence for the user
     */
    public static Bounds parse(String text) {
      if (!text.matches("\\d{1,5}:\\d{1,5}")) {
        throw new IllegalArgumentException(
            "--elastic: \"" + text + "\" is no MIN:MAX: write for example 1:4");
      }
      int colon = text.indexOf(':');
      Bounds bounds =
          new Bounds(
              Integer.parseInt(text.substring(0, colon)),
              Integer.parseInt(text.substring(colon + 1)));
      if (bounds.min() < 1 || bounds.min() > bounds.max()) {
        throw new IllegalArgumentException(
            "--elastic: MIN is at least 1 and at most MAX, which \"" + text + "\" is not");
      }
      return bounds;
    }
  }
}
