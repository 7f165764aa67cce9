package dev.tensorstack.training.core.pod;

import static dev.tensorstack.training.core.naming.EnvironmentVariables.MASTER_ADDR;
import static dev.tensorstack.training.core.naming.EnvironmentVariables.MASTER_PORT;
import static dev.tensorstack.training.core.naming.EnvironmentVariables.PET_MASTER_ADDR;
import static dev.tensorstack.training.core.naming.EnvironmentVariables.PET_MASTER_PORT;
import static dev.tensorstack.training.core.naming.EnvironmentVariables.PET_NNODES;
import static dev.tensorstack.training.core.naming.EnvironmentVariables.PET_NODE_RANK;
import static dev.tensorstack.training.core.naming.EnvironmentVariables.PJ_ATTEMPT;
import static dev.tensorstack.training.core.naming.EnvironmentVariables.PJ_NAME;
import static dev.tensorstack.training.core.naming.EnvironmentVariables.PJ_UID;
import static dev.tensorstack.training.core.naming.EnvironmentVariables.PYTHONUNBUFFERED;
import static dev.tensorstack.training.core.naming.EnvironmentVariables.RANK;
import static dev.tensorstack.training.core.naming.EnvironmentVariables.TORCH_DISABLE_SHARE_RDZV_TCP_STORE;
import static dev.tensorstack.training.core.naming.EnvironmentVariables.WORLD_SIZE;
import static java.util.Objects.requireNonNullElse;

import dev.tensorstack.training.core.model.PodContext;
import dev.tensorstack.training.core.naming.Ports;
import dev.tensorstack.training.core.policy.JobPorts;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.EnvVarBuilder;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The environment that every container of a pod gets (docs/concepts.md, Environment and torchrun).
 */
public final class PodEnvironment {

  /** Who starts the processes of a pod. */
  public enum Start {
    /** The container itself; also in debug mode. */
    DIRECT,
    /** torchrun, with a number of nodes that stays. */
    TORCHRUN,
    /** torchrun, with nodes that come and go. */
    ELASTIC_TORCHRUN;

    /**
     * Who starts the processes of a job's pods.
     *
     * @param torchrun whether the job is started through torchrun
     * @param elastic whether its number of nodes may change
     * @param debug whether the pods are for debugging, in which torchrun does not run
     * @return the way
     */
    public static Start of(boolean torchrun, boolean elastic, boolean debug) {
      if (debug || !torchrun) {
        return DIRECT;
      }
      return elastic ? ELASTIC_TORCHRUN : TORCHRUN;
    }
  }

  private final Map<String, String> variables = new LinkedHashMap<>();

  private PodEnvironment(Map<String, String> variables) {
    this.variables.putAll(variables);
  }

  /** The environment of one pod; with torchrun, ranks are torchrun's to set. */
  static PodEnvironment of(PodContext place, Start start) {
    return new PodEnvironment(
        variables(
            place.masterAddress(),
            JobPorts.of(place.uid(), place.spec()).master(),
            Integer.toString(place.size()),
            Integer.toString(place.rank()),
            place.nodes(),
            start,
            Map.of(
                PJ_NAME,
                place.job(),
                PJ_UID,
                place.uid(),
                PJ_ATTEMPT,
                Integer.toString(place.attempt()))));
  }

  /**
   * All variables.
   *
   * @param pods the number of pods of the job
   * @param nodes {@code N} or {@code MIN:MAX}
   * @param identity which run it is
   */
  private static Map<String, String> variables(
      String masterAddress,
      int port,
      String pods,
      String rank,
      String nodes,
      Start start,
      Map<String, String> identity) {
    Map<String, String> variables = new LinkedHashMap<>();
    String masterPort = Integer.toString(port);
    variables.put(MASTER_ADDR, masterAddress);
    variables.put(MASTER_PORT, masterPort);
    if (start == Start.DIRECT) {
      variables.put(WORLD_SIZE, pods);
      variables.put(RANK, rank);
      variables.put(PET_NNODES, nodes);
      variables.put(PET_NODE_RANK, rank);
      variables.put(PET_MASTER_ADDR, masterAddress);
      variables.put(PET_MASTER_PORT, masterPort);
    }
    if (start == Start.ELASTIC_TORCHRUN) {
      variables.put(TORCH_DISABLE_SHARE_RDZV_TCP_STORE, "1");
    }
    variables.put(PYTHONUNBUFFERED, "1");
    for (String name : List.of(PJ_NAME, PJ_UID, PJ_ATTEMPT)) {
      variables.put(name, identity.getOrDefault(name, ""));
    }
    return variables;
  }

  /**
   * The variables that containers get.
   *
   * @param start who starts the processes of the training container
   * @return each name with its value where that is the same in every pod of every job, else with an
   *     empty text
   */
  public static Map<String, String> variables(Start start) {
    return variables("", Ports.MASTER, "", "", "", start, Map.of());
  }

  /** The operator's entries come first, so that the user's may refer to them; the user's win. */
  void addTo(Container container) {
    List<EnvVar> users = requireNonNullElse(container.getEnv(), List.of());
    Set<String> names =
        users.stream().filter(Objects::nonNull).map(EnvVar::getName).collect(Collectors.toSet());
    List<EnvVar> env = new ArrayList<>();
    variables.forEach(
        (name, value) -> {
          if (!names.contains(name)) {
            env.add(new EnvVarBuilder().withName(name).withValue(value).build());
          }
        });
    env.addAll(users);
    container.setEnv(env);
  }
}
