package dev.tensorstack.training.runtime;

import dev.tensorstack.training.webhook.certificate.CertificateOrigin;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

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

  /**
   * The operator's own namespace; setting it says that the operator runs in a cluster.
   *
   * @return a namespace; empty: that of the pod's service account, if there is one
   */
  Optional<String> namespace();

  /**
   * The election of the one that works on jobs.
   *
   * @return its settings
   */
  LeaderElection leaderElection();

  /** The settings of the election. */
  interface LeaderElection {

    /**
     * Whether several replicas of the operator elect the one that works on jobs.
     *
     * @return empty: in a cluster, and nowhere else
     */
    Optional<Boolean> enabled();
  }

  /**
   * The admission webhooks.
   *
   * @return their settings
   */
  Webhooks webhooks();

  /** The settings of the admission webhooks. */
  interface Webhooks {

    /**
     * Outside of a cluster: where the API server reaches this operator.
     *
     * @return {@code https://host:port}; empty: the operator does not register its webhooks
     */
    Optional<String> url();

    /**
     * Who makes the certificate.
     *
     * @return self-signed or provided
     */
    @WithDefault("self-signed")
    CertificateOrigin certificates();

    /**
     * Where a provided certificate is.
     *
     * @return a directory with tls.crt, tls.key and perhaps ca.crt
     */
    @WithDefault("/etc/webhook-certificates")
    Path certificateDir();

    /**
     * The Secret of self-signed certificates, in the operator's namespace.
     *
     * @return its name
     */
    @WithDefault("pytorchtrainingjob-operator-webhook")
    String secret();

    /**
     * The Service through which API servers reach the webhooks, in the operator's namespace.
     *
     * @return its name
     */
    @WithDefault("pytorchtrainingjob-operator-webhook")
    String service();

    /**
     * The two webhook configurations.
     *
     * @return their name; with a URL, {@code -url} is added
     */
    @WithDefault("pytorchtrainingjob-operator")
    String configuration();

    /**
     * How long a self-signed certificate is valid; it is renewed after two thirds of that.
     *
     * @return for example 90d
     */
    @WithDefault("90d")
    Duration certificateValidity();

    /**
     * How long the authority of self-signed certificates is valid; renewed after two thirds.
     *
     * @return for example 730d
     */
    @WithDefault("730d")
    Duration caValidity();

    /**
     * How often certificate and registration are looked at.
     *
     * @return for example 10s
     */
    @WithDefault("10s")
    Duration checkInterval();

    /**
     * How long a new authority stands in the webhook configurations before a certificate that it
     * signed is served.
     *
     * @return for example 30s
     */
    @WithDefault("30s")
    Duration trustDelay();

    /**
     * Whether the API server tries the pods of a new job without creating them.
     *
     * @return false: only the rules are checked
     */
    @WithDefault("true")
    boolean podDryRun();
  }
}
