package dev.tensorstack.training.core.pod;

import dev.tensorstack.training.core.model.RendezvousBackend;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * torchrun's command line for one pod (docs/concepts.md, Environment and torchrun).
 *
 * @param nodes {@code N} or {@code MIN:MAX}
 * @param processesPerNode a number, {@code auto} or {@code cpu}
 * @param backend the rendezvous backend
 * @param masterAddress the master's DNS name
 * @param rendezvousPort the port of the rendezvous on the master
 * @param rendezvousId the rendezvous' id: a new one for each attempt
 * @param master whether this pod is the master
 * @param rank the pod's rank
 * @param elastic whether nodes may come and go
 * @param maxRestarts torchrun's own restarts
 * @param role the replica type
 * @param extraOptions the user's options
 */
public record TorchrunCommand(
    String nodes,
    String processesPerNode,
    RendezvousBackend backend,
    String masterAddress,
    int rendezvousPort,
    String rendezvousId,
    boolean master,
    int rank,
    boolean elastic,
    int maxRestarts,
    String role,
    List<String> extraOptions) {

  private static final String RDZV_CONF = "rdzv-conf";

  /**
   * The options, without the program and without the script.
   *
   * @return the options in a fixed order, the user's last; {@code --rdzv_conf} of the user, however
   *     it is spelled, is merged into the operator's and wins
   */
  public List<String> options() {
    List<String> users = new ArrayList<>();
    Map<String, String> conf = new LinkedHashMap<>();
    if (backend == RendezvousBackend.C10D) {
      conf.put("is_host", Boolean.toString(master));
      if (elastic) {
        elasticRendezvous(conf);
      }
    }
    separate(extraOptions, users, conf);

    List<String> options = new ArrayList<>();
    options.add("--nnodes=" + nodes);
    options.add("--nproc_per_node=" + processesPerNode);
    options.add("--rdzv_backend=" + backend.option());
    if (!backend.isEtcd()) {
      options.add("--rdzv_endpoint=" + masterAddress + ":" + rendezvousPort);
    }
    options.add("--rdzv_id=" + rendezvousId);
    if (backend == RendezvousBackend.STATIC) {
      options.add("--node_rank=" + rank);
    }
    if (!conf.isEmpty()) {
      options.add("--rdzv_conf=" + join(conf));
    }
    options.add("--max_restarts=" + maxRestarts);
    options.add("--role=" + role);
    options.addAll(users);
    return options;
  }

  /**
   * torch's own values are made for rings that are formed once (docs/design/elastic-torch.md): the
   * last call is paid at each change of the ring; a node that leaves is noticed once its keep-alive
   * is over; and a worker that is up before the master would give up after a minute.
   */
  private void elasticRendezvous(Map<String, String> conf) {
    conf.put("last_call_timeout", "10");
    conf.put("keep_alive_interval", "2");
    conf.put("keep_alive_max_attempt", "4");
    if (!master) {
      conf.put("read_timeout", "600");
    }
  }

  /** Takes {@code --rdzv_conf k=v,…} out of the options, in both its forms. */
  private static void separate(
      List<String> options, List<String> others, Map<String, String> conf) {
    for (int i = 0; i < options.size(); i++) {
      String option = options.get(i);
      if (option == null) {
        continue;
      }
      int equals = option.indexOf('=');
      if (!RDZV_CONF.equals(TorchrunOptions.nameOf(option))) {
        others.add(option);
      } else if (equals >= 0) {
        parse(option.substring(equals + 1), conf);
      } else if (i + 1 < options.size()) {
        parse(options.get(++i), conf);
      }
    }
  }

  private static void parse(@Nullable String pairs, Map<String, String> conf) {
    if (pairs == null) {
      return;
    }
    for (String pair : pairs.split(",", -1)) {
      int equals = pair.indexOf('=');
      if (equals > 0) {
        conf.put(pair.substring(0, equals).strip(), pair.substring(equals + 1).strip());
      }
    }
  }

  private static String join(Map<String, String> conf) {
    List<String> pairs = new ArrayList<>();
    conf.forEach((key, value) -> pairs.add(key + "=" + value));
    return String.join(",", pairs);
  }

  /**
   * What torchrun shall run: the container's args; or, when its command names a Python script or
   * module, that with what follows it and the args.
   *
   * @param command the container's command, or null
   * @param args the container's args, or null
   * @return script and arguments; empty when there is nothing to run
   */
  public static List<String> script(@Nullable List<String> command, @Nullable List<String> args) {
    List<String> script = new ArrayList<>(PythonCommandLine.scriptOf(command));
    if (args != null) {
      script.addAll(args);
    }
    return script;
  }
}
