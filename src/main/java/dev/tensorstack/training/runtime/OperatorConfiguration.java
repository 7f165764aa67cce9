package dev.tensorstack.training.runtime;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.time.Duration;
import java.util.List;

/**
 * The operator's settings; each is also an environment variable: OPERATOR_POD_WRITE_PARALLELISM.
 */
@ConfigMapping(prefix = "operator")
public interface OperatorConfiguration {

  /**
   * The namespaces to watch; application.properties hands them to the framework.
   *
   * @return names of namespaces, or the framework's word for all
   */
  List<String> watchNamespaces();

  /**
   * Pod creations and deletions in flight, the whole operator.
   *
   * @return a positive number
   */
  @WithDefault("50")
  int podWriteParallelism();

  /**
   * The delay before the second counted restart of a job.
   *
   * @return for example 10s
   */
  @WithDefault("10s")
  Duration restartDelayBase();

  /**
   * The longest delay before a counted restart.
   *
   * @return for example 5m
   */
  @WithDefault("5m")
  Duration restartDelayMax();

  /**
   * How long a lost node may take to come back before its pods are given up.
   *
   * @return for example 30s
   */
  @WithDefault("30s")
  Duration nodeLossGrace();

  /**
   * How long the other torchrun agents may take after the master succeeded.
   *
   * @return for example 30s
   */
  @WithDefault("30s")
  Duration agentExitGrace();

  /**
   * At most one status write for each job in this time.
   *
   * @return for example 1s
   */
  @WithDefault("1s")
  Duration statusMinInterval();

  /**
   * The resources that {@code procPerNode: gpu} counts; a {@code *} at the end stands for any rest.
   *
   * @return names of extended resources
   */
  @WithDefault(
      "nvidia.com/gpu,nvidia.com/mig-*,amd.com/gpu,hygon.com/dcu,gpu.intel.com/*,habana.ai/gaudi,huawei.com/Ascend*")
  List<String> acceleratorResources();
}
