package dev.tensorstack.training.core.policy;

import static java.util.Objects.requireNonNullElse;

import dev.tensorstack.training.core.model.JobSpec;
import dev.tensorstack.training.core.naming.Ports;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerPort;
import io.fabric8.kubernetes.api.model.PodSpec;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * The ports of a job's master. They are the same in every job, but where the master's training
 * container declares others by the names {@code master} and {@code rendezvous}, and where the
 * master uses its node's network: there masters of several jobs may meet on one node, so each job
 * has ports of its own, which follow from its uid (docs/tasks/networking.md).
 *
 * @param master of the process group store ({@code MASTER_PORT})
 * @param rendezvous of torchrun
 */
public record JobPorts(int master, int rendezvous) {

  /** The name of a container's port that takes the place of {@link Ports#MASTER}. */
  public static final String MASTER = "master";

  /** The name of a container's port that takes the place of {@link Ports#RENDEZVOUS}. */
  public static final String RENDEZVOUS = "rendezvous";

  private static final String TCP = "TCP";

  /** Above what services of a node usually take, below the NodePorts and what clients get. */
  private static final int FIRST = 20_000;

  /** All pairs up to 24999 but that of {@link Ports#MASTER}, which other jobs may have. */
  private static final int PAIRS = 2_499;

  /**
   * The ports of a job.
   *
   * @param uid the job's uid
   * @param spec what the job is to do
   * @return two ports, which are not the same unless the template says so
   */
  public static JobPorts of(String uid, JobSpec spec) {
    int master = Ports.MASTER;
    int rendezvous = Ports.RENDEZVOUS;
    if (onNodeNetwork(spec)) {
      CRC32 sum = new CRC32();
      sum.update(uid.getBytes(StandardCharsets.UTF_8));
      master = FIRST + 2 * (int) (sum.getValue() % PAIRS);
      if (master >= Ports.MASTER) {
        master += 2;
      }
      rendezvous = master + 1;
    }
    return new JobPorts(declared(spec, MASTER, master), declared(spec, RENDEZVOUS, rendezvous));
  }

  /**
   * Whether the master uses its node's network.
   *
   * @param spec what the job is to do
   * @return true when its template says {@code hostNetwork: true}
   */
  public static boolean onNodeNetwork(JobSpec spec) {
    PodSpec master = master(spec);
    return master != null && Boolean.TRUE.equals(master.getHostNetwork());
  }

  private static @Nullable PodSpec master(JobSpec spec) {
    return spec.types().isEmpty() ? null : spec.types().get(0).template().getSpec();
  }

  private static int declared(JobSpec spec, String name, int otherwise) {
    PodSpec master = master(spec);
    List<Container> containers =
        master == null
            ? List.of()
            : requireNonNullElse(master.getContainers(), List.<Container>of()).stream()
                .filter(Objects::nonNull)
                .toList();
    if (containers.isEmpty()) {
      return otherwise;
    }
    Container training =
        containers.get(TrainingContainer.indexIn(containers, spec.traits().trainingContainer()));
    return requireNonNullElse(training.getPorts(), List.<ContainerPort>of()).stream()
        .filter(port -> port != null && name.equals(port.getName()))
        .filter(port -> port.getProtocol() == null || port.getProtocol().equals(TCP))
        .map(ContainerPort::getContainerPort)
        .filter(Objects::nonNull)
        .findFirst()
        .orElse(otherwise);
  }
}
