package dev.tensorstack.training.runtime;

import dev.tensorstack.training.tls.certificate.CertificateOrigin;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import io.smallrye.config.WithName;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The operator's settings; each is also an environment variable: OPERATOR_POD_WRITE_PARALLELISM.
 * docs/reference/configuration.md is made from these comments.
 */
@ConfigMapping(prefix = "operator")
public interface OperatorConfiguration {

  /**
   * The namespaces to watch, separated by commas. {@code JOSDK_ALL_NAMESPACES} means all of them.
   *
   * @return names; application.properties hands them to the framework
   */
  List<String> watchNamespaces();

  /**
   * The kinds of jobs that the operator works on, separated by commas. It does not watch other
   * kinds or serve webhooks for them, and does not need their CRDs.
   *
   * @return {@code PyTorchTrainingJob}, {@code PyTorchJob} or both
   */
  @WithDefault("PyTorchTrainingJob,PyTorchJob")
  List<String> kinds();

  /**
   * The maximum number of pod creations and deletions in progress at the same time, for all jobs
   * together.
   *
   * @return a positive number
   */
  @WithDefault("50")
  int podWriteParallelism();

  /**
   * The delay before the second counted restart of a job. It doubles with each further restart.
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
   * How long a node may be unreachable before its pods that cannot be deleted are given up and
   * replaced.
   *
   * @return for example 30s
   */
  @WithDefault("30s")
  Duration nodeLossGrace();

  /**
   * How long the other torchrun agents may take to exit after the master has succeeded.
   *
   * @return for example 30s
   */
  @WithDefault("30s")
  Duration agentExitGrace();

  /**
   * How long the other torchrun agents may take to exit on their own after one has failed, before
   * the job ends or all pods are restarted.
   *
   * @return for example 10s
   */
  @WithDefault("10s")
  Duration failureGrace();

  /**
   * How long the other pods of a job without torchrun may take to end after one has failed, before
   * the job ends or all pods are restarted. Pods that fail at about the same time are then all
   * taken into account.
   *
   * @return for example 3s
   */
  @WithDefault("3s")
  Duration plainFailureGrace();

  /**
   * The longest delay before a pod is replaced after a disruption. The first three replacements
   * within five minutes are not delayed, the next ones by 1 s, 2 s, 4 s, and so on.
   *
   * @return for example 30s
   */
  @WithDefault("30s")
  Duration disruptionDelayMax();

  /**
   * The minimum time between two status writes for the same job. Decisions are not delayed.
   *
   * @return for example 1s
   */
  @WithDefault("1s")
  Duration statusMinInterval();

  /**
   * The resources that {@code procPerNode: gpu} counts. A {@code *} at the end matches any suffix.
   *
   * @return names of extended resources
   */
  @WithDefault(
      "nvidia.com/gpu,nvidia.com/mig-*,amd.com/gpu,hygon.com/dcu,gpu.intel.com/*,habana.ai/gaudi,huawei.com/Ascend*")
  List<String> acceleratorResources();

  /**
   * Defaults for new jobs.
   *
   * @return its settings
   */
  Defaults defaults();

  /** The defaults for new jobs. */
  interface Defaults {

    /**
     * Which pods are deleted after a new job has ended, if the job does not specify it: {@code
     * All}, {@code Unfinished} or {@code None}; for {@code PyTorchJob}, {@code Running} instead of
     * {@code Unfinished}.
     *
     * @return one of the three; empty: the default of the kind
     */
    Optional<String> cleanUpPolicy();

    /**
     * How many seconds after its end a new job is deleted, if the job does not specify it.
     *
     * @return 0 or more; empty: never
     */
    Optional<Integer> ttlSecondsAfterFinished();

    /**
     * The LocalQueue of Kueue for a new job that has no label {@code kueue.x-k8s.io/queue-name}. An
     * empty label means no queue.
     *
     * @return a name; empty: no queue
     */
    Optional<String> queue();

    /**
     * The image of TensorBoard for a new {@code PyTorchTrainingJob} with a TensorBoard that does
     * not specify one.
     *
     * @return an image; empty: {@code t9kpublic/tensorboard:2.17.0}
     */
    Optional<String> tensorboardImage();

