package dev.tensorstack.training.core.policy;

import dev.tensorstack.training.core.model.ReplicaType;
import dev.tensorstack.training.core.naming.Ports;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.zip.CRC32;

/**
 * The ports of a job's master. They are the same in every job, but where the master uses its node's
 * network: there masters of several jobs may meet on one node, so each job has ports of its own,
 * which follow from its uid (docs/tasks/networking.md).
 *
 * @param master of the process group store ({@code MASTER_PORT})
 * @param rendezvous of torchrun
 */
public record JobPorts(int master, int rendezvous) {

  /** Above what services of a node usually take, below the NodePorts and what clients get. */
  private static final int FIRST = 20_000;

  private static final int PAIRS = 2_500;

  private static final JobPorts OF_POD_NETWORK = new JobPorts(Ports.MASTER, Ports.RENDEZVOUS);

  /**
   * The ports of a job.
   *
   * @param uid the job's uid
   * @param types the types of replicas; index 0 of the first is the master
   * @return two ports that are not the same
   */
  public static JobPorts of(String uid, List<ReplicaType> types) {
    if (!onNodeNetwork(types)) {
      return OF_POD_NETWORK;
    }
    CRC32 sum = new CRC32();
    sum.update(uid.getBytes(StandardCharsets.UTF_8));
    int first = FIRST + 2 * (int) (sum.getValue() % PAIRS);
    return new JobPorts(first, first + 1);
  }

  /**
   * Whether the master uses its node's network.
   *
   * @param types the types of replicas; index 0 of the first is the master
   * @return true when its template says {@code hostNetwork: true}
   */
  public static boolean onNodeNetwork(List<ReplicaType> types) {
    return !types.isEmpty()
        && types.get(0).template().getSpec() != null
        && Boolean.TRUE.equals(types.get(0).template().getSpec().getHostNetwork());
  }
}
