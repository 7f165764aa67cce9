package dev.tensorstack.training.kind.pytorchjob.admission;

import static java.util.Objects.requireNonNullElse;

import dev.tensorstack.training.core.naming.EnvironmentVariables;
import dev.tensorstack.training.kind.pytorchjob.spec.ProcessesPerNode;
import dev.tensorstack.training.kind.pytorchjob.v1.ElasticPolicy;
import dev.tensorstack.training.kind.pytorchjob.v1.PyTorchJobSpec;
import dev.tensorstack.training.kind.pytorchjob.v1.ReplicaType;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The environment variables that the operator sets in the containers of a job. */
final class OperatorVariables {

  private static final List<String> WITH_A_MASTER =
      List.of(
          EnvironmentVariables.MASTER_ADDR,
          EnvironmentVariables.MASTER_PORT,
          EnvironmentVariables.PET_MASTER_ADDR,
          EnvironmentVariables.PET_MASTER_PORT,
          EnvironmentVariables.WORLD_SIZE,
          EnvironmentVariables.RANK,
          EnvironmentVariables.PET_NODE_RANK);

  private OperatorVariables() {}

  /**
   * The variables.
   *
   * @param spec a spec with all defaults
   * @return each name with its value where that is the same in each pod, else with an empty text
   */
  static Map<String, String> of(PyTorchJobSpec spec) {
    Map<String, String> variables = new LinkedHashMap<>();
    variables.put(EnvironmentVariables.PYTHONUNBUFFERED, "1");
    variables.put("PET_NPROC_PER_NODE", ProcessesPerNode.of(spec));
    variables.put(EnvironmentVariables.PET_NNODES, "");
    if (ReplicaFields.known(spec).containsKey(ReplicaType.Master)) {
      WITH_A_MASTER.forEach(name -> variables.put(name, ""));
    }
    ElasticPolicy elastic = spec.elasticPolicy();
    if (elastic != null) {
      variables.put("PET_RDZV_ENDPOINT", "");
      variables.put("PET_RDZV_BACKEND", requireNonNullElse(elastic.rdzvBackend(), ""));
      putIf(variables, elastic.rdzvId() != null, "PET_RDZV_ID");
      putIf(variables, elastic.rdzvConf() != null, "PET_RDZV_CONF");
      putIf(variables, Boolean.TRUE.equals(elastic.standalone()), "PET_STANDALONE");
      putIf(variables, elastic.maxRestarts() != null, "PET_MAX_RESTARTS");
    }
    return variables;
  }

  private static void putIf(Map<String, String> variables, boolean given, String name) {
    if (given) {
      variables.put(name, "");
    }
  }
}