    /**
     * {@code spec.scheduler} of a new {@code PyTorchTrainingJob}, as JSON, if neither the job nor
     * any of its templates specifies a scheduler.
     *
     * @return for example {@code {"volcano": {"queue": "research"}}}; empty: Kubernetes' default
     *     scheduler
     */
    Optional<String> scheduler();
  }

  /**
   * The operator's own namespace. If it is set, the operator assumes that it runs in a cluster.
   *
   * @return a namespace; empty: that of the pod's service account, if there is one
   */
  Optional<String> namespace();

  /**
   * The operator's own pod, on which events about the operator itself are written.
   *
   * @return its name and uid
   */
  OwnPod ownPod();

  /** The operator's own pod. */
  interface OwnPod {

    /**
     * The name of the operator's own pod.
     *
     * @return a name; empty: no events about the operator itself
     */
    Optional<String> name();

    /**
     * The uid of the operator's own pod.
     *
     * @return a uid; empty: no events about the operator itself
     */
    Optional<String> uid();
  }

  /**
   * Leader election.
   *
   * @return its settings
   */
  LeaderElection leaderElection();

  /** The settings of the election. */
  interface LeaderElection {

    /**
     * Whether the replicas of the operator elect a leader, which works on jobs.
     *
     * @return whether; empty: {@code true} in a cluster, else {@code false}
     */
    Optional<Boolean> enabled();
  }

  /**
   * Jobs of the kind {@code PyTorchJob}.
   *
   * @return their settings
   */
  @WithName("pytorchjob")
  PyTorchJobs pyTorchJobs();

  /** The settings of the kind {@code PyTorchJob}. */
  interface PyTorchJobs {

    /**
     * The gang scheduler of all jobs of the kind {@code PyTorchJob}: {@code none}, {@code volcano},
     * or the name under which scheduler-plugins run.
     *
     * @return a {@code schedulerName}
     */
    @WithDefault("none")
    String gangScheduler();

    /**
     * Whether jobs of the kind {@code PyTorchJob} are left alone while Kubeflow's Training Operator
     * is running in the cluster.
     *
     * @return false if that one only works on other kinds
     */
    @WithDefault("true")
    boolean trainingOperatorCheck();

    /**
     * The init container with which workers wait for the master's name in DNS.
     *
     * @return its settings
     */
    InitContainer initContainer();

    /** The settings of the init container. */
    interface InitContainer {

      /**
       * Whether workers of a {@code PyTorchJob} wait in an init container until the master's name
       * is in DNS. Without it, torch retries on its own.
       *
       * @return whether
       */
      @WithDefault("true")
      boolean enabled();

      /**
       * The image of the init container. It needs a shell and {@code nslookup}.
       *
       * @return an image
       */
      @WithDefault("docker.io/library/busybox:1.36.1")
      String image();

      /**
       * How many times, two seconds apart, the init container looks up the name before it fails.
       *
       * @return a positive number
       */
      @WithDefault("100")
      int maxTries();

      /**
       * A YAML file with a list of init containers that replace the operator's own. {@code
       * {{.MasterAddr}}}, {@code {{.InitContainerImage}}} and {@code {{.MaxTries}}} are
       * substituted.
       *
       * @return a file; empty: the operator's own init container
       */
      Optional<Path> templateFile();
    }
  }

  /**
   * The admission webhooks.
   *
   * @return their settings
   */
  Webhooks webhooks();

  /**
   * Progress reports of trainings.
   *
   * @return its settings
   */
  Progress progress();

  /**
   * The operator's metrics.
   *
   * @return their settings
   */
  Metrics metrics();

  /** The settings of the metrics. */
  interface Metrics {

    /**
     * Whether metrics are only served over HTTPS, to clients with a bearer token that the API
     * server accepts and the permission to get the non-resource URL {@code /metrics}. The port for
     * health then serves no metrics.
     *
     * @return false: without TLS and authentication, on the port for health
     */
    @WithDefault("false")
    boolean secure();

    /**
     * The HTTPS port for metrics.
     *
     * @return a port
     */
    @WithDefault("9445")
    int securePort();

