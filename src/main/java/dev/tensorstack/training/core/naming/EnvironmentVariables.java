package dev.tensorstack.training.core.naming;

/**
 * Environment variables that the operator gives to containers (docs/concepts.md, Environment and
 * torchrun).
 */
public final class EnvironmentVariables {

  /** The DNS name of the master. */
  public static final String MASTER_ADDR = "MASTER_ADDR";

  /** The port of the master's process group store. */
  public static final String MASTER_PORT = "MASTER_PORT";

  /** The number of pods of the job. */
  public static final String WORLD_SIZE = "WORLD_SIZE";

  /** The pod's number in the job: by type in the order of the list, then by index. */
  public static final String RANK = "RANK";

  /** Set to 1: logs appear as they are written. */
  public static final String PYTHONUNBUFFERED = "PYTHONUNBUFFERED";

  /**
   * {@code 1}: each ring of agents gets a store of its own. With torch's shared one, all agents end
   * a minute after a node has joined (docs/design/elastic-torch.md).
   */
  public static final String TORCH_DISABLE_SHARE_RDZV_TCP_STORE =
      "TORCH_DISABLE_SHARE_RDZV_TCP_STORE";

  /** torchrun's {@code --nnodes} as a default. */
  public static final String PET_NNODES = "PET_NNODES";

  /** torchrun's {@code --node-rank} as a default. */
  public static final String PET_NODE_RANK = "PET_NODE_RANK";

  /** torchrun's {@code --master-addr} as a default. */
  public static final String PET_MASTER_ADDR = "PET_MASTER_ADDR";

  /** torchrun's {@code --master-port} as a default. */
  public static final String PET_MASTER_PORT = "PET_MASTER_PORT";

  /** Where the training reports its progress; the name is that of Kubeflow's Trainer. */
  public static final String KUBEFLOW_TRAINER_SERVER_URL = "KUBEFLOW_TRAINER_SERVER_URL";

  /** The file with the authorities of that server's certificate. */
  public static final String KUBEFLOW_TRAINER_SERVER_CA_CERT = "KUBEFLOW_TRAINER_SERVER_CA_CERT";

  /** The file with the token that the pod proves itself with. */
  public static final String KUBEFLOW_TRAINER_SERVER_TOKEN = "KUBEFLOW_TRAINER_SERVER_TOKEN";

  /** The job's name: what a tracker of experiments may call the run. */
  public static final String PJ_NAME = "PJ_NAME";

  /** The job's uid, which another job of the same name does not have. */
  public static final String PJ_UID = "PJ_UID";

  /** The attempt, from 0: each restart of all pods is another one. */
  public static final String PJ_ATTEMPT = "PJ_ATTEMPT";

  private EnvironmentVariables() {}
}
