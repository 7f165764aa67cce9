package dev.tensorstack.training.kubectl.log;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tensorstack.training.kubectl.api.ApiException;
import dev.tensorstack.training.kubectl.api.Cluster;
import dev.tensorstack.training.kubectl.api.Lines;
import dev.tensorstack.training.kubectl.job.Job;
import dev.tensorstack.training.kubectl.job.RankedPod;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;

/** Prints logs as they are now: one rank after another, in order. */
public final class LogReader {

  private final Cluster cluster;
  private final LogOptions options;
  private final LinePrinter printer;
  private final Consumer<String> notes;

  /**
   * Reads from a cluster.
   *
   * @param cluster the cluster
   * @param options how much is read
   * @param printer prints the lines
   * @param notes is told what cannot be read, in sentences
   */
  public LogReader(
      Cluster cluster, LogOptions options, LinePrinter printer, Consumer<String> notes) {
    this.cluster = cluster;
    this.options = options;
    this.printer = printer;
    this.notes = notes;
  }

  /**
   * Prints the logs of pods.
   *
   * @param job their job
   * @param pods the pods, in the order in which they are printed
   * @param previous whether the run of the container before the present one is meant
   * @return how many could be read
   * @throws ApiException when the user may not read logs
   */
  public int print(Job job, List<RankedPod> pods, boolean previous) {
    int read = 0;
    for (RankedPod pod : pods) {
      String container =
          Objects.requireNonNullElse(options.container(), pod.defaultContainer(job.kind()));
      try {
        String log =
            cluster.text(options.path(job.namespace(), pod.name(), container, false, previous));
        String prefix = printer.prefix(pod.rank(), pod.replica());
        Lines lines = new Lines(line -> printer.print(prefix, line));
        lines.accept(ByteBuffer.wrap(log.getBytes(UTF_8)));
        lines.end();
        read++;
      } catch (ApiException e) {
        if (e.isForbidden()) {
          throw e;
        }
        notes.accept(pod.replica() + " (pod " + pod.name() + "): " + e.getMessage());
      }
      if (printer.isBroken()) {
        return read;
      }
    }
    return read;
  }
}