    /**
     * The Service for metrics, in the operator's namespace. Over HTTPS, a self-signed certificate
     * is also valid for its name. Messages refer to the ClusterRole with this name and the suffix
     * {@code -reader}.
     *
     * @return its name
     */
    @WithDefault("pytorchtrainingjob-operator-metrics")
    String service();
  }

  /** The settings for progress reports. */
  interface Progress {

    /**
     * Whether the operator accepts progress reports, and tells the pods of jobs that ask for it
     * where to send them.
     *
     * @return true for reports
     */
    @WithDefault("true")
    boolean enabled();

    /**
     * The HTTPS port for progress reports.
     *
     * @return a port
     */
    @WithDefault("9444")
    int port();

    /**
     * A PEM file with the certificate authorities that pods trust for progress reports. Needed if
     * the operator does not create its certificate and {@code ca.crt} is not provided with it. The
     * file is read again when it changes.
     *
     * @return a file; empty: the authorities that are provided with the certificate
     */
    Optional<Path> ca();

    /**
     * The address at which pods reach this operator: {@code https://host:port}. The host must be in
     * the operator's certificate.
     *
     * @return an address; empty: that of the webhooks, with the port for progress reports; without
     *     webhooks, reports are off
     */
    Optional<String> url();
  }

  /** The settings of the admission webhooks. */
  interface Webhooks {

    /**
     * Outside of a cluster: {@code https://host:port} at which the API server reaches this
     * operator. The operator then registers its webhooks itself.
     *
     * @return an address; empty: the operator does not register its webhooks
     */
    Optional<String> url();

    /**
     * Where the certificate comes from: created by the operator ({@code self-signed}), or from
     * files ({@code provided}).
     *
     * @return one of the two
     */
    @WithDefault("self-signed")
    CertificateOrigin certificates();

    /**
     * The directory of a provided certificate: {@code tls.crt}, {@code tls.key} and, optionally,
     * {@code ca.crt}.
     *
     * @return a directory
     */
    @WithDefault("/etc/webhook-certificates")
    Path certificateDir();

    /**
     * The Secret of a self-signed certificate, in the operator's namespace.
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
     * The name of both webhook configurations. With a URL, {@code -url} is appended.
     *
     * @return a name
     */
    @WithDefault("pytorchtrainingjob-operator")
    String configuration();

    /**
     * How long a self-signed certificate is valid. It is renewed after two thirds of this time.
     *
     * @return for example 90d
     */
    @WithDefault("90d")
    Duration certificateValidity();

    /**
     * How long the certificate authority of self-signed certificates is valid. It is renewed after
     * two thirds of this time.
     *
     * @return for example 730d
     */
    @WithDefault("730d")
    Duration caValidity();

    /**
     * How often the certificate, its files and the webhook configurations are checked.
     *
     * @return for example 10s
     */
    @WithDefault("10s")
    Duration checkInterval();

    /**
     * How long a new certificate authority is in the webhook configurations before a certificate
     * signed by it is served.
     *
     * @return for example 30s
     */
    @WithDefault("30s")
    Duration trustDelay();

    /**
     * Whether the pods of a new job are tried with a dry run. If not, errors that only the API
     * server can detect appear when the pods are created.
     *
     * @return false: only the rules are checked
     */
    @WithDefault("true")
    boolean podDryRun();

    /**
     * The maximum number of dry runs of pods at the same time, for all jobs together. Further ones
     * wait; one without an answer after two seconds counts as passed.
     *
     * @return a positive number
     */
    @WithDefault("32")
    int dryRunParallelism();

    /**
     * The maximum number of admission reviews at the same time. Further ones wait for up to three
     * seconds and are then answered with 429, so that {@code failurePolicy} decides.
     *
     * @return a positive number
     */
    @WithDefault("64")
    int reviewParallelism();

    /**
     * A PEM file with the certificate authorities for the client certificates of API servers.
     * Connections without such a certificate are refused.
     *
     * @return a file; empty: every client may call the webhooks
     */
    Optional<Path> clientCa();

    /**
     * The names (common name or DNS name) of client certificates that may call the webhooks, if the
     * certificate authorities also sign other certificates.
     *
     * @return names; empty: all
     */
    Optional<List<String>> clientNames();
  }
}
